"""A platform of one's own, with one parameter file for all stages."""

from pathlib import Path
from typing import Any

import pytest
from rclpy.parameter import Parameter
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.extras.stages.nodes.velocity_controller import VelocityControllerNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface_kit.documented_platform import write_documented_platform
from vdsim_interface_kit.teleop_ros import Lab

NODES = (
    VehicleInterface,
    VelocityControllerNode,
    LowPassFilterNode,
    SafetyStateMachineNode,
    PlatformInterfaceNode,
)
FILE = """
/**:
  ros__parameters:
    platform: {platform}
    platform_path: {folder}
    my_car:
      {name}: 0
    vds1:
      listen_port: 0
"""


def laboratory(folder: Path, platform: str, name: str) -> Lab:
    """Nodes that are made in it read a parameter file."""
    write_documented_platform(folder)
    path = folder / "parameters.yaml"
    path.write_text(FILE.format(platform=platform, folder=folder, name=name), encoding="utf-8")
    return Lab("--params-file", str(path))


@pytest.mark.parametrize("platform", ["my_car", "vds1"])
def test_every_stage_takes_the_file(tmp_path: Path, platform: str) -> None:
    lab = laboratory(tmp_path, platform, "listen_port")
    try:
        for kind in NODES:
            node: Any = lab.add(kind())
            node.start()
            assert node.is_active
            node.end()
    finally:
        lab.close()


def test_its_parameters_change_while_inactive_whatever_their_name(tmp_path: Path) -> None:
    """`platform` and `platform_path` cannot; those of a platform of a similar name can."""
    write_documented_platform(tmp_path)
    folder = (tmp_path / "my_car").rename(tmp_path / "platform_mine")
    code = folder / "platform.py"
    text = code.read_text(encoding="utf-8").replace('str] = "my_car"', 'str] = "platform_mine"')
    code.write_text(text, encoding="utf-8")
    given = ("platform:=my_car", f"platform_path:={tmp_path}", "autostart:=false")
    lab = Lab(*(word for each in given for word in ("-p", each)))
    try:
        node: Any = lab.add(VehicleInterface())
        [answer] = node.set_parameters([Parameter("platform_mine.port", value=9005)])
        assert answer.successful, answer.reason
        assert node.platform_parameters.port == 9005
        [refused] = node.set_parameters([Parameter("platform_path", value="")])
        assert refused.reason == "platform_path=: is decided when the node starts"
    finally:
        lab.close()


@pytest.mark.parametrize("kind", [VehicleInterface, PlatformInterfaceNode])
def test_the_stage_that_has_the_platform_names_what_is_misspelt(tmp_path: Path, kind: Any) -> None:
    lab = laboratory(tmp_path, "my_car", "listen_prot")
    try:
        with pytest.raises(ParameterError, match=r"my_car\.listen_prot=0: no such parameter"):
            kind()
    finally:
        lab.close()
