"""The intrinsics that programs call: of each its operands, its SMT-LIB form, and the range of its result.

What an intrinsic does is defined by the run-time function of its name; a test shows that both forms agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codoku_env.puzzle import helpers
from codoku_env.synthesis.ranges import Range, binary_range

__all__ = ["FLOAT_INTRINSICS", "INT_INTRINSICS", "IntIntrinsic", "call_intrinsic"]

_Ranges = Sequence[Range]


@dataclass(frozen=True, slots=True)
class IntIntrinsic:
    """An intrinsic of integers of one width, which its last argument is.

    Attributes:
        arity: Number of operands, the width not counted.
        form: SMT-LIB term over the operands ``{a}``, ``{b}``, ``{c}``, or what makes it for a width in bits.
        result: Range of the result for given ranges of the operands and a width.
        precondition: When it is defined, as an SMT-LIB term; empty where that is always so.
        always_defined: Whether operands of these ranges always meet the precondition.
    """

    arity: int
    form: str | Callable[[int], str]
    result: Callable[[_Ranges, int], Range]
    precondition: str = ""
    always_defined: Callable[[_Ranges, int], bool] = lambda ranges, bits: True

    def term(self, bits: int) -> str:
        """The SMT-LIB form at a width."""
        return self.form if isinstance(self.form, str) else self.form(bits)


def call_intrinsic(name: str, operands: Sequence[float], bits: int) -> float:
    """What the run-time's intrinsic ``name`` returns.

    Args:
        name: One of ``INT_INTRINSICS`` or ``FLOAT_INTRINSICS``.
        operands: Integers of ``bits`` bits, or floats.
        bits: Width; without meaning for floats.

    Raises:
        ArithmeticError: The precondition is violated.
    """
    function = helpers.helper(name)
    return function(*operands) if name in FLOAT_INTRINSICS else function(*operands, bits)


# SMT-LIB forms that depend on the width.


def _bit(index: int) -> str:
    return f"((_ extract {index} {index}) {{a}})"


def _popcount(bits: int) -> str:
    return f"(bvadd {' '.join(f'((_ zero_extend {bits - 1}) {_bit(i)})' for i in range(bits))})"


def _zeros(bits: int, order: Sequence[int]) -> str:
    """How many bits are zero before the first that is one, in the order given."""
    form = "{bits}"
    for count, index in reversed(tuple(enumerate(order))):
        form = f"(ite (= {_bit(index)} (_ bv1 1)) (_ bv{count} {bits}) {form})"
    return form


def _reversed_bits(bits: int) -> str:
    return f"(concat {' '.join(map(_bit, range(bits)))})"


# Ranges.


def _whole(ranges: _Ranges, bits: int) -> Range:
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def _saturated(result: Range, bits: int) -> Range:
    least, greatest = _whole((), bits)
    return max(least, min(result[0], greatest)), max(least, min(result[1], greatest))


def _absolute(value: Range, bits: int) -> Range:
    ends = abs(value[0]), abs(value[1])
    return _saturated((0 if value[0] <= 0 <= value[1] else min(ends), max(ends)), bits)


def _sign(ranges: _Ranges, bits: int) -> Range:
    (low, high), *_ = ranges
    return (low > 0) - (low < 0), (high > 0) - (high < 0)


def _ones(ranges: _Ranges, bits: int) -> Range:
    (low, high), *_ = ranges
    return 0, high.bit_length() if low >= 0 else bits


def _clamped(ranges: _Ranges, bits: int) -> Range:
    value, least, greatest = ranges
    return max(least[0], min(value[0], greatest[0])), max(least[1], min(value[1], greatest[1]))


def _is_count(ranges: _Ranges, bits: int) -> bool:
    return ranges[1][0] >= 0 and ranges[1][1] < bits


_OVERFLOW = "(ite (bvslt {a} {zero}) {least} {greatest})"
_DIFFERENCE = "(ite (bvssubo {a} {b}) {greatest} (bvsub {a} {b}))"
_SWAPPED = "(ite (bvssubo {b} {a}) {greatest} (bvsub {b} {a}))"
_COUNT = "(bvult {b} {bits})"

INT_INTRINSICS: dict[str, IntIntrinsic] = {
    "sat_add": IntIntrinsic(
        2,
        f"(ite (bvsaddo {{a}} {{b}}) {_OVERFLOW} (bvadd {{a}} {{b}}))",
        lambda r, bits: _saturated(binary_range("+", r[0], r[1], bits), bits),
    ),
    "sat_sub": IntIntrinsic(
        2,
        f"(ite (bvssubo {{a}} {{b}}) {_OVERFLOW} (bvsub {{a}} {{b}}))",
        lambda r, bits: _saturated(binary_range("-", r[0], r[1], bits), bits),
    ),
    "sat_mul": IntIntrinsic(
        2,
        "(ite (bvsmulo {a} {b}) (ite (xor (bvslt {a} {zero}) (bvslt {b} {zero})) {least} {greatest}) (bvmul {a} {b}))",
        lambda r, bits: _saturated(binary_range("*", r[0], r[1], bits), bits),
    ),
    "min_int": IntIntrinsic(
        2,
        "(ite (bvslt {b} {a}) {b} {a})",
        lambda r, bits: (min(r[0][0], r[1][0]), min(r[0][1], r[1][1])),
    ),
    "max_int": IntIntrinsic(
        2,
        "(ite (bvsgt {b} {a}) {b} {a})",
        lambda r, bits: (max(r[0][0], r[1][0]), max(r[0][1], r[1][1])),
    ),
    "abs_diff": IntIntrinsic(
        2,
        f"(ite (bvslt {{a}} {{b}}) {_SWAPPED} {_DIFFERENCE})",
        lambda r, bits: _absolute(binary_range("-", r[0], r[1], bits), bits),
    ),
    "rotate_left": IntIntrinsic(2, "(bvor (bvshl {a} {b}) (bvlshr {a} (bvsub {bits} {b})))", _whole, _COUNT, _is_count),
    "rotate_right": IntIntrinsic(
        2, "(bvor (bvlshr {a} {b}) (bvshl {a} (bvsub {bits} {b})))", _whole, _COUNT, _is_count
    ),
    "abs_int": IntIntrinsic(
        1,
        "(ite (= {a} {least}) {greatest} (ite (bvslt {a} {zero}) (bvneg {a}) {a}))",
        lambda r, bits: _absolute(r[0], bits),
    ),
    "sign_int": IntIntrinsic(1, "(ite (bvslt {a} {zero}) {minus} (ite (= {a} {zero}) {zero} (bvneg {minus})))", _sign),
    "popcount": IntIntrinsic(1, _popcount, _ones),
    "leading_zeros": IntIntrinsic(1, lambda bits: _zeros(bits, range(bits - 1, -1, -1)), lambda r, bits: (0, bits)),
    "trailing_zeros": IntIntrinsic(1, lambda bits: _zeros(bits, range(bits)), lambda r, bits: (0, bits)),
    "reverse_bits": IntIntrinsic(1, _reversed_bits, _whole),
    "clamp_int": IntIntrinsic(
        3,
        "(ite (bvsgt {a} {c}) {c} (ite (bvslt {a} {b}) {b} {a}))",
        _clamped,
        "(bvsle {b} {c})",
        lambda r, bits: r[1][1] <= r[2][0],
    ),
}
"""By name; widths are from 8 to 64 bits."""

FLOAT_INTRINSICS: dict[str, int] = {"min_float": 2, "max_float": 2, "copysign": 2, "abs_float": 1, "floor_float": 1}
"""Number of operands by name. Floats are always known, so these have no symbolic form."""
