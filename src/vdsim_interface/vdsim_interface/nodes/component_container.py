"""The interface in one process: `component_container [NAME ...]`.

Without names: the whole pipeline, which also publishes the topics between its stages. With the
names of stages: those, as separate nodes that exchange these topics and share one executor; for a
stack that replaces one of them. Other names are components: nodes of installed packages, which run
in the same process (ros/components). Where none of the names is ours, the pipeline runs beside
them. docs/components.md is the page.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from vdsim_protocol.contract_ports import reserved

from vdsim_interface.nodes import (
    low_pass_filter,
    platform_interface,
    safety_state_machine,
    vehicle_interface,
    velocity_controller,
)
from vdsim_interface.ros.components import (
    ComponentError,
    Container,
    ContainerNode,
    find,
    make_component,
)
from vdsim_interface.ros.node_main import USER_ERROR_EXIT, run
from vdsim_interface.ros.stage_node import StageNode

PIPELINE = "vehicle_interface"


def _pipeline() -> Sequence[StageNode]:
    return vehicle_interface.make(publish_stages=True)


STAGES: dict[str, Callable[[], Sequence[StageNode]]] = {
    PIPELINE: _pipeline,
    "velocity_controller": velocity_controller.make,
    "low_pass_filter": low_pass_filter.make,
    "safety_state_machine": safety_state_machine.make,
    "platform_interface": platform_interface.make,
}


def make(names: Sequence[str]) -> list[Node]:
    """Create and start the nodes of the process; the components before the car is driven."""
    ours = [name for name in names if name in STAGES] or [PIPELINE]
    with reserved():
        components = [make_component(find(name)) for name in names if name not in STAGES]
    stages = [stage for name in ours for stage in STAGES[name]()]
    # The stages end first: theirs is the last, safe command.
    nodes: list[Node] = [*stages, *components]
    if any(stage.process.component_services for stage in stages):
        nodes.append(ContainerNode(Container(nodes)))
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
    names = remove_ros_args(given)[1:]
    if refusal := check(names):
        print(f"component_container: {refusal}", file=sys.stderr)
        return USER_ERROR_EXIT
    return run("component_container", lambda: make(names), arguments)


if __name__ == "__main__":
    sys.exit(main())
