"""`vdsim_gamepad` as its users run it, with a fifo for the device."""

import array
import fcntl
import os
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_interface.extras.teleop.cli.gamepad import main
from vdsim_interface.extras.teleop.joystick import parse_recording
from vdsim_interface.teleop.mapping import PedalAxis, SteerAxis
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface_kit.teleop import GAMEPADS, js_axis, js_button

PROGRAM = [
    sys.executable,
    "-c",
    "import sys; from vdsim_interface.extras.teleop.cli.gamepad import main; sys.exit(main())",
]


class Pad:
    """The far end of a fifo that stands for a joystick with 3 axes and 2 buttons."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self.fd = -1

    def plug(self) -> None:
        end = time.monotonic() + 60.0
        while self.fd < 0:
            try:
                self.fd = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:  # nobody reads yet
                assert time.monotonic() < end, "the tool does not open the device"
                time.sleep(0.02)
        begin = [js_axis(i, v, init=True) for i, v in enumerate((0, -32767, -32767))]
        os.write(self.fd, b"".join(begin + [js_button(i, 0, init=True) for i in range(2)]))

        self._wait_until_read()

    def axis(self, number: int, value: int) -> None:
        os.write(self.fd, js_axis(number, value))
        self._wait_until_read()

    def _wait_until_read(self) -> None:
        """So that the tool gets what follows in another read."""
        end = time.monotonic() + 60.0
        unread = array.array("i", [1])
        while unread[0]:
            assert time.monotonic() < end, "the tool does not read the device"
            fcntl.ioctl(self.fd, termios.FIONREAD, unread)
            time.sleep(0.005)

    def unplug(self) -> None:
        os.close(self.fd)


@pytest.fixture
def pad(tmp_path: Path) -> Iterator[Pad]:
    return Pad(tmp_path / "js0")


def run(*arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_record_writes_what_the_device_says(pad: Pad, tmp_path: Path) -> None:
    target = tmp_path / "drive.txt"
    tool = run("record", "--device", str(pad.path), str(target))
    pad.plug()
    # Until the first sample is written, a movement would be part of it.
    end = time.monotonic() + 60.0
    while not target.exists() or target.read_text().count("\n") < 3:
        assert time.monotonic() < end, "each line is written at once"
        time.sleep(0.005)
    pad.axis(0, -32767)
    pad.unplug()
    output, errors = tool.communicate(timeout=60)
    assert (tool.returncode, errors) == (0, "")
    assert output == f"{target}: written\n"
    samples = [timed.sample for timed in parse_recording(target.read_text().splitlines())]
    assert samples[0].axes == (0.0, 1.0, 1.0)
    assert samples[-1].axes == (1.0, 1.0, 1.0)


def test_show_tells_that_no_mapping_fits(pad: Pad) -> None:
    tool = run("show", "--device", str(pad.path), "--config", str(GAMEPADS / "xbox.yaml"))
    pad.plug()
    pad.unplug()
    output, _ = tool.communicate(timeout=60)
    assert "has 3 axes and 2 buttons; the mapping 'Xbox' needs 8 and 11" in output
    assert "axes +0.00 +1.00 +1.00  buttons 00" in output


def test_map_asks_and_writes_a_mapping(pad: Pad, tmp_path: Path) -> None:
    target = tmp_path / "mine.yaml"
    tool = run("map", "--device", str(pad.path), str(target))
    assert tool.stdin is not None
    assert tool.stdout is not None
    pad.plug()

    def expect(words: str) -> None:
        assert tool.stdout is not None
        for line in tool.stdout:
            if words in line:
                return
        raise AssertionError(f"the tool ended without saying {words!r}")

    expect("then press Enter")
    print(file=tool.stdin, flush=True)
    for words, axis, rest, value in (
        ("fully LEFT", 0, 0, -32767),
        ("THROTTLE", 1, -32767, 32767),
        ("BRAKE", 2, -32767, 32767),
    ):
        expect(words)
        pad.axis(axis, value)
        pad.axis(axis, rest)
    expect("HOLD WHILE DRIVING")
    for _ in range(18):
        print(file=tool.stdin, flush=True)
    expect("written")
    pad.unplug()
    tool.communicate(timeout=60)
    assert tool.returncode == 0
    mapping = load_mapping(target)
    assert mapping.steer == SteerAxis(0)
    assert mapping.throttle == PedalAxis(1, rest=1.0, pressed=-1.0)
    assert mapping.brake == PedalAxis(2, rest=1.0, pressed=-1.0)


def test_check_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(GAMEPADS / "xbox.yaml")]) == 0
    assert "ok, Xbox, 17 actions" in capsys.readouterr().out
    broken = tmp_path / "broken.yaml"
    broken.write_text("axes: 3")
    assert main(["check", str(broken)]) == 1
    assert capsys.readouterr().err == f"vdsim_gamepad: {broken}: buttons: missing\n"


def test_an_existing_file_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "mine.yaml"
    target.touch()
    assert main(["map", str(target)]) == 1
    assert "exists; --force overwrites it" in capsys.readouterr().err


def test_a_device_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "--device", "/dev/input/js99", "/dev/null"]) == 1
    assert "/dev/input/js99: no such device" in capsys.readouterr().err
    assert main(["record", "--device", "no such pad", "/dev/null"]) == 1
    assert "no joystick named *no such pad* found" in capsys.readouterr().err
