"""What can happen on a CAN bus: the faults of `vdsim_can_car --fault`, and our own controller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from vdsim_can.car import CarFile
from vdsim_can.ecu.orders import Kind
from vdsim_can.frame import BUS_OFF, RESTARTED, Frame, packed

from vdsim_simulate import record as facts
from vdsim_simulate.fault_table import fault
from vdsim_simulate.scene import Scene, Value
from vdsim_simulate.wiring.shipped import can_car
from vdsim_simulate.world import World

ON_A_BUS = ("can",)
OF_THE_CAR = (
    *("DBW_STATUS", "DBW_MOTION", "DBW_STEERING", "DBW_PEDALS", "DBW_WHEELS", "DBW_BODY"),
)
OF_US = ("DBW_STEER_CMD", "DBW_PEDAL_CMD", "DBW_BODY_CMD")
CONTROLS = {
    "the wheel": "DBW_STEERING.DRIVER_TORQUE",
    "the accelerator": "DBW_PEDALS.DRIVER_ACCELERATOR",
    "the brake pedal": "DBW_PEDALS.DRIVER_BRAKE",
}
FAULTS_OF_THE_CAR = {
    "a fault of its steering": "DBW_STATUS.FAULT=1",
    "a fault of its brake": "DBW_STATUS.FAULT=2",
    "a fault of its drive": "DBW_STATUS.FAULT=3",
    "that it misses commands": "DBW_STATUS.FAULT=4",
    "a wrong checksum": "DBW_STATUS.FAULT=5",
    "a wrong counter": "DBW_STATUS.FAULT=6",
}
PUSHES = 1.2
"""A person's torque or pedal, as a share of the threshold."""


def faults_of(car: CarFile) -> list[str]:
    """Return each fault that a car may report, as a signal and its raw value."""
    return [f"{row.signal}={raw}" for row in car.faults for raw in row.when]


def signed_controls(car: CarFile) -> list[str]:
    """Return the controls that a person may use in two directions."""
    signals = [row.signal for row in car.overrides]
    return [str(name) for name in signals if car.signal(name).raw_range()[0] < 0]


RESTARTS_S = 0.3
"""So long is an ECU silent that starts again (vdsim_can/ecu/ecus.py)."""
NAMES: Mapping[str, tuple[str, tuple[str, ...], Callable[[CarFile], list[str]]]] = {
    "message_lost": ("message", OF_THE_CAR, lambda car: list(car.receive)),
    "counter_stands": (
        *("message", OF_THE_CAR),
        lambda car: [name for name, row in car.receive.items() if row.counter is not None],
    ),
    "checksum_wrong": (
        *("message", OF_THE_CAR),
        lambda car: [name for name, row in car.receive.items() if row.checksum is not None],
    ),
    "stranger_on_the_bus": ("message", OF_US, lambda car: list(car.send)),
    "person_uses": (
        *("control", tuple(sorted(CONTROLS))),
        lambda car: [str(row.signal) for row in car.overrides],
    ),
    "car_reports_a_fault": ("", (), lambda car: [str(row.signal) for row in car.faults]),
    "car_tells_of_a_fault": ("fault", tuple(sorted(FAULTS_OF_THE_CAR)), faults_of),
    "person_turns_right": ("", (), signed_controls),
}
"""By fault: the value that names a part of vdsim_dbw, its names, and those of another car."""


def of_the_car(name: str, values: dict[str, Value], scene: Scene) -> dict[str, Value] | None:
    """Return the values with names of the car of the scene; None: that car has no such part."""
    if name not in NAMES or not scene.car_file:
        return values
    key, shipped, names_of = NAMES[name]
    names = names_of(can_car(scene))
    if not names:
        return None
    if key:
        return {**values, key: names[shipped.index(str(values[key])) % len(names)]}
    return values


def speed_message(car: CarFile) -> str:
    """Return the message that carries the speed."""
    return next(row.signal.message for row in car.reports if row.field == "velocity_mps")


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
    _break(world, Kind.SILENT, speed_message(world.bus_car.file), for_s)


@fault("the car's ECUs start again", platforms=ON_A_BUS)
def ecu_starts_again(world: World) -> None:
    """Silent at first, their counters from the beginning, not enabled."""
    _break(world, Kind.RESET, speed_message(world.bus_car.file), RESTARTS_S)


@fault("the car is off the bus for {for_s:g} s", platforms=ON_A_BUS, for_s=(0.02, 3.0))
def car_off_the_bus(world: World, for_s: float) -> None:
    """Nothing goes out or comes in."""
    _break(world, Kind.BUS_OFF, world.bus_car.bus, for_s)


@fault("our controller is off the bus for {for_s:g} s", platforms=ON_A_BUS, for_s=(0.05, 3.0))
def controller_off_the_bus(world: World, for_s: float) -> None:
    """It says so by error frames; nothing passes meanwhile."""
    world.wire.arrive(packed(Frame(BUS_OFF, bytes(8), error=True)))
    world.cut(world.state_link, for_s)
    world.cut(world.command_link, for_s)
    _note(world, "controller", world.bus_car.bus, for_s)
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
    _break(world, Kind.FAULT, str(world.bus_car.file.faults[0].signal), for_s)


@fault(
    "a person uses {control} for {for_s:g} s",
    platforms=ON_A_BUS,
    control=sorted(CONTROLS),
    for_s=(0.1, 3.0),
)
def person_uses(world: World, control: str, for_s: float) -> None:
    """The driver takes over by a control of the car."""
    _break(world, Kind.OVERRIDE, CONTROLS.get(control, control), for_s)


@fault(
    "the car reports {fault} for {for_s:g} s, and lets itself be driven on",
    platforms=ON_A_BUS,
    fault=sorted(FAULTS_OF_THE_CAR),
    for_s=(0.1, 3.0),
)
def car_tells_of_a_fault(world: World, fault: str, for_s: float) -> None:
    """It is the interface that has to end autonomy."""
    what = FAULTS_OF_THE_CAR.get(fault, fault)
    world.bus_car.order(Kind.UNFIT, what, for_s)
    _note(world, Kind.FAULT.value, what.partition("=")[0], for_s)


@fault(
    "a person turns the wheel to the right for {for_s:g} s", platforms=ON_A_BUS, for_s=(0.1, 3.0)
)
def person_turns_right(world: World, for_s: float) -> None:
    """A control with two directions, in the negative one."""
    car, driver = world.bus_car.file, world.bus_car.ecus.driver
    names = signed_controls(car)
    row = next(row for row in car.overrides if str(row.signal) == names[0])
    driver[row.signal] = -PUSHES * row.threshold
    _note(world, Kind.OVERRIDE.value, str(row.signal), for_s)

    def let_go() -> None:
        driver.pop(row.signal, None)

    world.agenda.after(for_s, let_go)
