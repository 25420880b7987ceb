"""The command ``codoku``: what it prints, what it writes, and how it ends."""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import pytest

from codoku_env.checking import check
from codoku_env.cli import main
from codoku_env.errors import ConfigError, SynthesisError
from codoku_env.metrics import METRICS, WITNESS_METRICS
from codoku_env.puzzle import (
    Assignment,
    Provenance,
    format_program,
    format_puzzle,
    from_json,
    load_puzzle,
    parse_puzzle,
    witness_from_json,
)
from codoku_env.version import __version__

PUZZLE = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0, exit
#@CFG_EDGE: b0 -> exit
#@EXE_PATH: entry -> b0 -> exit
#@CONST_TB: 5:1
#@INOUT_EX: codoku(7, 2) == 9
def codoku(a, b):
    #@CFG_BLOCK: entry
    c = a
    if a <OP> <CONST>:
        #@CFG_BLOCK: b0
        c = a + <ID>
    #@CFG_BLOCK: exit
    return c
"""
FILLS = (">", "5", "b")
ENTRIES = ["INSTRUCTION.md", "oracle", "oracle/metadata.json", "oracle/witness.py", "puzzle.py"]


@pytest.fixture
def puzzle():
    return parse_puzzle(PUZZLE)


@pytest.fixture
def puzzle_file(tmp_path):
    path = tmp_path / "in" / "puzzle.py"
    path.parent.mkdir()
    path.write_text(PUZZLE)
    return path


@pytest.fixture
def solution_file(puzzle, puzzle_file):
    path = puzzle_file.with_name("solution.py")
    path.write_text(format_program(puzzle, puzzle.assignment(enumerate(FILLS))))
    return path


@pytest.fixture
def synthesis(monkeypatch, puzzle):
    """A synthesizer that returns one puzzle at once; its ``seeds`` tell what it was asked for."""
    module = types.SimpleNamespace(seeds=[])

    def get_profile(name):
        if name != "small":
            raise ConfigError(f"unknown profile {name!r}")
        return types.SimpleNamespace(name=name)

    def generate_with_witness(profile, seed):
        module.seeds.append(seed)
        made = parse_puzzle(PUZZLE)
        object.__setattr__(made, "provenance", Provenance(seed, profile.name, __version__, "0", {}))
        return made, made.assignment(enumerate(FILLS))

    module.get_profile = get_profile
    module.generate_with_witness = generate_with_witness
    module.generate = lambda profile, seed: generate_with_witness(get_profile(profile), seed)[0]
    monkeypatch.setitem(sys.modules, "codoku_env.synthesis", module)
    return module


def tree(directory):
    """Paths of everything under a directory."""
    return sorted(str(path.relative_to(directory)) for path in Path(directory).rglob("*"))


def error_line(capsys):
    """The one line on stderr, when there is exactly one and nothing on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("codoku: error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    return err


def run(*arguments, **options):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "codoku_env", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


# The command as a whole.


def test_version(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"codoku {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["chekc"],
        ["check"],
        ["check", "puzzle.py"],
        ["check", "puzzle.py", "solution.py", "more.py"],
        ["analyze"],
        ["create"],
        ["create", "--seed", "-1", "-o", "out"],
        ["create", "--seed", "x", "-o", "out"],
        ["create", "--count", "0", "-o", "out"],
        ["create", "--seeds", "5", "-o", "out"],
        ["create", "--seeds", "5:5", "-o", "out"],
        ["create", "--seeds", "1:2", "--seed", "1", "-o", "out"],
        ["create", "--seeds", "1:2", "--count", "1", "-o", "out"],
        ["play"],
        ["play", "puzzle.py", "--seed", "1"],
    ],
)
def test_misuse_is_one_line_and_status_2(arguments, capsys, synthesis, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error_line(capsys)
    assert tree(tmp_path) == []


def test_as_a_module_it_is_the_same_command():
    assert run("--version").stdout == f"codoku {__version__}\n"


def test_control_characters_of_a_file_do_not_reach_the_terminal(tmp_path, capsys):
    path = tmp_path / "puzzle.py"
    path.write_text("#@\x1b[2Jnonsense: \x07\n")
    assert main(["check", str(path), "x"]) == 2
    assert "\x1b" not in error_line(capsys)


def test_a_reader_that_goes_away_is_no_error(puzzle_file):
    command = [sys.executable, "-m", "codoku_env", "analyze", str(puzzle_file)]
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stderr) == (141, "")


