"""Where the shards of a bank are made: in processes of this machine, or on a Ray cluster."""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol, TypeVar, cast

from codoku_env.errors import CodokuError, ConfigError

__all__ = ["Executor", "Processes", "Ray", "WorkerError"]

_T = TypeVar("_T")
_R = TypeVar("_R")


class WorkerError(CodokuError):
    """A worker process ended before it gave its result: it was killed, ran out of memory, or crashed."""


class Executor(Protocol):
    """Something that calls a function on many items at a time."""

    def map(self, function: Callable[[_T], _R], items: Sequence[_T]) -> Generator[tuple[_T, _R]]:
        """Each item with the function's result for it, in the order in which they are ready.

        Args:
            function: A pure function that can be pickled.
            items: Values that can be pickled.
        """
        ...


class Processes:
    """Processes of this machine. They end with the process that started them, however that ends.

    Python starts them afresh: a script that uses them needs ``if __name__ == "__main__":``.

    Args:
        jobs: How many, at least 1.

    Raises:
        ConfigError: Fewer than 1.
    """

    def __init__(self, jobs: int = 1) -> None:
        if jobs < 1:
            raise ConfigError(f"expected jobs of at least 1, got {jobs}")
        self.jobs = jobs

    def map(self, function: Callable[[_T], _R], items: Sequence[_T]) -> Generator[tuple[_T, _R]]:
        """See ``Executor``.

        Raises:
            WorkerError: A worker process ended early.
        """
        waiting = deque(items)
        workers: dict[Connection, SpawnProcess] = {}
        busy: dict[Connection, _T] = {}
        try:
            with _interrupts_ignored():
                for _ in range(min(self.jobs, len(waiting))):
                    _start(function, workers)
            for connection in workers:
                busy[connection] = _send(connection, waiting.popleft())
            while busy:
                for connection in cast("list[Connection]", wait(list(busy))):
                    item = busy.pop(connection)
                    result = cast(_R, _receive(connection, item))
                    if waiting:
                        busy[connection] = _send(connection, waiting.popleft())
                    yield item, result
        finally:
            for connection, process in workers.items():
                process.terminate()
                process.join()
                connection.close()


@contextlib.contextmanager
def _interrupts_ignored() -> Generator[None]:
    """Processes started within ignore Ctrl-C, which a terminal sends to all: stopping is their parent's to do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _start(function: Callable[[Any], object], workers: dict[Connection, SpawnProcess]) -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_work, args=(function, theirs), daemon=True)
    workers[ours] = process
    process.start()
    # Held by the worker alone, its end closes when the worker dies.
    theirs.close()


def _work(function: Callable[[Any], object], connection: Connection) -> None:
    """What a worker process does until its parent closes the connection or dies."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            item = connection.recv()
            try:
                result = (function(item), None)
            except Exception as error:
                result = (None, error)
            connection.send(result)


def _send(connection: Connection, item: _T) -> _T:
    # A worker that has died is noticed when its result is awaited.
    with contextlib.suppress(OSError):
        connection.send(item)
    return item


def _receive(connection: Connection, item: object) -> object:
    try:
        result, error = cast("tuple[object, Exception | None]", connection.recv())
    except (EOFError, OSError):
        raise WorkerError(
            f"a worker process ended while it worked on {item}: it was killed, ran out of memory, or crashed "
            '(a script that starts workers needs if __name__ == "__main__":)'
        ) from None
    if error is not None:
        raise error
    return result


class Ray:
    """A Ray cluster: the one that ``RAY_ADDRESS`` names or that runs here, else a new one on this machine.

    Every machine of it needs the same versions of codoku_env and z3.

    Raises:
        ConfigError: Ray is not installed.
    """

    def __init__(self) -> None:
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError:
            raise ConfigError("expected Ray, it is not installed (try: pip install 'ray>=2.50')") from None

    def map(self, function: Callable[[_T], _R], items: Sequence[_T]) -> Generator[tuple[_T, _R]]:
        """See ``Executor``."""
        ray = self._ray
        if not ray.is_initialized():
            ray.init()
        task, shared = ray.remote(_call), ray.put(function)
        # Results wait in the cluster's memory until they are taken: few at a time.
        most = 4 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = deque(items)
        busy: dict[Any, _T] = {}
        while waiting or busy:
            while waiting and len(busy) < most:
                item = waiting.popleft()
                busy[task.remote(shared, item)] = item
            for reference in ray.wait(list(busy))[0]:
                yield busy.pop(reference), ray.get(reference)


def _call(function: Callable[[_T], _R], item: _T) -> _R:
    return function(item)
