"""The gate's surroundings as a finite grid: what one packet may bring, and what a witness noted.

A grid names values for some fields of `Inputs`; the others keep their defaults. Times are seconds
since the latest packet, counts are relative to the gate's, so that equal situations are equal
states. The `Witness` knows inputs and packets, never the gate's own state.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from vdsim_interface.gate import START, Facts, GateLimits, GateState, Wanted, gate
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    BodyCommand,
    Change,
    DriverActivity,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    Stop,
    Until,
    VehicleCommand,
    travel_direction,
)

Gate = Callable[
    [GateState, Wanted, Facts, GateLimits],
    tuple[PlatformCommand, GateState, tuple[Change, ...]],
]
FRESH_S, STALE_S = 0.0, 3.0
SOFT, HARD = Stop("soft", 2.0, 2.0), Stop("hard", 5.0, 10.0)
CABIN = Stop("cabin", 2.0, 2.0, Until.ENGAGED)
EMERGENCY = Stop("emergency", 5.0, 10.0, Until.RELEASED)
ACCELERATOR, PEDAL = DriverActivity(accelerator=True), DriverActivity(pedal=True)
UNPRESSED_S, HELD_BEFORE_S = -1.0, math.inf
LONG_S = 1.5
"""Ages beyond this make no difference: they are counted as infinite."""
DIGITS = 5


class Inputs(NamedTuple):
    """What one packet brings. Accelerations along the travel direction, ages in seconds.

    `number`, `counted`: the sender's counts of engagements, and of requests and releases of
    emergency stops, rise (1), stay (0), or begin again below (-1).
    """

    after_s: float = 0.5
    authority: Authority = Authority.COMMAND
    effort: float = 0.0
    asked: float = 0.0
    pedals_hold: float = 0.0
    no_drive: bool = False
    front: float = 0.0
    gear: Gear = Gear.DRIVE
    hand_brake: bool = False
    raw: bool = False
    stops: tuple[Stop, ...] = ()
    number: int = 0
    counted: int = 0
    command_age_s: float = FRESH_S
    report_age_s: float = FRESH_S
    speed: float = 8.0
    measured: float = 0.0
    hold: float = 1.5
    slips: bool = False
    reported_front: float = 0.0
    reported_gear: Gear = Gear.DRIVE
    reported_hand_brake: bool = False
    driver: DriverActivity = NO_DRIVER


class Witness(NamedTuple):
    """What inputs and packets until now amount to, by the words of the promises.

    `sends`: the latest packet was sent. `drive`, `brake`: its parts. `demand`, `answered`: the
    deceleration that a stop may not go below, and as the car can have answered. `eases`: a stop
    stood in the latest packet, or is being released. `latched`, `theirs`: an emergency stop stands;
    a person has taken it. `back`: give_back came since. `person_s`: age of the latest fresh report
    of a person. `pressed_s`: how long accelerator or switch are newly pressed. `later`: only a
    later engagement may drive. `number`, `counted`: the sender's counts from the gate's.
    """

    sends: bool = False
    drive: float = 0.0
    brake: float = 0.0
    demand: float = 0.0
    answered: float = 0.0
    front: float = 0.0
    eases: bool = False
    latched: bool = False
    theirs: bool = False
    back: bool = False
    person_s: float = math.inf
    pressed_s: float = UNPRESSED_S
    later: bool = False
    number: int = 0
    counted: int = 0
    new_number: bool = True

    @property
    def effort(self) -> float:
        """What was sent, positive drives."""
        return -self.brake if self.brake > 0.0 else self.drive


class Place(NamedTuple):
    """A state of the search: the gate's own, as of time 0, and the witness."""

    state: GateState
    witness: Witness


class Packet(NamedTuple):
    """One application of the gate. `witness`: before it."""

    inputs: Inputs
    witness: Witness
    wanted: PlatformCommand
    sent: PlatformCommand
    state: GateState
    number: int
    limits: GateLimits


class Grid(NamedTuple):
    """Values by field of `Inputs`, and the parameters. `short`: those of the quick suite."""

    name: str
    values: Mapping[str, tuple[Any, ...]]
    short: Mapping[str, tuple[Any, ...]]
    limits: GateLimits

    def inputs(self, *, short: bool) -> Iterator[Inputs]:
        """Every combination."""
        values = {**self.values, **self.short} if short else self.values
        for row in product(*values.values()):
            yield Inputs(**dict(zip(values, row, strict=True)))


