"""Run launch tests as their users do: with the command, and with pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HEAD = """
import sys, unittest
import pytest
import launch, launch_testing, launch_testing.actions
from launch.actions import DeclareLaunchArgument, ExecuteProcess, Shutdown, TimerAction
from launch.substitutions import LaunchConfiguration
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import (
    EXIT_OK, assertExitCodes, assertInStderr, assertInStdout, assertSequentialStdout)

LOOP = (
    "import signal, sys, time\\n"
    "signal.signal(signal.SIGINT, lambda *_: sys.exit(0))\\n"
    "for i in range(10000):\\n"
    "    sys.stdout.write(f'Loop {i}\\\\n'); sys.stdout.flush()\\n"
    "    sys.stderr.write(f'Error {i}\\\\n'); sys.stderr.flush()\\n"
    "    time.sleep(0.02)\\n"
)

def looper(*arguments, **options):
    return ExecuteProcess(cmd=[sys.executable, "-c", LOOP, *arguments], name="looper", **options)
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def write_test(tmp_path: Path) -> Callable[[str], Path]:
    def write(body: str) -> Path:
        path = tmp_path / "test_written.py"
        path.write_text(HEAD + body)
        return path

    return write


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    cleaned = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return {**cleaned, "ROS_LOG_DIR": str(tmp_path / "log")}


@pytest.fixture
def launch_test(environment: dict[str, str]) -> Run:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return _run(environment, "launch_testing.launch_test", *arguments)

    return run


@pytest.fixture
def run_pytest(environment: dict[str, str], tmp_path: Path) -> Run:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        options = ["-p", "no:cacheprovider", "--strict-markers", "--import-mode=importlib"]
        options += ["-c", os.devnull, "--rootdir", str(tmp_path), "-W", "error"]
        return _run(environment, "pytest", *options, *arguments)

    return run


def _run(
    environment: dict[str, str], module: str, *arguments: str | Path
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120.0, env=environment)
