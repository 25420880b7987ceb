"""Banks: puzzles made once, stored in one Parquet file, read by index. Importing this package does not load pyarrow."""

from codoku_env.bank.build import Report, build_bank
from codoku_env.bank.executors import Executor, Processes, Ray
from codoku_env.bank.reader import Bank

__all__ = ["Bank", "Executor", "Processes", "Ray", "Report", "build_bank"]
