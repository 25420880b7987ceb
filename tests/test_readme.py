"""What the README shows is true: its puzzle, its Python, its commands."""

import itertools
import re
import shlex
from pathlib import Path

import pytest

from codoku_env import Assignment, check, parse_puzzle
from codoku_env.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def test_the_puzzle_has_the_six_solutions_that_the_text_derives():
    puzzle = parse_puzzle(PYTHON[0])
    forced = {0: "500", 2: "c", 3: "-", 4: "25", 6: "25", 7: "b"}
    choices = [(forced[cell.index],) if cell.index in forced else puzzle.domain(cell) for cell in puzzle.cells]
    passing = [fills for fills in itertools.product(*choices) if check(puzzle, Assignment(fills)).passed]
    assert passing == [fills for fills in itertools.product(*choices) if fills[1] in ("a", "c")]
    assert len(passing) == 6


@pytest.mark.parametrize("code", PYTHON[1:])
def test_the_python_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_commands_of_the_quick_start_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    install, *commands = SHELL[0].strip().split(" && ")
    assert install == "pip install ."
    for command in [*commands, "codoku analyze my-puzzle/puzzle.py"]:
        assert f"{command}" in README
        program, *arguments = shlex.split(command)
        assert (program, main(arguments)) == ("codoku", 0)
    assert "PASS" in capsys.readouterr().out
