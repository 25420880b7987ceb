"""The algebra of symbolic values: bit-vector terms as SMT-LIB text, and the conditions under which they are defined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from codoku_env.synthesis.evaluation import ConcreteAlgebra, UndefinedError, int_range
from codoku_env.synthesis.expressions import BOOL, FLOAT
from codoku_env.synthesis.intrinsics import INT_INTRINSICS
from codoku_env.synthesis.ranges import binary_range, compare_range, unary_range

__all__ = ["SymbolicAlgebra", "Term", "numeral"]


_CONCRETE = ConcreteAlgebra()


@dataclass(frozen=True, slots=True)
class Term:
    """A symbolic value.

    Attributes:
        text: SMT-LIB term: a literal or a name.
        low: Least value that it can have, as far as is known; of a truth value, 1 when it always holds.
        high: Greatest value that it can have, as far as is known; of a truth value, 0 when it never holds.
        number: Of a float, which is always known, its value; the rest has no meaning then.
    """

    text: str
    low: int
    high: int
    number: float = 0.0

    @property
    def range(self) -> tuple[int, int]:
        """``low`` and ``high``."""
        return self.low, self.high


def numeral(value: int, bits: int) -> Term:
    """The signed integer of width ``bits``, or the float, as a term."""
    return _float_term(value) if bits == FLOAT else Term(_literal(value, bits), value, value)


class SymbolicAlgebra:
    """SMT-LIB terms as values; conditions of definedness and of ``require`` are noted as assertions.

    Ranges are carried along, so that what is always defined needs no condition and what is always the same no
    computation. Only what the conditions depend on becomes part of the query. Floats are known: one that would depend
    on an unknown raises UndefinedError.
    """

    def __init__(self) -> None:
        self._commands: dict[str, tuple[str, tuple[str, ...]]] = {}  # by name: what introduces it, the names in that
        self._assertions: dict[str, tuple[str, ...]] = {}

    def declare(self, name: str, bits: int, low: int, high: int) -> Term:
        """A new unknown of width ``bits``, from ``low`` to ``high``."""
        command = f"(declare-const {name} (_ BitVec {bits}))"
        if low > int_range(bits)[0]:
            command += f"(assert (bvsge {name} {_literal(low, bits)}))"
        if high < int_range(bits)[1]:
            command += f"(assert (bvsle {name} {_literal(high, bits)}))"
        self._commands[name] = (command, ())
        return Term(name, low, high)

    def exclude(self, values: Sequence[tuple[Term, int, int]]) -> None:
        """Rule out that every term has its value; entries are (term, value, width)."""
        equal = " ".join(f"(= {term.text} {_literal(value, bits)})" for term, value, bits in values)
        self._assertions[f"(not (and {equal}))"] = tuple(term.text for term, _, _ in values)

    def script(self) -> str:
        """The query: all conditions, and the unknowns and definitions that they depend on."""
        needed: set[str] = set()
        stack = [name for names in self._assertions.values() for name in names]
        while stack:
            name = stack.pop()
            if name in self._commands and name not in needed:
                needed.add(name)
                stack.extend(self._commands[name][1])
        commands = [command for name, (command, _) in self._commands.items() if name in needed]
        return "\n".join([*commands, *(f"(assert {condition})" for condition in self._assertions)])

    # The operations of an algebra.

    def unary(self, op: str, value: Term, bits: int) -> Term:
        """``op value``, see Algebra."""
        if bits == BOOL:
            return self._define("(not {a})", (value,), BOOL, (1 - value.high, 1 - value.low))
        if bits == FLOAT:
            return _float_term(-value.number)
        result = unary_range(op, value.range)
        self._require_fit("(not (bvnego {a}))", (value,), bits, result)
        return self._define(_UNARY[op], (value,), bits, result)

    def binary(self, op: str, left: Term, right: Term, bits: int) -> Term:
        """``left op right``, see Algebra."""
        if bits == FLOAT:
            return _float_term(_CONCRETE.binary(op, _float(left), _float(right), bits))
        if _known(left, right):
            return numeral(_CONCRETE.binary(op, left.low, right.low, bits), bits)
        for needed, condition in _DEFINED.get(op, ()):
            if needed(left, right, bits):
                self._assert(condition, (left, right), bits)
        result = binary_range(op, left.range, right.range, bits)
        if op in _FITS:
            self._require_fit(_FITS[op], (left, right), bits, result)
        return self._define(_BINARY[op], (left, right), bits, result)

    def compare(self, op: str, left: Term, right: Term, bits: int) -> Term:
        """Truth of ``left op right``, see Algebra."""
        if bits == FLOAT:
            return _truth(_CONCRETE.compare(op, _float(left), _float(right), bits))
        return self._define(_COMPARE[op], (left, right), BOOL, compare_range(op, left.range, right.range))

    def select(self, condition: Term, chosen: Term, other: Term, bits: int) -> Term:
        """One of two values, see Algebra."""
        if condition.low == condition.high:
            return chosen if condition.high else other
        if bits == FLOAT:
            raise UndefinedError("a float depends on an unknown")
        result = (min(chosen.low, other.low), max(chosen.high, other.high))
        return self._define("(ite {a} {b} {c})", (condition, chosen, other), bits, result)

    def widen(self, value: Term, source: int, bits: int) -> Term:
        """The same integer at a greater width, see Algebra."""
        if bits == FLOAT:
            if value.low != value.high:
                raise UndefinedError("a float depends on an unknown")
            return _float_term(value.low)
        if source == BOOL:
            form = f"(ite {{a}} {_literal(1, bits)} {_literal(0, bits)})"
        else:
            form = f"((_ sign_extend {bits - source}) {{a}})"
        return self._define(form, (value,), bits, value.range)

    def wrap(self, value: Term, source: int, bits: int) -> Term:
        """The congruent integer of another width, see Algebra."""
        low, high = int_range(bits)
        if source == bits:
            return value
        kept = low <= value.low and value.high <= high
        return self._define(f"((_ extract {bits - 1} 0) {{a}})", (value,), bits, value.range if kept else (low, high))

    def call(self, name: str, operands: Sequence[Term], bits: int) -> Term:
        """What an intrinsic returns, see Algebra."""
        if bits == FLOAT:
            return _float_term(_CONCRETE.call(name, [_float(operand) for operand in operands], bits))
        if _known(*operands):
            return numeral(_CONCRETE.call(name, [operand.low for operand in operands], bits), bits)
        intrinsic, terms = INT_INTRINSICS[name], tuple(operands)
        ranges = [term.range for term in terms]
        if not intrinsic.always_defined(ranges, bits):
            self._assert(intrinsic.precondition, terms, bits)
        return self._define(intrinsic.term(bits), terms, bits, intrinsic.result(ranges, bits))

    def real(self, value: float) -> Term:
        """A float, see Algebra."""
        return _float_term(value)

    def item(self, items: Sequence[Term], index: Term, source: int, bits: int) -> Term:
        """An item, see Algebra."""
        low, high = self._positions(items, index, source)
        result = items[high]
        for position in range(high - 1, low - 1, -1):
            result = self.select(self._is_at(index, position, source), items[position], result, bits)
        return result

    def replaced(self, items: Sequence[Term], index: Term, source: int, value: Term, bits: int) -> Sequence[Term]:
        """The items with one replaced, see Algebra."""
        low, high = self._positions(items, index, source)
        result = list(items)
        for position in range(low, high + 1):
            result[position] = self.select(self._is_at(index, position, source), value, items[position], bits)
        return result

    def require(self, condition: Term, outcome: bool) -> None:
        """Go on only where the truth value is ``outcome``, see Algebra."""
        if condition.low == condition.high:
            if condition.low != outcome:
                raise UndefinedError("never takes the path")
        else:
            self._assert("{a}" if outcome else "(not {a})", (condition,), BOOL)

    # Building the query.

    def _positions(self, items: Sequence[Term], index: Term, bits: int) -> tuple[int, int]:
        """The least and the greatest position that the index can have; that it is inside is required."""
        last = len(items) - 1
        if index.low < 0 or index.high > last:
            self._assert(f"(bvule {{a}} {_literal(last, bits)})", (index,), bits)
        if index.high < 0 or index.low > last:
            raise UndefinedError("index outside the array")
        return max(0, index.low), min(last, index.high)

    def _is_at(self, index: Term, position: int, bits: int) -> Term:
        return self.compare("==", index, numeral(position, bits), bits)

    def _assert(self, form: str, operands: tuple[Term, ...], bits: int) -> None:
        self._assertions[_filled(form, operands, bits)] = tuple(term.text for term in operands)

    def _require_fit(self, form: str, operands: tuple[Term, ...], bits: int, result: tuple[int, int]) -> None:
        """Require that the result of unbounded range ``result`` is in range, unless it always is."""
        least, greatest = int_range(bits)
        if not least <= result[0] <= result[1] <= greatest:
            self._assert(form, operands, bits)

    def _define(self, form: str, operands: tuple[Term, ...], bits: int, result: tuple[int, int]) -> Term:
        """A name for a result whose range over unbounded integers is ``result``."""
        least, greatest = int_range(bits) if bits != BOOL else (0, 1)
        low, high = max(result[0], least), min(result[1], greatest)
        if low == high:
            return Term(("true" if low else "false") if bits == BOOL else _literal(low, bits), low, high)
        name = f"t{len(self._commands)}"
        sort = "Bool" if bits == BOOL else f"(_ BitVec {bits})"
        command = f"(define-fun {name} () {sort} {_filled(form, operands, bits)})"
        self._commands[name] = (command, tuple(term.text for term in operands))
        return Term(name, min(low, high), max(low, high))


def _known(*terms: Term) -> bool:
    return all(term.low == term.high for term in terms)


def _float_term(value: float) -> Term:
    return Term("float", 0, 0, value)


def _float(term: Term) -> int:
    """The number, annotated as ConcreteAlgebra has it."""
    return cast(int, term.number)


def _truth(value: int) -> Term:
    return Term("true" if value else "false", int(value), int(value))


def _literal(value: int, bits: int) -> str:
    return f"(_ bv{value % (1 << bits)} {bits})"


def _filled(form: str, operands: tuple[Term, ...], bits: int) -> str:
    words = {name: term.text for name, term in zip("abc", operands, strict=False)}
    if bits != BOOL:
        words["least"], words["greatest"] = (_literal(value, bits) for value in int_range(bits))
        words.update({"zero": _literal(0, bits), "minus": _literal(-1, bits), "bits": _literal(bits, bits)})
    return form.format_map(words)


_UNARY = {"-": "(bvneg {a})", "~": "(bvnot {a})"}
_BINARY = {
    "+": "(bvadd {a} {b})",
    "-": "(bvsub {a} {b})",
    "*": "(bvmul {a} {b})",
    # bvsdiv truncates: the floor is one less where there is a remainder and the signs differ.
    "//": "(ite (and (not (= (bvsrem {a} {b}) {zero})) (xor (bvslt {a} {zero}) (bvslt {b} {zero})))"
    " (bvadd (bvsdiv {a} {b}) {minus}) (bvsdiv {a} {b}))",
    "%": "(bvsmod {a} {b})",  # has the divisor's sign, as in Python
    "<<": "(bvshl {a} {b})",
    ">>": "(bvashr {a} {b})",
    "&": "(bvand {a} {b})",
    "|": "(bvor {a} {b})",
    "^": "(bvxor {a} {b})",
}
_FITS = {
    "+": "(not (bvsaddo {a} {b}))",
    "-": "(not (bvssubo {a} {b}))",
    "*": "(not (bvsmulo {a} {b}))",
    "<<": "(= (bvashr (bvshl {a} {b}) {b}) {a})",
}
_COMPARE = {
    "==": "(= {a} {b})",
    "!=": "(not (= {a} {b}))",
    "<": "(bvslt {a} {b})",
    "<=": "(bvsle {a} {b})",
    ">": "(bvsgt {a} {b})",
    ">=": "(bvsge {a} {b})",
}

_Condition = tuple[Callable[[Term, Term, int], bool], str]
"""Whether an operation may be undefined for operands of these ranges, and when it is defined."""

_DIVISOR: _Condition = (lambda left, right, bits: right.low <= 0 <= right.high, "(not (= {b} {zero}))")
_QUOTIENT: _Condition = (
    lambda left, right, bits: right.low <= -1 <= right.high and left.low == int_range(bits)[0],
    "(not (and (= {a} {least}) (= {b} {minus})))",
)
_AMOUNT: _Condition = (lambda left, right, bits: right.low < 0 or right.high >= bits, "(bvult {b} {bits})")
_DEFINED = {"//": (_DIVISOR, _QUOTIENT), "%": (_DIVISOR, _QUOTIENT), "<<": (_AMOUNT,), ">>": (_AMOUNT,)}
