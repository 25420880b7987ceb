"""``codoku play``: solve a puzzle in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from codoku_env.checking import Stage, check
from codoku_env.cli.common import Commands, one_line, read_puzzle, read_seed
from codoku_env.errors import CodokuError, ConfigError
from codoku_env.puzzle import Assignment, Kind, Puzzle, format_program

__all__ = ["Game", "add_parser"]

_PROMPT = "codoku> "


def add_parser(commands: Commands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "play",
        help="solve a puzzle in the terminal",
        description="Solve a puzzle in the terminal, or with commands on standard input. "
        "Exit status: 0 solved, 1 ended before that, 2 misuse, 130 ended by Ctrl-C.",
    )
    parser.add_argument("puzzle", nargs="?", metavar="PUZZLE", help="file with the puzzle")
    parser.add_argument("--profile", help="generate the puzzle, by this profile")
    parser.add_argument("--seed", type=read_seed, metavar="N", help="seed to generate from (default: 0)")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    game = Game(_puzzle(arguments))
    print(game.show(""))
    print("Type help for the commands.")
    for line in _lines():
        try:
            reply = game.execute(line)
        except CodokuError as error:
            reply = one_line(str(error))
        if reply:
            print(reply)
        if game.over:
            break
    return 0 if game.solved else 1


def _puzzle(arguments: argparse.Namespace) -> Puzzle:
    generated = arguments.profile is not None or arguments.seed is not None
    if generated == (arguments.puzzle is not None):
        raise ConfigError("expected a puzzle file, or --profile and --seed to generate one (try: codoku play --help)")
    if arguments.puzzle is not None:
        return read_puzzle(arguments.puzzle)
    from codoku_env.synthesis import generate

    return generate(arguments.profile or "small", arguments.seed or 0)


def _lines() -> Iterator[str]:
    """Lines of standard input, with a prompt and line editing where a person types them."""
    interactive = sys.stdin.isatty()
    if interactive:
        # Its import gives input() line editing and history, where there is such a module.
        with contextlib.suppress(ImportError):
            importlib.import_module("readline")
    while True:
        try:
            yield input(_PROMPT if interactive else "")
        except (EOFError, KeyboardInterrupt) as end:
            if interactive:
                print()
            if isinstance(end, KeyboardInterrupt):
                raise
            return


@dataclass(slots=True)
class Game:
    """The state of play; commands are lines of text, replies are text.

    Attributes:
        puzzle: What is played.
        assignment: The fills so far.
        history: Earlier assignments, the latest last.
        solved: Whether a submission got PASS.
        over: Whether the player has ended.
    """

    puzzle: Puzzle
    assignment: Assignment = field(init=False)
    history: list[Assignment] = field(default_factory=list[Assignment])
    solved: bool = False
    over: bool = False

    def __post_init__(self) -> None:
        self.assignment = self.puzzle.assignment()

    def execute(self, line: str) -> str:
        """The reply to one command.

        Raises:
            ConfigError: The line is not a command, or cannot be carried out.
        """
        name, _, rest = line.strip().partition(" ")
        if not name:
            return ""
        if name.isdecimal():
            name, rest = "fill", line.strip()
        if name.lower() not in _COMMANDS:
            raise ConfigError(f"expected a command ({', '.join(_COMMANDS)}), got {name!r}")
        return _COMMANDS[name.lower()].run(self, rest.strip())

    def show(self, _: str) -> str:
        """The puzzle with numbered cells, and what is left to do."""
        numbered = tuple(
            f"<{cell.index}:{cell.kind}>" if fill is None else f"<{cell.index}={fill}>"
            for cell, fill in zip(self.puzzle.cells, self.assignment.fills, strict=True)
        )
        return f"{format_program(self.puzzle, Assignment(numbered))}\n{self._progress()}"

    def fill(self, text: str) -> str:
        """Fill a cell from its domain."""
        number, _, fill = text.partition(" ")
        index = self._cell(number)
        fill = self.puzzle.assignment({index: fill})[index] or ""
        if fill not in self.puzzle.domain(index):
            raise ConfigError(f"expected a fill from the domain of cell {index}, got {fill!r} (try: domain {index})")
        return self._set(index, fill)

    def clear(self, text: str) -> str:
        """Empty a cell."""
        return self._set(self._cell(text), None)

    def undo(self, _: str) -> str:
        """Take back the last fill or clear."""
        if not self.history:
            raise ConfigError("expected a fill or clear to undo, there is none")
        self.assignment = self.history.pop()
        return self._progress()

    def domain(self, text: str) -> str:
        """What a cell may hold."""
        index = self._cell(text)
        return f"cell {index} {self.puzzle.cells[index]}: {'  '.join(self.puzzle.domain(index))}"

    def check(self, _: str) -> str:
        """The verdict on the fills so far."""
        return one_line(str(check(self.puzzle, self.assignment)))

    def submit(self, _: str) -> str:
        """The verdict; PASS ends the game."""
        verdict = check(self.puzzle, self.assignment)
        self.solved = self.over = verdict.stage is Stage.PASS
        return f"{one_line(str(verdict))}{' - solved' if self.solved else ' - not yet'}"

    def help(self, _: str) -> str:
        """The commands."""
        return "\n".join(f"{command.usage:<18}{command.help}" for command in _COMMANDS.values())

    def quit(self, _: str) -> str:
        """End without submitting."""
        self.over = True
        return ""

    def _cell(self, text: str) -> int:
        cells = len(self.puzzle.cells)
        if not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text) < cells):
            raise ConfigError(f"expected a cell from 0 to {cells - 1}, got {text!r}")
        return int(text)

    def _set(self, index: int, fill: str | None) -> str:
        self.history.append(self.assignment)
        self.assignment = self.assignment.replace(index, fill)
        return self._progress()

    def _progress(self) -> str:
        fills = self.assignment.fills
        used = Counter(f for cell, f in zip(self.puzzle.cells, fills, strict=True) if cell.kind is Kind.CONST)
        left = [f"{c.literal}:{c.count - used[c.literal]}" for c in self.puzzle.constants if c.count != used[c.literal]]
        filled = f"{len(fills) - fills.count(None)} of {len(fills)} cells filled"
        return f"{filled}; constants left: {', '.join(left) or 'none'}"


@dataclass(frozen=True, slots=True)
class _Command:
    run: Callable[[Game, str], str]
    usage: str
    help: str


_COMMANDS: dict[str, _Command] = {
    "fill": _Command(Game.fill, "[fill] CELL FILL", "fill a cell, e.g. fill 3 v1, or 3 v1"),
    "clear": _Command(Game.clear, "clear CELL", "empty a cell"),
    "undo": _Command(Game.undo, "undo", "take back the last fill or clear"),
    "show": _Command(Game.show, "show", "print the puzzle with numbered cells"),
    "domain": _Command(Game.domain, "domain CELL", "print what a cell may hold"),
    "check": _Command(Game.check, "check", "print the verdict on the fills so far"),
    "submit": _Command(Game.submit, "submit", "print the verdict and, when it is PASS, end"),
    "help": _Command(Game.help, "help", "print this"),
    "quit": _Command(Game.quit, "quit", "end; Ctrl-D and Ctrl-C do the same"),
}
