"""Two `./ws` at once."""

import subprocess
import sys
from pathlib import Path

from workspace.lock import exclusive

TOOLS = Path(__file__).resolve().parents[2] / "tools"
SECOND = (
    "import sys; sys.path.insert(0, sys.argv[2])\n"
    "from pathlib import Path\n"
    "from workspace.lock import exclusive\n"
    "with exclusive(Path(sys.argv[1]), 'building'): print('got it', flush=True)\n"
)


def _second(lock: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SECOND, str(lock), str(TOOLS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_second_waits_says_so_and_goes_on_when_the_first_is_done(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    with exclusive(lock, "building"):
        child = _second(lock)
        assert child.stderr is not None
        assert child.stderr.readline().startswith("ws: waiting for process ")
        assert child.poll() is None
    output, _ = child.communicate(timeout=60)
    assert output == "got it\n"


def test_a_holder_that_died_blocks_nobody(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    lock.write_text("process 1")
    output, _ = _second(lock).communicate(timeout=60)
    assert output == "got it\n"
