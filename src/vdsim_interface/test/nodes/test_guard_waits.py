"""The ROS shell ends on a signal while it waits for a guard, on real processes."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from vdsim_interface.guard.local_socket import Connection, Listener
from vdsim_interface_kit.teleop_ros import Lab

PROGRAM = "import sys; from vdsim_interface.nodes.guarded_interface import main; sys.exit(main())"


@pytest.fixture
def lab() -> Iterator[Lab]:
    """A node of the test."""
    lab = Lab()
    yield lab
    lab.close()


@contextmanager
def waiting_shell(socket: Path) -> Iterator[subprocess.Popen[str]]:
    """A shell that waits for a minute for the guard at this socket."""
    given = ["-p", f"guard.socket:={socket}", "-p", "guard.start_timeout_s:=60.0"]
    shell = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "--ros-args", "-r", "__ns:=/waiting", *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield shell
    finally:
        shell.kill()
        shell.communicate()


def ended(shell: subprocess.Popen[str], number: int) -> tuple[int, str]:
    """Exit code and what was said on stderr."""
    shell.send_signal(number)
    _, said = shell.communicate(timeout=90.0)
    return shell.returncode, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_shell_that_waits_for_a_guard_ends_on_a_signal(
    lab: Lab, tmp_path: Path, number: int
) -> None:
    folder = tmp_path / "guard"
    folder.mkdir(mode=0o700)
    with waiting_shell(folder / "none.sock") as shell:
        lab.until(lambda: ("vehicle_interface", "/waiting") in names(lab), "the shell's node")
        assert ended(shell, number) == (0, "")


def test_a_shell_whose_guard_does_not_answer_ends_on_a_signal(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "guard"
    folder.mkdir(mode=0o700)
    listener = Listener(folder / "mute.sock")
    connections: list[Connection] = []
    try:
        with waiting_shell(folder / "mute.sock") as shell:
            lab.until(lambda: accepted(listener, connections), "the shell's connection")
            assert ended(shell, signal.SIGINT) == (0, "")
    finally:
        for connection in connections:
            connection.close()
        listener.close()


def accepted(listener: Listener, connections: list[Connection]) -> bool:
    """Accept a connection and keep it open; nobody answers on it."""
    connection = listener.accept()
    connections += [] if connection is None else [connection]
    return bool(connections)


def names(lab: Lab) -> list[tuple[str, str]]:
    """The nodes that discovery has found."""
    return list(lab.probe.get_node_names_and_namespaces())
