"""Which ROS 2 `./ws` picks."""

import os
import subprocess
from pathlib import Path

import pytest
from workspace.distro import Distro, choose
from workspace.environment import fast_dds_profile
from workspace.layout import WorkspaceError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def opt_ros(tmp_path: Path) -> Path:
    """A folder like /opt/ros with two releases of ROS 2 and one of ROS 1."""
    for name in ("humble", "jazzy"):
        (tmp_path / name / "share" / "ament_index").mkdir(parents=True)
        (tmp_path / name / "setup.bash").touch()
    (tmp_path / "noetic").mkdir()
    (tmp_path / "noetic" / "setup.bash").touch()
    return tmp_path


NONE = Path("/nonexistent")
OURS = Path("/ours")
SOURCED = {"ROS_DISTRO": "rolling", "AMENT_PREFIX_PATH": "/some/where"}


def test_the_sourced_one_wins_over_an_installed_one(opt_ros: Path) -> None:
    assert choose(SOURCED, opt_ros, OURS) == Distro("rolling", "sourced", None)


def test_the_newest_installed_one_is_taken_and_ros_1_is_not(opt_ros: Path) -> None:
    assert choose({}, opt_ros, OURS) == Distro("jazzy", "installed", opt_ros / "jazzy")


def test_wanting_an_older_installed_one(opt_ros: Path) -> None:
    chosen = choose({"VDSIM_ROS_DISTRO": "humble"}, opt_ros, OURS)
    assert chosen == Distro("humble", "installed", opt_ros / "humble")


def test_without_any_the_wheels_of_jazzy() -> None:
    assert choose({}, NONE, OURS) == Distro("jazzy", "wheels")


def test_wanting_the_other_wheels() -> None:
    assert choose({"VDSIM_ROS_DISTRO": "kilted"}, NONE, OURS) == Distro("kilted", "wheels")


def test_wanting_what_is_nowhere_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(WorkspaceError, match=r"VDSIM_ROS_DISTRO=foxy: .* jazzy or kilted"):
        choose({"VDSIM_ROS_DISTRO": "foxy"}, NONE, OURS)


def test_inside_our_own_shell_it_is_still_the_wheels() -> None:
    environ = {"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": "/x:/ours/kilted/venv"}
    assert choose(environ, NONE, OURS) == Distro("kilted", "wheels")


def test_inside_our_own_shell_another_release_can_be_wanted() -> None:
    environ = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": "/ours/jazzy/venv"}
    assert choose({**environ, "VDSIM_ROS_DISTRO": "kilted"}, NONE, OURS).name == "kilted"
    with pytest.raises(WorkspaceError):
        choose({**environ, "VDSIM_ROS_DISTRO": "foxy"}, NONE, OURS)


def test_environments_of_wheels_and_of_an_installation_do_not_mix() -> None:
    assert Distro("jazzy", "wheels").environment_name != Distro("jazzy", "sourced").environment_name


@pytest.mark.parametrize(
    ("environ", "file"),
    [
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, "fastdds_loopback.xml"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, "fastdds.xml"),
        ({"ROS_LOCALHOST_ONLY": "1"}, "fastdds_loopback.xml"),
        ({"ROS_LOCALHOST_ONLY": "0"}, "fastdds.xml"),
    ],
)
def test_the_middleware_stays_on_loopback_where_others_are_not_sought(
    environ: dict[str, str], file: str
) -> None:
    assert fast_dds_profile(environ) == file
    assert (ROOT / "portable" / file).is_file()


def test_a_profile_of_the_users_is_not_replaced() -> None:
    for name in ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"):
        done = subprocess.run(
            [str(ROOT / "ws"), "python", "-c", f"import os; print(os.environ['{name}'])"],
            env={**os.environ, name: "/my/own.xml"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "/my/own.xml\n"
