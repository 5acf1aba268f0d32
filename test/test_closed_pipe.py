"""`vdsim_why | head -1` and its like end without a complaint, in every package that prints."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from vdsim_can.data import car_path
from vdsim_protocol.cli.closed_pipe import ends_with_its_reader


def run_into_a_closed_pipe(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, whose reader has gone before it prints."""
    reads, writes = os.pipe()
    os.close(reads)
    program = f"import sys; from {module} import main; sys.exit(main())"
    try:
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            stdout=writes, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
        )  # fmt: skip
    finally:
        os.close(writes)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("vdsim_interface.extras.cli.platform", ["list"]),
        ("vdsim_interface.extras.teleop.cli.gamepad", ["list"]),
        ("vdsim_can.cli.main", ["check", str(car_path("vdsim_dbw"))]),
        ("vdsim_protocol.cli.dump", ["--dissector"]),
    ],
)
def test_a_command_ends_when_its_reader_has_enough(module: str, arguments: list[str]) -> None:
    done = run_into_a_closed_pipe(module, *arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_any_other_end_of_a_command_is_its_own() -> None:
    def main(code: int) -> int:
        if code < 0:
            raise OSError("another error")
        return code

    assert ends_with_its_reader(main)(3) == 3
    with pytest.raises(OSError, match="another error"):
        ends_with_its_reader(main)(-1)
