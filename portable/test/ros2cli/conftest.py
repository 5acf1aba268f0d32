"""One real node in a process of its own, and the real `ros2` command in others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

PORTABLE = Path(__file__).parents[2]
COMMAND_LIMIT_S = 120.0

RunRos2 = Callable[..., subprocess.CompletedProcess[str]]
StartRos2 = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="module")
def ros_environment() -> dict[str, str]:
    fast_dds_3 = os.environ.get("ROS_DISTRO", "") not in ("humble", "iron", "jazzy")
    path = os.pathsep.join(filter(None, [str(PORTABLE), os.environ.get("PYTHONPATH")]))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        # Each of the two releases warns of, or does not know, the other's name.
        f"FAST{'DDS' if fast_dds_3 else 'RTPS'}_DEFAULT_PROFILES_FILE": str(
            PORTABLE / "fastdds.xml"
        ),
    }


@pytest.fixture(scope="module")
def start_ros2(ros_environment: Mapping[str, str]) -> Iterator[StartRos2]:
    """Start `ros2 ARGUMENTS`; what still runs at the end of the module is ended."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(PORTABLE / "bin" / "ros2"), *arguments],
            env={**ros_environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def ros2(start_ros2: StartRos2) -> RunRos2:
    """Run `ros2 ARGUMENTS` to its end."""

    def run(
        *arguments: str, stdin: str | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        process = start_ros2(*arguments, **environment)
        out, err = process.communicate(stdin, timeout=COMMAND_LIMIT_S)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    return run


@pytest.fixture(scope="module")
def target(ros_environment: Mapping[str, str]) -> Iterator[None]:
    """Run the nodes of target_nodes.py while the tests query them."""
    script = Path(__file__).with_name("target_nodes.py")
    with subprocess.Popen(
        [sys.executable, str(script)], env=dict(ros_environment), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield
        process.terminate()
