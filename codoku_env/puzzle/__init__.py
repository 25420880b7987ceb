"""The puzzle as data: cells and fills, control flow, body, text and JSON forms."""

from codoku_env.puzzle.body import Body, Line
from codoku_env.puzzle.cells import Assignment, Cell, Kind
from codoku_env.puzzle.flow import CFG, Path
from codoku_env.puzzle.jsonform import from_json, to_json, witness_from_json
from codoku_env.puzzle.model import Constant, Example, Provenance, Puzzle
from codoku_env.puzzle.text import format_program, format_puzzle, load_puzzle, parse_puzzle

__all__ = [
    "CFG",
    "Assignment",
    "Body",
    "Cell",
    "Constant",
    "Example",
    "Kind",
    "Line",
    "Path",
    "Provenance",
    "Puzzle",
    "format_program",
    "format_puzzle",
    "from_json",
    "load_puzzle",
    "parse_puzzle",
    "to_json",
    "witness_from_json",
]
