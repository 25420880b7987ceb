"""From a seed to a puzzle, and from a graph and a path to a program."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from codoku_env.checking import check
from codoku_env.errors import ConfigError, SynthesisError
from codoku_env.puzzle.body import Body
from codoku_env.puzzle.cells import Assignment
from codoku_env.puzzle.flow import CFG, Path, require_path
from codoku_env.puzzle.model import Example, Provenance, Puzzle
from codoku_env.synthesis.bounds import exceeded
from codoku_env.synthesis.cfg import Flow, draw_cfg, draw_walk, require_reducible
from codoku_env.synthesis.coverage import covering_walks
from codoku_env.synthesis.hybrid import find_by_drawing
from codoku_env.synthesis.masking import mask
from codoku_env.synthesis.profiles import Profile, get_profile
from codoku_env.synthesis.program import program_body, running_checksum
from codoku_env.synthesis.wholepath import find_by_query
from codoku_env.version import __version__

__all__ = ["Witness", "generate", "generate_with_witness", "reify", "z3_version"]

_DRAWS_PER_GRAPH = 6
"""Programs that are drawn on one graph and path before another is drawn."""

_DRAWS_PER_COVERAGE = 40
"""Programs that are drawn before one covering walk less is asked for."""

_STRATEGIES = {"hybrid": find_by_drawing, "smt": find_by_query}


@dataclass(frozen=True)
class Witness:
    """A complete program that takes a given path through a given graph.

    Attributes:
        body: The function, nothing masked.
        cfg: Its control-flow graph.
        examples: Inputs that take the path, and their return values.
        provenance: How it was made.
        checksum: The running checksum after the last example, or None where there is none.
    """

    body: Body
    cfg: CFG
    examples: tuple[Example, ...]
    provenance: Provenance
    checksum: int | None = None

    @property
    def puzzle(self) -> Puzzle:
        """The witness as a puzzle without cells, for which it is the one candidate."""
        return Puzzle(self.body, self.cfg, (), self.examples, self.checksum, provenance=self.provenance)


def generate(profile: str | Profile = "small", seed: int = 0) -> Puzzle:
    """A puzzle, the same for the same arguments wherever it is made, proved solvable by the checker.

    Args:
        profile: A profile or the name of one.
        seed: Any integer from 0.

    Raises:
        ConfigError: The profile is unknown or the seed negative.
        SynthesisError: No puzzle was found within the profile's attempts.
    """
    return generate_with_witness(profile, seed)[0]


def generate_with_witness(profile: str | Profile = "small", seed: int = 0) -> tuple[Puzzle, Assignment]:
    """The puzzle of ``generate``, and the assignment that it was made from.

    Raises:
        ConfigError: The profile is unknown or the seed negative.
        SynthesisError: No puzzle was found within the profile's attempts.
    """
    profile = get_profile(profile)
    flow: Flow | None = None
    path: Path | None = None
    for attempt, sequence in enumerate(_attempts(profile, seed)):
        shape, code, masking = (np.random.default_rng(child) for child in sequence.spawn(3))
        if attempt % _DRAWS_PER_GRAPH == 0 or flow is None or path is None:
            flow = draw_cfg(profile, shape)
            path = flow and draw_walk(flow, profile, shape)
        if flow is None or path is None:
            continue
        witness = _draw_witness(flow, path, attempt, seed, profile, code)
        made = witness and _puzzle(witness, profile, masking)
        if made:
            _require_solved(*made)
            return made
    raise SynthesisError(_gave_up(profile, seed, "puzzle"))


def reify(
    cfg: CFG | Iterable[tuple[str, str]], path: Iterable[str], seed: int = 0, config: str | Profile = "small"
) -> Witness:
    """A program with the given control-flow graph that takes the given path.

    Args:
        cfg: The graph, or its edges: reducible, at most two successors a block, no edge into entry, loops and branches
            not nested deeper than a body may be (18 levels).
        path: A walk of the graph from entry to exit.
        seed: Any integer from 0.
        config: A profile or the name of one; its ranges for graph and path are not applied.

    Raises:
        ConfigError: The profile is unknown, the seed negative, or structured code cannot express the graph.
        PuzzleFormatError: The graph is malformed or the path is no walk of it.
        SynthesisError: No program was found within the profile's attempts.
    """
    profile = get_profile(config)
    cfg = cfg if isinstance(cfg, CFG) else CFG.of(cfg)
    path = require_path(path, cfg)
    flow = require_reducible(cfg)
    for attempt, sequence in enumerate(_attempts(profile, seed)):
        witness = _draw_witness(flow, path, attempt, seed, profile, np.random.default_rng(sequence))
        if witness:
            _require_solved(witness.puzzle, Assignment.empty(0))
            return witness
    raise SynthesisError(_gave_up(profile, seed, "program"))


def _attempts(profile: Profile, seed: int) -> Iterator[np.random.SeedSequence]:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ConfigError(f"expected the seed to be an integer from 0, got {seed!r}")
    root = np.random.SeedSequence(int(seed))
    for _ in range(profile.max_attempts):
        yield root.spawn(1)[0]


def _gave_up(profile: Profile, seed: int, what: str) -> str:
    return (
        f"found no {what} in {profile.max_attempts} attempts for profile {profile.name!r} and seed {seed}; "
        "try another seed, more max_attempts or a greater solver_rlimit"
    )


def _draw_witness(
    flow: Flow, path: Path, attempt: int, seed: int, profile: Profile, rng: np.random.Generator
) -> Witness | None:
    """One draw of a program, or None when no numbers were found for it."""
    found = _STRATEGIES[profile.strategy](flow, _paths(flow, path, attempt, profile, rng), profile, rng)
    if found is None:
        return None
    program, constants, examples = found
    checksum = running_checksum(program, examples, constants)
    return Witness(program_body(program, constants), flow.cfg, examples, _provenance(profile, seed), checksum)


def _paths(flow: Flow, path: Path, attempt: int, profile: Profile, rng: np.random.Generator) -> tuple[Path, ...]:
    """The path, and where there shall be coverage walks for it; late attempts are content with fewer of these."""
    if profile.coverage is None:
        return (path,)
    most, longest = profile.max_examples - 1, profile.max_path
    walks = covering_walks(flow.cfg, path, profile.coverage, most, longest, rng)
    return (path, *walks[: max(0, len(walks) - attempt // _DRAWS_PER_COVERAGE)])


def _provenance(profile: Profile, seed: int) -> Provenance:
    return Provenance(int(seed), profile.name, __version__, z3_version(), profile.to_dict())


@cache
def z3_version() -> str:
    """Version of z3 as it would tell itself, without loading it."""
    return ".".join(importlib.metadata.version("z3-solver").split(".")[:3])


def _puzzle(witness: Witness, profile: Profile, rng: np.random.Generator) -> tuple[Puzzle, Assignment] | None:
    """The witness masked, or None when the puzzle is outside what the profile accepts."""
    masked = mask(witness.body, profile, rng)
    if masked is None:
        return None
    puzzle = Puzzle(
        masked.body,
        witness.cfg,
        masked.constants,
        witness.examples,
        checksum=witness.checksum,
        intrinsics=masked.intrinsics,
        provenance=witness.provenance,
    )
    return None if any(exceeded(puzzle, profile)) else (puzzle, masked.witness)


def _require_solved(puzzle: Puzzle, witness: Assignment) -> None:
    """The checker has the last word; that it refuses a witness is a defect of the generator."""
    verdict = check(puzzle, witness)
    if not verdict.passed:
        raise SynthesisError(f"the checker refused a generated puzzle: {verdict.stage}: {verdict.message}")
