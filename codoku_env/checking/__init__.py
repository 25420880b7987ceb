"""The checker: concrete semantics, no solver, and no code in common with the generator."""

from codoku_env.checking.checker import Candidate, Checker, check
from codoku_env.checking.limits import Limits
from codoku_env.checking.verdict import Stage, Verdict

__all__ = ["Candidate", "Checker", "Limits", "Stage", "Verdict", "check"]
