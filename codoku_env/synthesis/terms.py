"""Random expressions: sums of terms that read what has been written and not read since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from codoku_env.synthesis.draws import TRIVIAL, Draws
from codoku_env.synthesis.expressions import (
    BOOL,
    FLOAT,
    Binary,
    Call,
    Cast,
    Compare,
    Decimal,
    Element,
    Expr,
    Select,
    Unary,
    Var,
)
from codoku_env.synthesis.intrinsics import FLOAT_INTRINSICS, INT_INTRINSICS
from codoku_env.synthesis.profiles import TERM_FORMS, WIDTHS, Profile
from codoku_env.synthesis.program import Interval

__all__ = ["DECLARED", "JOINS", "ORDER", "READ", "WRITTEN", "Names", "Terms"]

_MIXING = {"&": 1.0, "|": 1.0, "^": 3.0}
"""Operators that join a number and a variable bit by bit; ``^`` alone keeps different values different."""
JOINS = {"+": 1.0, "-": 1.0}
_DIVISIONS = {"//": 1.0, "%": 1.0}
ORDER = {"<": 3.0, "<=": 3.0, ">": 3.0, ">=": 3.0, "!=": 0.5, "==": 0.5}
_FLOAT_ORDER = {"<": 1.0, "<=": 1.0, ">": 1.0, ">=": 1.0}
_FLOAT_FORMS = {"plain": 1.5, "number": 1.0, "scaled": 2.0, "divided": 1.5, "chosen": 0.5}
_INVERTED = 0.1
"""Probability that a conditional expression tests that a comparison fails."""
_CALLS = {
    **dict.fromkeys(("sat_add", "sat_sub", "abs_diff", "rotate_left", "rotate_right", "reverse_bits"), 3.0),
    **dict.fromkeys(("sat_mul", "min_int", "max_int", "abs_int", "popcount", "clamp_int"), 2.0),
    **dict.fromkeys(("sign_int", "leading_zeros", "trailing_zeros"), 0.7),
}
"""Intrinsics and their weights: those that keep different operands different weigh more."""
WRITTEN, DECLARED, READ = range(3)
"""What has become of a variable's value: written and not read since, still as declared and not read, read."""


@dataclass(frozen=True, slots=True)
class Names:
    """The variables of a program.

    Attributes:
        parameters: In order.
        scalars: Locals that are no arrays.
        arrays: The elements of each array.
    """

    parameters: tuple[Var, ...]
    scalars: tuple[Var, ...]
    arrays: tuple[tuple[Var, ...], ...] = ()

    @property
    def locals(self) -> tuple[Var, ...]:
        """Scalars and elements, in order of declaration."""
        return (*self.scalars, *self.elements)

    @property
    def elements(self) -> tuple[Var, ...]:
        """Elements of all arrays."""
        return tuple(element for array in self.arrays for element in array)


