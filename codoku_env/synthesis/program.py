"""Programs under construction: typed variables, code of every block, numbers still to be chosen."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from codoku_env.puzzle.body import CHECKSUM_STATE, Body, Line
from codoku_env.puzzle.cells import number_literal
from codoku_env.puzzle.flow import EXIT, Path
from codoku_env.puzzle.model import Example
from codoku_env.runtime import checksum
from codoku_env.synthesis.evaluation import Algebra, ConcreteAlgebra, evaluate, execute
from codoku_env.synthesis.expressions import (
    Assign,
    Const,
    Expr,
    Literal,
    Var,
    assign_tokens,
    expression_tokens,
    separated,
)
from codoku_env.synthesis.lowering import Structure, lay_out

__all__ = [
    "Code",
    "Interval",
    "Program",
    "Step",
    "execute",
    "program_body",
    "run_program",
    "running_checksum",
    "steps",
    "trace",
]

V = TypeVar("V")

_CONCRETE = ConcreteAlgebra()

_STATE = (CHECKSUM_STATE, "[", "0", "]")


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
        again: Of the header of a rotated loop, the assignments of its copy at the end of the loop.
        absorbed: Variables that the running checksum absorbs after the assignments.
    """

    statements: tuple[Assign, ...]
    condition: Expr | None = None
    threshold: int | None = None
    again: tuple[Assign, ...] = ()
    absorbed: tuple[Var, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What a run does on one visit to a block.

    Attributes:
        label: The block.
        statements: Assignments, in order.
        absorbed: Variables that the running checksum absorbs then.
        condition: What its branch tests, if it has one.
        outcome: What the condition has to be for the run to go on as it does.
    """

    label: str
    statements: tuple[Assign, ...]
    absorbed: tuple[Var, ...]
    condition: Expr | None
    outcome: bool


@dataclass(frozen=True, slots=True)
class Program:
    """A function whose numbers are slots.

    Attributes:
        structure: Control flow.
        parameters: In order.
        locals: In order of declaration; the elements of an array stand together.
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
    def scalars(self) -> tuple[Var, ...]:
        """Locals that are no elements of arrays."""
        return tuple(variable for variable in self.locals if "[" not in variable.name)

    @property
    def arrays(self) -> tuple[tuple[Var, ...], ...]:
        """The elements of each array."""
        elements = (variable for variable in self.locals if "[" in variable.name)
        return tuple(tuple(group) for _, group in itertools.groupby(elements, lambda v: v.name.partition("[")[0]))

    @property
    def keeps_checksum(self) -> bool:
        """Whether there is a running checksum."""
        return any(code.absorbed for code in self.code.values())

    @property
    def variables(self) -> tuple[Var, ...]:
        """Parameters and locals: what the return value is a checksum of."""
        return self.parameters + self.locals


def steps(program: Program, path: Path) -> Iterator[Step]:
    """What a run along ``path`` does, visit by visit."""
    previous = ""
    for label, following in zip(path, (*path[1:], ""), strict=True):
        code = program.code[label]
        again = previous in program.structure.rotated.get(label, ())
        outcome = program.structure.then.get(label) == following
        yield Step(label, code.again if again else code.statements, code.absorbed, code.condition, outcome)
        previous = label


def trace(
    program: Program,
    path: Path,
    args: Mapping[str, V],
    constants: Mapping[int, V],
    algebra: Algebra[V],
    at_branch: Callable[[str, Mapping[str, V], V], None] | None = None,
    at_absorption: Callable[[list[V]], None] | None = None,
) -> dict[str, V]:
    """Execute the program along ``path``; what has to hold for a run to take it is required of the algebra.

    Args:
        program: What to execute.
        path: The blocks to visit.
        args: Values of the parameters by name.
        constants: Values of the numbers by slot.
        algebra: What values are.
        at_branch: Told of each branch: the block, the variables, the outcome of its condition.
        at_absorption: Told what the running checksum absorbs, which nothing else depends on.

    Returns:
        The final value of every variable by name.

    Raises:
        UndefinedError: In a concrete algebra, the run has no result or takes another path.
    """
    values = dict(args)
    for statement in program.declarations:
        execute(statement, values, constants, algebra)
    for step in steps(program, path):
        for statement in step.statements:
            execute(statement, values, constants, algebra)
        if step.absorbed and at_absorption is not None:
            at_absorption([values[variable.name] for variable in step.absorbed])
        if step.condition is not None:
            outcome = evaluate(step.condition, values, constants, algebra)
            if at_branch is not None:
                at_branch(step.label, values, outcome)
            algebra.require(outcome, step.outcome)
    return values


def run_program(program: Program, path: Path, args: tuple[int, ...], constants: Mapping[int, int]) -> int:
    """Return value of the program for concrete numbers and an input that takes ``path``.

    Raises:
        UndefinedError: The run has no result or takes another path.
    """
    inputs = {variable.name: value for variable, value in zip(program.parameters, args, strict=True)}
    values = trace(program, path, inputs, constants, _CONCRETE)
    return checksum(*(values[variable.name] for variable in program.variables))


def running_checksum(program: Program, examples: Iterable[Example], constants: Mapping[int, int]) -> int | None:
    """The running checksum after all examples, or None where the program keeps none.

    Raises:
        UndefinedError: An example has no result or takes another path.
    """
    if not program.keeps_checksum:
        return None
    state = 0

    def absorb(values: list[int]) -> None:
        nonlocal state
        state = checksum(state, *values)

    for example in examples:
        args = (cast(int, value) for value in example.args)
        inputs = {variable.name: value for variable, value in zip(program.parameters, args, strict=True)}
        trace(program, example.path, inputs, constants, _CONCRETE, at_absorption=absorb)
    return state


def program_body(program: Program, constants: Mapping[int, int]) -> Body:
    """The program as lines of tokens, nothing masked.

    Args:
        program: What to write.
        constants: Values of the numbers by slot.
    """

    def literal(const: Const) -> str:
        return number_literal(constants[const.slot])

    def names(variables: Sequence[Var]) -> tuple[str, ...]:
        return separated(expression_tokens(variable, literal) for variable in variables)

    head = Line(0, ("def", "codoku", "(", *names(program.parameters), ")", ":"))
    declarations = [Line(1, tokens) for tokens in _declaration_tokens(program, literal)]

    def lines(statements: Sequence[Assign], absorbed: tuple[Var, ...]) -> list[tuple[str, ...]]:
        absorption = (*_STATE, "=", "checksum", "(", *_STATE, ",", *names(absorbed), ")")
        return [*(assign_tokens(statement, literal) for statement in statements), *([absorption] if absorbed else [])]

    statements = {label: lines(code.statements, code.absorbed) for label, code in program.code.items()}
    rotated = {label: program.code[label] for label in program.structure.rotated}
    again = {label: lines(code.again, code.absorbed) for label, code in rotated.items()}
    statements[EXIT].append(("return", "checksum", "(", *names(program.variables), ")"))
    conditions = {
        label: expression_tokens(code.condition, literal)
        for label, code in program.code.items()
        if code.condition is not None
    }
    state = (Line(0, (CHECKSUM_STATE, "=", "[", "0", "]")),) if program.keeps_checksum else ()
    return Body((*state, head, *declarations, *lay_out(program.structure, statements, conditions, again)))


def _declaration_tokens(program: Program, literal: Literal) -> Iterator[tuple[str, ...]]:
    """Tokens of the declarations, those of an array's elements as one list display."""
    for name, group in itertools.groupby(program.declarations, lambda s: s.target.name.partition("[")[0]):
        statements = tuple(group)
        if statements[0].target.name == name:
            yield assign_tokens(statements[0], literal)
        else:
            values = separated(expression_tokens(statement.value, literal) for statement in statements)
            yield (name, "=", "[", *values, "]")
