"""Concrete runs of programs under construction: along a given path, or along whatever path they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codoku_env.puzzle.flow import CFG, ENTRY, EXIT, Path
from codoku_env.runtime import checksum
from codoku_env.synthesis.branches import Visit
from codoku_env.synthesis.evaluation import ConcreteAlgebra, UndefinedError, evaluate
from codoku_env.synthesis.expressions import Assign
from codoku_env.synthesis.inputs import Args
from codoku_env.synthesis.numbers import Numbers
from codoku_env.synthesis.program import Program, execute, steps

__all__ = ["Run", "run_along", "run_freely"]

_CONCRETE = ConcreteAlgebra()

_REDRAWS = 4
"""Times that the numbers of one statement are drawn anew."""


@dataclass(frozen=True, slots=True)
class Run:
    """Execution on one input.

    Attributes:
        args: The input.
        path: The blocks visited.
        output: The return value.
        visits: When branches are reached and how they shall go, by block; empty for a run that followed its branches.
    """

    args: Args
    path: Path
    output: int
    visits: Mapping[str, list[Visit]]


def run_along(program: Program, path: Path, args: Args, numbers: Numbers) -> Run | None:
    """The run on ``args`` along ``path`` whatever the conditions are, or None when it has no result.

    Args:
        program: What to run.
        path: The blocks to visit.
        args: Values of the parameters.
        numbers: The program's, drawn when first read; also a run without a result draws some.
    """
    values = {variable.name: value for variable, value in zip(program.parameters, args, strict=True)}
    visits: dict[str, list[Visit]] = {}
    try:
        for statement in program.declarations:
            _assign(statement, values, numbers)
        for step in steps(program, path):
            for statement in step.statements:
                _assign(statement, values, numbers)
            if step.condition is not None:
                visits.setdefault(step.label, []).append(Visit(dict(values), step.outcome))
    except UndefinedError:
        return None
    return Run(args, path, _output(program, values), visits)


def run_freely(program: Program, cfg: CFG, longest: int, args: Args, constants: Mapping[int, int]) -> Run | None:
    """The run on ``args``, or None when it has no result or visits too many blocks.

    Args:
        program: What to run.
        cfg: Its graph.
        longest: Blocks of a path, repeats included, at most.
        args: Values of the parameters.
        constants: The program's numbers by slot.
    """
    values = {variable.name: value for variable, value in zip(program.parameters, args, strict=True)}
    path = [ENTRY]
    try:
        for statement in program.declarations:
            execute(statement, values, constants, _CONCRETE)
        while True:
            *_, step = steps(program, tuple(path[-2:]))
            for statement in step.statements:
                execute(statement, values, constants, _CONCRETE)
            if step.label == EXIT:
                break
            if len(path) == longest:
                return None
            targets = cfg.successors(step.label)
            if step.condition is not None:
                holds = bool(evaluate(step.condition, values, constants, _CONCRETE))
                targets = [target for target in targets if (target == program.structure.then[step.label]) == holds]
            path.append(targets[0])
    except UndefinedError:
        return None
    return Run(args, tuple(path), _output(program, values), {})


def _assign(statement: Assign, values: dict[str, int], numbers: Numbers) -> None:
    """Run one assignment; where it has no result, draw those of its numbers anew that only it has read."""
    known = len(numbers)
    for _ in range(_REDRAWS):
        try:
            return execute(statement, values, numbers, _CONCRETE)
        except UndefinedError:
            if len(numbers) == known:
                raise
            numbers.forget(known)
    return execute(statement, values, numbers, _CONCRETE)


def _output(program: Program, values: Mapping[str, int]) -> int:
    return checksum(*(values[variable.name] for variable in program.variables))
