"""A message of one's own that contains one of vdsim_msgs, built as docs/setup.md says.

colcon builds `vdsim_msgs` beside it, for C++ too: this takes minutes.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from vdsim_kit.docs import commands

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = commands(ROOT / "docs/setup.md", lane="interfaces")
EXCHANGE = """
import time, rclpy
from my_messages.msg import Plan
rclpy.init()
node, got = rclpy.create_node("exchange"), []
publisher = node.create_publisher(Plan, "plan", 1)
node.create_subscription(Plan, "plan", got.append, 1)
plan = Plan(horizon_s=2.0)
plan.command.velocity_mps = 5.0
end = time.monotonic() + 60.0
while not got and time.monotonic() < end:
    publisher.publish(plan)
    rclpy.spin_once(node, timeout_sec=0.05)
print(got == [plan])
"""


def run(command: str, out: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the page as a user does, from the folder of the repository."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env={**os.environ, "OUT": str(out), "EXCHANGE": EXCHANGE},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the page's commands made a workspace."""
    folder = tmp_path_factory.mktemp("out")
    assert COMMANDS
    for command in COMMANDS:
        done = run(command.text, folder)
        assert done.returncode == 0, f"{command.text}:\n{done.stdout}{done.stderr}"
        assert "WARNING" not in done.stderr
    return folder


def test_the_message_is_shown_with_the_fields_of_ours(out: Path) -> None:
    done = run(COMMANDS[-1].text, out)
    assert "vdsim_msgs/HighLevelControlCommand command" in done.stdout
    assert "velocity_mps" in done.stdout


def test_the_message_is_exchanged(out: Path) -> None:
    source = 'source "$OUT/my messages/install/setup.bash"'
    done = run(f"./ws bash -c '{source}; python3 -c \"$EXCHANGE\"'", out)
    assert done.stdout.splitlines()[-1:] == ["True"], done.stdout + done.stderr


def test_the_car_drives_with_the_workspace_sourced(out: Path) -> None:
    """The workspace's `vdsim_msgs` takes the place of the one that `./ws` compiled."""
    code = "import vdsim_msgs, vdsim_interface.ros.messages; print(vdsim_msgs.__file__)"
    source = 'source "$OUT/my messages/install/setup.bash"'
    done = run(f"./ws bash -c '{source}; python3 -c \"{code}\"'", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(out))
