"""Banks: what is built, however often it is stopped, and how it is read."""

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import codoku_env.envs
from codoku_env.bank import Bank, Processes, Ray, build, build_bank
from codoku_env.bank.executors import WorkerError
from codoku_env.bank.shard import Shard
from codoku_env.checking import check
from codoku_env.cli import INTERRUPTED, main
from codoku_env.cli.bank import format_prompt
from codoku_env.errors import ConfigError, PuzzleFormatError, SynthesisError
from codoku_env.metrics import measure
from codoku_env.puzzle import format_program, format_puzzle, parse_puzzle
from codoku_env.synthesis import generate, generate_with_witness, get_profile

pytest.importorskip("pyarrow", reason="needs pyarrow (the extra bank)")

import pyarrow as pa
import pyarrow.parquet as pq

from codoku_env.bank import parquet

COUNT = 80
TINY = get_profile("tiny")


MADE: dict[str, bytes] = {}


class Here:
    """Makes shards in this process; the same shard only once in a run of the tests."""

    def map(self, function, items):
        for item in items:
            key = f"{function.args} {item}"
            if key not in MADE:
                MADE[key] = function(item)
            yield item, MADE[key]


def tiny_bank(path, count=COUNT, **options):
    defaults: dict[str, Any] = {"profile": "tiny", "executor": Here()}
    return build_bank(path, count=count, **(defaults | options))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("bank") / "bank.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "ROWS_PER_GROUP", 32)
        tiny_bank(path, prompt=format_prompt)
    return path


@pytest.fixture
def bank(path):
    return Bank(path)


def codoku_bank(path, *options):
    command = [sys.executable, "-m", "codoku_env", "bank", "build", "--profile", "tiny", "-o", str(path), *options]
    environment = os.environ | {"PYTHONPATH": str(Path(codoku_env.__file__).parents[1])}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
    assert process.stderr is not None
    return process, process.stderr


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


# Reading.


def test_a_bank_holds_the_puzzle_of_each_seed(bank):
    assert len(bank) == COUNT
    for index in (0, 1, 31, 32, COUNT - 1, -1, -COUNT):
        seed = index % COUNT
        puzzle = generate("tiny", seed)
        assert bank[index] == puzzle
        assert bank[index].provenance == puzzle.provenance
    assert [puzzle.provenance.seed for puzzle in bank] == list(range(COUNT))
    assert bank.seeds.tolist() == list(range(COUNT))
    assert bank.left_out == {}


@pytest.mark.parametrize("index", [COUNT, -COUNT - 1])
def test_an_index_outside_the_bank_is_refused(bank, index):
    with pytest.raises(IndexError, match=f"expected an index from -{COUNT} to {COUNT - 1}, got {index}"):
        bank[index]


def test_a_slice_is_a_bank(bank):
    part = bank[70:10:-20]
    assert part.seeds.tolist() == [70, 50, 30]
    assert part[-1] == bank[30]
    assert [row["seed"] for row in part[1:].rows(["seed"])] == [50, 30]
    assert list(bank[80:]) == []


def test_rows_are_ready_for_prompts_and_analysis(bank):
    row = next(bank.rows())
    puzzle, witness = generate_with_witness("tiny", 0)
    assert puzzle.provenance is not None
    assert row == {
        "seed": 0,
        "profile": "tiny",
        "puzzle": format_puzzle(puzzle),
        "prompt": format_prompt(puzzle),
        **measure(puzzle, witness),
        "generator_version": puzzle.provenance.generator_version,
        "z3_version": puzzle.provenance.z3_version,
        "config": json.dumps(TINY.to_dict(), sort_keys=True),
    }
    assert list(row) == list(bank.columns)
    assert row["prompt"].startswith("# A codoku")
    assert row["puzzle"] in row["prompt"]
    assert [row["seed"] for row in bank.rows()] == list(range(COUNT))
    with pytest.raises(ConfigError, match="unknown column 'sed', did you mean 'seed'"):
        bank.rows(["sed"])


