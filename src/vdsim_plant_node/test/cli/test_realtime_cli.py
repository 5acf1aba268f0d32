"""`vdsim_realtime` as a process: start, signals, a taken port, wrong options, a restart."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vdsim_plant_node.runs.recording import Record, RecordingError, RecordingReader, RecordKind
from vdsim_plant_node_kit.runtime import PlainClient

SOURCES = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-m", "vdsim_plant_node.cli.realtime"]
LIMIT_S = 180.0


class ServerProcess:
    """`vdsim_realtime` without its dashboard, whose port may be taken, and what it prints."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments, "--http", "off"],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline()
        found = re.search(r"CMD at 127\.0\.0\.1:(\d+)", self.first_line)
        if found is None:
            self.process.kill()
        assert found, self.first_line + str(self.process.communicate())
        self.port = int(found.group(1))

    def stop(self, number: int = signal.SIGINT) -> tuple[float, int, str, str]:
        """Send a signal: seconds until it ended, exit code, what it printed."""
        start = time.monotonic()
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=LIMIT_S)
        return time.monotonic() - start, self.process.returncode, out, without_compiling(err)


def without_compiling(err: str) -> str:
    """What was said apart from the notice of the very first start."""
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("vdsim_plant: compiling"))


def environment() -> dict[str, str]:
    path = os.pathsep.join(
        str(SOURCES / name) for name in ("vdsim_plant", "vdsim_plant_node", "vdsim_protocol")
    )
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "error"}


def outcome(*arguments: str) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(
        [*COMMAND, *arguments], env=environment(), capture_output=True, text=True, timeout=LIMIT_S
    )
    run.stderr = without_compiling(run.stderr)
    return run


def test_signals_that_come_again_do_not_kill_it_while_python_shuts_down() -> None:
    program = "import sys; from vdsim_plant_node.cli.entry_points import realtime; "
    arguments = ["--cmd-port", "0", "--state-port", "0", "--http", "off"]
    process = subprocess.Popen(
        [sys.executable, "-c", program + "sys.exit(realtime())", *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while "CMD at" not in process.stdout.readline():
        assert process.poll() is None
    deadline = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        process.send_signal(signal.SIGINT)
        time.sleep(0.0005)
    process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_within_a_second(client: PlainClient, number: int) -> None:
    """The machine may be busy with something else: the best of three counts."""
    seconds = []
    for _ in range(3):
        server = ServerProcess("--cmd-port", "0", "--state-port", str(client.port))
        client.latest()
        taken_s, code, out, err = server.stop(number)
        assert (code, err) == (0, "")
        assert "stopped after" in out
        seconds.append(taken_s)
        if taken_s < 1.0:
            return
    raise AssertionError(f"took {seconds} s")


def test_it_says_what_it_does_in_one_line(client: PlainClient) -> None:
    server = ServerProcess("compact_fwd", "--cmd-port", "0", "--state-port", str(client.port))
    server.stop()
    assert server.first_line == (
        f"vdsim_realtime: vehicle 0 compact_fwd (l2): CMD at 127.0.0.1:{server.port}, STATE at "
        f"200 Hz to 127.0.0.1:{client.port}; no command for 100 ms: throttle 0, brake 0.3, "
        "steering held, gear kept\n"
    )


def test_a_taken_port_is_one_clear_line() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        run = outcome("--cmd-port", str(port))
    assert run.returncode == 1
    assert run.stderr == (
        f"vdsim_realtime: cmd_port={port}: is taken on 127.0.0.1; is another server running?\n"
    )


def test_a_port_that_ros_2_may_hold_is_said_to_be_one() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
        for port in range(7030, 7100):
            with contextlib.suppress(OSError):
                holder.bind(("127.0.0.1", port))
                break
        run = outcome("--cmd-port", str(port))
    assert run.returncode == 1
    assert run.stderr.startswith(f"vdsim_realtime: cmd_port={port}: is taken on 127.0.0.1; is ")
    assert run.stderr.endswith("each process that is not vdsim's takes a port from 7000 on)\n")


def test_an_address_of_another_machine_is_one_clear_line() -> None:
    run = outcome("--cmd-ip", "192.0.2.1", "--cmd-port", "0", "--allow-from", "192.0.2.7")
    assert run.returncode == 1
    assert run.stderr.startswith("vdsim_realtime: cmd_port=0 on 192.0.2.1: ")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--rate", "-3"], "rate=-3.0: must be >= 1 and <= 2000 Hz"),
        (["no_such_car"], "vehicle='no_such_car': must be a .yaml file or one of "),
        (["ioniq5_awd", "square"], "tyre='square': must be a "),
        (["--ground", "/nowhere.yaml"], "ground='/nowhere.yaml': must be a .yaml file or one of"),
        (["--actuator", "magic"], "actuator='magic': must be "),
        (["--duration", "nan"], "duration=nan: must be finite and > 0 s"),
        (["--duration", "-1"], "duration=-1.0: must be finite and > 0 s"),
        (["--duration", "inf"], "duration=inf: must be finite and > 0 s"),
    ],
)
def test_a_wrong_option_is_one_clear_line(arguments: list[str], line: str) -> None:
    run = outcome("--cmd-port", "0", *arguments)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert line in run.stderr


