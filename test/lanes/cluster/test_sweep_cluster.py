"""A sweep on Dask: the same bits on every cluster, through losses, and no open door."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from vdsim_kit.dask_processes import PATIENCE_S, Dask, until
from vdsim_plant.cli import sweep
from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.sweep import cluster
from vdsim_plant.study.sweep.files import missing_parts, part_rows, prepare
from vdsim_plant.study.sweep.parts import Runner, Work, run_part, run_parts
from vdsim_plant.study.sweep.plan import Plan, read_plan

import vdsim_plant

sys.path.insert(0, str(Path(vdsim_plant.__file__).parents[1]))
from vdsim_plant_kit import sweep_work

TEXT = """
manoeuvres:
  straight_brake: {speed_mps: [6, 8]}
mu: [0.9, 0.3]
parameters:
  body.mass_kg: {low: 1800, high: 2400}
seeds: 12
"""
PARTS_N = 6


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sweep") / "sweep.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def plan(file: Path) -> Plan:
    return read_plan(file)


@pytest.fixture(scope="module")
def one(file: Path) -> dict[str, bytes]:
    """The results of this process alone."""
    out = file.parent / "one"
    assert sweep.main([str(file), "--out", str(out), "--workers", "1"]) == 0
    return content(out)


def content(out: Path) -> dict[str, bytes]:
    files = [path for path in out.rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(files)}


def finished(out: Path, plan: Plan, runner: Runner, work: Work = run_part) -> list[int]:
    prepare(out, plan)
    return list(run_parts(out, plan, missing_parts(out, plan), runner, work))


@contextmanager
def port_of_another_service() -> Iterator[int]:
    """A port that takes connections and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_own_cluster_writes_the_same_bits_and_is_named(
    file: Path, one: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep.main([str(file), "--out", str(tmp_path), "--workers", "2"]) == 0
    assert content(tmp_path) == one
    out, err = capsys.readouterr()
    assert "48 cases, run by a Dask cluster of 2 processes of this machine" in out
    assert not err
    again = [str(file), "--out", str(tmp_path), "--workers", "2", "--scheduler", "none"]
    assert sweep.main(again) == 0, "nothing is left: no cluster is made"
    assert content(tmp_path) == one


def test_the_own_cluster_serves_the_loopback_and_nobody_without_its_credentials() -> None:
    with cluster.own_cluster(2):
        own = [psutil.Process(), *psutil.Process().children(recursive=True)]
        listening = [
            connection.laddr
            for process in own
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert {address.ip for address in listening} == {"127.0.0.1"}
        assert len(listening) >= 3, "scheduler and workers"
        anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        for address in listening:
            place = (address.ip, address.port)
            if asked(place).startswith(b"HTTP/1.1 404"):
                continue  # Dask's web server, without pages
            with (
                socket.create_connection(place, PATIENCE_S) as plain,
                suppress(OSError),
                anyone.wrap_socket(plain) as secured,
            ):
                assert secured.recv(1000) == b"", "the first word of a Dask server"


def asked(place: tuple[str, int]) -> bytes:
    """What a port answers to a browser; nothing where it ends the connection."""
    with socket.create_connection(place, PATIENCE_S) as plain:
        plain.sendall(b"GET /info/main/workers.html HTTP/1.0\r\n\r\n")
        with suppress(OSError):
            return plain.recv(1000)
    return b""


def test_a_worker_of_the_own_cluster_that_is_killed_costs_nothing_but_time(
    file: Path, plan: Plan, one: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, out = file.parent / "mark", file.parent / "killed"
    monkeypatch.setenv(sweep_work.MARK, str(mark))
    with cluster.own_cluster(2) as runner:
        assert finished(out, plan, runner, sweep_work.killed_once) == [*range(1, PARTS_N + 1)]
    assert mark.exists()
    assert sweep.main([str(file), "--out", str(out), "--workers", "1"]) == 0
    assert content(out) == one


def test_workers_of_the_own_cluster_that_always_end_end_the_sweep(
    plan: Plan, tmp_path: Path
) -> None:
    with (
        cluster.own_cluster(2) as runner,
        pytest.raises(ParameterError, match=r"^workers=2: workers end without a result; the same"),
    ):
        finished(tmp_path, plan, runner, sweep_work.always_killed)


def test_workers_elsewhere_write_the_same_bits_though_one_is_killed(
    dask: Dask, file: Path, plan: Plan, one: dict[str, bytes], tmp_path: Path
) -> None:
    """One of the workers has two threads."""
    dask.workers([1, 2])
    out = tmp_path / "out"
    prepare(out, plan)
    with cluster.cluster_at(dask.address) as runner:
        assert runner.about == f"Dask at {dask.address}: 2 workers, 3 threads"
        for done in run_parts(out, plan, missing_parts(out, plan), runner):
            if done == 1:
                dask.kill_worker()
    assert done == PARTS_N
    assert sweep.main([str(file), "--out", str(out), "--scheduler", dask.address]) == 0
    assert content(out) == one


def test_a_scheduler_that_is_killed_leaves_what_is_done(
    dask: Dask, file: Path, plan: Plan, one: dict[str, bytes], tmp_path: Path
) -> None:
    dask.workers([1])
    out = tmp_path / "out"
    prepare(out, plan)

    def run() -> None:
        with cluster.cluster_at(dask.address) as runner:
            for done in run_parts(out, plan, missing_parts(out, plan), runner):
                if done == 2:
                    dask.scheduler.kill()

    with pytest.raises(ParameterError, match=r"the connection was lost: .*; the same command goes"):
        run()
    assert 0 < len(missing_parts(out, plan)) < PARTS_N
    assert sweep.main([str(file), "--out", str(out), "--workers", "1"]) == 0
    assert content(out) == one


def test_a_cluster_without_workers_is_refused(dask: Dask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 3.0)
    with (
        pytest.raises(ParameterError, match=r"has no workers: must have one or more$"),
        cluster.cluster_at(dask.address),
    ):
        pass


@pytest.mark.parametrize("whose", ["another", "none"])
def test_a_worker_with_another_vdsim_plant_or_none_is_refused(
    whose: str, dask: Dask, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    if whose == "another":
        package = Path(vdsim_plant.__file__).parent
        shutil.copytree(package, source / "vdsim_plant")
        with (source / "vdsim_plant" / "tyres" / "__init__.py").open("a") as changed:
            changed.write("# changed\n")
    dask.workers([1], source=str(source))
    with pytest.raises(ParameterError) as refused, cluster.cluster_at(dask.address):
        pass
    found = str(refused.value)
    assert found.startswith(f"--scheduler={dask.address}: worker tcp://127.0.0.1:")
    if whose == "another":
        assert found.endswith(f"; must be as here: {cluster.identity()}")
        assert found.count(f"vdsim_plant {vdsim_plant.__version__} (") == 2
    else:
        assert "has no such vdsim_plant: " in found
        assert "ModuleNotFoundError" in found
    assert "\n" not in found


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("somewhere", "must be tcp://HOST:PORT, tls://HOST:PORT or none"),
        ("tcp://127.0.0.1:99999", "no Dask scheduler answers: "),
        ("tcp://127.0.0.1:{free}", "no Dask scheduler answers: "),
        ("tls://127.0.0.1:{free}", "no Dask scheduler answers: "),
        ("tcp://127.0.0.1:{other}", "no Dask scheduler answers: "),
    ],
)
def test_a_wrong_scheduler_is_one_line(
    address: str,
    error: str,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 3.0)
    with ExitStack() as stack:
        with socket.create_server(("127.0.0.1", 0)) as server:
            free = server.getsockname()[1]
        other = stack.enter_context(port_of_another_service())
        given = address.format(free=free, other=other)
        assert sweep.main([str(file), "--out", str(tmp_path), "--scheduler", given]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"vdsim_sweep: --scheduler={given}: {error}")
    assert said.count("\n") == 1


@pytest.mark.parametrize("given", [["--workers", "2"], ["--workers", "2", "--scheduler", "none"]])
def test_control_c_ends_all_and_leaves_what_is_done(given: list[str], tmp_path: Path) -> None:
    """The signal goes to every process of the terminal, as a terminal sends it."""
    file, out = tmp_path / "long.yaml", tmp_path / "out"
    file.write_text(TEXT.replace("seeds: 12", "seeds: 3000"), encoding="utf-8")
    command = [sys.executable, "-m", "vdsim_plant.cli.sweep", str(file), "--out", str(out), *given]
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        until(lambda: any(out.glob("parts/*.json")))
        workers = psutil.Process(running.pid).children(recursive=True)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == sweep.INTERRUPTED
    assert said == "\nvdsim_sweep: stopped; the same command goes on from here\n"
    assert len(workers) >= 2
    until(lambda: not any(worker.is_running() for worker in workers))
    plan = read_plan(file)
    done = [int(path.stem) for path in out.glob("parts/*.json")]
    for number in done[:2]:
        assert part_rows(out, plan, number) == run_part(plan.part(number))
