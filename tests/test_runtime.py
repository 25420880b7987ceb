"""The run-time helpers against their definitions, and the checksum's mixing."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codoku_env import runtime
from codoku_env.puzzle.helpers import INTRINSICS, standalone_prologue

WIDTHS = (8, 16, 20, 24, 32, 64)
GOLDEN = [-2052912941, -549349723, 704948463]


def low(bits):
    return -(2 ** (bits - 1))


def high(bits):
    return 2 ** (bits - 1) - 1


@pytest.mark.parametrize("bits", WIDTHS)
@given(data=st.data())
def test_helpers_agree_with_their_definitions(bits, data):
    edges = st.sampled_from([low(bits), low(bits) + 1, -1, 0, 1, high(bits) - 1, high(bits)])
    x, y = (data.draw(st.one_of(edges, st.integers(low(bits), high(bits)))) for _ in range(2))

    def clip(value):
        return sorted((low(bits), value, high(bits)))[1]

    assert runtime.sat_add(x, y, bits) == clip(x + y)
    assert runtime.sat_sub(x, y, bits) == clip(x - y)
    assert runtime.sat_mul(x, y, bits) == clip(x * y)
    assert runtime.min_int(x, y, bits) == min(x, y)
    assert runtime.max_int(x, y, bits) == max(x, y)
    assert runtime.abs_int(x, bits) == clip(abs(x))
    assert runtime.abs_diff(x, y, bits) == clip(abs(x - y))
    assert runtime.sign_int(x, bits) == (0 if x == 0 else x // abs(x))
    if x <= y:
        z = data.draw(st.one_of(edges, st.integers(low(bits), high(bits))))
        assert runtime.clamp_int(z, x, y, bits) == sorted((x, z, y))[1]


@pytest.mark.parametrize("bits", WIDTHS)
@given(data=st.data())
def test_helpers_on_bits_agree_with_strings_of_bits(bits, data):
    x = data.draw(st.one_of(st.sampled_from([low(bits), -1, 0, 1, high(bits)]), st.integers(low(bits), high(bits))))
    n = data.draw(st.integers(0, bits - 1))
    word = format(x & (2**bits - 1), f"0{bits}b")

    def number(text):
        return runtime.cast_int(int(text, 2), bits)

    assert runtime.popcount(x, bits) == word.count("1")
    assert runtime.leading_zeros(x, bits) == len(word) - len(word.lstrip("0"))
    assert runtime.trailing_zeros(x, bits) == len(word) - len(word.rstrip("0"))
    assert runtime.reverse_bits(x, bits) == number(word[::-1])
    assert runtime.rotate_left(x, n, bits) == number(word[n:] + word[:n])
    assert runtime.rotate_right(x, n, bits) == number(word[bits - n :] + word[: bits - n])


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_helpers_on_floats_agree_with_math(x, y):
    assert repr(runtime.min_float(x, y)) == repr(min(x, y))
    assert repr(runtime.max_float(x, y)) == repr(max(x, y))
    assert repr(runtime.abs_float(x)) == repr(math.fabs(x))
    assert repr(runtime.copysign(x, y)) == repr(math.copysign(x, y))
    floor = runtime.floor_float(x)
    assert floor == math.floor(x)
    assert math.copysign(1, floor) == (-1 if x < 0 or repr(x) == "-0.0" else 1)


def test_preconditions_of_rotations_and_clamps_trap():
    for bad in (-1, 8, 1.0):
        for rotate in (runtime.rotate_left, runtime.rotate_right):
            with pytest.raises(ArithmeticError):
                rotate(1, bad, 8)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArithmeticError):
        runtime.clamp_int(1, 3, 2, 8)


@pytest.mark.parametrize("bits", WIDTHS)
@given(value=st.integers(-(2**200), 2**200))
def test_casts_wrap_around(bits, value):
    cast = runtime.cast_int(value, bits)
    assert low(bits) <= cast <= high(bits)
    assert (cast - value) % 2**bits == 0


FLOATS = ("min_float", "max_float", "copysign", "abs_float", "floor_float")


@pytest.mark.parametrize("name", [name for name in INTRINSICS if name not in FLOATS])
@pytest.mark.parametrize("bad", [1.5, 2**40, None, [1]])
def test_preconditions_of_integers_trap(name, bad):
    function = getattr(runtime, name)
    arguments = function.__code__.co_argcount - 1
    with pytest.raises(ArithmeticError):
        function(*[bad] * arguments, 32)
    with pytest.raises(ArithmeticError):
        function(*[1] * arguments, 65)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("bad", [1, True, float("inf"), float("nan"), None])
def test_preconditions_of_floats_trap(name, bad):
    function = getattr(runtime, name)
    with pytest.raises(ArithmeticError):
        function(*[bad] * function.__code__.co_argcount)


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=6), st.data())
def test_changing_one_value_changes_the_checksum(values, data):
    at = data.draw(st.integers(0, len(values) - 1))
    other = data.draw(st.integers(-(2**70), 2**70).filter(lambda value: value != values[at]))
    assert runtime.checksum(*values) != runtime.checksum(*values[:at], other, *values[at + 1 :])


def test_checksums_of_small_states_collide_as_rarely_as_chance():
    states = [(x, y, z) for x in range(-20, 20) for y in range(-20, 20) for z in range(-20, 20)]
    sums = {runtime.checksum(*state) for state in states}
    assert len(states) - len(sums) <= 5  # 64,000 draws of 2**32 values: 0.5 collisions are expected
    assert all(-(2**31) <= value < 2**31 for value in sums)


def test_the_checksum_keeps_floats_from_integers_and_refuses_what_is_not_finite():
    assert runtime.checksum(1.0) != runtime.checksum(1)
    for bad in (float("inf"), float("nan"), None):
        with pytest.raises(ArithmeticError):
            runtime.checksum(bad)  # pyright: ignore[reportArgumentType]


def test_values_are_stable():
    """Stored puzzles depend on these."""
    assert [runtime.checksum(), runtime.checksum(0), runtime.checksum(1, -2, 0.5)] == GOLDEN


def test_the_runtime_stands_alone():
    """The module and the standalone definitions run with nothing but builtins."""
    source = Path(runtime.__file__).read_text()
    assert "import" not in source.split('"""', 2)[2]
    code = standalone_prologue(("checksum", *INTRINSICS)) + "\nprint(checksum(sat_add(127, 1, 8), popcount(-1, 8)))"
    output = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(output) == runtime.checksum(127, 8)
