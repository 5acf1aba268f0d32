"""Launch arguments, includes and groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    UnsetEnvironmentVariable,
)
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import (
    EnvironmentVariable,
    LaunchConfiguration,
    PathJoinSubstitution,
    ThisLaunchFileDir,
)

from launch import LaunchContext, LaunchDescription

INNER = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir

def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("speed", description="in m/s"),
        DeclareLaunchArgument("gear", default_value="D", choices=["D", "R"]),
        LogInfo(msg=["inner ", LaunchConfiguration("speed"), LaunchConfiguration("gear")]),
        LogInfo(msg=["inner dir ", ThisLaunchFileDir()]),
    ])
"""


@pytest.fixture
def inner(tmp_path: Path) -> str:
    path = tmp_path / "inner" / "inner.launch.py"
    path.parent.mkdir()
    path.write_text(INNER)
    return str(path)


def include(path: str, **arguments: str) -> IncludeLaunchDescription:
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path), launch_arguments=arguments.items()
    )


def test_default_and_given_value(run_launch: Any) -> None:
    argument = DeclareLaunchArgument("a", default_value=["d", LaunchConfiguration("b")])
    printed = LogInfo(msg=LaunchConfiguration("a"))
    assert run_launch(argument, printed, b="x").printed("[launch.user]: dx")
    assert run_launch(argument, printed, a="given", b="x").printed("[launch.user]: given")


def test_required_argument_missing_at_the_top(run_launch: Any) -> None:
    outcome = run_launch(DeclareLaunchArgument("a", description="the a"))
    assert outcome.code == 1
    assert outcome.printed("missing required argument 'a' (description: 'the a')")
    assert len(outcome.lines) == 1


def test_choices(run_launch: Any) -> None:
    argument = DeclareLaunchArgument("gear", choices=["D", "R"])
    assert run_launch(argument, gear="R").code == 0
    outcome = run_launch(argument, gear="X")
    assert outcome.code == 1
    assert outcome.printed("""Argument "gear" provided value "X" is not valid. Valid options""")
    with pytest.raises(RuntimeError, match="default value 'X' not in provided choices"):
        DeclareLaunchArgument("gear", default_value="X", choices=["D", "R"])
    with pytest.raises(ValueError, match="'gear': choices must not be empty"):
        DeclareLaunchArgument("gear", choices=[])


def test_include_gives_arguments_and_the_folder(run_launch: Any, inner: str) -> None:
    outcome = run_launch(include(inner, speed="3"))
    assert outcome.code == 0
    assert outcome.printed("inner 3D")
    assert outcome.printed(f"inner dir {Path(inner).parent}")


def test_a_linked_file_lies_where_the_link_is(run_launch: Any, inner: str, tmp_path: Path) -> None:
    link = tmp_path / "installed" / "inner.launch.py"
    link.parent.mkdir()
    link.symlink_to(inner)
    assert run_launch(include(str(link), speed="3")).printed(f"inner dir {link.parent}")


def test_include_lacks_an_argument(run_launch: Any, inner: str) -> None:
    outcome = run_launch(include(inner, gear="R"))
    assert outcome.code == 1
    assert outcome.printed("missing required argument 'speed' (description: 'in m/s'), given: [")


def test_include_sees_the_configurations_around_it(run_launch: Any, inner: str) -> None:
    assert run_launch(include(inner), speed="7").printed("inner 7D")


def test_what_an_include_sets_stays_unless_grouped(run_launch: Any, inner: str) -> None:
    after = LogInfo(msg=["after ", LaunchConfiguration("speed", default="none")])
    assert run_launch(include(inner, speed="3"), after).printed("after 3")
    assert run_launch(GroupAction([include(inner, speed="3")]), after).printed("after none")