def limits(period_s: float = 0.5, **safety: Any) -> GateLimits:
    """Return limits under which demands of whole m/s2 are reached in few packets."""
    numbers: dict[str, Any] = {
        "stop_decel_mps2": 2.0,
        "stop_jerk_mps3": 2.0,
        "brake_jerk_max_mps3": 10.0,
        "jerk_max_mps3": 4.0,
        "lateral_jerk_max_mps3": 200.0,
        "steer_rate_max_radps": (0.8, 0.8, 0.8, 0.8),
    }
    parameters = SafetyParameters(**{**numbers, **safety})
    return GateLimits(parameters, period_s, 0.5, 3.0, 0.0, 0.6, 0.1)


def apply(place: Place, inputs: Inputs, limits: GateLimits, judges: Gate = gate) -> Packet:
    """Give one packet to the gate, `after_s` after time 0."""
    state, witness = place
    now = inputs.after_s
    direction = travel_direction(inputs.gear, inputs.speed)
    body = BodyCommand(gear=inputs.gear, hand_brake=inputs.hand_brake)
    vehicle = VehicleCommand(now - inputs.command_age_s, direction * inputs.effort, inputs.front)
    raw = RawCommand(now, throttle=300) if inputs.raw else None
    command = PlatformCommand(
        inputs.authority,
        Mode.AUTONOMOUS,
        vehicle,
        body,
        raw,
        hold_mps2=inputs.pedals_hold,
        no_drive=inputs.no_drive,
    )
    number = counted(witness.number, inputs.number)
    asked_n = counted(witness.counted, inputs.counted)
    wanted = Wanted(
        command,
        inputs.asked,
        inputs.stops,
        state.engagement + number,
        state.emergency_n + asked_n,
    )
    facts = Facts(
        now,
        now - inputs.command_age_s,
        now - inputs.report_age_s,
        inputs.speed,
        inputs.measured,
        inputs.hold,
        inputs.slips,
        inputs.reported_front,
        0.0,
        inputs.reported_gear,
        inputs.reported_hand_brake,
        inputs.driver,
    )
    sent, after, _ = judges(state, wanted, facts, limits)
    # The sender's counts stay where they are; the gate's may have followed.
    witness = witness._replace(number=number, counted=asked_n)
    return Packet(inputs, witness, command, sent, after, wanted.engagement, limits)


def counted(before: int, change: int) -> int:
    """Return a count of the sender from the gate's; more than one later is as good as one."""
    return -1 if change < 0 else min(before + change, 1)


def placed(packet: Packet, before: Place, witness: Witness) -> Place:
    """Return the state after a packet, with its times from now and its counts from 0."""
    now, state = packet.inputs.after_s, packet.state
    number = packet.number - state.engagement
    asked_n = before.state.emergency_n + witness.counted - state.emergency_n
    person_s = state.person_s - now
    numbers = [round(number, DIGITS) for number in state[1:6]]
    state = state._replace(
        sent_s=-math.inf if state.sent_s == -math.inf else 0.0,
        demand_mps2=numbers[0],
        settled_mps2=numbers[1],
        effort_mps2=numbers[2],
        front_rad=numbers[3],
        rear_rad=numbers[4],
        engagement=0,
        emergency_n=0,
        person_s=-math.inf if person_s < -LONG_S else round(person_s, DIGITS),
        pressed_s=from_now(state.pressed_s, now),
    )
    person_s = math.inf if witness.person_s > LONG_S else round(witness.person_s, DIGITS)
    return Place(
        state,
        witness._replace(
            person_s=person_s,
            pressed_s=(
                HELD_BEFORE_S
                if witness.pressed_s == HELD_BEFORE_S
                else min(round(witness.pressed_s, DIGITS), LONG_S)
            ),
            number=max(min(number, 1), -1),
            counted=max(min(asked_n, 1), -1),
        ),
    )


def from_now(since_s: float, now: float) -> float | None:
    """Return a time of the gate from now; a nan, which equals nothing, as None."""
    if since_s != since_s:
        return None
    return since_s if math.isinf(since_s) else max(round(since_s - now, DIGITS), -LONG_S)


def thawed(place: Place) -> Place:
    """Return the state as the gate has it."""
    state = place.state
    return (
        place
        if state.pressed_s is not None
        else place._replace(state=state._replace(pressed_s=math.nan))
    )


BEGIN = Place(START._replace(pressed_s=None), Witness())  # type: ignore[arg-type]

