"""What the installed commands of the nodes start.

rclpy takes a while to import: until the node has handlers of its own, a signal ends the process at
once and in order.
"""

from __future__ import annotations

from vdsim_protocol.ending_signals import end_on_signals
from vdsim_protocol.launch_watch import end_with_launch


def planning_simulator() -> int:
    """`planning_simulator`."""
    end_on_signals()
    end_with_launch()
    from vdsim_autoware.nodes.planning_simulator import main

    return main()
