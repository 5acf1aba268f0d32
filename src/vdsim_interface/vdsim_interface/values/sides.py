"""What the safety side sends: to the vehicle side, and to the intake.

The way back is vehicle.VehicleFeedback. What goes between the sides has one wire form between
processes, a ROS message (extras/stages/ros/sides.py). Every cause of a stop is one `Stop`. Those
that stand are merged by the hardest, so their order does not matter.
"""

from enum import IntEnum
from typing import NamedTuple

from vdsim_interface.values.commands import Command, PlatformCommand, VehicleCommand
from vdsim_interface.values.enums import Gear
from vdsim_interface.values.notices import Change
from vdsim_interface.values.vehicle import NOT_YET_REPORTED, BodyState


class Until(IntEnum):
    """What ends a stop. CLEARED: its cause has gone. ENGAGED: that too, and once it has brought the
    car to rest or held it, a later engagement. RELEASED: `give_back`, at standstill."""

    CLEARED = 0
    ENGAGED = 1
    RELEASED = 2


class Stop(NamedTuple):
    """One cause: how hard it brakes, and how fast that deceleration rises [m/s2, m/s3].

    `source`: the name of the notice that reports it.
    """

    source: str
    decel_mps2: float
    jerk_mps3: float
    until: Until = Until.CLEARED


NO_STOPS: tuple[Stop, ...] = ()


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


class RequestContext(NamedTuple):
    """From the safety side to the intake, whose reader must tell a request from a copy.

    `body`: as the vehicle reports it. `refused_gear`, `hand_brake_refused`: what could not be done
    yet. `gear_before_park`: the gear that PARK replaced where it is ours. `parked_before`: it was
    ours before the present autonomy, or there is none. `hand_brake_is_ours`: we have set it at
    rest. `autonomous`: the latest request that named autonomy asked for it.
    """

    body: BodyState = NOT_YET_REPORTED
    refused_gear: Gear | None = None
    hand_brake_refused: bool = False
    gear_before_park: Gear | None = None
    parked_before: bool = False
    hand_brake_is_ours: bool = False
    autonomous: bool = False
