"""Named, validated settings of the generator."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard, cast

from codoku_env.errors import ConfigError

__all__ = ["PROFILES", "TERM_FORMS", "WIDTHS", "Profile", "get_profile", "load_profile"]

Range = tuple[int, int]
"""A least and a greatest integer, both included."""

WIDTHS = (8, 16, 20, 24, 32, 64)
"""Bits of the signed integers that programs compute with."""

TERM_FORMS: tuple[str, ...] = ("plain", "number", "scaled", "mixed", "divided", "shifted", "chosen")
"""Forms of a term: a variable, a number, a multiple of a variable, a number and a variable joined bit by bit, a
quotient or remainder, a variable shifted, a conditional expression."""

STRATEGIES = ("hybrid", "smt")
COVERAGES = (None, "blocks", "edges")


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings of the generator. Ranges are (least, greatest), both included; draws from them are uniform.

    Attributes:
        name: What the profile is called in messages, metadata and environment ids.
        interior_blocks: Blocks besides entry and exit, 0 to 40.
        branch: Probability (a percentage range, drawn once a puzzle) that a block branches forward.
        back_edge: Probability (a percentage range, drawn once a puzzle) that a block branches backward.
        detour: Probability (0 to 1) that a block skips the one after it, so that the two are arms of a branch.
        loop_iterations: Times that the walk takes a back edge before it leaves the loop, at least 0.
        parameters: Parameters of the function, at least 1.
        variables: Locals besides the parameters, at least 1.
        statements: Assignments in an interior block on the path, at least 1.
        off_path_factor: How many times as many assignments a block off the path has, at least 1.
        entry_statements: Assignments in entry, at least 0.
        terms: Terms of a sum, at least 1.
        condition_terms: Terms of each side of a comparison, at least 1.
        widths: Widths in bits from which each variable's is drawn, from WIDTHS; repeats weigh more.
        mask_target: Probability (0 to 1) that an assigned name is masked.
        mask_id: Probability (0 to 1) that another name is masked.
        mask_op: Probability (0 to 1) that an operator is masked.
        mask_const: Probability (0 to 1) that a number other than 0 and 1 is masked.
        examples: Examples of a puzzle, at least 1.
        cells: Accepted number of cells.
        path_length: Accepted number of blocks visited, repeats included, at least 2.
        cyclomatic: Accepted edges - blocks + 2 of the CFG, at least 1.
        max_cells: Upper bound of the number of cells; it and the bounds below size observations.
        max_tokens: Upper bound of the number of tokens over all lines of the body.
        max_lines: Upper bound of the number of lines of the body.
        max_variables: Upper bound of the size of the ID domain.
        max_constants: Upper bound of the entries of the constant table.
        max_blocks: Upper bound of the number of blocks, entry and exit included.
        max_edges: Upper bound of the number of CFG edges.
        max_path: Upper bound of the number of blocks visited.
        max_examples: Upper bound of the number of examples.
        max_parameters: Upper bound of the number of parameters.
        strategy: How numbers and inputs are found: ``hybrid`` draws them while executing and leaves the solver only the
            branches that drawing does not steer, ``smt`` is one solver query over the whole path.
        coverage: What the examples together execute, each on a path of its own: every block (``blocks``), every edge
            (``edges``), or the path of the first alone (None). ``coverage.covered_share`` tells what they do execute
            where ``max_examples`` paths of ``max_path`` blocks are too few. Only the hybrid strategy can.
        max_attempts: Draws of a program before synthesis gives up, at least 1.
        solver_rlimit: Budget of one solver query in z3's resource units, at least 1.
        mask_func: Probability (0 to 1) that the name of a called intrinsic is masked.
        calls: Probability (0 to 1) that a term is the call of an intrinsic.
        terms_weights: How often a term is of each of TERM_FORMS, relative to each other, at least 0.
        signs: Probability (0 to 1) that a term is negated or inverted.
        augmented: Probability (0 to 1) that the variable that drives a loop is updated by an augmented assignment.
        resets: Probability (0 to 1) that an assigned value is a number alone.
        inner_signs: Probability (0 to 1) that the variable in a term is inverted.
        read_weights: How readily a variable is read whose value is written and not read since, still as declared, read
            already; relative to each other, above 0.
        overwrite_weights: How readily such a variable is assigned, above 0.
        rereads: Probability (0 to 1) that a read is of a variable that the statement reads already.
        arrays: Arrays, besides the variables.
        array_size: Elements of an array, at least 1.
        element_reads: Probability (0 to 1) that a read is of an element, where there are arrays.
        element_targets: Probability (0 to 1) that an assignment writes an element, where there are arrays.
        computed_index: Probability (0 to 1) that the index of an element is computed.
        floats: Probability (0 to 1) that a variable or array is of floats, and that a comparison in a term is.
        float_parameters: Probability (0 to 1) that a parameter but the first is a float; only the hybrid strategy can.
        float_conditions: Probability (0 to 1) that a branch compares floats where they allow it; only the hybrid
            strategy can.
        exit_statements: Assignments in exit before the return, at least 0.
        apart: Probability (0 to 1) that a block stands after its dominator's code although it could stand at the only
            branch to it, so that goto flags lead past it.
        explicit_continue: Probability (0 to 1) that a block ends a lap by continue where the lap would end anyway.
        rotation: Probability (0 to 1) that a loop that can be rotated is.
        bare_loops: Probability (0 to 1) that the header of a rotated loop has no statements, where that is possible.
        running_checksum: Probability (0 to 1) that a program keeps a running checksum across examples.
        mixed: Probability (0 to 1) that a term of floats reads an integer; only the hybrid strategy can.

    Raises:
        ConfigError: A value out of its range; the message names the field.
    """

    name: str
    interior_blocks: Range
    branch: Range
    back_edge: Range
    detour: float
    loop_iterations: Range
    parameters: Range
    variables: Range
    statements: Range
    off_path_factor: int
    entry_statements: Range
    terms: Range
    condition_terms: Range
    widths: tuple[int, ...]
    mask_target: float
    mask_id: float
    mask_op: float
    mask_const: float
    examples: Range
    cells: Range
    path_length: Range
    cyclomatic: Range
    max_cells: int
    max_tokens: int
    max_lines: int
    max_variables: int
    max_constants: int
    max_blocks: int
    max_edges: int
    max_path: int
    max_examples: int
    max_parameters: int
    strategy: str = "hybrid"
    coverage: str | None = None
    max_attempts: int = 400
    solver_rlimit: int = 800_000
    mask_func: float = 1.0
    calls: float = 0.0
    terms_weights: tuple[float, ...] = (2.0, 0.6, 2.5, 2.5, 1.5, 0.7, 0.7)
    signs: float = 0.35
    inner_signs: float = 0.0
    augmented: float = 0.0
    resets: float = 0.0
    read_weights: tuple[float, ...] = (6.0, 3.0, 1.0)
    overwrite_weights: tuple[float, ...] = (0.02, 0.3, 1.0)
    rereads: float = 0.0
    arrays: Range = (0, 0)
    array_size: Range = (2, 4)
    element_reads: float = 0.3
    element_targets: float = 0.3
    computed_index: float = 0.2
    floats: float = 0.0
    mixed: float = 0.0
    float_parameters: float = 0.0
    float_conditions: float = 0.0
    exit_statements: Range = (0, 0)
    apart: float = 0.0
    explicit_continue: float = 0.0
    rotation: float = 0.0
    bare_loops: float = 0.3
    running_checksum: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(cast(object, self.name), str) or not self.name:
            raise ConfigError(f"expected a name, got {self.name!r}")
        for field, (least, greatest) in _RANGES.items():
            _check_range(field, getattr(self, field), least, greatest)
        for field in _PROBABILITIES:
            _check_number(field, getattr(self, field), 0, 1)
        for field in _COUNTS:
            _check_integer(field, getattr(self, field), 1)
        if self.strategy not in STRATEGIES:
            raise ConfigError(f"expected strategy to be one of {', '.join(STRATEGIES)}, got {self.strategy!r}")
        if self.coverage not in COVERAGES:
            raise ConfigError(f"expected coverage to be one of {', '.join(map(str, COVERAGES))}, got {self.coverage!r}")
        if self.coverage is not None and self.strategy != "hybrid":
            raise ConfigError(f"expected strategy hybrid where there is coverage, got {self.strategy!r}")
        if not self.widths or any(width not in WIDTHS for width in self.widths):
            raise ConfigError(f"expected widths from {WIDTHS}, got {self.widths!r}")
        if len(self.terms_weights) != len(TERM_FORMS) or not any(self.terms_weights):
            raise ConfigError(f"expected weights of {', '.join(TERM_FORMS)}, got {self.terms_weights!r}")
        for weight in self.terms_weights:
            _check_number("terms_weights", weight, 0, _ANY)
        for field in ("read_weights", "overwrite_weights"):
            weights = getattr(self, field)
            if len(weights) != 3 or not all(weight > 0 for weight in weights):
                raise ConfigError(f"expected {field} to be three numbers above 0, got {weights!r}")
        for bound, field in _BOUNDED.items():
            if getattr(self, bound) < getattr(self, field)[1]:
                raise ConfigError(f"expected {bound} of at least {getattr(self, field)[1]}, the most of {field}")

    def to_dict(self) -> dict[str, object]:
        """The settings as JSON-ready data; ``from_dict`` reads it back."""
        values: dict[str, object] = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: list(value) if _is_tuple(value) else value for name, value in values.items()}

    @staticmethod
    def from_dict(settings: Mapping[str, object]) -> Profile:
        """The profile with these settings.

        Raises:
            ConfigError: A setting is missing, unknown or out of its range.
        """
        fields = {field.name: field for field in dataclasses.fields(Profile)}
        for name in settings:
            if name not in fields:
                raise ConfigError(f"unknown setting {name!r}{_hint(name, fields)}")
        for name, field in fields.items():
            if name not in settings and field.default is dataclasses.MISSING:
                raise ConfigError(f"expected the setting {name}")
        values = {name: tuple(value) if _is_list(value) else value for name, value in settings.items()}
        return Profile(**cast(dict[str, Any], values))


