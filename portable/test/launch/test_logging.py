"""Where the logs go."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from launch.logging import LaunchConfig, log_base, log_folder_name


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Path("~/.ros/log").expanduser()),
        ({"ROS_HOME": "/x"}, Path("/x/log")),
        ({"ROS_HOME": "/x", "ROS_LOG_DIR": "/y"}, Path("/y")),
        ({"ROS_HOME": "", "ROS_LOG_DIR": ""}, Path("~/.ros/log").expanduser()),
    ],
)
def test_base(environment: dict[str, str], expected: Path) -> None:
    assert log_base(environment) == expected


def test_name_has_the_time_first() -> None:
    name = log_folder_name(datetime(2024, 3, 1, 12, 30, 59, 7))
    assert name.startswith("2024-03-01-12-30-59-000007-")


def test_nothing_is_made_before_it_is_needed(log_folder: Path) -> None:
    config = LaunchConfig()
    assert not log_folder.exists()
    config.write_main_log("[INFO] [launch]: hello")
    config.reset()
    (file,) = log_folder.glob("*/launch.log")
    assert file.read_text().endswith(" [INFO] [launch]: hello\n")
