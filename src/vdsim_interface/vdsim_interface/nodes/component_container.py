"""The interface in one process: `component_container [STAGE ...]`.

Without arguments: the whole pipeline, which also publishes the topics between its stages. With
arguments: the named stages as separate nodes, which exchange those topics and share one executor;
for a stack that replaces one of the stages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from rclpy.node import Node
from rclpy.utilities import remove_ros_args

from vdsim_interface.nodes import (
    low_pass_filter,
    platform_interface,
    safety_state_machine,
    vehicle_interface,
    velocity_controller,
)
from vdsim_interface.ros.node_main import run

STAGES: dict[str, Callable[[], Sequence[Node]]] = {
    "velocity_controller": velocity_controller.make,
    "low_pass_filter": low_pass_filter.make,
    "safety_state_machine": safety_state_machine.make,
    "platform_interface": platform_interface.make,
}


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    given = sys.argv if arguments is None else ["component_container", *arguments]
    names = remove_ros_args(given)[1:]
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        allowed = ", ".join(STAGES)
        print(f"component_container: {unknown[0]}: not one of {allowed}", file=sys.stderr)
        return 2

    def make() -> list[Node]:
        if not names:
            return [*vehicle_interface.make(publish_stages=True)]
        return [node for name in names for node in STAGES[name]()]

    return run("component_container", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