def test_a_recording_that_cannot_be_written_is_one_clear_line() -> None:
    run = outcome("--cmd-port", "0", "--record", "/no/such/folder/run.vds")
    assert run.returncode == 1
    assert run.stderr == ("vdsim_realtime: /no/such/folder/run.vds: No such file or directory\n")


def test_a_restarted_server_is_driven_on(client: PlainClient) -> None:
    server = ServerProcess("--cmd-port", "0", "--state-port", str(client.port))
    client.server_port = server.port
    client.seq = 7_000
    client.drive(lambda f: f.vx_mps > 1.0, throttle=0.5, brake=0.0)
    server.stop()
    again = ServerProcess("--cmd-port", str(server.port), "--state-port", str(client.port))
    fresh = client.latest()
    assert fresh.vx_mps < 1.0
    client.drive(lambda f: f.vx_mps > 1.0, throttle=0.5, brake=0.0)
    assert client.seq > 7_000
    assert again.stop()[1] == 0


def test_it_stops_after_the_duration() -> None:
    # [VS-1.5]
    car = ("ioniq5_awd.yaml", "mf96.yaml", "--level", "L2")
    ports = ("--cmd-port", "0", "--state-port", "0")
    ticks = []
    for _ in range(3):  # a busy machine takes some of the time away: the best of three counts
        run = outcome(*car, *ports, "--duration", "0.3", "--precise")
        assert run.returncode == 0
        assert "to the senders of CMD" in run.stdout
        found = re.search(r"stopped after (\d+) ticks", run.stdout)
        assert found
        ticks.append(int(found.group(1)))
        assert ticks[-1] <= 61
        if ticks[-1] >= 40:
            return
    raise AssertionError(f"stopped after {ticks} ticks")


def states_of(path: Path) -> list[Record]:
    return [record for record in RecordingReader(path) if record.kind is RecordKind.STATE]


def states_so_far(path: Path) -> list[Record]:
    """Those of a file that is being written: its last record may be there in part."""
    try:
        return states_of(path)
    except RecordingError:
        return []


def test_a_killed_server_leaves_its_recording(client: PlainClient, tmp_path: Path) -> None:
    path = tmp_path / "run.vds"
    server = ServerProcess(
        *("--cmd-port", "0", "--state-port", str(client.port)),
        *("--record", str(path)),
    )
    last = client.watch(lambda f: f.time_s > 1.0)
    end = time.monotonic() + LIMIT_S
    while not any(state.tick * 0.005 >= last.time_s for state in states_so_far(path)):
        assert time.monotonic() < end, "what was sent is on the disk soon, and not at the end"
        time.sleep(0.02)
    server.process.kill()
    server.process.communicate()
    times = [record.time_s for record in states_of(path)]
    assert 0.0 < times[0] < 1.0, "counted from the start, not from the machine's"
    assert times == sorted(times)


def test_a_terminal_that_is_closed_ends_it_in_order(client: PlainClient, tmp_path: Path) -> None:
    path = tmp_path / "run.vds"
    server = ServerProcess(
        *("--cmd-port", "0", "--state-port", str(client.port)),
        *("--record", str(path)),
    )
    client.watch(lambda f: f.time_s > 0.2)
    _, code, out, err = server.stop(signal.SIGHUP)
    assert (code, err) == (0, "")
    assert "stopped after" in out
    reader = RecordingReader(path)
    assert len(list(reader)) > 40
    assert not reader.truncated
    again = outcome("--cmd-port", "0", "--http", "off", "--record", str(path))
    assert again.returncode == 2
    assert again.stderr == (
        f"vdsim_realtime: record={path}: exists; choose another name, or set record_replace\n"
    )