_ALL, _CI = Authority, (Authority.COMMAND, Authority.IDLE)
_AGES = (FRESH_S, STALE_S)
GRIDS = (
    Grid(
        "stops",
        {
            "effort": (1.0, 0.0, -3.0, math.nan),
            "asked": (1.0, -3.0),
            "stops": ((), (SOFT,), (HARD, SOFT)),
            "speed": (0.0, 0.5, -0.5, 1.4, 8.0),
            "report_age_s": _AGES,
            "measured": (0.0, -6.0),
            "slips": (False, True),
            "authority": _CI,
        },
        {"effort": (1.0, 0.0), "speed": (0.0, 0.5, 8.0), "authority": (Authority.COMMAND,)},
        limits(),
    ),
    Grid(
        "stops, response",
        {
            "after_s": (0.15,),
            "effort": (1.0, 0.0),
            "asked": (0.0, -3.0),
            "stops": ((), (HARD,)),
            "speed": (0.0, 8.0),
            "measured": (0.0, -1.0, -6.0),
        },
        {},
        limits(0.15),
    ),
    Grid(
        "stops, blind",
        {
            "effort": (0.0, -3.0),
            "asked": (0.0,),
            "stops": ((), (SOFT,)),
            "speed": (0.0, 8.0),
            "report_age_s": _AGES,
            "measured": (0.0, -6.0),
            "hold": (0.5, 2.8),
        },
        {},
        limits(),
    ),
    Grid(
        "pedals, holding",
        {
            "effort": (1.0, 0.0, -0.5, -math.inf),
            "asked": (0.0, -math.inf, math.nan),
            "pedals_hold": (0.0, 3.0),
            "no_drive": (False, True),
            "stops": ((), (SOFT,)),
            "speed": (0.0, 0.5, -0.5, 1.4),
            "hold": (0.5, 2.5),
            "command_age_s": _AGES,
        },
        {"asked": (0.0, -math.inf), "hold": (2.5,)},
        limits(),
    ),
    Grid(
        "emergency",
        {
            "after_s": (0.31,),
            "effort": (1.0, 0.0),
            "authority": tuple(_ALL),
            "stops": ((), (EMERGENCY,)),
            "speed": (0.0, 8.0),
            "report_age_s": _AGES,
            "number": (0, 1),
            "counted": (0, 1, -1),
            "driver": (NO_DRIVER, ACCELERATOR, PEDAL),
        },
        {
            "effort": (1.0,),
            "number": (0,),
            "counted": (0, 1),
            "authority": (Authority.COMMAND, Authority.SILENT),
        },
        limits(0.31),
    ),
    Grid(
        "engagements",
        {
            "effort": (1.0, -0.5),
            "authority": tuple(_ALL),
            "stops": ((), (SOFT,), (CABIN,), (SOFT, CABIN)),
            "speed": (0.0, 0.5, 8.0),
            "report_age_s": _AGES,
            "number": (0, 1, -1),
            "raw": (False, True),
        },
        {"effort": (1.0,), "stops": ((), (CABIN,))},
        limits(),
    ),
    Grid(
        "steering",
        {
            "after_s": (0.1, 0.25, 1.0),
            "authority": (Authority.COMMAND, Authority.SILENT),
            "front": (0.0, 0.2, -0.7, math.nan),
            "number": (0, 1),
            "reported_front": (0.0, 0.7, math.nan),
            "raw": (False, True),
        },
        {"front": (0.2, 0.7, math.nan), "after_s": (0.1, 1.0)},
        limits(0.25),
    ),
    Grid(
        "steering, rate off",
        {
            "authority": tuple(_ALL),
            "front": (0.0, 0.2, 0.7, math.nan, math.inf),
            "number": (0, 1),
            "reported_front": (0.0, 0.7),
        },
        {},
        limits(disabled_rules="rate"),
    ),
    Grid(
        "gears and hand brake",
        {
            "effort": (1.0, -3.0),
            "stops": ((), (SOFT,)),
            "gear": tuple(Gear),
            "reported_gear": tuple(Gear),
            "hand_brake": (False, True),
            "reported_hand_brake": (False, True),
            "speed": (0.0, 0.2, -0.2, 0.5, -0.5, 8.0),
            "report_age_s": _AGES,
        },
        {"reported_gear": (Gear.DRIVE, Gear.REVERSE), "speed": (0.0, 0.2, -0.5, 8.0)},
        limits(),
    ),
)
"""What is explored. Efforts and demands: 0, below, at and above the demand of a stop; speeds: at
rest, below and above each bound of the gate."""