def test_other_libraries_read_it(path):
    frames = []
    with contextlib.suppress(ImportError):
        import pandas  # pyright: ignore[reportMissingImports]

        frames.append(pandas.read_parquet(path))
    with contextlib.suppress(ImportError):
        import polars  # pyright: ignore[reportMissingImports]

        frames.append(polars.read_parquet(path))
    if not frames:
        pytest.skip("needs pandas or polars")
    for frame in frames:
        assert list(frame.columns) == list(Bank(path).columns)
        assert list(frame["seed"]) == list(range(COUNT))
        assert parse_puzzle(frame["puzzle"][3]) == generate("tiny", 3)


def test_what_other_libraries_wrote_anew_is_still_a_bank(path, tmp_path):
    polars = pytest.importorskip("polars")
    polars.read_parquet(path).filter(polars.col("seed") % 2 == 1).write_parquet(tmp_path / "odd.parquet")
    bank = Bank(tmp_path / "odd.parquet")
    assert bank[1] == generate("tiny", 3)
    assert bank.left_out == {}


def test_a_bank_can_be_pickled(bank):
    copy = pickle.loads(pickle.dumps(bank[5:]))
    assert copy.seeds.tolist() == list(range(5, COUNT))
    assert copy[0] == bank[5]


def test_a_bank_supplies_an_environment(bank):
    env = gymnasium.make("Codoku-tiny-v0", generator=bank[10:].generator)
    codoku = env.unwrapped
    assert isinstance(codoku, codoku_env.envs.CodokuEnv)
    env.reset(options={"puzzle_seed": 33})
    assert codoku.puzzle == bank[33]
    seen = []
    for _ in range(2):
        env.reset(seed=7)
        first = codoku.puzzle
        env.reset()
        seen.append((first, codoku.puzzle))
    assert seen[0] == seen[1]
    assert seen[0][0] in bank[10:]


def test_any_seed_gives_a_puzzle_and_all_are_reached(bank):
    part = bank[60:]
    counts = Counter(part.generator(TINY, seed).provenance.seed for seed in range(1000, 1000 + 2 * len(part)))
    assert counts == dict.fromkeys(range(60, 80), 2)
    assert part.generator(TINY, 2**70) == part.generator(TINY, 2**70)
    with pytest.raises(ConfigError, match="this one is empty"):
        bank[:0].generator(TINY, 1)


# Files that are no banks.


def test_files_that_are_no_banks_are_told_apart(path, tmp_path):
    text, other, short = (tmp_path / name for name in ("text", "other.parquet", "short.parquet"))
    text.write_text(format_puzzle(generate("tiny", 0)))
    pq.write_table(pa.table({"seed": [1], "text": ["x"]}), other)
    short.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ConfigError, match="expected a bank, there is no file"):
        Bank(tmp_path / "none")
    with pytest.raises(ConfigError, match=r"without the columns .*'puzzle'"):
        Bank(other)
    for file in (text, short, tmp_path):
        with pytest.raises(ConfigError, match=r"expected a bank, .* cannot be read as Parquet"):
            Bank(file)


@pytest.mark.parametrize(("column", "value"), [("puzzle", "def f"), ("puzzle", None), ("config", "{"), ("seed", None)])
def test_a_row_without_a_puzzle_is_told_by_its_number(path, tmp_path, column, value):
    rows = pq.read_table(path).to_pylist()[:3]
    rows[1][column] = value
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "bad.parquet")
    bank = Bank(tmp_path / "bad.parquet")
    assert bank[2] == generate("tiny", 2)
    with pytest.raises(PuzzleFormatError, match="expected a puzzle in row 1 of"):
        bank[1]


