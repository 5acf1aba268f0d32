"""What can happen on a CAN bus: the faults of `vdsim_can_car --fault`, and our own controller."""

from __future__ import annotations

from functools import partial

from vdsim_can.ecu.orders import Kind
from vdsim_can.frame import BUS_OFF, RESTARTED, Frame, packed

from vdsim_simulate import record as facts
from vdsim_simulate.bus.car import BUS
from vdsim_simulate.fault_table import fault
from vdsim_simulate.world import World

ON_A_BUS = ("can",)
STATUS, MOTION, STEERING = "DBW_STATUS", "DBW_MOTION", "DBW_STEERING"
OF_THE_CAR = (STATUS, MOTION, STEERING, "DBW_PEDALS", "DBW_WHEELS", "DBW_BODY")
OF_US = ("DBW_STEER_CMD", "DBW_PEDAL_CMD", "DBW_BODY_CMD")
FAULT_SIGNAL = "DBW_STATUS.FAULT"
CONTROLS = {
    "the wheel": "DBW_STEERING.DRIVER_TORQUE",
    "the accelerator": "DBW_PEDALS.DRIVER_ACCELERATOR",
    "the brake pedal": "DBW_PEDALS.DRIVER_BRAKE",
}
RESTARTS_S = 0.3
"""So long is an ECU silent that starts again (vdsim_can/ecu/ecus.py)."""


def _break(world: World, kind: Kind, what: str, for_s: float) -> None:
    world.bus_car.order(kind, what, for_s)
    _note(world, kind.value, what, for_s)


def _note(world: World, kind: str, what: str, for_s: float) -> None:
    who = f"{kind} {what}"
    world.note(facts.BROKEN, who=who)
    world.agenda.after(for_s, partial(world.note, facts.MENDED, who=who))


@fault(
    "{message} does not reach the bus for {for_s:g} s",
    platforms=ON_A_BUS,
    message=OF_THE_CAR,
    for_s=(0.02, 3.0),
)
def message_lost(world: World, message: str, for_s: float) -> None:
    """Frames of one message are lost."""
    _break(world, Kind.LOST, message, for_s)


@fault(
    "the counter of {message} stands for {for_s:g} s",
    platforms=ON_A_BUS,
    message=OF_THE_CAR,
    for_s=(0.02, 3.0),
)
def counter_stands(world: World, message: str, for_s: float) -> None:
    """An ECU repeats itself."""
    _break(world, Kind.STUCK, message, for_s)


@fault(
    "the checksum of {message} is wrong for {for_s:g} s",
    platforms=ON_A_BUS,
    message=OF_THE_CAR,
    for_s=(0.02, 3.0),
)
def checksum_wrong(world: World, message: str, for_s: float) -> None:
    """What it carries must not be used."""
    _break(world, Kind.CHECKSUM, message, for_s)


@fault("the car's ECUs send nothing for {for_s:g} s", platforms=ON_A_BUS, for_s=(0.02, 3.0))
def ecu_silent(world: World, for_s: float) -> None:
    """They receive, and act on what they receive."""
    _break(world, Kind.SILENT, MOTION, for_s)


@fault("the car's ECUs start again", platforms=ON_A_BUS)
def ecu_starts_again(world: World) -> None:
    """Silent at first, their counters from the beginning, not enabled."""
    _break(world, Kind.RESET, MOTION, RESTARTS_S)


@fault("the car is off the bus for {for_s:g} s", platforms=ON_A_BUS, for_s=(0.02, 3.0))
def car_off_the_bus(world: World, for_s: float) -> None:
    """Nothing goes out or comes in."""
    _break(world, Kind.BUS_OFF, BUS, for_s)


@fault("our controller is off the bus for {for_s:g} s", platforms=ON_A_BUS, for_s=(0.05, 3.0))
def controller_off_the_bus(world: World, for_s: float) -> None:
    """It says so by error frames; nothing passes meanwhile."""
    world.wire.arrive(packed(Frame(BUS_OFF, bytes(8), error=True)))
    world.cut(world.state_link, for_s)
    world.cut(world.command_link, for_s)
    _note(world, "controller", BUS, for_s)
    world.agenda.after(
        for_s, lambda: world.wire.arrive(packed(Frame(RESTARTED, bytes(8), error=True)))
    )


@fault(
    "somebody else sends {message} for {for_s:g} s",
    platforms=ON_A_BUS,
    message=OF_US,
    for_s=(0.06, 3.0),
)
def stranger_on_the_bus(world: World, message: str, for_s: float) -> None:
    """With right checksums; the car gets his frames, too."""
    _break(world, Kind.FOREIGN, message, for_s)


@fault(
    "the car reports a fault of its steering for {for_s:g} s", platforms=ON_A_BUS, for_s=(0.1, 3.0)
)
def car_reports_a_fault(world: World, for_s: float) -> None:
    """A latched one."""
    _break(world, Kind.FAULT, FAULT_SIGNAL, for_s)


@fault(
    "a person uses {control} for {for_s:g} s",
    platforms=ON_A_BUS,
    control=sorted(CONTROLS),
    for_s=(0.1, 3.0),
)
def person_uses(world: World, control: str, for_s: float) -> None:
    """The driver takes over by a control of the car."""
    _break(world, Kind.OVERRIDE, CONTROLS[control], for_s)