def test_a_disk_that_fills_up_ends_the_recording_and_is_the_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "run.vds"
    command = [*COMMAND, "--cmd-port", "0", "--state-port", "0", "--http", "off"]
    command += ["--duration", "1", "--record", str(path)]
    run = subprocess.run(
        ["bash", "-c", f"ulimit -f 40; exec {shlex.join(command)}"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert run.returncode == 1
    assert "the recording has ended early" in run.stdout, "while it runs"
    assert run.stdout.splitlines()[-1].startswith("vdsim_realtime: the recording ended early")
    assert len(states_of(path)) > 50


def test_a_reader_of_the_log_that_goes_away_does_not_end_the_car(client: PlainClient) -> None:
    """The line about the fail-safe is the one that nobody reads: the car brakes all the same."""
    server = ServerProcess("--cmd-port", "0", "--state-port", str(client.port))
    assert server.process.stdout is not None
    server.process.stdout.close()
    client.server_port = server.port
    client.drive(lambda f: f.vx_mps > 2.0, throttle=0.6, brake=0.0)
    client.watch(lambda f: f.vx_mps < 0.01)
    client.drive(lambda f: f.vx_mps > 0.5, throttle=0.6, brake=0.0)
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(LIMIT_S) == 0
    assert server.process.stderr is not None
    assert server.process.stderr.read() == ""
    server.process.stderr.close()


ENTRY_POINT = [
    *(sys.executable, "-c"),
    "import sys; from vdsim_plant_node.cli.entry_points import realtime; sys.exit(realtime())",
]


def starting_without_a_cache(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*ENTRY_POINT, "--http", "off", *arguments],
        env={**environment(), "XDG_CACHE_HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_while_it_compiles(tmp_path: Path, number: int) -> None:
    starting = starting_without_a_cache(tmp_path, "--cmd-port", "0", "--state-port", "0")
    assert starting.stderr is not None
    assert starting.stderr.readline().startswith("vdsim_plant: compiling")
    starting.send_signal(number)
    out, err = starting.communicate(timeout=LIMIT_S)
    assert (starting.returncode, out, err) == (0, "", "")


def test_a_taken_port_is_known_before_it_compiles(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
        holder.bind(("127.0.0.1", 0))
        starting = starting_without_a_cache(
            tmp_path, "--cmd-port", str(holder.getsockname()[1]), "--state-port", "0"
        )
        _, err = starting.communicate(timeout=LIMIT_S)
    assert starting.returncode == 1
    assert "is taken on 127.0.0.1" in err
    assert "compiling" not in err


def test_a_signal_ends_it_while_it_imports() -> None:
    """Nothing is imported yet but what handles the signal."""
    code = (
        "import sys, time; from vdsim_plant_node.cli import entry_points\n"
        "first = entry_points.import_module\n"
        "def waits(name):\n"
        "    if name.endswith('ending_signals'):\n"
        "        return first(name)\n"
        "    print('importing', flush=True)\n"
        "    time.sleep(60)\n"
        "entry_points.import_module = waits\n"
        "sys.exit(entry_points.realtime())"
    )
    importing = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert importing.stdout is not None
    assert importing.stdout.readline() == "importing\n"
    importing.send_signal(signal.SIGINT)
    out, err = importing.communicate(timeout=LIMIT_S)
    assert (importing.returncode, out, err) == (0, "", "")


def test_it_warns_of_what_is_allowed_and_doubtful() -> None:
    run = outcome(
        *("--cmd-port", "0", "--state-port", "0", "--duration", "0.1", "--http", "off"),
        *("--rate", "5", "--substep", "0.005", "--allow-coarse-substep"),
    )
    assert run.returncode == 0, run.stderr
    assert "WARNING: rate=5: a STATE every 0.2 s is not often enough" in run.stdout
    assert "WARNING: substep=0.005: above 0.001 s the motion is inexact" in run.stdout