def test_a_damaged_page_is_told(path, tmp_path):
    data = bytearray(path.read_bytes())
    for offset in range(4, len(data) // 2):
        data[offset] ^= 0x55
    (tmp_path / "bad.parquet").write_bytes(data)
    bank = Bank(tmp_path / "bad.parquet")
    with pytest.raises(ConfigError, match="is damaged"):
        bank[0]


# Witnesses.


def test_no_witness_is_in_a_bank(bank):
    assert "witness" not in bank.columns
    for row in bank.rows():
        puzzle, witness = generate_with_witness("tiny", row["seed"])
        program = format_program(puzzle, witness).partition("def ")[2]
        assert not any(program in value for value in row.values() if isinstance(value, str))


def test_witnesses_are_stored_when_asked_for(tmp_path):
    tiny_bank(tmp_path / "bank.parquet", 20, with_witness=True)
    bank = Bank(tmp_path / "bank.parquet")
    for puzzle, row in zip(bank, bank.rows(["witness"]), strict=True):
        assert check(puzzle, puzzle.assignment(enumerate(row["witness"]))).passed


# Stopped and resumed.


class StoppedError(Exception):
    """A build ends here."""


def stop(calls, after, patch):
    """Let the build end before or after a number of renames, as by a kill: what then lies on the disk stays there."""
    left = [calls]
    rename = os.replace

    def replace_(source, target):
        left[0] -= 1
        if left[0] < 0:
            if after:
                rename(source, target)
            raise StoppedError
        rename(source, target)

    patch.setattr(build.os, "replace", replace_)


@pytest.mark.parametrize("after", [False, True])
def test_a_build_stopped_at_any_rename_is_resumed(path, tmp_path, after):
    tiny_bank(tmp_path / "whole.parquet")
    for calls in range(5):  # settings, three shards, the bank
        target = tmp_path / f"{calls}.parquet"
        with pytest.MonkeyPatch.context() as patch:
            stop(calls, after, patch)
            with pytest.raises(StoppedError):
                tiny_bank(target)
        assert target.exists() == (calls == 4 and after)
        assert tiny_bank(target).puzzles == COUNT
        assert target.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
        assert not build.parts_of(target).exists()


def test_a_resumed_build_makes_only_what_is_missing(tmp_path):
    made = []

    class Counting(Here):
        def map(self, function, items):
            made.append(list(items))
            yield from super().map(function, items)

    with pytest.MonkeyPatch.context() as patch:
        stop(2, False, patch)
        with pytest.raises(StoppedError):
            tiny_bank(tmp_path / "bank.parquet")
    told = []
    tiny_bank(tmp_path / "bank.parquet", executor=Counting(), progress=lambda *counts: told.append(counts))
    assert made == [[range(32, 64), range(64, 80)]]
    assert told == [(32, 80), (64, 80), (80, 80)]


def children(pid):
    """Processes that have this parent and are no zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(stat.parent)
    return found


def alive(process):
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_killed_builds_and_any_number_of_jobs_give_the_same_bytes(tmp_path):
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    process, errors = codoku_bank(one, "--count", "160", "--jobs", "1")
    with process:
        assert "160 puzzles" in errors.read()
    process, _ = codoku_bank(two, "--count", "160", "--jobs", "2")
    with process:
        wait_until(lambda: list(build.parts_of(two).glob("*.json.gz")))
        workers = children(process.pid) if Path("/proc").exists() else []
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not two.exists()
    wait_until(lambda: not any(map(alive, workers)))
    process, errors = codoku_bank(two, "--count", "160", "--jobs", "2")
    with process:
        assert errors.readline() != "0/160 seeds\n"
        assert "160 puzzles" in errors.read()
    assert two.read_bytes() == one.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl-C")
def test_ctrl_c_stops_with_one_line_that_says_how_to_resume(tmp_path):
    path = tmp_path / "bank.parquet"
    process, errors = codoku_bank(path, "--count", "2000", "--jobs", "2")
    with process:
        wait_until(lambda: list(build.parts_of(path).glob("*.json.gz")))
        os.killpg(process.pid, signal.SIGINT)
        *progress, last = errors.read().splitlines()
        assert process.wait() == INTERRUPTED
    assert all("/2000 seeds" in line for line in progress)
    assert last.startswith("codoku: interrupted: ")
    assert last.endswith("; the same command resumes")
    assert not path.exists()
    assert int(last.split()[2]) == 32 * len(list(build.parts_of(path).glob("*.json.gz")))


# What is already there.


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"count": 81}, "count"),
        ({"start_seed": 1}, "start_seed"),
        ({"with_witness": True}, "with_witness"),
        ({"prompt": format_prompt}, "prompt"),
        ({"profile": replace(TINY, max_attempts=9)}, "max_attempts"),
    ],
)
def test_parts_of_other_settings_are_refused_and_discarded_by_force(tmp_path, options, name):
    path = tmp_path / "bank.parquet"
    with pytest.MonkeyPatch.context() as patch:
        stop(2, False, patch)
        with pytest.raises(StoppedError):
            tiny_bank(path)
    with pytest.raises(
        ConfigError, match=rf"expected the settings of the unfinished bank .*\({name} .*\), got .*: give the same, "
    ):
        tiny_bank(path, **options)
    tiny_bank(tmp_path / "other.parquet", **options)
    tiny_bank(path, **options, force=True)
    assert path.read_bytes() == (tmp_path / "other.parquet").read_bytes()


def test_a_bank_that_is_there_is_kept(tmp_path):
    path = tmp_path / "bank.parquet"
    tiny_bank(path, 20)
    before = path.stat()
    assert tiny_bank(path, 20).puzzles == 20
    with pytest.raises(ConfigError, match="it would be overwritten"):
        tiny_bank(path, 21)
    assert path.stat() == before
    tiny_bank(path, 21, force=True)
    assert len(Bank(path)) == 21


def test_what_is_no_bank_is_kept(tmp_path):
    path = tmp_path / "bank.parquet"
    path.write_text("notes")
    with pytest.raises(ConfigError, match="it would be overwritten"):
        tiny_bank(path)
    with pytest.raises(ConfigError, match="is a directory"):
        tiny_bank(tmp_path, force=True)
    parts = tmp_path / "other.parquet.parts"
    parts.mkdir()
    (parts / "thesis.tex").write_text("\\begin")
    with pytest.raises(ConfigError, match=r"got 'thesis\.tex'"):
        tiny_bank(tmp_path / "other.parquet", force=True)
    assert (path.read_text(), (parts / "thesis.tex").read_text()) == ("notes", "\\begin")


def test_a_damaged_shard_is_told(tmp_path):
    path = tmp_path / "bank.parquet"
    with pytest.MonkeyPatch.context() as patch:
        stop(3, False, patch)
        with pytest.raises(StoppedError):
            tiny_bank(path)
    shard = next(build.parts_of(path).glob("*.json.gz"))
    shard.write_bytes(shard.read_bytes()[:-20])
    with pytest.raises(ConfigError, match=r"expected a shard in .*, remove it and start again"):
        tiny_bank(path)
    shard.unlink()
    assert tiny_bank(path).puzzles == COUNT


# Seeds that give no puzzle, and duplicates.


def test_seeds_that_fail_are_recorded(tmp_path):
    path = tmp_path / "bank.parquet"
    profile = replace(TINY, max_attempts=1)
    report = tiny_bank(path, 40, profile=profile)
    failed = []
    for seed in range(40):
        try:
            generate(profile, seed)
        except SynthesisError:
            failed.append(seed)
    assert 0 < len(failed) < 40
    assert list(report.left_out) == failed
    assert all("SynthesisError: found no puzzle" in reason for reason in report.left_out.values())
    bank = Bank(path)
    assert bank.left_out == report.left_out
    assert sorted([*bank.seeds.tolist(), *failed]) == list(range(40))
    assert tiny_bank(path, 40, profile=profile) == report


def test_no_two_puzzles_of_a_bank_are_equal(tmp_path):
    class Doubling(Here):
        def map(self, function, items):
            for seeds, data in super().map(function, items):
                shard = Shard.from_bytes(data)
                for row in shard.rows:
                    if row["seed"] in (7, 40):
                        row["puzzle"] = format_puzzle(generate("tiny", 5))
                yield seeds, shard.to_bytes()

    report = tiny_bank(tmp_path / "bank.parquet", executor=Doubling())
    assert report.left_out == dict.fromkeys((7, 40), "duplicate of the puzzle of seed 5")
    bank = Bank(tmp_path / "bank.parquet")
    assert len(set(bank)) == len(bank) == report.puzzles == COUNT - 2


def test_a_bank_without_puzzles_is_refused(tmp_path):
    hopeless = replace(TINY, max_attempts=1, max_tokens=1)
    with pytest.raises(SynthesisError, match="no seed gave a puzzle; the first: SynthesisError"):
        tiny_bank(tmp_path / "bank.parquet", 3, profile=hopeless)
    assert not (tmp_path / "bank.parquet").exists()


@pytest.mark.parametrize(("start", "count"), [(-1, 5), (0, 0), (2**63 - 5, 6)])
def test_seeds_out_of_range_are_refused(tmp_path, start, count):
    with pytest.raises(ConfigError, match="expected a count of at least 1 and seeds from 0 to"):
        tiny_bank(tmp_path / "bank.parquet", count, start_seed=start)


@pytest.mark.slow
def test_no_two_of_10000_small_puzzles_are_equal(tmp_path):
    report = build_bank(tmp_path / "bank.parquet", "small", 10_000, executor=Processes(os.cpu_count() or 1))
    assert report.left_out == {}


# Executors.


def test_processes_give_each_item_its_result():
    assert dict(Processes(3).map(abs, range(-5, 5))) == {item: abs(item) for item in range(-5, 5)}
    assert list(Processes(2).map(abs, [])) == []
    with pytest.raises(ConfigError, match="expected jobs of at least 1, got 0"):
        Processes(0)


def test_errors_of_workers_reach_the_caller():
    with pytest.raises(ValueError, match="invalid literal"):
        list(Processes(1).map(int, ["x"]))
    with pytest.raises(WorkerError, match="a worker process ended while it worked on 3"):
        list(Processes(1).map(os._exit, [3]))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_ray_cluster_gives_the_same_bytes(tmp_path):
    ray = pytest.importorskip("ray", reason="needs ray")
    try:
        for name, executor in (("ray", Ray()), ("here", Here())):
            tiny_bank(tmp_path / name, executor=executor)
    finally:
        ray.shutdown()
    assert (tmp_path / "ray").read_bytes() == (tmp_path / "here").read_bytes()


# The command, and what it needs.


def test_the_command_builds_a_bank(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(Processes, "map", Here.map)
    path = tmp_path / "new" / "bank.parquet"
    arguments = ["bank", "build", "--profile", "tiny", "--count", "9", "--start-seed", "5", "-o", str(path)]
    assert main(arguments) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"wrote {path}: 9 puzzles, no two equal, 0 seeds left out"
    assert Bank(path).seeds.tolist() == list(range(5, 14))
    assert main([*arguments, "--with-witness"]) == 2
    assert capsys.readouterr().err.startswith("codoku: error: expected no file")
    assert main([*arguments, "--coverage", "everything"]) == 2
    assert "expected coverage to be one of" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--count", "0"], ["--count", "5", "--jobs", "0"], [], ["--count", "1e3"]])
def test_misuse_is_told_in_one_line(tmp_path, capsys, arguments):
    assert main(["bank", "build", "-o", str(tmp_path / "bank.parquet"), *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_without_pyarrow_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "codoku_env.bank.parquet")
    for use in (Bank, tiny_bank):
        with pytest.raises(ConfigError, match=r"expected pyarrow, .* pip install 'codoku_env\[bank\]'"):
            use(tmp_path / "bank.parquet")


def test_without_ray_it_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="expected Ray"):
        Ray()
    assert main(["bank", "build", "--count", "5", "--ray", "-o", str(tmp_path / "bank.parquet")]) == 2
    assert "pip install" in capsys.readouterr().err
