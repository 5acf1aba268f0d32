"""`ros2 pkg` and `ros2 interface` on what is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ament_index_python.packages import get_package_prefix
from ros2cli.cli import main


def test_pkg_list_and_prefix(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pkg", "list"]) == 0
    names = capsys.readouterr().out.splitlines()
    assert names == sorted(names)
    assert "rclpy" in names
    assert main(["pkg", "prefix", "--share", "rclpy"]) == 0
    share = Path(capsys.readouterr().out.strip())
    assert share == Path(get_package_prefix("rclpy")) / "share" / "rclpy"


def test_pkg_xml_tag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pkg", "xml", "std_msgs", "--tag", "name"]) == 0
    assert capsys.readouterr().out == "std_msgs\n"
    assert main(["pkg", "xml", "std_msgs", "--tag", "nothing"]) == 1
    assert capsys.readouterr().err.startswith("Could not find tag 'nothing' ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["pkg", "prefix", "nothing"],
        ["pkg", "executables", "nothing"],
        ["interface", "package", "nothing"],
        ["interface", "show", "nothing/msg/None"],
    ],
)
def test_unknown_package_is_one_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert "'nothing'" in error
    assert error.count("\n") == 1


def test_interface_list_by_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["interface", "list", "-s"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Services:"
    assert "    std_srvs/srv/SetBool" in lines
    assert main(["interface", "package", "std_srvs"]) == 0
    assert "std_srvs/srv/SetBool\n" in capsys.readouterr().out
    assert main(["interface", "packages", "--only-srvs"]) == 0
    assert "std_msgs\n" not in capsys.readouterr().out


def test_interface_show_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "type"
    path.write_text("builtin_interfaces/msg/Time\n", encoding="utf-8")
    with path.open(encoding="utf-8") as lines:
        monkeypatch.setattr("sys.stdin", lines)
        assert main(["interface", "show", "-", "--no-comments"]) == 0
    assert capsys.readouterr().out == "int32 sec\nuint32 nanosec\n"


def test_interface_proto_is_yaml_for_pub(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["interface", "proto", "std_srvs/srv/SetBool"]) == 0
    assert capsys.readouterr().out == '"data: false\n"\n'
    assert main(["interface", "proto", "nav_msgs/msg/Odometry", "--no-quotes"]) == 0
    assert yaml.safe_load(capsys.readouterr().out)["pose"]["pose"]["orientation"]["w"] == 1.0
