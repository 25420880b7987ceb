"""Code for every block of a graph: typed variables, assignments that depend on each other, conditions."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from codoku_env.puzzle.flow import ENTRY, EXIT, Path
from codoku_env.synthesis.cfg import Flow
from codoku_env.synthesis.draws import TRIVIAL
from codoku_env.synthesis.evaluation import int_range
from codoku_env.synthesis.expressions import FLOAT, Assign, Binary, Cast, Compare, Element, Expr, Unary, Var
from codoku_env.synthesis.lowering import Structure
from codoku_env.synthesis.profiles import Profile
from codoku_env.synthesis.program import Code, Interval, Program
from codoku_env.synthesis.terms import JOINS, ORDER, WRITTEN, Names, Terms

__all__ = ["draw_condition", "populate"]

_FLOAT_INPUT = 200
"""Greatest magnitude of the first values of float parameters."""
_ABSORBED = 4
"""Variables that the running checksum absorbs at once."""


def populate(flow: Flow, structure: Structure, path: Path, profile: Profile, rng: np.random.Generator) -> Program:
    """A random program on the graph.

    Blocks on the path have numbers that the solver may choose within an interval each, blocks off the path have
    numbers already chosen.

    Args:
        flow: The graph.
        structure: Its structured code.
        path: The walk that the program shall be able to take.
        profile: How much of what.
        rng: Source of every choice.
    """
    return _Author(profile, rng).program(flow, structure, path)


def draw_condition(
    program: Program, reads: Var, constants: list[Interval], profile: Profile, rng: np.random.Generator
) -> tuple[Expr, int]:
    """Another condition for a branch of ``program`` that is on its path.

    Args:
        program: Whose variables the condition may read.
        reads: A variable that it does read.
        constants: The numbers of the program by slot, to which those of the condition are appended.
        profile: How much of what.
        rng: Source of every choice.

    Returns:
        The condition, and the slot of its threshold.
    """
    author = _Author(profile, rng, Names(program.parameters, program.scalars, program.arrays))
    author.constants = constants
    return author.condition(reads)


class _Author(Terms):
    """Writes a program block by block."""

    # The program.

    def program(self, flow: Flow, structure: Structure, path: Path) -> Program:
        names = self.names
        inputs = tuple(self.input_interval(variable.bits) for variable in names.parameters)
        declarations = tuple(Assign(variable, self.initial(variable.bits)) for variable in names.locals)
        drivers = self.drivers(flow, path)
        homes = {label: self.home(label, structure, flow) for label in drivers}
        absorbers = self.absorbers(flow, path)
        code: dict[str, Code] = {}
        for label in (*dict.fromkeys(path), *(label for label in flow.order if label not in path)):
            self.on_path = label in path
            code[label] = self.block(label, structure, drivers, homes)
            if label in absorbers:
                code[label] = replace(code[label], absorbed=self.absorbed())
        constants = tuple(self.constants)
        return Program(structure, names.parameters, names.locals, declarations, code, constants, inputs)

    def block(self, label: str, structure: Structure, drivers: dict[str, Var], homes: dict[str, str]) -> Code:
        """Code of the block; ``homes`` tells for each block with a driver which block updates it."""
        updated = [drivers[other] for other, home in homes.items() if home == label]
        rotated = label in structure.rotated
        bare = rotated and homes.get(label, label) != label
        statements = () if bare else self.statements(label, updated, drivers.values())
        condition, threshold = self.condition(drivers.get(label)) if label in structure.then else (None, None)
        again = self.statements(label, updated, drivers.values()) if rotated and not bare else ()
        return Code(statements, condition, threshold, again)

    def absorbers(self, flow: Flow, path: Path) -> set[str]:
        """Where the running checksum absorbs variables: in each loop on the path, or in a block where there is none."""
        visited = [label for label in flow.order if label in path and label not in (ENTRY, EXIT)]
        if not visited or not self.chance(self.profile.running_checksum):
            return set()
        loops = [[label for label in visited if label in loop] for loop in flow.loops.values()]
        return {blocks[self.integer(0, len(blocks) - 1)] for blocks in ([b for b in loops if b] or [visited])}

    def absorbed(self) -> tuple[Var, ...]:
        """Some variables, those written last if possible."""
        variables = (*self.names.scalars, *self.names.elements)
        recent = [variable for variable in variables if self.values[variable] == WRITTEN] or [*variables]
        while len(recent) > _ABSORBED:
            recent.pop(self.integer(0, len(recent) - 1))
        return tuple(recent)

    def input_interval(self, bits: int) -> Interval:
        """The values that a parameter may have at first."""
        if bits == FLOAT:
            return Interval(-_FLOAT_INPUT, _FLOAT_INPUT, FLOAT)
        size = self.magnitude(bits - 1)
        low, high = size - size // 4, min(size + size // 4 + 1, int_range(bits)[1])
        return Interval(low, high, bits) if self.chance(0.6) else Interval(-high, -low, bits)

    def drivers(self, flow: Flow, path: Path) -> dict[str, Var]:
        """For each block that leaves both ways along the path, a local that only it writes, on every visit."""
        steps = set(itertools.pairwise(path))
        switching = [b for b in flow.order if sum((b, target) in steps for target in flow.cfg.successors(b)) == 2]
        scalars = [variable for variable in self.names.scalars if variable.bits != FLOAT]
        spare = sorted(scalars, key=lambda variable: variable.bits)[: max(1, len(scalars) // 2)]
        result: dict[str, Var] = {}
        for label in switching:
            if len(spare) > 1 or not result:
                result[label] = spare.pop(self.integer(0, len(spare) - 1))
            else:
                result[label] = result[switching[0]]
        return result

    def home(self, label: str, structure: Structure, flow: Flow) -> str:
        """The block that updates the driver of ``label``: itself, or the end of its loop so that it has no statements.

        The latter only where that is one other block, which a run passes between any two visits.
        """
        latches = [source for source, target in sorted(flow.back_edges) if target == label]
        bare = label in structure.rotated and len(latches) == 1 and self.chance(self.profile.bare_loops)
        return latches[0] if bare else label

    def statements(self, label: str, updated: Sequence[Var], reserved: Collection[Var]) -> tuple[Assign, ...]:
        """Assignments of a block: updates of drivers, others to variables that are not reserved for these."""
        ends = {ENTRY: self.profile.entry_statements, EXIT: self.profile.exit_statements}
        low, high = ends.get(label, self.profile.statements)
        factor = 1 if self.on_path or label in ends else self.profile.off_path_factor
        count = self.integer(low * factor, high * factor)
        free = [variable for variable in self.names.scalars if variable not in reserved] or self.names.scalars
        result = [self.assignment(free) for _ in range(count - len(updated))]
        for driver in updated:
            result.insert(self.integer(0, len(result)), self.update(driver))
        return tuple(result)

    def assignment(self, targets: Sequence[Var]) -> Assign:
        """A sum assigned to a variable whose value has been read, if there is one, or to an element of an array."""
        elements = self.names.elements
        if elements and self.chance(self.profile.element_targets):
            if self.chance(self.profile.computed_index) and (target := self.element(self.names.arrays)):
                return self.written(target)
            targets = elements
        weights = self.profile.overwrite_weights
        target = self.pick(targets, [weights[self.values[v]] for v in targets])
        statement = self.written(target)
        self.values[target] = WRITTEN
        return statement

    def written(self, target: Var | Element) -> Assign:
        """A sum assigned to the target."""
        if self.chance(self.profile.resets):
            return Assign(target, self.initial(target.bits))
        count = self.integer(*self.profile.terms)
        if target.bits == FLOAT:
            return Assign(target, self.float_total(count))
        value = self.total(count, target.bits)
        return Assign(target, value if value.bits <= target.bits else Cast(value, target.bits))

    def update(self, driver: Var) -> Assign:
        """A new value of the driver that depends on the old one and differs from it on every lap."""
        if self.chance(self.profile.augmented):
            return Assign(driver, Binary(self.pick_key(JOINS), driver, self.number(driver.bits // 2), driver.bits))
        bits = self.wider(driver.bits)
        if self.chance(0.5):
            step = Binary(self.pick_key(JOINS), driver, self.number(driver.bits - 2), bits)
        else:
            scaled = Binary("*", self.chosen_number(max(2, bits - driver.bits - 1), odd=True), driver, bits)
            step = Binary("+", scaled, self.number(driver.bits - 2), bits)
        return Assign(driver, Cast(step, driver.bits))

    def condition(self, driver: Var | None) -> tuple[Expr, int]:
        """A comparison of two sums, the first of which reads the driver, the second has the threshold."""
        left = self.total(self.integer(*self.profile.condition_terms), 0, driver)
        threshold = self.threshold(left.bits)
        right: Expr = threshold
        for _ in range(self.integer(*self.profile.condition_terms) - 1):
            right = Binary(self.pick_key(JOINS), right, self.term(left.bits, self.read_integer()), left.bits)
        return Compare(self.pick_key(ORDER), left, right), threshold.slot

    def initial(self, bits: int) -> Expr:
        """A number, or its negative."""
        if bits == FLOAT:
            real = self.decimal(0.05, 500.0)
            return Unary("-", real, FLOAT) if self.chance(0.5) else real
        if self.chance(TRIVIAL):
            return self.trivial(bits)
        number = self.number(bits - 1)
        return Unary("-", number, bits) if self.chance(0.5) else number
