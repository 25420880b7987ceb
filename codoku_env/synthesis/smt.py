# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false
"""The one module that imports z3.

z3's Python operators cost more than solving small queries, so queries come as SMT-LIB text. Every query runs in a fresh
context and is bounded by z3's resource units, never by time: its answer is a function of its arguments alone.
"""

from __future__ import annotations

import z3

__all__ = ["solve"]


def solve(script: str, rlimit: int, seed: int) -> dict[str, int] | None:
    """A model of a query over bit-vectors.

    Args:
        script: SMT-LIB declarations, definitions and assertions.
        rlimit: Budget in z3's resource units, about 2.5 million a second.
        seed: Seed of the solver's own choices.

    Returns:
        Signed values by name of the bit-vectors that matter, or None when there is no model or the budget ran out.
    """
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context)  # measured faster here than SolverFor("QF_BV")
    solver.set("rlimit", rlimit)
    solver.set("random_seed", seed)
    solver.set("ctrl_c", False)  # else Ctrl-C would be taken for an exhausted budget
    solver.set("ctrl_c", False)  # an interrupt is the caller's to handle, and is no answer
    solver.from_string(script)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    values = {declaration.name(): model[declaration] for declaration in model.decls()}
    return {name: value.as_signed_long() for name, value in values.items() if isinstance(value, z3.BitVecNumRef)}