_PERCENT = (0, 100)
_ANY = 1_000_000
_RANGES: dict[str, Range] = {
    "interior_blocks": (0, 40),
    "branch": _PERCENT,
    "back_edge": _PERCENT,
    "loop_iterations": (0, 100),
    "parameters": (1, 40),
    "variables": (1, 100),
    "statements": (1, 40),
    "entry_statements": (0, 40),
    "exit_statements": (0, 40),
    "terms": (1, 10),
    "condition_terms": (1, 10),
    "examples": (1, 100),
    "arrays": (0, 20),
    "array_size": (1, 16),
    "cells": (1, _ANY),
    "path_length": (2, _ANY),
    "cyclomatic": (1, _ANY),
}
_PROBABILITIES = (
    *("detour", "mask_target", "mask_id", "mask_op", "mask_const", "mask_func", "calls", "signs", "rereads"),
    *("element_reads", "element_targets", "computed_index", "floats", "mixed", "rotation", "bare_loops"),
    *("running_checksum", "float_parameters", "inner_signs", "resets", "apart"),
    *("explicit_continue", "float_conditions", "augmented"),
)
_BOUNDED = {
    "max_cells": "cells",
    "max_path": "path_length",
    "max_examples": "examples",
    "max_parameters": "parameters",
}
_COUNTS = (
    *("off_path_factor", "max_cells", "max_tokens", "max_lines", "max_variables", "max_constants", "max_blocks"),
    *("max_edges", "max_path", "max_examples", "max_parameters", "max_attempts", "solver_rlimit"),
)