# check


def test_check_passes_a_solution(puzzle_file, solution_file, capsys):
    assert main(["check", str(puzzle_file), str(solution_file)]) == 0
    assert capsys.readouterr().out.startswith("PASS")


def test_check_tells_the_verdict_on_another_filling(puzzle, puzzle_file, solution_file, capsys):
    solution_file.write_text(format_program(puzzle, puzzle.assignment(enumerate((">", "5", "a")))))
    assert main(["check", str(puzzle_file), str(solution_file)]) == 1
    assert capsys.readouterr().out.startswith("OUTPUT: ")


def test_check_json_is_the_verdict_as_an_object(puzzle, puzzle_file, solution_file, capsys):
    assert main(["check", "--json", str(puzzle_file), str(solution_file)]) == 0
    verdict = check(puzzle, puzzle.assignment(enumerate(FILLS)))
    assert json.loads(capsys.readouterr().out) == verdict.to_dict()


BAD_CANDIDATES = {
    "empty": (b"", "REMASK"),
    "binary": (bytes(range(128, 256)), "BASICS"),
    "huge": (b"#" * (1 << 22), "BASICS"),
    "nested": (b"x = " + b"(" * 5000 + b")" * 5000, "PARSE"),
    "deep": (b"x = " + b"-" * 50_000 + b"1", "PARSE"),
    "null": (b"x = 1\0\n", "PARSE"),
    "unfilled": (PUZZLE.encode(), "BASICS"),
    "utf-16": (PUZZLE.encode("utf-16"), "BASICS"),
}


@pytest.mark.parametrize("kind", BAD_CANDIDATES)
def test_check_judges_a_bad_candidate_in_one_line(kind, puzzle_file, tmp_path, capsys):
    content, stage = BAD_CANDIDATES[kind]
    path = tmp_path / "solution.py"
    path.write_bytes(content)
    assert main(["check", str(puzzle_file), str(path)]) == 1
    out, err = capsys.readouterr()
    assert (out.partition(":")[0], out.count("\n"), err) == (stage, 1, "")


@pytest.mark.parametrize("name", ["missing.py", ".", "nul\0l.py"])
def test_check_of_a_candidate_that_cannot_be_read_is_basics(name, puzzle_file, tmp_path, capsys):
    assert main(["check", str(puzzle_file), str(tmp_path / name)]) == 1
    assert capsys.readouterr().out.startswith("BASICS: ")


