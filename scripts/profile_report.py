"""Metrics of our profiles beside the published ones, with a mark where one is out; and a picture of the distributions.

    python scripts/profile_report.py --seeds 300 --png docs/profiles.png

A metric is in when its mean lies within 10 % or a quarter of the published standard deviation of the published mean,
whichever is larger, and its median lies inside the published quartiles (which are rounded to one decimal).
"""

# matplotlib is no dependency, and without it its types are unknown.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import argparse
import csv
import multiprocessing
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from codoku_env import generate_with_witness, measure
from codoku_env.metrics import METRICS

PUBLISHED = Path(__file__).with_name("published_metrics.csv")
PROFILES = ("small", "medium", "large")
FALLING = ("data_dependency_density_percent", "loops")
"""The metrics that need not rise from small to medium to large."""

ROUNDING = 0.05

Row = dict[str, float]


def published() -> dict[tuple[str, str], Row]:
    """Mean, std, median, q1 and q3 by metric and profile."""
    with open(PUBLISHED, newline="", encoding="utf-8") as file:
        return {
            (row.pop("metric"), row.pop("profile")): {name: float(value) for name, value in row.items()}
            for row in csv.DictReader(file)
        }


def one(job: tuple[str, int]) -> Row:
    """Metrics of one generated puzzle."""
    return {name: float(value) for name, value in measure(*generate_with_witness(*job)).items()}


def measured(profiles: list[str], seeds: int, jobs: int) -> dict[str, list[Row]]:
    """Metrics of every puzzle, by profile."""
    result: dict[str, list[Row]] = {}
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for profile in profiles:
            rows = result[profile] = []
            for row in pool.imap(one, [(profile, seed) for seed in range(seeds)], chunksize=4):
                rows.append(row)
                print(f"\r{profile}: {len(rows)} of {seeds}", end="", file=sys.stderr, flush=True)
            print(file=sys.stderr)
    return result


def faults(paper: Row, values: list[float]) -> str:
    """What is out: m for the mean, q for the median."""
    allowed = max(0.1 * abs(paper["mean"]), 0.25 * paper["std"]) + ROUNDING
    mean_out = abs(statistics.fmean(values) - paper["mean"]) > allowed
    median = statistics.median(values)
    median_out = not paper["q1"] - ROUNDING <= median <= paper["q3"] + ROUNDING
    return "m" * mean_out + "q" * median_out


def report(rows: dict[str, list[Row]]) -> Iterator[str]:
    """The lines of the table and what does not rise."""
    paper = published()
    yield f"{'metric':33} {'profile':7} {'mean':>9} {'ours':>9} {'std':>8} {'ours':>8} {'median':>8} {'ours':>8}  out"
    out = 0
    for metric in METRICS:
        for profile, puzzles in rows.items():
            figures, values = paper[metric, profile], [row[metric] for row in puzzles]
            mark = faults(figures, values)
            out += bool(mark)
            yield (
                f"{metric:33} {profile:7} {figures['mean']:9.1f} {statistics.fmean(values):9.2f} {figures['std']:8.1f} "
                f"{statistics.stdev(values):8.2f} {figures['median']:8.1f} {statistics.median(values):8.2f}  {mark}"
            )
    yield f"{out} of {len(METRICS) * len(rows)} out (m: mean, q: median)"
    means = {
        metric: [statistics.fmean(row[metric] for row in puzzles) for puzzles in rows.values()] for metric in METRICS
    }
    falling = [metric for metric, values in means.items() if values != sorted(values) and metric not in FALLING]
    yield f"do not rise over the profiles: {', '.join(falling) or 'none'}"


def draw(rows: dict[str, list[Row]], target: Path) -> None:
    """A box of each metric and profile, with the published quartiles and mean beside it."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    paper = published()
    figure, axes = pyplot.subplots(6, 5, figsize=(18, 18), layout="constrained")
    for axis, metric in zip(axes.flat, METRICS, strict=True):
        for position, (profile, puzzles) in enumerate(rows.items()):
            figures = paper[metric, profile]
            axis.boxplot(
                [[row[metric] for row in puzzles]], positions=[position - 0.18], widths=0.3, whis=(5, 95), sym=""
            )
            height = max(figures["q3"] - figures["q1"], 1e-9)
            axis.bar([position + 0.18], [height], 0.3, bottom=figures["q1"], color="tab:orange", alpha=0.5)
            axis.plot([position + 0.18], [figures["mean"]], "D", color="tab:red", markersize=4)
        axis.set_xticks(range(len(rows)), list(rows))
        axis.set_title(metric, fontsize=9)
    figure.suptitle("ours: boxes (whiskers at 5 and 95 %); published: quartiles (orange) and mean (red)")
    figure.savefig(target, dpi=90)


def main() -> None:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES), choices=PROFILES)
    parser.add_argument("--seeds", type=int, default=300, help="puzzles per profile (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default %(default)s)")
    parser.add_argument("--png", type=Path, help="draw the distributions to this file (needs matplotlib)")
    arguments = parser.parse_args()
    rows = measured(arguments.profiles, arguments.seeds, arguments.jobs)
    print("\n".join(report(rows)))
    if arguments.png:
        draw(rows, arguments.png)


if __name__ == "__main__":
    main()
