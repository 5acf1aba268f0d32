"""What some tests need and a machine may lack, and whose launch it is.

Programs (a browser, a packet analyser, a terminal) come from the distribution, the messages of
Autoware and Ackermann from those stacks where ROS 2 is an installed one. Where one is missing its
tests are not collected and the summary names it; with VDSIM_TEST_REQUIRE_TOOLS=1, as in continuous
integration, it fails.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess

STACK_MESSAGES = (
    *("ackermann_msgs", "autoware_adapi_v1_msgs", "autoware_control_msgs"),
    *("autoware_planning_msgs", "autoware_vehicle_msgs", "tier4_vehicle_msgs"),
)
_missing: set[str] = set()
_missing_messages: set[str] = set()


def has_tool(command: str) -> bool:
    """Whether `command` is installed; a missing one is listed in the summary of the run."""
    if shutil.which(command):
        return True
    if os.environ.get("VDSIM_TEST_REQUIRE_TOOLS") == "1":
        raise RuntimeError(f"{command} is needed by a test: sudo apt-get install {command}")
    _missing.add(command)
    return False


def has_network_namespaces() -> bool:
    """Whether this user may make a network of its own, with another host in it."""
    if not all(has_tool(command) for command in ("ip", "nsenter", "unshare")):
        return False
    attempt = ["unshare", "--map-root-user", "--net", "ip", "link", "set", "lo", "up"]
    if subprocess.run(attempt, capture_output=True, check=False).returncode == 0:
        return True
    if os.environ.get("VDSIM_TEST_REQUIRE_TOOLS") == "1":
        raise RuntimeError("a test needs network namespaces, which this user may not make")
    _missing.add("unshare (this user may make no network namespace)")
    return False


def lacks_messages(text: str) -> bool:
    """Whether a text names a package of messages that is missing: the commands of a page, or why a
    file cannot be imported. The package is listed in the summary of the run.
    """
    named = {name for name in STACK_MESSAGES if re.search(rf"\b{name}\b", text)}
    lacking = {name for name in named if importlib.util.find_spec(name) is None}
    if lacking and os.environ.get("VDSIM_TEST_REQUIRE_TOOLS") == "1":
        raise RuntimeError(f"{', '.join(sorted(lacking))}: needed by a test, and not installed")
    _missing_messages.update(lacking)
    return bool(lacking)


def is_launch_upstreams() -> bool:
    """Whether ROS 2 itself brings `launch` and `ros2`, so that portable/ is not in use."""
    find = importlib.util.find_spec
    return find("ros2cli") is not None and find("ros2cli.catalogue") is None  # only ours has it


def missing_tools() -> list[str]:
    """The programs that tests needed and that are not installed."""
    return sorted(_missing)


def missing_messages() -> list[str]:
    """The packages of messages that tests needed and that are not installed."""
    return sorted(_missing_messages)
