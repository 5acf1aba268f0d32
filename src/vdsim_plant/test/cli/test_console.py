"""The commands end quietly when their reader has seen enough, as `... | head -1` does."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "call",
    [
        "from vdsim_plant.cli.vehicle import main; sys.exit(main(['keys', 'vehicle']))",
        "from vdsim_plant.cli.manoeuvre import main; sys.exit(main(['step_steer']))",
    ],
)
def test_a_closed_pipe_is_no_error(call: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", f"import sys; {call}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    child.stdout.close()
    _, complaint = child.communicate(timeout=120)
    assert child.returncode == 0
    assert "BrokenPipe" not in complaint
