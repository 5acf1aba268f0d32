"""What the safety side sends to the vehicle side. The way back is vehicle.VehicleFeedback.

Each has one wire form between processes, a ROS message (extras/stages/ros/sides.py).
"""

from typing import NamedTuple

from vdsim_interface.values.commands import Command, PlatformCommand, VehicleCommand
from vdsim_interface.values.notices import Change
from vdsim_interface.values.stops import NO_STOPS, Stop


class SafeCommand(NamedTuple):
    """From the safety side to the vehicle side: one period's command and how it came about.

    `received`: the latest command of the stack, None before the first. `controlled`: the output of
    the velocity controller (the command itself at vehicle level; None at raw level). `filtered`:
    after the low-pass filter. `changes`: what the rules changed. `blocked`: why commands do not
    pass; empty while they do. `command_id`: how many commands were received. `stops`: those that
    stand. `engagement`: the number of the latest engagement. `emergency_n`: counts requests and
    releases of emergency stops.
    """

    stamp_s: float
    command: PlatformCommand
    changes: tuple[Change, ...] = ()
    received: Command | None = None
    controlled: VehicleCommand | None = None
    filtered: VehicleCommand | None = None
    blocked: str = ""
    command_id: int = 0
    stops: tuple[Stop, ...] = NO_STOPS
    engagement: int = 0
    emergency_n: int = 0
