"""The interface in one process: `component_container [NAME ...]`.

Without names: the whole pipeline, which also publishes the topics between its stages. With the
names of stages: those, as separate nodes that exchange these topics and share one executor; for a
stack that replaces one of them. Other names are components: nodes of installed packages, which run
in the same process (catalogue.py). Where none of the names is ours, the pipeline runs beside
them. docs/components.md is the page.

`__node:=NAME` for the whole process, as ComposableNodeContainer gives it, is the name of the
container alone, which then offers its services; the nodes in it keep theirs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from vdsim_protocol.contract_ports import reserved

from vdsim_interface.extras.stages.nodes import (
    low_pass_filter,
    platform_interface,
    safety_state_machine,
    velocity_controller,
)
from vdsim_interface.extras.stages.nodes.staged_interface import StagedInterface
from vdsim_interface.extras.stages.ros.catalogue import ComponentError, find
from vdsim_interface.extras.stages.ros.container import Container
from vdsim_interface.extras.stages.ros.container_node import NAME as CONTAINER
from vdsim_interface.extras.stages.ros.container_node import ContainerNode
from vdsim_interface.extras.stages.ros.making import make_component
from vdsim_interface.nodes import vehicle_interface
from vdsim_interface.ros.exit_codes import USER_ERROR_EXIT
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.process.loop_watch import LIMIT_S
from vdsim_interface.ros.stage_node import StageNode

PIPELINE = "vehicle_interface"
_REMAP_OPTIONS = ("-r", "--remap")
_NAME_RULE = re.compile(r"__(?:node|name):=(.+)")


def _pipeline() -> Sequence[StageNode]:
    return vehicle_interface.make(StagedInterface)


STAGES: dict[str, Callable[[], Sequence[StageNode]]] = {
    PIPELINE: _pipeline,
    "velocity_controller": velocity_controller.make,
    "low_pass_filter": low_pass_filter.make,
    "safety_state_machine": safety_state_machine.make,
    "platform_interface": platform_interface.make,
}


def take_name(words: Sequence[str]) -> tuple[str, list[str]]:
    """The name of the container, empty without one, and the words of the command line without it.

    Among the ROS arguments the rule would be one for every node: several of one name.
    """
    name, kept = "", list(words)
    for index in range(len(kept) - 2, 0, -1):
        rule = _NAME_RULE.fullmatch(kept[index + 1])
        if kept[index] in _REMAP_OPTIONS and rule:
            name = name or rule[1]
            del kept[index : index + 2]
    return name, kept


def make(names: Sequence[str], container_name: str = "") -> list[Node]:
    """Create and start the nodes of the process; the components before the car is driven."""
    ours = [name for name in names if name in STAGES] or [PIPELINE]
    with reserved():
        components = [make_component(find(name)) for name in names if name not in STAGES]
    stages = [stage for name in ours for stage in STAGES[name]()]
    # The stages end first: theirs is the last, safe command.
    nodes: list[Node] = [*stages, *components]
    if container_name in {node.get_name() for node in nodes}:
        raise ValueError(f"__node:={container_name}: a node in this container has that name")
    if container_name or any(stage.process.component_services for stage in stages):
        nodes.append(ContainerNode(Container(nodes, STAGES), container_name or CONTAINER))
    return nodes


def check(names: Sequence[str]) -> str:
    """Return why the names cannot run together; empty when they can."""
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        return f"{twice[0]}: given twice"
    if PIPELINE in names and (stages := [n for n in names if n in STAGES and n != PIPELINE]):
        return f"{stages[0]}: {PIPELINE} has all stages"
    for name in names:
        if name not in STAGES:
            try:
                find(name)
            except ComponentError as error:
                return f"{error}; stages are {', '.join(STAGES)}"
    return ""


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    given = sys.argv if arguments is None else ["component_container", *arguments]
    container_name, words = take_name(given)
    names = remove_ros_args(words)[1:]
    if refusal := check(names):
        print(f"component_container: {refusal}", file=sys.stderr)
        return USER_ERROR_EXIT
    return run(
        "component_container",
        lambda: make(names, container_name),
        words,
        loop_limit_s=LIMIT_S,
    )


if __name__ == "__main__":
    sys.exit(main())