def test_file_locals_end_with_the_include(run_launch: Any, inner: str) -> None:
    outcome = run_launch(include(inner, speed="3"), LogInfo(msg=ThisLaunchFileDir()))
    assert outcome.code == 1
    assert outcome.printed("outside of a launch file")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "does not contain the required function"),
        ("def generate_launch_description(): return 3", "returned int, not a LaunchDescription"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("def (", "SyntaxError"),
    ],
)
def test_broken_file_is_one_line(run_launch: Any, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.launch.py"
    path.write_text(text)
    outcome = run_launch(include(str(path)))
    assert outcome.code == 1
    assert outcome.printed(message)
    assert len(outcome.lines) == 1


@pytest.mark.parametrize("suffix", ["py", "xml", "yaml"])
def test_missing_file(run_launch: Any, suffix: str) -> None:
    outcome = run_launch(IncludeLaunchDescription(f"/nowhere/x.launch.{suffix}"))
    assert outcome.code == 1
    assert outcome.printed(f"'/nowhere/x.launch.{suffix}' does not exist")


def test_an_include_that_is_never_reached_need_not_exist(run_launch: Any) -> None:
    missing = PythonLaunchDescriptionSource("/nowhere/x.launch.py")
    outcome = run_launch(IncludeLaunchDescription(missing, condition=IfCondition("false")))
    assert outcome.code == 0


def test_group_scope(run_launch: Any) -> None:
    show = LogInfo(msg=["x=", LaunchConfiguration("x", default="-")])
    outcome = run_launch(
        GroupAction([SetLaunchConfiguration("x", "1"), show]),
        show,
        GroupAction([SetLaunchConfiguration("x", "2")], scoped=False),
        show,
        GroupAction([show], forwarding=False),
        GroupAction([show], forwarding=False, launch_configurations={"x": "3"}),
        show,
    )
    assert [line.rpartition("x=")[2] for line in outcome.lines] == ["1", "-", "2", "-", "3", "2"]


def test_group_condition(run_launch: Any) -> None:
    group = GroupAction([LogInfo(msg="in")], condition=IfCondition(LaunchConfiguration("on")))
    assert run_launch(group, on="true").printed("in")
    assert run_launch(group, on="false").lines == []


def test_environment_ends_with_the_group(run_launch: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("TEST_A", "outer")
    show = LogInfo(msg=EnvironmentVariable("TEST_A", default_value="unset"))
    outcome = run_launch(
        GroupAction([SetEnvironmentVariable("TEST_A", "inner"), show]),
        GroupAction([UnsetEnvironmentVariable("TEST_A"), show]),
        show,
    )
    words = [line.rpartition(" ")[2] for line in outcome.lines]
    assert words == ["inner", "unset", "outer"]


def test_an_error_in_a_group_leaves_no_scope_open(run_launch: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("TEST_A", "outer")
    broken = GroupAction(
        [SetEnvironmentVariable("TEST_A", "inner"), LogInfo(msg=LaunchConfiguration("nope"))]
    )
    assert run_launch(broken).code == 1
    assert run_launch(LogInfo(msg=EnvironmentVariable("TEST_A"))).printed("outer")


def test_opaque_function_gets_context_and_arguments(run_launch: Any) -> None:
    def function(context: LaunchContext, one: int, *, two: str) -> list[LogInfo]:
        speed = LaunchConfiguration("speed").perform(context)
        return [LogInfo(msg=f"{speed} {one} {two}")]

    action = OpaqueFunction(function=function, args=[1], kwargs={"two": "2"})
    assert run_launch(action, speed="9").printed("9 1 2")


def test_opaque_function_that_fails_is_one_line(run_launch: Any) -> None:
    def function(context: LaunchContext) -> None:
        raise KeyError("speed_mps")

    outcome = run_launch(OpaqueFunction(function=function))
    assert outcome.code == 1
    assert outcome.lines[-1].endswith("KeyError: 'speed_mps'")


def test_declared_arguments_are_found_through_everything(inner: str) -> None:
    description = LaunchDescription(
        [
            DeclareLaunchArgument("top", default_value="1"),
            GroupAction([DeclareLaunchArgument("grouped")]),
            GroupAction([DeclareLaunchArgument("maybe")], condition=IfCondition("false")),
            include(inner, speed="1"),
        ]
    )
    names = [argument.name for argument in description.get_launch_arguments()]
    assert names == ["top", "grouped", "maybe", "gear"]


def test_arguments_behind_a_path_that_is_a_substitution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, inner: str
) -> None:
    """Shown before the launch runs where the path can be known by then, else not."""
    source = PythonLaunchDescriptionSource(
        PathJoinSubstitution([EnvironmentVariable("WHERE"), "inner.launch.py"])
    )
    description = LaunchDescription([IncludeLaunchDescription(source)])
    assert description.get_launch_arguments() == []
    monkeypatch.setenv("WHERE", str(Path(inner).parent))
    assert [item.name for item in description.get_launch_arguments()] == ["speed", "gear"]
    (tmp_path / "inner.launch.py").write_text(INNER.replace("gear", "brake"))
    monkeypatch.setenv("WHERE", str(tmp_path))
    assert [item.name for item in description.get_launch_arguments()] == ["speed", "brake"]


def test_path_of_a_sibling(run_launch: Any, tmp_path: Path, inner: str) -> None:
    outer = tmp_path / "inner" / "outer.launch.py"
    outer.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import IncludeLaunchDescription\n"
        "from launch.launch_description_sources import PythonLaunchDescriptionSource\n"
        "from launch.substitutions import PathJoinSubstitution, ThisLaunchFileDir\n"
        "def generate_launch_description():\n"
        "    path = PathJoinSubstitution([ThisLaunchFileDir(), 'inner.launch.py'])\n"
        "    return LaunchDescription([IncludeLaunchDescription(\n"
        "        PythonLaunchDescriptionSource(path), launch_arguments={'speed': '4'}.items())])\n"
    )
    assert run_launch(include(str(outer))).printed("inner 4D")
    assert PathJoinSubstitution([ThisLaunchFileDir(), "x"]).describe() == (
        "PathJoin(ThisLaunchFileDir(), 'x')"
    )
