"""The helpers that puzzle code calls. No dependency; this module can be imported alone.

A helper whose precondition is violated raises ``ArithmeticError``; the checker counts that as a trap. ``bits`` is the
width of a signed two's-complement integer, whose range is ``-2**(bits-1)`` to ``2**(bits-1) - 1``.

The source of each function is also what ``standalone`` puzzle files carry, so each uses nothing but builtins and
the functions above it.
"""

__all__ = [
    "abs_diff",
    "abs_float",
    "abs_int",
    "cast_int",
    "checksum",
    "clamp_int",
    "copysign",
    "floor_float",
    "leading_zeros",
    "max_float",
    "max_int",
    "min_float",
    "min_int",
    "popcount",
    "reverse_bits",
    "rotate_left",
    "rotate_right",
    "sat_add",
    "sat_mul",
    "sat_sub",
    "sign_int",
    "trailing_zeros",
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


def require_float(*values: float) -> None:
    """Trap unless every value is a finite float."""
    for value in values:
        if not isinstance(value, float) or value - value != 0.0:
            raise ArithmeticError("expected a finite float")


# Intrinsics of two integers and their width.


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


def abs_diff(left: int, right: int, bits: int) -> int:
    """``abs(left - right)``, saturated."""
    require_int(bits, left, right)
    return saturate(abs(left - right), bits)


def rotate_left(value: int, count: int, bits: int) -> int:
    """The bits of ``value`` rotated by ``count`` places, 0 to ``bits - 1``, towards the most significant."""
    require_int(bits, value)
    if not isinstance(count, int) or not 0 <= count < bits:
        raise ArithmeticError("expected a count of 0 to one below the width")
    word = value % (1 << bits)
    return cast_int(word << count | word >> (bits - count), bits)


def rotate_right(value: int, count: int, bits: int) -> int:
    """The bits of ``value`` rotated by ``count`` places, 0 to ``bits - 1``, towards the least significant."""
    require_int(bits, value)
    if not isinstance(count, int) or not 0 <= count < bits:
        raise ArithmeticError("expected a count of 0 to one below the width")
    word = value % (1 << bits)
    return cast_int(word >> count | word << (bits - count), bits)


# Intrinsics of one integer and its width.


def abs_int(value: int, bits: int) -> int:
    """Absolute value, saturated: that of the least integer is the greatest."""
    require_int(bits, value)
    return saturate(abs(value), bits)


def sign_int(value: int, bits: int) -> int:
    """-1, 0 or 1, as ``value`` is negative, zero or positive."""
    require_int(bits, value)
    return (value > 0) - (value < 0)


def popcount(value: int, bits: int) -> int:
    """Number of one bits in the two's-complement representation."""
    require_int(bits, value)
    return (value % (1 << bits)).bit_count()


def leading_zeros(value: int, bits: int) -> int:
    """Number of zero bits above the most significant one; ``bits`` for zero."""
    require_int(bits, value)
    return bits - (value % (1 << bits)).bit_length()


def trailing_zeros(value: int, bits: int) -> int:
    """Number of zero bits below the least significant one; ``bits`` for zero."""
    require_int(bits, value)
    return (value & -value).bit_length() - 1 if value else bits


def reverse_bits(value: int, bits: int) -> int:
    """The bits of the two's-complement representation in reverse order."""
    require_int(bits, value)
    return cast_int(int(format(value % (1 << bits), f"0{bits}b")[::-1], 2), bits)


# An intrinsic of three integers and their width.


def clamp_int(value: int, low: int, high: int, bits: int) -> int:
    """``value``, or the end of the range from ``low`` to ``high`` that it lies beyond; ``low <= high``."""
    require_int(bits, value, low, high)
    if low > high:
        raise ArithmeticError("expected low to be at most high")
    return int(max(low, min(value, high)))


# Intrinsics of finite floats.


def min_float(left: float, right: float) -> float:
    """The smaller of the two; ``left`` where they are equal."""
    require_float(left, right)
    return min(left, right)


def max_float(left: float, right: float) -> float:
    """The larger of the two; ``left`` where they are equal."""
    require_float(left, right)
    return max(left, right)


def copysign(value: float, sign: float) -> float:
    """``value`` with the sign of ``sign``, negative zero counting as negative."""
    require_float(value, sign)
    negative = sign < 0.0 or (sign == 0.0 and str(sign)[0] == "-")
    return -abs(value) if negative else abs(value)


def abs_float(value: float) -> float:
    """Absolute value."""
    require_float(value)
    return abs(value)


def floor_float(value: float) -> float:
    """The greatest integral float that is at most ``value``; its sign is kept where it is zero."""
    require_float(value)
    return value // 1.0


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