def _is_tuple(value: object) -> TypeGuard[tuple[object, ...]]:
    return isinstance(value, tuple)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_integer(field: str, value: object, least: int) -> None:
    if not _is_integer(value) or cast(int, value) < least:
        raise ConfigError(f"expected {field} to be an integer of at least {least}, got {value!r}")


def _check_number(field: str, value: object, least: float, greatest: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= greatest:
        raise ConfigError(f"expected {field} to be a number from {least} to {greatest}, got {value!r}")


def _check_range(field: str, value: object, least: int, greatest: int) -> None:
    pair = value if _is_tuple(value) else ()
    if len(pair) == 2 and _is_integer(pair[0]) and _is_integer(pair[1]):
        low, high = cast(Range, pair)
        if least <= low <= high <= greatest:
            return
    raise ConfigError(f"expected {field} to be (least, greatest) within {least} and {greatest}, got {value!r}")


def _hint(name: str, names: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f", did you mean {close[0]!r}?" if close else f" (there are: {', '.join(names)})"


_TINY = Profile(
    name="tiny",
    interior_blocks=(1, 2),
    branch=(20, 80),
    back_edge=(20, 60),
    detour=0.5,
    loop_iterations=(1, 2),
    parameters=(1, 2),
    variables=(2, 2),
    statements=(1, 1),
    off_path_factor=1,
    entry_statements=(0, 1),
    terms=(1, 2),
    condition_terms=(1, 1),
    widths=(8, 16),
    mask_target=0.1,
    mask_id=0.5,
    mask_op=0.5,
    mask_const=0.75,
    examples=(2, 3),
    cells=(4, 10),
    path_length=(3, 8),
    cyclomatic=(1, 3),
    max_cells=10,
    max_tokens=128,
    max_lines=16,
    max_variables=4,
    max_constants=10,
    max_blocks=4,
    max_edges=5,
    max_path=8,
    max_examples=3,
    max_parameters=2,
)

_SMALL = Profile(
    name="small",
    interior_blocks=(2, 4),
    branch=(20, 60),
    back_edge=(15, 30),
    detour=0.0,
    loop_iterations=(1, 2),
    parameters=(2, 3),
    variables=(5, 7),
    statements=(1, 4),
    off_path_factor=1,
    entry_statements=(4, 5),
    terms=(2, 2),
    condition_terms=(1, 2),
    widths=(8, 16, 16, 16, 20, 24, 32, 64),
    mask_target=0.1,
    mask_id=0.75,
    mask_op=0.75,
    mask_const=0.75,
    examples=(3, 4),
    cells=(10, 90),
    path_length=(3, 15),
    cyclomatic=(2, 6),
    max_cells=90,
    max_tokens=640,
    max_lines=48,
    max_variables=16,
    max_constants=24,
    max_blocks=6,
    max_edges=12,
    max_path=15,
    max_examples=6,
    max_parameters=3,
    terms_weights=(4.0, 0.94, 2.5, 1.25, 1.5, 0.74, 0.69),
    signs=0.65,
    read_weights=(20.0, 1.0, 1.0),
    overwrite_weights=(0.005, 0.3, 1.0),
    rereads=1.0,
    arrays=(0, 1),
    array_size=(2, 3),
    element_targets=0.05,
    exit_statements=(0, 1),
    apart=0.35,
    rotation=0.15,
    bare_loops=0.8,
)

_MEDIUM = Profile(
    name="medium",
    interior_blocks=(3, 5),
    branch=(40, 70),
    back_edge=(30, 40),
    detour=0.0,
    loop_iterations=(1, 2),
    parameters=(3, 4),
    variables=(10, 16),
    statements=(2, 4),
    off_path_factor=2,
    entry_statements=(3, 5),
    terms=(2, 3),
    condition_terms=(2, 2),
    widths=(8, 16, 16, 16, 20, 24, 32, 64),
    mask_target=0.1,
    mask_id=0.75,
    mask_op=0.75,
    mask_const=0.75,
    examples=(5, 8),
    cells=(50, 250),
    path_length=(6, 18),
    cyclomatic=(2, 10),
    max_cells=250,
    max_tokens=1344,
    max_lines=80,
    max_variables=28,
    max_constants=64,
    max_blocks=7,
    max_edges=14,
    max_path=18,
    max_examples=8,
    max_parameters=4,
    calls=0.022,
    terms_weights=(2.2, 0.22, 1.4, 2.5, 2.2, 1.08, 0.37),
    signs=0.5,
    augmented=0.1,
    rereads=1.0,
    arrays=(1, 1),
    element_reads=0.5,
    element_targets=0.35,
    computed_index=0.15,
    floats=0.15,
    mixed=0.2,
    float_parameters=0.2,
    float_conditions=0.2,
    exit_statements=(1, 2),
    apart=0.7,
    explicit_continue=0.45,
    bare_loops=0.0,
    running_checksum=1.0,
)

_LARGE = Profile(
    name="large",
    interior_blocks=(6, 9),
    branch=(60, 80),
    back_edge=(20, 30),
    detour=0.1,
    loop_iterations=(2, 4),
    parameters=(3, 5),
    variables=(14, 20),
    statements=(4, 5),
    off_path_factor=1,
    entry_statements=(5, 7),
    terms=(2, 4),
    condition_terms=(2, 3),
    widths=(8, 16, 16, 16, 20, 24, 32, 64),
    mask_target=0.1,
    mask_id=0.75,
    mask_op=0.75,
    mask_const=0.75,
    examples=(8, 10),
    cells=(150, 540),
    path_length=(10, 30),
    cyclomatic=(3, 14),
    max_cells=540,
    max_tokens=2496,
    max_lines=128,
    max_variables=36,
    max_constants=104,
    max_blocks=11,
    max_edges=21,
    max_path=30,
    max_examples=10,
    max_parameters=5,
    calls=0.022,
    terms_weights=(3.08, 0.54, 1.4, 2.5, 1.2, 1.61, 0.34),
    signs=0.1,
    augmented=0.3,
    rereads=0.9,
    arrays=(1, 2),
    array_size=(2, 3),
    element_reads=0.6,
    element_targets=0.55,
    computed_index=0.15,
    floats=0.15,
    mixed=0.2,
    float_parameters=0.2,
    float_conditions=0.2,
    exit_statements=(1, 2),
    apart=0.9,
    explicit_continue=0.9,
    rotation=0.15,
    running_checksum=1.0,
)

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (_TINY, _SMALL, _MEDIUM, _LARGE)}
"""The profiles that come with the library, by name."""


def get_profile(profile: str | Profile) -> Profile:
    """The profile itself, the one of that name, or the one in a file whose name ends in ``.toml``.

    Raises:
        ConfigError: There is none of that name (the message suggests the nearest), or the file holds no profile.
    """
    if isinstance(profile, Profile):
        return profile
    if profile.endswith(".toml"):
        return load_profile(profile)
    if profile in PROFILES:
        return PROFILES[profile]
    raise ConfigError(f"unknown profile {profile!r}{_hint(str(profile), PROFILES)}")


def load_profile(path: str | Path) -> Profile:
    """The profile in a TOML file: settings by name, and ``base``, the profile that gives those left out.

    Its name is by default that of the file without the ending.

    Raises:
        ConfigError: The file cannot be read, is no TOML, or a setting is missing, unknown or out of its range.
    """
    try:
        settings: dict[str, object] = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"expected a readable profile, got {str(path)!r}: {error.strerror or error}") from None
    except ValueError as error:
        raise ConfigError(f"expected a profile in TOML, got {str(path)!r}: {error}") from None
    base = settings.pop("base", None)
    given = {} if base is None else get_profile(str(base)).to_dict()
    try:
        return Profile.from_dict({**given, "name": Path(path).stem, **settings})
    except ConfigError as error:
        raise ConfigError(f"{str(path)!r}: {error}") from None
