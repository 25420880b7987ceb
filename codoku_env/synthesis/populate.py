"""Code for every block of a graph: typed variables, assignments that depend on each other, conditions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from codoku_env.puzzle.flow import ENTRY, EXIT, Path
from codoku_env.synthesis.cfg import Flow
from codoku_env.synthesis.evaluation import int_range
from codoku_env.synthesis.expressions import Assign, Binary, Cast, Compare, Const, Expr, Select, Unary, Var
from codoku_env.synthesis.lowering import Structure
from codoku_env.synthesis.profiles import WIDTHS, Profile
from codoku_env.synthesis.program import Code, Interval, Program

__all__ = ["populate"]

T = TypeVar("T")

_TERMS = {"plain": 2.0, "number": 0.6, "scaled": 2.5, "mixed": 2.5, "divided": 1.5, "shifted": 0.7, "chosen": 0.7}
"""Forms of a term and their weights, as in the tables of operators below."""
_MIXING = {"&": 1.0, "|": 1.0, "^": 2.0}
_JOINS = {"+": 1.0, "-": 1.0}
_DIVISIONS = {"//": 1.0, "%": 1.0}
_ORDER = {"<": 3.0, "<=": 3.0, ">": 3.0, ">=": 3.0, "!=": 0.5, "==": 0.5}
_NEGATED = 0.35
"""Probability that a term has a sign or is inverted."""
_TRIVIAL = 0.15
"""Probability that a number is 0 or 1 where that makes sense."""
_WRITTEN, _DECLARED, _READ = 6.0, 3.0, 1.0
"""How much a value should be read next: written and not read since, still as declared, read already."""
_OVERWRITE = {_WRITTEN: 0.02, _DECLARED: 0.3, _READ: 1.0}
"""How readily such a value is overwritten."""


def populate(flow: Flow, structure: Structure, path: Path, profile: Profile, rng: np.random.Generator) -> Program:
    """A random program on the graph.

    Blocks on the path have numbers that the solver may choose within an interval each, blocks off the path have
    numbers already chosen.

    Args:
        flow: The graph.
        structure: Its structured code.
        path: The walk that the program shall be able to take.
        profile: How much of what.
        rng: Source of every choice.
    """
    return _Author(profile, rng).program(flow, structure, path)


class _Author:
    """Writes a program block by block, keeping track of which values still wait for a reader.

    Attributes:
        waiting: For each variable how much its value should be read next.
        on_path: Whether the block being written is on the path.
    """

    def __init__(self, profile: Profile, rng: np.random.Generator) -> None:
        self.profile = profile
        self.rng = rng
        self.constants: list[Interval] = []
        self.on_path = True
        draw = self.integer
        self.parameters = tuple(Var(f"pa{i}", self.width()) for i in range(draw(*profile.parameters)))
        self.locals = tuple(Var(f"v{i}", self.width()) for i in range(draw(*profile.variables)))
        self.waiting = dict.fromkeys(self.parameters + self.locals, _DECLARED)

    # Random choices.

    def integer(self, low: int, high: int) -> int:
        """Uniform from low to high, both included."""
        return low + int(self.rng.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, items: Sequence[T], weights: Sequence[float]) -> T:
        left = self.rng.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            left -= weight
            if left < 0:
                return item
        return items[-1]

    def pick_key(self, table: dict[str, float]) -> str:
        return self.pick(tuple(table), tuple(table.values()))

    def width(self) -> int:
        return self.profile.widths[self.integer(0, len(self.profile.widths) - 1)]

    # The program.

    def program(self, flow: Flow, structure: Structure, path: Path) -> Program:
        inputs = tuple(self.input_interval(variable.bits) for variable in self.parameters)
        declarations = tuple(Assign(variable, self.initial(variable.bits)) for variable in self.locals)
        drivers = self.drivers(flow, path)
        code: dict[str, Code] = {}
        for label in (*dict.fromkeys(path), *(label for label in flow.order if label not in path)):
            self.on_path = label in path
            statements = self.statements(label, drivers)
            condition, threshold = self.condition(drivers.get(label)) if label in structure.then else (None, None)
            code[label] = Code(tuple(statements), condition, threshold)
        constants = tuple(self.constants)
        return Program(structure, self.parameters, self.locals, declarations, code, constants, inputs)

    def input_interval(self, bits: int) -> Interval:
        size = self.magnitude(bits - 1)
        low, high = size - size // 4, min(size + size // 4 + 1, int_range(bits)[1])
        return Interval(low, high, bits) if self.chance(0.6) else Interval(-high, -low, bits)

    def drivers(self, flow: Flow, path: Path) -> dict[str, Var]:
        """For each block that leaves both ways along the path, a local that only it writes, on every visit."""
        steps = set(itertools.pairwise(path))
        switching = [b for b in flow.order if sum((b, target) in steps for target in flow.cfg.successors(b)) == 2]
        spare = sorted(self.locals, key=lambda variable: variable.bits)[: max(1, len(self.locals) // 2)]
        result: dict[str, Var] = {}
        for label in switching:
            if len(spare) > 1 or not result:
                result[label] = spare.pop(self.integer(0, len(spare) - 1))
            else:
                result[label] = result[switching[0]]
        return result

    def statements(self, label: str, drivers: dict[str, Var]) -> list[Assign]:
        if label == EXIT:
            return []
        low, high = self.profile.entry_statements if label == ENTRY else self.profile.statements
        factor = 1 if self.on_path or label == ENTRY else self.profile.off_path_factor
        count = self.integer(low * factor, high * factor)
        driven = drivers.get(label)
        reserved = set(drivers.values())
        free = [variable for variable in self.locals if variable not in reserved] or self.locals
        result = [self.assignment(free) for _ in range(count - (driven is not None))]
        if driven is not None:
            result.insert(self.integer(0, len(result)), self.update(driven))
        return result

    def assignment(self, targets: Sequence[Var]) -> Assign:
        """A sum assigned to a variable whose value has been read, if there is one."""
        target = self.pick(targets, [_OVERWRITE[self.waiting[v]] for v in targets])
        value = self.total(self.integer(*self.profile.terms), target.bits)
        self.waiting[target] = _WRITTEN
        return Assign(target, value if value.bits <= target.bits else Cast(value, target.bits))

    def update(self, driver: Var) -> Assign:
        """A new value of the driver that depends on the old one and differs from it on every lap."""
        bits = self.wider(driver.bits)
        if self.chance(0.5):
            step = Binary(self.pick_key(_JOINS), driver, self.number(driver.bits - 2), bits)
        else:
            scaled = Binary("*", self.chosen_number(max(2, bits - driver.bits - 1), odd=True), driver, bits)
            step = Binary("+", scaled, self.term(bits), bits)
        return Assign(driver, Cast(step, driver.bits))

    def condition(self, driver: Var | None) -> tuple[Expr, int]:
        """A comparison of two sums, the first of which reads the driver, the second has the threshold."""
        left = self.total(self.integer(*self.profile.condition_terms), 0, driver)
        threshold = self.threshold(left.bits)
        right: Expr = threshold
        for _ in range(self.integer(*self.profile.condition_terms) - 1):
            right = Binary(self.pick_key(_JOINS), right, self.term(left.bits), left.bits)
        return Compare(self.pick_key(_ORDER), left, right), threshold.slot

    # Expressions.

    def initial(self, bits: int) -> Expr:
        if self.chance(_TRIVIAL):
            return self.trivial(bits)
        number = self.number(bits - 1)
        return Unary("-", number, bits) if self.chance(0.5) else number

    def read(self) -> Var:
        """A variable, most likely one whose value nobody has read yet."""
        variables = self.parameters + self.locals
        variable = self.pick(variables, [self.waiting[v] for v in variables])
        self.waiting[variable] = _READ
        return variable

    def wider(self, bits: int) -> int:
        """A width with room for the results of operations on values of ``bits`` bits, if there is one."""
        above = [width for width in WIDTHS if width > bits]
        return above[self.integer(0, min(1, len(above) - 1))] if above else bits

    def total(self, count: int, bits: int, driver: Var | None = None) -> Expr:
        """A sum of ``count`` terms, at a width above ``bits`` with room for its terms."""
        first = driver or self.read()
        width = self.wider(max(bits, first.bits)) if self.chance(0.8) else max(bits, first.bits)
        result = self.term(width, first)
        for _ in range(count - 1):
            result = Binary(self.pick_key(_JOINS), result, self.term(width), width)
        return result

    def term(self, bits: int, operand: Var | None = None) -> Expr:
        """One term of a sum computed at width ``bits``, perhaps negated."""
        value = self.positive_term(bits, operand)
        if isinstance(value, Const | Select) or not self.chance(_NEGATED):
            return value
        return Unary("-", value, bits) if value.bits < bits and self.chance(0.5) else Unary("~", value, value.bits)

    def positive_term(self, bits: int, operand: Var | None) -> Expr:
        form = self.pick_key(_TERMS)
        if form == "number" and operand is None:
            return self.number(bits // 2)
        variable = operand or self.read()
        value = self.fitted(variable, bits)
        room = bits - value.bits
        if form == "scaled" and room > 2:
            return Binary("*", self.chosen_number(room - 1), value, bits)
        if form in ("mixed", "scaled"):
            number = self.constant(Interval(1, 1, value.bits)) if self.chance(_TRIVIAL) else self.number(value.bits - 1)
            return Binary(self.pick_key(_MIXING), number, value, value.bits)
        if form == "divided":
            return Binary(self.pick_key(_DIVISIONS), value, self.chosen_number(value.bits - 3), value.bits)
        if form == "shifted":
            return Binary(">>", value, self.chosen_number(2), value.bits)
        if form == "chosen":
            tested = self.fitted(self.read(), bits)
            limit = self.trivial(tested.bits) if self.chance(0.5) else self.number(tested.bits - 1)
            test = Compare(self.pick_key(_ORDER), tested, limit)
            other = self.fitted(self.read(), bits) if self.chance(0.3) else self.number(value.bits - 2)
            return Select(test, value, other, bits)
        return value

    def fitted(self, variable: Var, bits: int) -> Expr:
        """The variable, cut to a width below ``bits`` where it is wider."""
        if variable.bits <= bits and not (variable.bits == bits == 64):
            return variable
        below = [width for width in WIDTHS if width < bits] or [bits]
        return Cast(variable, below[-1])

    # Numbers.

    def magnitude(self, bits: int) -> int:
        """A log-uniform integer of 2 to ``bits`` bits, at least 2."""
        exponent = 1 + self.rng.random() * max(0.6, bits - 1)
        return max(2, int(2.0**exponent))

    def number(self, bits: int) -> Const:
        """A number of up to ``bits`` bits; on the path the solver chooses it from an interval."""
        if not self.on_path:
            return self.chosen_number(bits)
        size = self.magnitude(bits)
        width = next(width for width in WIDTHS if width > bits)
        return self.constant(Interval(max(2, size - size // 3), min(size + size // 3 + 1, int_range(width)[1]), width))

    def threshold(self, bits: int) -> Const:
        """A number of less than ``bits`` bits; on the path the solver chooses it from nearly all of them."""
        if not self.on_path:
            return self.chosen_number(bits - 2)
        size = self.magnitude(bits - 3)
        return self.constant(Interval(min(size, 6), int_range(bits)[1] // 2 + size // 2, bits))

    def chosen_number(self, bits: int, odd: bool = False) -> Const:
        """A number of up to ``bits`` bits, chosen now."""
        value = self.magnitude(bits)
        if value > 4 and value & (value - 1) == 0:
            value += 1
        if odd:
            value |= 1
        width = next(width for width in WIDTHS if width > value.bit_length())
        return self.constant(Interval(value, value, width))

    def trivial(self, bits: int) -> Const:
        """0 or 1."""
        value = self.integer(0, 1)
        return self.constant(Interval(value, value, bits))

    def constant(self, interval: Interval) -> Const:
        self.constants.append(interval)
        return Const(len(self.constants) - 1, interval.bits)
