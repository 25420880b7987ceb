"""Programs under construction: typed variables, code of every block, numbers still to be chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from codoku_env.puzzle.body import Body, Line
from codoku_env.puzzle.cells import number_literal
from codoku_env.puzzle.flow import EXIT, Path
from codoku_env.runtime import checksum
from codoku_env.synthesis.evaluation import Algebra, ConcreteAlgebra, evaluate
from codoku_env.synthesis.expressions import Assign, Const, Expr, Var, assign_tokens, expression_tokens
from codoku_env.synthesis.lowering import Structure, lay_out

__all__ = ["Code", "Interval", "Program", "program_body", "run_program", "trace"]

V = TypeVar("V")

_CONCRETE = ConcreteAlgebra()


@dataclass(frozen=True, slots=True)
class Interval:
    """The values that one number may take.

    Attributes:
        low: Least value.
        high: Greatest value, equal to ``low`` where the number is already chosen.
        bits: Width of the integers it is among.
    """

    low: int
    high: int
    bits: int


@dataclass(frozen=True, slots=True)
class Code:
    """What a block does.

    Attributes:
        statements: Assignments, in order.
        condition: What its branch tests, for a block with two successors.
        threshold: Slot of the number in the condition that decides where the outcome flips.
    """

    statements: tuple[Assign, ...]
    condition: Expr | None = None
    threshold: int | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A function whose numbers are slots.

    Attributes:
        structure: Control flow.
        parameters: In order.
        locals: In order of declaration.
        declarations: One assignment for each local.
        code: Code of each block by label.
        constants: For each slot the values its number may take.
        inputs: For each parameter the values that the first input may have.
    """

    structure: Structure
    parameters: tuple[Var, ...]
    locals: tuple[Var, ...]
    declarations: tuple[Assign, ...]
    code: Mapping[str, Code]
    constants: tuple[Interval, ...]
    inputs: tuple[Interval, ...]

    @property
    def variables(self) -> tuple[Var, ...]:
        """Parameters and locals: what the return value is a checksum of."""
        return self.parameters + self.locals


def trace(
    program: Program,
    path: Path,
    args: Mapping[str, V],
    constants: Mapping[int, V],
    algebra: Algebra[V],
    at_branch: Callable[[str, Mapping[str, V], V], None] | None = None,
) -> dict[str, V]:
    """Execute the program along ``path``; what has to hold for a run to take it is required of the algebra.

    Args:
        program: What to execute.
        path: The blocks to visit.
        args: Values of the parameters by name.
        constants: Values of the numbers by slot.
        algebra: What values are.
        at_branch: Told of each branch: the block, the variables, the outcome of its condition.

    Returns:
        The final value of every variable by name.

    Raises:
        UndefinedError: In a concrete algebra, the run has no result or takes another path.
    """
    values = dict(args)

    def assign(statement: Assign) -> None:
        value = evaluate(statement.value, values, constants, algebra)
        source, bits = statement.value.bits, statement.target.bits
        values[statement.target.name] = value if source == bits else algebra.widen(value, source, bits)

    for statement in program.declarations:
        assign(statement)
    for label, following in zip(path, (*path[1:], ""), strict=True):
        code = program.code[label]
        for statement in code.statements:
            assign(statement)
        if code.condition is not None:
            outcome = evaluate(code.condition, values, constants, algebra)
            if at_branch is not None:
                at_branch(label, values, outcome)
            algebra.require(outcome, program.structure.then[label] == following)
    return values


def run_program(program: Program, path: Path, args: tuple[int, ...], constants: Mapping[int, int]) -> int:
    """Return value of the program for concrete numbers and an input that takes ``path``.

    Raises:
        UndefinedError: The run has no result or takes another path.
    """
    inputs = {variable.name: value for variable, value in zip(program.parameters, args, strict=True)}
    values = trace(program, path, inputs, constants, _CONCRETE)
    return checksum(*(values[variable.name] for variable in program.variables))


def program_body(program: Program, constants: Mapping[int, int]) -> Body:
    """The program as lines of tokens, nothing masked.

    Args:
        program: What to write.
        constants: Values of the numbers by slot.
    """

    def literal(const: Const) -> str:
        return number_literal(constants[const.slot])

    parameters = [token for variable in program.parameters for token in (",", variable.name)][1:]
    head = Line(0, ("def", "codoku", "(", *parameters, ")", ":"))
    declarations = [Line(1, assign_tokens(statement, literal)) for statement in program.declarations]
    statements = {
        label: [assign_tokens(statement, literal) for statement in code.statements]
        for label, code in program.code.items()
    }
    names = [token for variable in program.variables for token in (",", variable.name)][1:]
    statements[EXIT].append(("return", "checksum", "(", *names, ")"))
    conditions = {
        label: expression_tokens(code.condition, literal)
        for label, code in program.code.items()
        if code.condition is not None
    }
    return Body((head, *declarations, *lay_out(program.structure, statements, conditions)))
