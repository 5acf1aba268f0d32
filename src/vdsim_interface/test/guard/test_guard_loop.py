"""The guard's loop on a real socket: a shell that ends at any moment does not end the guard."""

from __future__ import annotations

import socket
from itertools import count
from pathlib import Path

import pytest
from vdsim_interface.guard.frames import FrameWriter
from vdsim_interface.guard.process import GuardProcess
from vdsim_interface_kit.guarding import setup

ROUNDS = 200


def test_a_shell_that_ends_while_the_guard_sends_does_not_end_the_guard(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A killed shell may be noticed by the frame that no longer leaves."""
    folder = tmp_path / "run"
    clock = count(0.0, 0.001)
    process = GuardProcess(folder / "guard.sock", lambda: next(clock))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as shell:
        shell.connect(str(folder / "guard.sock"))
        _, activate = FrameWriter().write(setup(), 0.0)
        shell.send(activate)
        rounds = 0

        def is_ended() -> bool:
            nonlocal rounds
            rounds += 1
            if rounds == ROUNDS // 2:
                shell.shutdown(socket.SHUT_RD)  # what the guard sends is refused from now on
            return rounds == ROUNDS

        process.run(is_ended)
    assert "the ROS shell has ended; the guard holds the car" in capfd.readouterr().err
