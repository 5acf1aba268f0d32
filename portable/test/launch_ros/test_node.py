"""What a node gets on its command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from launch.actions import GroupAction, LogInfo
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import (
    Node,
    PushROSNamespace,
    PushRosNamespace,
    SetParameter,
    SetParametersFromFile,
    SetRemap,
)
from launch_ros.parameter_descriptions import Parameter, ParameterFile, ParameterValue


def show(**options: Any) -> Node:
    return Node(package="demo", executable="show", output="screen", **options)


def after(arguments: list[str], option: str) -> list[str]:
    return [arguments[i + 1] for i, word in enumerate(arguments) if word == option]


def files_of(arguments: list[str]) -> list[dict[str, Any]]:
    return [yaml.safe_load(Path(path).read_text()) for path in after(arguments, "--params-file")]


def test_bare_node(start: Any) -> None:
    started = start(show())
    assert started.code == 0
    assert started.arguments == [["--ros-args"]]
    assert started.printed("[show-1]")


def test_name_namespace_remappings_and_arguments(start: Any) -> None:
    node = show(
        name="talker",
        namespace="left",
        exec_name="shown",
        arguments=["--speed", LaunchConfiguration("speed")],
        ros_arguments=["--log-level", "debug"],
        remappings=[("chatter", ["/to/", LaunchConfiguration("speed")])],
    )
    started = start(node, speed="3")
    expected = "--speed 3 --ros-args --log-level debug --ros-args -r __node:=talker -r __ns:=/left"
    assert started.arguments == [[*expected.split(), "-r", "chatter:=/to/3"]]
    assert started.printed("[shown-1]")
    assert node.node_name == "/left/talker"
    assert node.is_node_name_fully_specified()


def test_condition_and_path_instead_of_package(start: Any, package_prefix: Path) -> None:
    path = str(package_prefix / "lib/demo/show")
    started = start(Node(executable=path, output="screen"), show(condition=IfCondition("false")))
    assert started.arguments == [["--ros-args"]]


@pytest.mark.parametrize(
    ("pushed", "own", "expected"),
    [
        (["a"], None, "/a"),
        (["a", "b"], None, "/a/b"),
        (["/a/", "b"], "c", "/a/b/c"),
        (["a", "/b"], None, "/b"),
        (["a"], "/c", "/c"),
        ([""], "c", "/c"),
        (["a"], "", "/a"),
        ([], "/", "/"),
    ],
)
def test_namespaces(start: Any, pushed: list[str], own: str | None, expected: str) -> None:
    started = start(
        GroupAction([*(PushRosNamespace(part) for part in pushed), show(namespace=own)]), show()
    )
    assert after(started.arguments[0], "-r") == [f"__ns:={expected}"]
    assert started.arguments[1] == ["--ros-args"]


def test_both_spellings_are_one() -> None:
    assert PushROSNamespace is PushRosNamespace


def test_parameters_of_plain_values(start: Any) -> None:
    values = {"i": 1, "f": 2.0, "b": True, "s": "100", "empty": "", "texts": ["a", "b"]}
    given = {**values, "list": [1, 2], "mixed": [1.5, 2]}
    (content,) = files_of(start(show(parameters=[given])).arguments[0])
    assert content["/**"]["ros__parameters"] == {**values, "list": [1, 2], "mixed": [1.5, 2.0]}


def test_parameters_from_texts_are_read_as_yaml(start: Any) -> None:
    rate, numbers = LaunchConfiguration("rate"), LaunchConfiguration("numbers")
    started = start(
        show(
            parameters=[
                {
                    "from_text": rate,
                    "joined": ["a", rate],
                    "as_text": ParameterValue(rate, value_type=str),
                    "as_float": ParameterValue(rate, value_type=float),
                    "yaml_list": numbers,
                    "typed_list": ParameterValue(
                        LaunchConfiguration("numbers"), value_type=list[int]
                    ),
                    "nested": {"deep": {"er": rate}, "x": 1},
                }
            ]
        ),
        rate="100",
        numbers="[1, 2]",
    )
    (content,) = files_of(started.arguments[0])
    assert content == {
        "/**": {
            "ros__parameters": {
                "from_text": 100,
                "joined": "a100",
                "as_text": "100",
                "as_float": 100.0,
                "yaml_list": [1, 2],
                "typed_list": [1, 2],
                "nested.deep.er": 100,
                "nested.x": 1,
            }
        }
    }


def test_parameters_are_for_the_named_node_alone(start: Any) -> None:
    nodes = [
        show(name="n", parameters=[{"a": 1}]),
        show(name="n", namespace="/x", parameters=[{"a": 1}]),
        show(name="n", namespace="/", parameters=[{"a": 1}]),
    ]
    keys = [next(iter(files_of(words)[0])) for words in start(*nodes).arguments]
    assert keys == ["/**/n", "/x/n", "/n"]


def test_order_of_parameters(start: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("/**: {ros__parameters: {a: 1}}")
    started = start(
        SetParameter("use_sim_time", True),
        SetParametersFromFile(str(path)),
        show(parameters=[str(path), {"a": 2}, path, Parameter("b", LaunchConfiguration("x"))]),
        x="text",
    )
    words = started.arguments[0][1:]
    assert words[0::2] == ["-p", *["--params-file"] * 4, "-p"]
    assert words[1] == "use_sim_time:=true"
    assert [words[3], words[5], words[9]] == [str(path)] * 3
    assert words[11] == "b:=text"


def test_global_settings_end_with_the_group(start: Any) -> None:
    started = start(
        GroupAction([SetParameter("rate", LaunchConfiguration("r")), SetRemap("a", "b"), show()]),
        GroupAction([show()], forwarding=False),
        show(),
        r="2.5",
    )
    assert started.arguments == [
        ["--ros-args", "-p", "rate:=2.5", "-r", "a:=b"],
        ["--ros-args"],
        ["--ros-args"],
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [("100", "'100'"), ("true", "'true'"), ("a b", "a b"), ([1, 2], "[1, 2]"), (1e-7, "1.0e-07")],
)
def test_values_keep_their_type_on_the_command_line(start: Any, value: Any, text: str) -> None:
    started = start(SetParameter("p", value), show())
    assert after(started.arguments[0], "-p") == [f"p:={text}"]


def test_parameter_file_with_substitutions(start: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("TEST_E", "env")
    path = tmp_path / "p.yaml"
    path.write_text(
        "/**:\n  ros__parameters:\n    a: $(var rate)\n    b: $(env TEST_E)-$(env TEST_F 'x y')\n"
        "    c: $(find-pkg-share demo)/$(var $(var which))\n    d: $(eval '1 + (2 * 3)')\n"
    )
    with_substitutions = ParameterFile(str(path), allow_substs=True)
    started = start(show(parameters=[with_substitutions]), rate="7", which="rate")
    (content,) = files_of(started.arguments[0])
    values = content["/**"]["ros__parameters"]
    assert (values["a"], values["b"], values["d"]) == (7, "env-x y", 7)
    assert values["c"].endswith("a prefix/share/demo/7")
    assert after(start(show(parameters=[str(path)])).arguments[0], "--params-file") == [str(path)]


FAILURES = [
    (Node(package="nowhere", executable="x"), "package 'nowhere' not found, searching:"),
    (Node(package="no way", executable="x"), "'no way' is not a valid package name"),
    (Node(package="demo", executable="x"), "executable 'x' not found on the libexec directory"),
    (Node(package="demo", executable="data.txt"), "data.txt' is not executable"),
    (Node(executable="/nowhere/x"), "executable '/nowhere/x': No such file"),
    (
        show(parameters=["/nowhere.yaml"]),
        "'show': parameter file '/nowhere.yaml' does not exist",
    ),
    (show(parameters=[{"a": {1, 2}}]), "parameter 'a': {1, 2} (set) cannot be the value"),
    (show(parameters=[{"a": [1, "b"]}]), "parameter 'a': array parameter [1, 'b'] mixes int, str"),
    (show(parameters=[{"a": []}]), "parameter 'a': an empty array has no type"),
    (show(parameters=[{"a": {"b": LaunchConfiguration("map")}}]), "parameter 'a.b': "),
    (show(parameters=[{"a": ParameterValue("x", value_type=int)}]), "'x' is not of the type int"),
    (show(parameters=[3]), "parameters: 3 must be a mapping"),
    (show(name="a b"), "name='a b': must be letters, digits and underscores"),
    (show(namespace="a/1b"), "namespace='a/1b': its parts must be letters"),
    (show(arguments=[LaunchConfiguration("nope")]), "launch configuration 'nope' does not exist"),
]


@pytest.mark.parametrize(("node", "message"), FAILURES)
def test_failure_is_one_line(start: Any, node: Node, message: str) -> None:
    started = start(LogInfo(msg="before"), node, map="{a: 1}")
    assert started.code == 1
    assert message in started.lines[1]
    assert len(started.lines) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$(var nope)", "launch configuration 'nope' does not exist"),
        ("$(fly x)", "$(fly ...) is not supported here"),
        ("$(var x", "is not closed"),
        ("$(var)", "$(var): "),
    ],
)
def test_wrong_substitution_in_a_file(start: Any, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    started = start(show(parameters=[ParameterFile(str(path), allow_substs=True)]))
    assert started.code == 1
    assert started.printed(message)


def test_parameters_must_be_a_list() -> None:
    with pytest.raises(TypeError, match="parameters must be a list"):
        show(parameters={"a": 1})
