"""A package with one executable that says how it was started."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from launch.logging import launch_config

from launch import LaunchDescription, LaunchDescriptionEntity, LaunchService

# The kernel cuts the path of an interpreter at a space, so a shell starts it; for Python those
# lines are a string.
HEAD = f"""#!/bin/sh
'''exec' '{sys.executable}' "$0" "$@"
' '''
"""
SHOW = """
import json, sys
print("ARGV" + json.dumps(sys.argv[1:]), flush=True)
"""


@dataclass(frozen=True)
class Started:
    """How the nodes of a launch were started."""

    code: int
    lines: list[str]
    arguments: list[list[str]]

    def printed(self, text: str) -> bool:
        return any(text in line for line in self.lines)


Start = Callable[..., Started]


def add_program(prefix: Path, name: str, code: str) -> None:
    """Add an executable Python program to the package."""
    executable = prefix / "lib/demo" / name
    executable.write_text(HEAD + code)
    executable.chmod(0o755)


@pytest.fixture
def install(package_prefix: Path) -> Callable[[str, str], None]:
    """Return a function of name and code that adds a program to the package."""
    return lambda name, code: add_program(package_prefix, name, code)


@pytest.fixture(autouse=True)
def package_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    prefix = tmp_path / "a prefix"
    (prefix / "share/ament_index/resource_index/packages").mkdir(parents=True)
    (prefix / "share/ament_index/resource_index/packages/demo").touch()
    (prefix / "share/demo").mkdir()
    (prefix / "lib/demo").mkdir(parents=True)
    add_program(prefix, "show", SHOW)
    (prefix / "lib/demo/data.txt").touch()
    known = os.environ.get("AMENT_PREFIX_PATH", "")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{prefix}{os.pathsep}{known}")
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path / "log"))
    yield prefix
    launch_config.reset()


@pytest.fixture
def start(capfd: pytest.CaptureFixture[str]) -> Start:
    """Run the entities; return the command lines of all ``show`` in the order of their numbers."""

    def run(*entities: LaunchDescriptionEntity, **configurations: str) -> Started:
        service = LaunchService()
        service.context.launch_configurations.update(configurations)
        service.include_launch_description(LaunchDescription(list(entities)))
        code = service.run()
        lines = capfd.readouterr().out.splitlines()
        shown: dict[int, Any] = {}
        for line in lines:
            name, separator, text = line.partition("] ARGV")
            if separator:
                shown[int(name.rpartition("-")[2])] = json.loads(text)
        return Started(code, lines, [shown[number] for number in sorted(shown)])

    return run
