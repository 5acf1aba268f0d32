"""Run launch descriptions in this process, and see what they printed and left."""

from __future__ import annotations

import asyncio
import os
import selectors
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from launch.logging import launch_config

from launch import LaunchDescription, LaunchDescriptionEntity, LaunchService


@dataclass(frozen=True)
class Outcome:
    """The exit code of a launch and the lines on its screen."""

    code: int
    lines: list[str]

    def printed(self, text: str) -> bool:
        return any(text in line for line in self.lines)


RunLaunch = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "log"
    monkeypatch.setenv("ROS_LOG_DIR", str(folder))
    before = dict(os.environ)
    yield folder
    launch_config.reset()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def run_launch(capfd: pytest.CaptureFixture[str]) -> RunLaunch:
    def run(*entities: LaunchDescriptionEntity, **configurations: str) -> Outcome:
        capfd.readouterr()
        service = LaunchService()
        service.context.launch_configurations.update(configurations)
        service.include_launch_description(LaunchDescription(list(entities)))
        code = service.run()
        return Outcome(code, capfd.readouterr().out.splitlines())

    return run


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop in which waiting takes no time: its clock jumps to the next deadline."""

    def __init__(self) -> None:
        super().__init__(_JumpingSelector(self))
        self.now_s = 0.0

    def time(self) -> float:
        return self.now_s


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout > 0.0:
            self._loop.now_s += timeout
        return super().select(0)


@pytest.fixture
def virtual_loop() -> Iterator[VirtualTimeLoop]:
    loop = VirtualTimeLoop()
    yield loop
    loop.close()
