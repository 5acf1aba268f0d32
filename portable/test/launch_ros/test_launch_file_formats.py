"""XML and YAML launch files do what the same file in Python does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource
from launch_xml.launch_description_sources import XMLLaunchDescriptionSource
from launch_yaml.launch_description_sources import YAMLLaunchDescriptionSource

from launch import LaunchContext

XML = """
<launch>
  <arg name="speed" default="3" description="Speed in m/s"/>
  <arg name="mode" default="slow"><choice value="slow"/><choice value="fast"/></arg>
  <let name="half" value="$(eval '$(var speed) / 2')"/>
  <set_env name="TEST_A" value="x"/>
  <append_env name="TEST_A" value="w" prepend="true" separator="-"/>
  <log message="half is $(var half)"/>
  <group>
    <push-ros-namespace namespace="car"/>
    <set_remap from="a" to="b"/>
    <node pkg="demo" exec="show" name="talker" args="--speed $(var speed) 'two words'"
          output="screen">
      <param name="rate" value="$(var speed)"/>
      <param name="label" value="100" type="str"/>
      <param name="list" value="1;2" value-sep=";"/>
      <param name="pid"><param name="gain" value="1.5"/></param>
      <param from="$(dirname)/params.yaml" allow_substs="true"/>
      <remap from="chatter" to="talk"/>
    </node>
  </group>
  <node pkg="demo" exec="show" if="$(equals $(var mode) fast)"/>
  <executable cmd="sh -c 'echo $(env TEST_A) $TEST_B'" output="screen">
    <env name="TEST_B" value="y"/>
  </executable>
  <include file="$(dirname)/inner.launch.yaml">
    <arg name="word" value="inside"/>
  </include>
</launch>
"""
YAML = """
launch:
- arg: {name: speed, default: 3, description: Speed in m/s}
- arg:
    name: mode
    default: slow
    choice: [{value: slow}, {value: fast}]
- let: {name: half, value: "$(eval '$(var speed) / 2')"}
- set_env: {name: TEST_A, value: x}
- append_env: {name: TEST_A, value: w, prepend: true, separator: "-"}
- log: {message: half is $(var half)}
- group:
  - push_ros_namespace: {namespace: car}
  - set_remap: {from: a, to: b}
  - node:
      pkg: demo
      exec: show
      name: talker
      args: --speed $(var speed) 'two words'
      output: screen
      param:
      - {name: rate, value: $(var speed)}
      - {name: label, value: "100", type: str}
      - {name: list, value: [1, 2]}
      - name: pid
        param: [{name: gain, value: 1.5}]
      - {from: $(dirname)/params.yaml, allow_substs: true}
      remap: [{from: chatter, to: talk}]
- node: {pkg: demo, exec: show, if: "$(equals $(var mode) fast)"}
- executable:
    cmd: sh -c 'echo $(env TEST_A) $TEST_B'
    output: screen
    env: [{name: TEST_B, value: y}]
- include:
    file: $(dirname)/inner.launch.yaml
    arg: [{name: word, value: inside}]
"""
INNER = "launch:\n- arg: {name: word}\n- log: {message: $(var word) $(filename)}\n"


@pytest.mark.parametrize(("suffix", "text"), [("xml", XML), ("yaml", YAML)])
def test_the_same_file_in_both_formats(start: Any, tmp_path: Path, suffix: str, text: str) -> None:
    (tmp_path / "inner.launch.yaml").write_text(INNER)
    (tmp_path / "params.yaml").write_text("/**: {ros__parameters: {half: $(var half)}}\n")
    file = tmp_path / f"outer.launch.{suffix}"
    file.write_text(text)
    started = start(IncludeLaunchDescription(str(file)))
    assert started.code == 0, started.lines
    assert started.printed("[launch.user]: half is 1.5")
    assert started.printed(f"[launch.user]: inside {tmp_path / 'inner.launch.yaml'}")
    assert started.printed("[sh-2] w-x y")
    (arguments,) = started.arguments
    assert arguments[:3] == ["--speed", "3", "two words"]
    joined = " ".join(arguments)
    for part in (
        "-r __node:=talker -r __ns:=/car",
        "-p rate:=3",
        "-p label:='100'",
        "-p list:=[1, 2]",
        "-r a:=b -r chatter:=talk",
    ):
        assert part in joined, joined
    written = [Path(word).read_text() for word in arguments if word.endswith(".yaml")]
    assert any("pid.gain: 1.5" in text for text in written)
    assert any("half: 1.5" in text for text in written)


@pytest.mark.parametrize(("suffix", "text"), [("xml", XML), ("yaml", YAML)])
def test_arguments_can_be_listed(tmp_path: Path, suffix: str, text: str) -> None:
    file = tmp_path / f"x.launch.{suffix}"
    file.write_text(text)
    description = AnyLaunchDescriptionSource(str(file)).get_launch_description(LaunchContext())
    speed, mode = description.get_launch_arguments()[:2]
    assert (speed.name, speed.description) == ("speed", "Speed in m/s")
    assert mode.choices == ["slow", "fast"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<launch><fly/></launch>", "<fly>: must be one of append_env, arg, "),
        ("<launch><log/></launch>", "<log>: attribute 'message' is missing"),
        ("<launch><log message='a' x='1'/></launch>", "<log>: attribute 'x' is not supported"),
        ("<launch><log message='a'><b/></log></launch>", "<log>: element <b> is not supported"),
        ("<launch><log message='a' if='1' unless='1'/></launch>", "has both 'if' and 'unless'"),
        ("<start/>", "the root element must be <launch>"),
        ("<launch>", "no element found"),
        ("<launch><node exec='a'><param name='a' value='1' type='x'/></node></launch>", "type='x'"),
    ],
)
def test_errors_in_xml_name_the_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.launch.xml"
    file.write_text(text)
    with pytest.raises(RuntimeError, match=r"launch file '.*x.launch.xml': ") as raised:
        XMLLaunchDescriptionSource(str(file)).get_launch_description(LaunchContext())
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("other: 1", "must have the one key 'launch'"),
        ("launch: [", "while parsing"),
        ("launch: [log]", "'log': must be a mapping"),
        ("launch: [{log: text}]", "<log>: must be a mapping or a list"),
    ],
)
def test_errors_in_yaml_name_the_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.launch.yaml"
    file.write_text(text)
    with pytest.raises(RuntimeError, match=r"launch file '.*x.launch.yaml': ") as raised:
        YAMLLaunchDescriptionSource(str(file)).get_launch_description(LaunchContext())
    assert message in str(raised.value)
