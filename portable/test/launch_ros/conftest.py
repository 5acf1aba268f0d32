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

SHOW = f"""#!{sys.executable}
import json, sys
print("ARGV" + json.dumps(sys.argv[1:]), flush=True)
"""


@dataclass(frozen=True)
class Started:
    """How the nodes of a launch were started."""

    code: int
    lines: list[str]
    arguments: list[list[str]]

    def said(self, text: str) -> bool:
        return any(text in line for line in self.lines)


Start = Callable[..., Started]


@pytest.fixture(autouse=True)
def package_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    prefix = tmp_path / "a prefix"
    (prefix / "share/ament_index/resource_index/packages").mkdir(parents=True)
    (prefix / "share/ament_index/resource_index/packages/demo").touch()
    (prefix / "share/demo").mkdir()
    executable = prefix / "lib/demo/show"
    executable.parent.mkdir(parents=True)
    executable.write_text(SHOW)
    executable.chmod(0o755)
    (executable.parent / "data.txt").touch()
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
