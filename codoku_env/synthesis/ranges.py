"""Interval arithmetic: between which values a result lies, given between which values its operands lie."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Range", "binary_range", "compare_range", "unary_range"]

Range = tuple[int, int]
"""Least and greatest value, both included."""


def unary_range(op: str, value: Range) -> Range:
    """Range of ``op value`` over unbounded integers; op is ``-`` or ``~``."""
    low, high = value
    return (-high, -low) if op == "-" else (~high, ~low)


def binary_range(op: str, left: Range, right: Range, bits: int) -> Range:
    """Range of ``left op right`` over unbounded integers, wherever that is defined at width ``bits``."""
    return _BINARY[op](left, right, bits)


def compare_range(op: str, left: Range, right: Range) -> Range:
    """(1, 1) or (0, 0) when ``left op right`` always has that truth value, else (0, 1)."""
    less, equal, greater = left[0] < right[1], left[0] <= right[1] and right[0] <= left[1], left[1] > right[0]
    possible = {"<": less, "==": equal, ">": greater}
    holds = {"<": ("<",), "==": ("==",), ">": (">",), "<=": ("<", "=="), ">=": (">", "=="), "!=": ("<", ">")}[op]
    can = any(possible[relation] for relation in holds)
    cannot = any(possible[relation] for relation in possible if relation not in holds)
    return (int(not cannot), int(can))


def _corners(operation: Callable[[int, int], int], left: Range, right: Range) -> Range:
    """Range of an operation that is monotonic in each operand."""
    values = [operation(a, b) for a in left for b in right]
    return min(values), max(values)


def _quotient(left: Range, right: Range, bits: int) -> Range:
    magnitude = max(map(abs, left))
    if right[0] <= 0 <= right[1]:
        return -magnitude, magnitude
    return _corners(lambda a, b: a // b, left, right)


def _remainder(left: Range, right: Range, bits: int) -> Range:
    if left[0] >= 0 and left[1] < right[0]:
        return left
    return min(0, right[0] + 1), max(0, right[1] - 1)


def _amounts(right: Range, bits: int) -> Range:
    return min(max(right[0], 0), bits - 1), min(max(right[1], 0), bits - 1)


def _bitwise(left: Range, right: Range, bits: int) -> Range:
    size = max(~value if value < 0 else value for value in (*left, *right)).bit_length()
    return 0 if left[0] >= 0 and right[0] >= 0 else -(1 << size), (1 << size) - 1


def _conjunction(left: Range, right: Range, bits: int) -> Range:
    masks = [high for low, high in (left, right) if low >= 0]
    return (0, min(masks)) if masks else _bitwise(left, right, bits)


_BINARY: dict[str, Callable[[Range, Range, int], Range]] = {
    "+": lambda left, right, bits: (left[0] + right[0], left[1] + right[1]),
    "-": lambda left, right, bits: (left[0] - right[1], left[1] - right[0]),
    "*": lambda left, right, bits: _corners(lambda a, b: a * b, left, right),
    "//": _quotient,
    "%": _remainder,
    "<<": lambda left, right, bits: _corners(lambda a, b: a << b, left, _amounts(right, bits)),
    ">>": lambda left, right, bits: _corners(lambda a, b: a >> b, left, _amounts(right, bits)),
    "&": _conjunction,
    "|": _bitwise,
    "^": _bitwise,
}