BAD_PUZZLES = {
    "empty": b"",
    "binary": bytes(range(128, 256)),
    "huge": b"#" * (1 << 22),
    "nested": PUZZLE.replace("c = a\n", f"c = {'(' * 5000}a{')' * 5000}\n").encode(),
    "deep": PUZZLE.replace("c = a\n", f"c = {'-' * 50_000}a\n").encode(),
    "indented": (PUZZLE + "".join(f"{' ' * i}if 1:\n" for i in range(1, 300))).encode(),
    "null": PUZZLE.replace("c = a\n", "c = a\0\n").encode(),
    "truncated": PUZZLE[: len(PUZZLE) // 2].encode(),
    "hostile": PUZZLE.replace("c = a\n", "c = a.__class__\n").encode(),
    "utf-16": PUZZLE.encode("utf-16"),
    "long": f"#@NONSENSE: {'x' * 10_000}\n".encode(),
}


@pytest.mark.parametrize("command", ["check", "analyze", "play"])
@pytest.mark.parametrize("kind", BAD_PUZZLES)
def test_a_malformed_puzzle_is_one_line_and_status_2(command, kind, tmp_path, solution_file, capsys):
    path = tmp_path / "puzzle.py"
    path.write_bytes(BAD_PUZZLES[kind])
    assert main([command, str(path), *([str(solution_file)] if command == "check" else [])]) == 2
    line = error_line(capsys)
    assert "expected" in line
    assert str(path) in line
    assert len(line) < 600


@pytest.mark.parametrize("name", ["missing.py", ".", "nul\0l.py"])
def test_a_puzzle_that_cannot_be_read_is_one_line_and_status_2(name, tmp_path, capsys):
    assert main(["analyze", str(tmp_path / name)]) == 2
    assert "expected a readable puzzle file" in error_line(capsys)


def test_a_malformed_puzzle_is_located(tmp_path, capsys):
    path = tmp_path / "puzzle.py"
    path.write_text(PUZZLE.replace("c = a\n", "c = import\n"))
    assert main(["analyze", str(path)]) == 2
    assert f"{path}: line 9, column 9: expected" in error_line(capsys)


# analyze


def test_analyze_prints_a_table(puzzle_file, capsys):
    assert main(["analyze", str(puzzle_file)]) == 0
    rows = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert list(rows) == [name for name in METRICS if name not in WITNESS_METRICS]
    assert (rows["cells"], rows["path_length"]) == ("3", "3")


def test_analyze_json_with_a_witness_has_every_metric(puzzle_file, solution_file, capsys):
    assert main(["analyze", "--json", str(puzzle_file), "--witness", str(solution_file)]) == 0
    assert tuple(json.loads(capsys.readouterr().out)) == METRICS


def test_analyze_never_looks_into_the_oracle(tmp_path, synthesis, capsys):
    assert main(["create", "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["analyze", "--json", str(tmp_path / "puzzle.py")]) == 0
    assert WITNESS_METRICS[0] not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("content", [None, b"", bytes(range(128, 256)), PUZZLE.encode()])
def test_analyze_refuses_a_witness_that_is_no_solution(content, puzzle_file, tmp_path, capsys):
    path = tmp_path / "solution.py"
    if content is not None:
        path.write_bytes(content)
    assert main(["analyze", str(puzzle_file), "--witness", str(path)]) == 2
    assert "solution" in error_line(capsys)


# create


def test_create_writes_a_puzzle_that_its_witness_solves(tmp_path, synthesis, capsys):
    out = tmp_path / "a" / "b"
    assert main(["create", "--profile", "small", "--seed", "42", "-o", str(out)]) == 0
    assert tree(out) == ENTRIES
    assert tree(tmp_path) == ["a", "a/b", *(f"a/b/{name}" for name in ENTRIES)]
    assert synthesis.seeds == [42]
    assert main(["check", str(out / "puzzle.py"), str(out / "oracle" / "witness.py")]) == 0
    metadata = (out / "oracle" / "metadata.json").read_text()
    assert from_json(metadata) == load_puzzle(out / "puzzle.py")
    assert witness_from_json(metadata) == Assignment(FILLS)
    assert json.loads(metadata)["provenance"]["seed"] == 42
    assert tuple(json.loads(metadata)["metrics"]) == METRICS


def test_create_reports_progress_on_stderr_only(tmp_path, synthesis, capsys):
    assert main(["create", "--count", "2", "-o", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split()[0] for line in err.splitlines()] == ["[1/2]", "[1/2]", "[2/2]", "[2/2]"]


def test_the_instruction_states_the_task_without_its_answer(tmp_path, synthesis, puzzle):
    assert main(["create", "-o", str(tmp_path)]) == 0
    text = (tmp_path / "INSTRUCTION.md").read_text()
    for phrase in ("codoku check puzzle.py solution.py", "`codoku`", "| `<ID>` | 1 |", "`a` `b` `c`", "CONST", "PASS"):
        assert phrase in text
    # Another solution of the same puzzle, or none at all, would have been told the same.
    assert format_program(puzzle, puzzle.assignment(enumerate(FILLS))) not in text


def test_standalone_files_do_without_the_package(tmp_path, synthesis, monkeypatch):
    text = PUZZLE.replace("    return c\n", "    return cast_int(c, 8)\n")
    made = parse_puzzle(text)
    monkeypatch.setattr(
        synthesis, "generate_with_witness", lambda *_: (made, made.assignment(enumerate(FILLS))), raising=False
    )
    assert main(["create", "--standalone", "-o", str(tmp_path)]) == 0
    code = (tmp_path / "oracle" / "witness.py").read_text() + "\nprint(codoku(7, 2))\n"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "9\n"
    assert load_puzzle(tmp_path / "puzzle.py") == made
    assert "import" not in (tmp_path / "puzzle.py").read_text()


@pytest.mark.parametrize("option", [["--seed", "3", "--count", "2"], ["--seeds", "3:5"]])
def test_several_puzzles_have_a_directory_each(option, tmp_path, synthesis):
    assert main(["create", *option, "-o", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["small-3", "small-4"]
    assert tree(tmp_path / "out" / "small-4") == ENTRIES


@pytest.mark.parametrize("name", ["puzzle.py", "INSTRUCTION.md", "oracle"])
def test_create_refuses_to_overwrite(name, tmp_path, synthesis, capsys):
    (tmp_path / name).write_text("mine")
    assert main(["create", "-o", str(tmp_path)]) == 2
    assert f"expected no {name}" in error_line(capsys)
    assert synthesis.seeds == []
    assert tree(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_create_of_several_refuses_before_it_starts(tmp_path, synthesis, capsys):
    assert main(["create", "--seed", "1", "-o", str(tmp_path / "small-1")]) == 0
    capsys.readouterr()
    assert main(["create", "--seeds", "0:2", "-o", str(tmp_path)]) == 2
    assert "small-1" in error_line(capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["small-1"]


def test_force_replaces_the_puzzle_and_nothing_else(tmp_path, synthesis):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "puzzle.py").write_text("old")
    (tmp_path / "oracle").mkdir()
    (tmp_path / "oracle" / "old.py").write_text("old")
    assert main(["create", "--force", "-o", str(tmp_path)]) == 0
    assert tree(tmp_path) == sorted([*ENTRIES, "notes.txt"])
    assert (tmp_path / "puzzle.py").read_text() == format_puzzle(parse_puzzle(PUZZLE))


def test_create_says_which_profiles_there_are(tmp_path, capsys):
    assert main(["create", "--profile", "smal", "-o", str(tmp_path / "out")]) == 2
    assert "'small'" in error_line(capsys)
    assert tree(tmp_path) == []


@pytest.mark.parametrize("output", ["file", "file/deeper"])
def test_a_file_in_the_way_is_one_line(output, tmp_path, synthesis, capsys):
    (tmp_path / "file").write_text("mine")
    assert main(["create", "-o", str(tmp_path / output)]) == 2
    assert "expected a directory to write to" in capsys.readouterr().err.splitlines()[-1]
    assert (tree(tmp_path), synthesis.seeds) == (["file"], [])


def test_a_read_only_directory_is_one_line(tmp_path, synthesis, monkeypatch, capsys):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    assert main(["create", "-o", str(tmp_path / "out")]) == 2
    assert "Permission denied" in capsys.readouterr().err.splitlines()[-1]
    assert (tree(tmp_path), synthesis.seeds) == ([], [])


@pytest.mark.parametrize("make_target", [False, True])
@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt(), 130), (SynthesisError("expected luck"), 2), (OSError(28, "full"), 2)]
)
def test_an_end_in_the_middle_leaves_nothing(make_target, error, status, tmp_path, synthesis, monkeypatch, capsys):
    out = tmp_path / "out"
    if make_target:
        out.mkdir()

    def fail(*_):
        raise error

    monkeypatch.setattr(synthesis, "generate_with_witness", fail)
    assert main(["create", "-o", str(out)]) == status
    assert "Traceback" not in capsys.readouterr().err
    assert tree(tmp_path) == (["out"] if make_target else [])


@pytest.mark.parametrize("write", range(4))
def test_an_interrupt_while_writing_leaves_nothing(write, tmp_path, synthesis, monkeypatch):
    writes = iter(range(4))
    write_text = Path.write_text

    def interrupted(self, *args, **kwargs):
        write_text(self, *args, **kwargs)
        if next(writes) == write:
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", interrupted)
    assert main(["create", "-o", str(tmp_path / "out")]) == 130
    assert tree(tmp_path) == []


@pytest.mark.parametrize("move", range(6))
def test_an_interrupt_while_replacing_keeps_the_old_puzzle(move, tmp_path, synthesis, monkeypatch):
    for name in ("INSTRUCTION.md", "oracle", "puzzle.py"):
        (tmp_path / name).write_text(f"old {name}")
    moves = iter(range(100))
    rename = os.rename

    def interrupted(source, goal):
        if next(moves) == move:
            raise KeyboardInterrupt
        rename(source, goal)

    monkeypatch.setattr(os, "rename", interrupted)
    assert main(["create", "--force", "-o", str(tmp_path)]) == 130
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        name: f"old {name}" for name in ("INSTRUCTION.md", "oracle", "puzzle.py")
    }


def test_an_interrupt_keeps_the_puzzles_that_are_complete(tmp_path, synthesis, monkeypatch, capsys):
    make = synthesis.generate_with_witness

    def interrupted(profile, seed):
        if seed == 2:
            raise KeyboardInterrupt
        return make(profile, seed)

    monkeypatch.setattr(synthesis, "generate_with_witness", interrupted)
    assert main(["create", "--seeds", "0:9", "-o", str(tmp_path)]) == 130
    assert capsys.readouterr().err.endswith("codoku: interrupted\n")
    assert [tree(path) for path in sorted(tmp_path.iterdir())] == [ENTRIES, ENTRIES]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small-0", "small-1"]


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_ctrl_c_in_a_real_process(tmp_path):
    command = [
        sys.executable,
        "-m",
        "codoku_env",
        "create",
        "--profile",
        "tiny",
        "--count",
        "5000",
        "-o",
        str(tmp_path),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("[2/"):
                process.send_signal(signal.SIGINT)
                break
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "codoku: interrupted"
    assert "Traceback" not in err
    made = sorted(tmp_path.iterdir())
    assert made
    assert all(path.name.startswith("tiny-") and tree(path) == ENTRIES for path in made)


INTERRUPT_WHILE_SOLVING = """
import dataclasses, os, signal, sys, threading
import z3
from codoku_env.cli import main
from codoku_env.synthesis import PROFILES

PROFILES["small"] = dataclasses.replace(PROFILES["small"], strategy="smt")
solve = z3.Solver.check
calls = []

def check(solver, *assumptions):
    if not calls:
        p, q = z3.BitVecs("p q", 64, ctx=solver.ctx)
        solver.add(p * q == 0x7FFFFFFFFFFFFD57, z3.ULT(1, p), z3.ULT(p, q), z3.ULT(q, 1 << 34))
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    calls.append(solver)
    return solve(solver, *assumptions)

z3.Solver.check = check
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_ctrl_c_while_z3_solves_is_not_swallowed(tmp_path):
    """By default z3 takes SIGINT for itself and answers unknown, upon which a search would go on."""
    arguments = ["create", "--profile", "small", "--count", "5000", "-o", str(tmp_path)]
    command = [sys.executable, "-c", INTERRUPT_WHILE_SOLVING, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, "codoku: interrupted")
    assert tree(tmp_path) == []


def test_the_same_seed_gives_the_same_bytes_in_another_process(tmp_path):
    for name, hash_seed in (("a", "1"), ("b", "2")):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = run("create", "--profile", "tiny", "--seed", "7", "-o", tmp_path / name, env=environment)
        assert done.returncode == 0, done.stderr
    for name in ("puzzle.py", "INSTRUCTION.md", "oracle/witness.py", "oracle/metadata.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert run("check", tmp_path / "a" / "puzzle.py", tmp_path / "a" / "oracle" / "witness.py").returncode == 0


# play


def play(monkeypatch, capsys, lines, *arguments):
    """Status and output of a game whose commands are piped in."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    status = main(["play", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert err == ""
    return status, out


def test_play_to_the_end(puzzle_file, monkeypatch, capsys):
    status, out = play(monkeypatch, capsys, ["0 >", "fill 1 0x5", "2 b", "submit", "show"], puzzle_file)
    assert status == 0
    assert "if a <0:OP> <1:CONST>:" in out
    assert "3 of 3 cells filled; constants left: none" in out
    assert out.endswith("solved\n")


def test_play_shows_fills_and_takes_them_back(puzzle_file, monkeypatch, capsys):
    _, out = play(monkeypatch, capsys, ["0 is   not", "show", "undo", "2 c", "clear 2", "show"], puzzle_file)
    first, second = out.split("1 of 3 cells filled")[2:4]
    assert "if a <0=is not> <1:CONST>:" in out
    assert "<0=" not in second
    assert "0 of 3" in first
    assert out.rstrip().endswith("0 of 3 cells filled; constants left: 5:1")


def test_play_gives_feedback_on_the_way(puzzle_file, monkeypatch, capsys):
    _, out = play(monkeypatch, capsys, ["check", "0 <", "1 5", "2 b", "check", "submit"], puzzle_file)
    assert "\nBASICS: cell 0" in out
    assert "\nPATH: example 1, step 1: expected b0, got exit" in out
    assert out.endswith("not yet\n")


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("fill 9 v1", "expected a cell from 0 to 2, got '9'"),
        ("9", "expected a cell from 0 to 2, got '9'"),
        ("fill x v1", "expected a cell from 0 to 2, got 'x'"),
        ("fill", "expected a cell from 0 to 2, got ''"),
        ("clear ²", "expected a cell from 0 to 2, got '²'"),
        ("² b", "expected a command"),
        ("2 zzz", "expected a fill from the domain of cell 2, got 'zzz' (try: domain 2)"),
        ("1 7", "expected a fill from the domain of cell 1, got '7' (try: domain 1)"),
        ("2", "expected a fill from the domain of cell 2, got ''"),
        ("undo", "expected a fill or clear to undo"),
        ("dance", "expected a command (fill, clear, undo, show, domain, check, submit, help, quit), got 'dance'"),
        ("domain 2", "cell 2 <ID>: a  b  c"),
        ("help", "submit            print the verdict"),
        ("\x1b[2J", "expected a command"),
    ],
)
def test_play_answers_every_line(line, reply, puzzle_file, monkeypatch, capsys):
    status, out = play(monkeypatch, capsys, ["", line], puzzle_file)
    assert status == 1
    assert reply in out.split("Type help for the commands.\n")[1]
    assert "\x1b" not in out


def test_play_ends_at_quit_and_at_the_end_of_input(puzzle_file, monkeypatch, capsys):
    assert play(monkeypatch, capsys, ["quit", "dance"], puzzle_file)[0] == 1
    assert play(monkeypatch, capsys, [], puzzle_file)[0] == 1


def test_play_ends_at_ctrl_c(puzzle_file, monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert main(["play", str(puzzle_file)]) == 130
    assert capsys.readouterr().err == "codoku: interrupted\n"


def test_play_takes_binary_input(puzzle_file):
    command = [sys.executable, "-m", "codoku_env", "play", str(puzzle_file)]
    done = subprocess.run(command, input=bytes(range(256)), capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, b"")


def test_play_a_generated_puzzle(synthesis, monkeypatch, capsys):
    status, out = play(monkeypatch, capsys, ["quit"], "--profile", "small", "--seed", "3")
    assert (status, synthesis.seeds) == (1, [3])
    assert "def codoku" in out
