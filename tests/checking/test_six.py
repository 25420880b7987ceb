"""The smallest worked example: 16,200 fillings, six solutions."""

from itertools import product
from typing import Any

from codoku_env import Assignment, check, format_program, parse_puzzle
from codoku_env.puzzle.cells import OP_DOMAIN
from tests.checking.puzzles import DIAMOND, masked

DOMAINS = [("500", "25"), "abc", "abc", OP_DOMAIN, ("500", "25"), "abc", ("500", "25"), "abc"]


def solves(fills):
    """The rules of this one puzzle, written out: ``codoku(10, 20) == 1050`` by way of entry, b1, exit."""
    first, test, left, operator, factor, _, last, result = fills
    if sorted([first, factor, last]) != ["25", "25", "500"]:
        return False
    values: dict[str, Any] = {"a": 10, "b": 20, "c": -int(first)}
    if not values[test] < values["b"]:
        return False
    x, y = values[left], values["a"] * int(factor)
    binary = {
        "+": lambda: x + y,
        "-": lambda: x - y,
        "*": lambda: x * y,
        "/": lambda: x / y,
        "//": lambda: x // y,
        "%": lambda: x % y,
        "**": lambda: x**y,
        "<<": lambda: x << y,
        ">>": lambda: x >> y,
        "&": lambda: x & y,
        "|": lambda: x | y,
        "^": lambda: x ^ y,
        "==": lambda: x == y,
        "!=": lambda: x != y,
        "<": lambda: x < y,
        "<=": lambda: x <= y,
        ">": lambda: x > y,
        ">=": lambda: x >= y,
    }
    if operator not in binary:  # a trap, or no Python
        return False
    values["c"] = binary[operator]()
    return values["c"] + values[result] * 90 == 1050


def test_exactly_six_of_16200_fillings_are_solutions():
    puzzle = parse_puzzle(masked(DIAMOND))
    assert [puzzle.domain(cell) for cell in puzzle.cells] == [tuple(domain) for domain in DOMAINS]
    fillings = list(product(*DOMAINS))
    assert len(fillings) == 16_200
    accepted = [fills for fills in fillings if check(puzzle, Assignment(fills)).passed]
    assert accepted == [fills for fills in fillings if solves(fills)]
    assert len(accepted) == 6
    assert {fills[1] for fills in accepted} == {"a", "c"}
    assert {fills[5] for fills in accepted} == {"a", "b", "c"}
    assert len({(fills[0], *fills[2:5], *fills[6:]) for fills in accepted}) == 1
    for fills in accepted:
        assert check(puzzle, format_program(puzzle, Assignment(fills))).passed