class Terms(Draws):
    """Writes expressions, keeping track of which values still wait for a reader.

    Attributes:
        names: What expressions may read.
        values: For each variable what has become of its value: WRITTEN, DECLARED or READ.
        recent: Variables that the statement being written reads.
    """

    def __init__(self, profile: Profile, rng: np.random.Generator, names: Names | None = None) -> None:
        super().__init__(profile, rng)
        self.names = names or self.declared()
        self.values = dict.fromkeys((*self.names.parameters, *self.names.locals), DECLARED if names is None else READ)
        self.recent: list[Var] = []
        self.forms = dict(zip(TERM_FORMS, profile.terms_weights, strict=True))
        self.mixed = profile.mixed if profile.strategy == "hybrid" else 0.0

    def declared(self) -> Names:
        """Variables as many and of such types as the profile says; the first of each kind is an integer."""
        profile, draw = self.profile, self.integer
        floats = profile.float_parameters if profile.strategy == "hybrid" else 0.0
        kinds = [self.width(), *(self.kind(floats) for _ in range(draw(*profile.parameters) - 1))]
        parameters = tuple(Var(f"pa{i}", kind) for i, kind in enumerate(kinds))
        kinds = [self.width(), *(self.kind(profile.floats) for _ in range(draw(*profile.variables) - 1))]
        scalars = tuple(Var(f"v{i}", kind) for i, kind in enumerate(kinds))
        arrays: list[tuple[Var, ...]] = []
        for index in range(draw(*profile.arrays)):
            size, kind = draw(*profile.array_size), self.kind(profile.floats)
            arrays.append(tuple(Var(f"t{index}[{i}]", kind) for i in range(size)))
        return Names(parameters, scalars, tuple(arrays))

    def kind(self, floats: float) -> int:
        """A width, or with probability ``floats`` FLOAT."""
        return FLOAT if self.chance(floats) else self.width()

    # Reads.

    def read(self, suits: Callable[[Var], bool] = lambda variable: variable.bits != FLOAT) -> Var | Element | None:
        """A variable that suits, most likely one whose value nobody has read yet; None where there is none."""
        again = [variable for variable in self.recent if suits(variable)]
        if again and self.chance(self.profile.rereads):
            return again[self.integer(0, len(again) - 1)]
        arrays = [array for array in self.names.arrays if suits(array[0])]
        scalars = [variable for variable in (*self.names.parameters, *self.names.scalars) if suits(variable)]
        if arrays and (not scalars or self.chance(self.profile.element_reads)):
            if self.chance(self.profile.computed_index) and (element := self.element(arrays)):
                return element
            scalars = [element for array in arrays for element in array]
        if not scalars:
            return None
        return self.unread(scalars)

    def unread(self, variables: Sequence[Var]) -> Var:
        """One of the variables to read, most likely one whose value has not been read yet."""
        weights = self.profile.read_weights
        variable = self.pick(variables, [weights[self.values[v]] for v in variables])
        self.values[variable] = READ
        self.recent.append(variable)
        return variable

    def read_integer(self) -> Var | Element:
        """An integer variable; there are always some, the parameters among them."""
        return self.read() or self.names.parameters[0]

    def element(self, arrays: Sequence[tuple[Var, ...]]) -> Element | None:
        """The element of one of the arrays at a computed index; of floats only where they may depend on integers."""
        array = arrays[self.integer(0, len(arrays) - 1)]
        if array[0].bits == FLOAT and not self.mixed:
            return None
        scalars = [v for v in (*self.names.parameters, *self.names.scalars) if v.bits != FLOAT]
        variable = self.unread(scalars)
        size = len(array)
        masks = size & (size - 1) == 0 and self.chance(0.5)
        index = Binary("&" if masks else "%", variable, self.fixed(size - 1 if masks else size), variable.bits)
        return Element(array, index, array[0].bits)

    # Integers.

    def wider(self, bits: int) -> int:
        """A width with room for the results of operations on values of ``bits`` bits, if there is one."""
        above = [width for width in WIDTHS if width > bits]
        return above[self.integer(0, min(1, len(above) - 1))] if above else bits

    def total(self, count: int, bits: int, driver: Var | None = None) -> Expr:
        """A sum of ``count`` terms, at a width above ``bits`` with room for its terms."""
        self.recent.clear()
        first = driver or self.read_integer()
        width = self.wider(max(bits, first.bits)) if self.chance(0.8) else max(bits, first.bits)
        result = self.term(width, first)
        for _ in range(count - 1):
            result = Binary(self.pick_key(JOINS), result, self.term(width), width)
        return result

    def term(self, bits: int, operand: Var | Element | None = None) -> Expr:
        """One term of a sum computed at width ``bits``, perhaps negated."""
        value = self.positive_term(bits, operand)
        if isinstance(value, Select | Unary) or not self.chance(self.profile.signs):
            return value
        return Unary("-", value, bits) if value.bits < bits and self.chance(0.5) else Unary("~", value, value.bits)

    def positive_term(self, bits: int, operand: Var | Element | None) -> Expr:
        """One term, which reads ``operand`` if there is one."""
        if self.chance(self.profile.calls):
            return self.call(self.fitted(operand or self.read_integer(), bits))
        form = self.pick_key(self.forms)
        if form == "number" and operand is None:
            return self.number(bits // 2)
        value = self.fitted(operand or self.read_integer(), bits)
        if self.chance(self.profile.inner_signs):
            value = Unary("~", value, value.bits)
        room = bits - value.bits
        if form == "scaled" and room > 2:
            return Binary("*", self.chosen_number(room - 1), value, bits)
        if form in ("mixed", "scaled"):
            number = self.constant(Interval(1, 1, value.bits)) if self.chance(TRIVIAL) else self.number(value.bits - 1)
            return Binary(self.pick_key(_MIXING), number, value, value.bits)
        if form == "divided":
            op = self.pick_key(_DIVISIONS)
            most = value.bits // 2 if op == "//" else value.bits - 3  # a great divisor leaves little of a quotient
            return Binary(op, value, self.chosen_number(most), value.bits)
        if form == "shifted":
            if room > 2 and self.chance(0.4):
                return Binary("<<", value, self.fixed(self.integer(2, min(room, 7))), bits)
            return Binary(">>", value, self.chosen_number(2), value.bits)
        return self.chosen(value, bits) if form == "chosen" else value

    def chosen(self, value: Expr, bits: int) -> Select:
        """The value, or another where a comparison fails."""
        test: Expr = self.test(bits)
        if self.chance(_INVERTED):
            test = Unary("not", test, BOOL)
        other = self.fitted(self.read_integer(), bits) if self.chance(0.3) else self.number(value.bits - 2)
        return Select(test, value, other, bits)

    def test(self, bits: int) -> Compare:
        """A comparison of a variable, of floats where there are such as likely as they are read."""
        if self.chance(self.profile.floats) and (test := self.float_test()):
            return test
        tested = self.fitted(self.read_integer(), bits)
        limit = self.trivial(tested.bits) if self.chance(0.5) else self.number(tested.bits - 1)
        return Compare(self.pick_key(ORDER), tested, limit)

    def call(self, value: Expr) -> Call:
        """A call of an intrinsic on the value, at its width."""
        name, bits = self.pick_key(_CALLS), value.bits
        if name == "clamp_int":
            return Call(name, (value, Unary("-", self.number(bits - 2), bits), self.number(bits - 2)), bits)
        if name in ("rotate_left", "rotate_right"):
            return Call(name, (value, self.fixed(self.integer(2, bits - 2))), bits)
        if INT_INTRINSICS[name].arity == 1:
            return Call(name, (value,), bits)
        other = self.read_integer() if self.chance(0.7) else self.number(bits - 2)
        return Call(name, (value, other if other.bits <= bits else Cast(other, bits)), bits)

    def fitted(self, variable: Var | Element, bits: int) -> Expr:
        """The variable, cut to a width below ``bits`` where it is wider."""
        if variable.bits <= bits and not (variable.bits == bits == 64):
            return variable
        below = [width for width in WIDTHS if width < bits] or [bits]
        return Cast(variable, below[-1])

    # Floats. Numbers are such that sums neither grow nor shrink for long.

    def float_total(self, count: int) -> Expr:
        """A sum of ``count`` terms of floats, at least one of which reads a variable."""
        self.recent.clear()
        result = self.float_term(self.read(_is_float))
        for _ in range(count - 1):
            result = Binary(self.pick_key(JOINS), result, self.float_term(None), FLOAT)
        return result

    def float_term(self, operand: Var | Element | None) -> Expr:
        """One term of floats, which reads ``operand`` if there is one."""
        form = self.pick_key(_FLOAT_FORMS)
        if form == "number" and operand is None:
            return self.decimal(0.05, 500.0)
        value = operand or self.read(_is_narrow if self.chance(self.mixed) else _is_float)
        if value is None:
            return self.decimal(0.05, 500.0)
        return self.formed(form, value)

    def formed(self, form: str, value: Var | Element) -> Expr:
        """A term of floats that reads the value."""
        if value.bits == FLOAT and self.chance(self.profile.calls):
            return self.float_call(value)
        if form == "scaled":
            return Binary("*", self.decimal(0.1, 3.0), value, FLOAT)
        if form == "divided":
            return Binary("/", value, self.decimal(1.1, 40.0), FLOAT)
        test = self.float_test() if form == "chosen" else None
        if test:
            return Select(test, value, self.decimal(0.05, 500.0), FLOAT)
        if value.bits != FLOAT:  # an integer alone would not make the sum one of floats
            return Binary("*", self.decimal(0.1, 3.0), value, FLOAT)
        return Unary("-", value, FLOAT) if self.chance(self.profile.signs) else value

    def float_test(self) -> Compare | None:
        """A comparison of a float variable with a number or another one."""
        tested = self.read(_is_float)
        if tested is None:
            return None
        limit = self.read(_is_float) if self.chance(0.3) else None
        if limit is None or limit == tested:
            limit = self.decimal(0.05, 200.0)
        return Compare(self.pick_key(_FLOAT_ORDER), tested, limit)

    def float_call(self, value: Expr) -> Call:
        """A call of a float intrinsic on the value."""
        name = tuple(FLOAT_INTRINSICS)[self.integer(0, len(FLOAT_INTRINSICS) - 1)]
        if FLOAT_INTRINSICS[name] == 1:
            return Call(name, (value,), FLOAT)
        other: Var | Element | Decimal | None = self.read(_is_float) if self.chance(0.6) else None
        if other is None or other == value:
            other = self.decimal(0.05, 200.0)
        return Call(name, (value, other), FLOAT)


def _is_float(variable: Var) -> bool:
    return variable.bits == FLOAT


def _is_narrow(variable: Var) -> bool:
    """Whether every value is also a float."""
    return FLOAT < variable.bits <= 32
