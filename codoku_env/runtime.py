"""The helpers that puzzle code calls. No dependency; this module can be imported alone.

A helper whose precondition is violated raises ``ArithmeticError``; the checker counts that as a trap. ``bits`` is the
width of a signed two's-complement integer, whose range is ``-2**(bits-1)`` to ``2**(bits-1) - 1``.

The source of each function is also what ``standalone`` puzzle files carry, so each uses nothing but builtins and
the functions above it.
"""

__all__ = [
    "abs_int",
    "cast_int",
    "checksum",
    "max_int",
    "min_int",
    "popcount",
    "sat_add",
    "sat_mul",
    "sat_sub",
]


def require_bits(bits: int) -> None:
    """Trap unless ``bits`` is a width from 1 to 64."""
    if not isinstance(bits, int) or not 1 <= bits <= 64:
        raise ArithmeticError("expected a width of 1 to 64 bits")


def require_int(bits: int, *values: int) -> None:
    """Trap unless every value is an integer (bool included) in the range of ``bits``."""
    require_bits(bits)
    for value in values:
        if not isinstance(value, int):
            raise ArithmeticError("expected an integer")
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise ArithmeticError(f"expected an integer of {bits} bits")


def cast_int(value: int, bits: int) -> int:
    """``value`` wrapped around to ``bits`` bits: the integer of that range congruent to it modulo ``2**bits``."""
    require_bits(bits)
    if not isinstance(value, int):
        raise ArithmeticError("expected an integer")
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def saturate(value: int, bits: int) -> int:
    """``value``, or the end of the range of ``bits`` that it lies beyond."""
    return max(-(1 << (bits - 1)), min(value, (1 << (bits - 1)) - 1))


def sat_add(left: int, right: int, bits: int) -> int:
    """``left + right``, saturated."""
    require_int(bits, left, right)
    return saturate(left + right, bits)


def sat_sub(left: int, right: int, bits: int) -> int:
    """``left - right``, saturated."""
    require_int(bits, left, right)
    return saturate(left - right, bits)


def sat_mul(left: int, right: int, bits: int) -> int:
    """``left * right``, saturated."""
    require_int(bits, left, right)
    return saturate(left * right, bits)


def min_int(left: int, right: int, bits: int) -> int:
    """The smaller of the two."""
    require_int(bits, left, right)
    return int(min(left, right))


def max_int(left: int, right: int, bits: int) -> int:
    """The larger of the two."""
    require_int(bits, left, right)
    return int(max(left, right))


def abs_int(value: int, bits: int) -> int:
    """Absolute value, saturated: that of the least integer is the greatest."""
    require_int(bits, value)
    return saturate(abs(value), bits)


def popcount(value: int, bits: int) -> int:
    """Number of one bits in the two's-complement representation."""
    require_int(bits, value)
    return (value % (1 << bits)).bit_count()


def checksum(*values: int | float) -> int:
    """A signed 32-bit hash of finite numbers; changing any one value changes it with probability 1 - 2**-32.

    Each number is absorbed by exclusive or and a multiplication with an odd constant modulo 2**64, both bijective, so
    two different sequences of 64-bit integers of equal length that differ in one place never meet before the
    hash is cut to 32 bits. An integer is absorbed in limbs of 64 bits, a float as numerator and denominator.
    """
    state = 0x243F6A8885A308D3
    for value in values:
        if isinstance(value, float):
            if value - value != 0.0:
                raise ArithmeticError("expected a finite number")
            limbs = [*value.as_integer_ratio(), 2]
        else:
            limbs = [value]
        for limb in limbs:
            if not isinstance(limb, int):
                raise ArithmeticError("expected a number")
            while True:
                state = ((state ^ (limb & 0xFFFFFFFFFFFFFFFF)) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
                state ^= state >> 32
                if -(1 << 63) <= limb < 1 << 63:
                    break
                limb >>= 64
    return (state ^ 0x80000000) % (1 << 32) - 0x80000000
