"""Runs the parts of a sweep on a Dask cluster: one of this machine's own, or one by its address.

A cluster of our own listens on the loopback only, and takes orders from nobody without its
credentials: they are made for it and end with it (mutual TLS). A worker of any cluster must have
this library to the byte, else the sweep is refused before its result counts. Needs Dask
(`pip install vdsim-plant[cluster]`).
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import re
import signal
import tempfile
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from threading import Thread
from typing import Any

from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.sweep.cases import Part, Row
from vdsim_plant.study.sweep.identity import identity
from vdsim_plant.study.sweep.parts import Finished, Runner, Work
from vdsim_plant.study.sweep.pool import MOST_LOSSES, WAITING

CONNECT_S = 15.0
START_S = 120.0
"""How long a cluster of our own may take to start on a busy machine."""
LOOK_S = 5.0
"""A result that takes longer: see whether there are workers."""
NO_WORKER_S = 60.0
"""How long a cluster may be without any."""
GOES_ON = "the same command goes on from here"
_ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?([^\s:/\[\]]+|\[[0-9a-fA-F:.]+\]):\d{1,5}/?")
_LOOPBACK = "127.0.0.1"
Identity = Callable[[], str]
_OWN_CLUSTER = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.allowed-failures": MOST_LOSSES - 1,
    "distributed.comm.timeouts.connect": f"{START_S:g}s",
}


def is_installed() -> bool:
    """Whether a cluster of this machine's own can be made."""
    return has_dask() and importlib.util.find_spec("cryptography") is not None


def has_dask() -> bool:
    """Whether a scheduler elsewhere can be used."""
    return importlib.util.find_spec("distributed") is not None


@contextmanager
def own_cluster(workers: int) -> Iterator[Runner]:
    """Start a cluster on the loopback of this machine, and end it."""
    distributed, dask = importlib.import_module("distributed"), importlib.import_module("dask")
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(dask.config.set(_OWN_CLUSTER))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="vdsim_sweep-"))
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host=_LOOPBACK,
                dashboard_address=f"{_LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
                worker_dashboard_address=None,
                security=True,
                memory_limit=0,
                preload=[__name__],
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError) as error:
            raise ParameterError(
                "--workers", f"={workers}: no cluster of this machine: {_line(error)}"
            ) from None
        stack.callback(_close, cluster)
        client = distributed.Client(cluster, timeout=START_S)
        stack.callback(_close, client)
        about = f"a Dask cluster of {workers} processes of this machine"
        yield Runner(about, _running(client, f"workers={workers}", identity))


@contextmanager
def cluster_at(address: str, identity: Identity = identity) -> Iterator[Runner]:
    """Connect to a scheduler by its address, and check its workers.

    `identity`: what every worker must have as this process has it; its first word names it.
    """
    named = f"--scheduler={address}"
    if not _ADDRESS.fullmatch(address):
        raise ParameterError(named, "must be tcp://HOST:PORT, tls://HOST:PORT or none")
    if not has_dask():
        raise ParameterError(named, 'needs Dask: pip install "dask[distributed]"')
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        client = _connected(address, named)
        stack.callback(_close, client)
        try:
            client.wait_for_workers(1, timeout=CONNECT_S)
            found = client.run(identity, on_error="return")
        except _timed_out():
            raise ParameterError(named, "has no workers: must have one or more") from None
        except OSError as error:
            raise _lost(named, error) from None
        for worker, its in sorted(found.items()):
            _check_identity(named, worker, its, identity)
        about = f"Dask at {address}: {len(found)} workers, {_threads(client)} threads"
        yield Runner(about, _running(client, named, identity))


def _connected(address: str, named: str) -> Any:
    """Return a client of a scheduler.

    Dask waits without limit for the first word of a service that takes connections and is silent;
    a thread that is left behind waits instead.
    """
    distributed = importlib.import_module("distributed")
    connected: Future[Any] = Future()

    def connect() -> None:
        try:
            connected.set_result(distributed.Client(address, timeout=CONNECT_S))
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            connected.set_exception(error)

    Thread(target=connect, daemon=True).start()
    try:
        return connected.result(timeout=2.0 * CONNECT_S)
    except FutureTimeoutError:
        raise ParameterError(named, "no Dask scheduler answers: it is silent") from None
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        raise ParameterError(named, f"no Dask scheduler answers: {_line(error)}") from None


