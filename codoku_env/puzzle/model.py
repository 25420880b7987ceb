"""The puzzle as a value: a masked body and its constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from codoku_env.errors import ConfigError, PuzzleFormatError
from codoku_env.puzzle.body import Body
from codoku_env.puzzle.cells import (
    CTRL_DOMAIN,
    MAX_INT_BITS,
    OP_DOMAIN,
    Assignment,
    Cell,
    Kind,
    canonical_fill,
    number_literal,
    parse_number,
)
from codoku_env.puzzle.flow import CFG, Path, require_path
from codoku_env.puzzle.helpers import INTRINSICS

__all__ = ["Constant", "Example", "Provenance", "Puzzle"]


MAX_PATHS = 20_000
"""Steps of the execution paths of all examples together."""


@dataclass(frozen=True, slots=True)
class Constant:
    """One entry of the constant table.

    Attributes:
        literal: Canonical spelling of a non-negative int or finite float; ``"1"`` and ``"1.0"`` are different.
        count: How many CONST cells must use it, at least 1.
    """

    literal: str
    count: int

    def __post_init__(self) -> None:
        try:
            canonical = number_literal(parse_number(self.literal))
        except ValueError as error:
            raise PuzzleFormatError(str(error)) from None
        if canonical != self.literal:
            raise PuzzleFormatError(f"expected the canonical spelling {canonical}, got {self.literal}")
        if isinstance(self.count, bool) or self.count < 1:
            raise PuzzleFormatError(f"expected a count of at least 1 for {self.literal}, got {self.count}")

    @property
    def value(self) -> int | float:
        """The number itself."""
        return parse_number(self.literal)


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """An input, the value expected for it, and the execution path it must follow.

    Examples are equal when they print alike, so that 1, 1.0 and True differ.

    Attributes:
        args: One int or finite float per parameter.
        expected: The return value; int or finite float.
        path: Labels of the blocks visited, from entry to exit.
    """

    args: tuple[int | float, ...]
    expected: int | float
    path: Path

    def __post_init__(self) -> None:
        for value in (*self.args, self.expected):
            try:
                number_literal(value)
            except ValueError as error:
                raise PuzzleFormatError(str(error)) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Example) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a generated puzzle came from.

    Attributes:
        seed: The seed given to ``generate``.
        profile: Name of the profile.
        generator_version: Version of codoku_env.
        z3_version: Version of z3.
        config: The profile's settings, as JSON-ready data.
    """

    seed: int
    profile: str
    generator_version: str
    z3_version: str
    config: Mapping[str, object]


@dataclass(frozen=True)
class Puzzle:
    """A body with cells, and the constraints that a solution satisfies.

    Attributes:
        body: The masked function.
        cfg: Its declared control-flow graph.
        constants: The constant table; each literal once.
        examples: In the order in which they run, at least one.
        checksum: The running checksum after the last example, or None when it is not constrained.
        intrinsics: What FUNC cells choose from.
        provenance: How it was generated, or None; not part of its value.

    Raises:
        PuzzleFormatError: The parts do not fit together.
    """

    body: Body
    cfg: CFG
    constants: tuple[Constant, ...]
    examples: tuple[Example, ...]
    checksum: int | None = None
    intrinsics: tuple[str, ...] = INTRINSICS
    provenance: Provenance | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_constants(self.constants)
        require_intrinsics(self.intrinsics)
        require_checksum(self.checksum, self.body)
        for cell in self.cells:
            if not self.domains[cell.kind]:
                raise PuzzleFormatError(f"expected at least one fill in the domain of {cell}, there is none")
        if not self.examples:
            raise PuzzleFormatError("expected at least one example (#@INOUT_EX)")
        if sum(len(example.path) for example in self.examples) > MAX_PATHS:
            raise PuzzleFormatError(f"expected execution paths of at most {MAX_PATHS} steps together")
        for example in self.examples:
            require_args(example, self.body)
        for path in dict.fromkeys(example.path for example in self.examples):
            require_path(path, self.cfg)
        declared, started = frozenset(self.cfg.blocks), frozenset(self.body.blocks)
        for label in self.cfg.blocks:
            if label not in started:
                raise PuzzleFormatError(f"expected block {label} of the CFG to start somewhere (#@CFG_BLOCK: {label})")
        for label in self.body.blocks:
            if label not in declared:
                raise PuzzleFormatError(f"expected only blocks of the CFG, got {label}")

    @cached_property
    def _hash(self) -> int:
        return hash((self.body, self.cfg, self.constants, self.examples, self.checksum, self.intrinsics))

    def __hash__(self) -> int:
        return self._hash

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells; ``cells[i].index == i``."""
        return self.body.cells

    @property
    def path(self) -> Path:
        """The execution path of the first example."""
        return self.examples[0].path

    @cached_property
    def domains(self) -> dict[Kind, tuple[str, ...]]:
        """The fills that a cell of each kind may hold."""
        return {
            Kind.ID: self.body.id_domain,
            Kind.FUNC: self.intrinsics,
            Kind.CONST: tuple(constant.literal for constant in self.constants),
            Kind.OP: OP_DOMAIN,
            Kind.CTRL: CTRL_DOMAIN,
            Kind.LABEL: self.cfg.blocks,
        }

    def domain(self, cell: int | Cell) -> tuple[str, ...]:
        """The fills that the cell may hold, in a fixed order."""
        return self.domains[(self.cells[cell] if isinstance(cell, int) else cell).kind]

    def assignment(self, fills: Mapping[int, str] | Iterable[tuple[int, str]] = ()) -> Assignment:
        """An assignment of this puzzle's cells; spellings are made canonical, domains are not checked.

        Args:
            fills: Fill text by cell index; cells left out are unfilled.

        Raises:
            ConfigError: An index outside the puzzle.
        """
        given = dict(fills)
        for index in given:
            if not 0 <= index < len(self.cells):
                raise ConfigError(f"expected a cell from 0 to {len(self.cells) - 1}, got {index}")
        fills = {index: canonical_fill(self.cells[index].kind, text) for index, text in given.items()}
        return Assignment.of(len(self.cells), fills)


def require_constants(constants: Iterable[Constant]) -> None:
    """Raise PuzzleFormatError unless each literal stands once."""
    seen: set[str] = set()
    for constant in constants:
        if constant.literal in seen:
            raise PuzzleFormatError(f"expected each constant once in the table, got {constant.literal} twice")
        seen.add(constant.literal)


def require_intrinsics(intrinsics: tuple[str, ...]) -> None:
    """Raise PuzzleFormatError unless these are distinct intrinsics of the run-time."""
    for name in intrinsics:
        if name not in INTRINSICS:
            raise PuzzleFormatError(f"expected an intrinsic ({', '.join(INTRINSICS)}), got {name}")
    if len(set(intrinsics)) < len(intrinsics):
        raise PuzzleFormatError("expected each intrinsic once")


def require_checksum(checksum: int | None, body: Body) -> None:
    """Raise PuzzleFormatError unless the body keeps the checksum that the puzzle declares."""
    if checksum is None:
        return
    if not body.has_state:
        raise PuzzleFormatError("expected module-level state _checksum = [...] in a puzzle with a running checksum")
    if checksum.bit_length() > MAX_INT_BITS:
        raise PuzzleFormatError(f"expected a checksum of at most {MAX_INT_BITS} bits")


def require_args(example: Example, body: Body) -> None:
    """Raise PuzzleFormatError unless the example has one argument per parameter."""
    if len(example.args) != len(body.parameters):
        raise PuzzleFormatError(f"expected {len(body.parameters)} arguments of {body.name}, got {len(example.args)}")
