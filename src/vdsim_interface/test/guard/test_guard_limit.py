"""The guard's limit on memory: autonomy ends before it, and the last command leaves beyond it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from vdsim_interface.guard import frames
from vdsim_interface.values import Mode
from vdsim_interface_kit.guarding import GO, PERIOD_S, GuardedCar

WHY = "memory has grown by 140 of 256 MiB"


def test_low_memory_ends_autonomy_and_refuses_it_until_there_is_enough_again() -> None:
    car = GuardedCar(auto_engage=False)
    car.run(0.1, GO)
    assert car.ask(frames.ChangeMode(engage=True)).success
    car.driving()
    car.guard.on_memory(WHY)
    car.run(PERIOD_S, GO)
    assert car.mode is Mode.DISENGAGED
    assert car.last(frames.Status).status.last_disengage_reason == WHY
    answer = car.ask(frames.ChangeMode(engage=True))
    assert not answer.success
    assert WHY in answer.text
    car.guard.on_memory("")
    car.run(1.0, GO)
    assert car.ask(frames.ChangeMode(engage=True)).success


def test_a_guard_that_is_not_active_takes_it_as_well() -> None:
    car = GuardedCar()
    car.guard.sides = None
    car.guard.on_memory(WHY)


GREEDY = """
import socket, sys
from pathlib import Path
from vdsim_interface.guard import vehicle_guard
from vdsim_interface.guard.frames import FrameWriter
from vdsim_interface.guard.process import GuardProcess
from vdsim_interface_kit.guarding import setup
path = Path(sys.argv[1])
held = []
work = GuardProcess._work
shells = []
def greedy(self, ready):
    self._memory_s = -1.0  # it looks each time: nothing here depends on how fast this runs
    work(self, ready)
    if not shells:
        shell = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        shell.connect(str(path))
        shell.send(FrameWriter().write(setup(), self._now())[1])
        shells.append(shell)
    if self._guard.is_active:
        held.append(bytearray(1 << 20))
GuardProcess._work = greedy
end = GuardProcess._end
def last(self):
    end(self)
    needed = bytearray(64 << 20)  # whatever the last command needs
    print("last word", flush=True)
GuardProcess._end = last
sys.exit(vehicle_guard.main(["--socket", str(path), "--data-growth-mb", "64"]))
"""


def test_a_guard_without_memory_sends_its_last_command_all_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", GREEDY, str(tmp_path / "run" / "guard.sock")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "last word\n", done.stderr
    assert "memory has grown by" in done.stderr
    assert "MemoryError" in done.stderr
    assert done.returncode == 1


def test_a_growth_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "vdsim_interface.guard.vehicle_guard",
        "--data-growth-mb",
        "-1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--data-growth-mb=-1: must be 0 to 1048576" in done.stderr