def dask_setup(_worker: object) -> None:
    """Prepare a worker of a cluster of our own; Dask calls it by its name.

    Ctrl-C reaches every process of the terminal; the sweep ends its workers itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def checked(work: Work, part: Part, expected: str, identity: Identity) -> list[Row] | str:
    """Run a part on a worker that is like the sweep's own process; else return what it is."""
    mine = identity()
    return work(part) if mine == expected else mine


def _check_identity(named: str, worker: str, its: object, identity: Identity) -> None:
    """Refuse a worker that cannot have the same bits."""
    here = identity()
    if isinstance(its, Exception):
        library = here.partition(" ")[0]
        raise ParameterError(named, f"worker {worker} has no such {library}: {_line(its)}")
    if its != here:
        raise ParameterError(named, f"worker {worker} has {its}; must be as here: {here}")


def _running(
    client: Any, named: str, identity: Identity
) -> Callable[[Iterator[Part], Work], Iterator[Finished]]:
    def run(parts: Iterator[Part], work: Work) -> Iterator[Finished]:
        running: dict[Any, Part] = {}
        name = f"vdsim-{uuid.uuid4().hex}"
        try:
            while True:
                room = WAITING * max(_threads(client), 1) - len(running)
                for part in islice(parts, max(room, 0)):
                    running[_submitted(client, work, part, name, named, identity)] = part
                if not running:
                    return
                for future in _finished(client, list(running), named):
                    rows = _result(future, named, identity)
                    yield running.pop(future).number, rows
        finally:
            with suppress(Exception):  # a scheduler that is gone has nothing to cancel
                client.cancel(list(running))

    return run


def _submitted(
    client: Any, work: Work, part: Part, name: str, named: str, identity: Identity
) -> Any:
    key = f"{name}-{part.number}"
    try:
        return client.submit(checked, work, part, identity(), identity, key=key)
    except _cancelled() as error:
        raise _lost(named, error) from None


def _finished(client: Any, running: list[Any], named: str) -> list[Any]:
    """Wait for results, as long as there are workers to make them."""
    distributed = importlib.import_module("distributed")
    looks = 0
    while True:
        try:
            done = distributed.wait(running, timeout=LOOK_S, return_when="FIRST_COMPLETED").done
            return list(done)
        except _timed_out():
            looks = 0 if _threads(client) else looks + 1
            if looks * LOOK_S >= NO_WORKER_S:
                raise ParameterError(named, f"no worker for {NO_WORKER_S:g} s; {GOES_ON}") from None
        except _cancelled() as error:
            raise _lost(named, error) from None


def _result(future: Any, named: str, identity: Identity) -> list[Row]:
    distributed = importlib.import_module("distributed")
    try:
        rows = future.result(timeout=START_S)
    except distributed.KilledWorker:
        raise ParameterError(named, f"workers end without a result; {GOES_ON}") from None
    except ImportError as error:
        library = identity().partition(" ")[0]
        raise ParameterError(named, f"a worker has no such {library}: {_line(error)}") from None
    except _cancelled() as error:
        raise _lost(named, error) from None
    except RuntimeError as error:  # what the scheduler says of work that it cannot read
        library = identity().partition(" ")[0]
        raise ParameterError(
            named, f"the scheduler must have {library}, as its workers do: {_line(error)}"
        ) from None
    if isinstance(rows, str):
        _check_identity(named, "that came later", rows, identity)
    result: list[Row] = rows
    return result


def _cancelled() -> tuple[type[BaseException], ...]:
    """Return what Dask raises when the connection to the scheduler is gone."""
    distributed = importlib.import_module("distributed")
    closed = getattr(distributed.client, "ClosedClientError", RuntimeError)  # not in every release
    return (distributed.CancelledError, CancelledError, distributed.comm.CommClosedError, closed)


def _timed_out() -> tuple[type[Exception], ...]:
    """Return what Dask raises after a time; before Python 3.11 it is no TimeoutError."""
    return (TimeoutError, importlib.import_module("distributed").TimeoutError)


def _lost(named: str, error: BaseException) -> ParameterError:
    return ParameterError(named, f"the connection was lost: {_line(error)}; {GOES_ON}")


def _threads(client: Any) -> int:
    """Return how many parts run at once; 0 while there is no worker or no scheduler."""
    try:
        return sum(client.nthreads().values())
    except (OSError, RuntimeError):
        return 0


def _line(error: BaseException) -> str:
    """Return an error in one line."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _close(made: Any) -> None:
    """End a client or a cluster; one that is gone already ends too."""
    with suppress(Exception):
        made.close(timeout=CONNECT_S)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log lines off the terminal: an error here is one line."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    before = {name: logging.getLogger(name).level for name in (*names, "tornado.application")}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
