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
SWITCH = DriverActivity(switch=True)
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
    rear: float = 0.0
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
    reported_rear: float = 0.0
    reported_gear: Gear | None = Gear.DRIVE
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
    rear: float = 0.0
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


class Posed(NamedTuple):
    """Inputs as the gate gets them, and what the words of the promises make of them alone.

    `fresh`, `in_time`: the report, and the command. `at_rest`: a fresh report says so; `rested`:
    the latest does, however old. `decel`, `jerk`: of the hardest stop. `asked`: what the sender
    asks. `interlocked`: a stop needs a later engagement. `requested`: an emergency stop is asked
    for. `uses`, `presses`: a person, by a fresh report. `free`: a release has no ramp.
    """

    inputs: Inputs
    command: PlatformCommand
    facts: Facts
    wanted: dict[tuple[int, int], Wanted]
    fresh: bool
    in_time: bool
    at_rest: bool
    rested: bool
    decel: float
    jerk: float
    asked: float
    interlocked: bool
    requested: bool
    uses: bool
    presses: bool
    free: bool


class Packet(NamedTuple):
    """One application of the gate. `witness`: before it."""

    inputs: Inputs
    witness: Witness
    wanted: PlatformCommand
    sent: PlatformCommand
    state: GateState
    number: int
    limits: GateLimits
    posed: Posed


class Grid(NamedTuple):
    """Values by field of `Inputs`, and the parameters. `short`: those of the quick suite.

    `digits`: so many digits of their accelerations and angles tell states apart. A blind brake is
    1.2 times the demand, and a release takes a step from it: with five digits the states of such a
    grid are a chain without a useful end.
    """

    name: str
    values: Mapping[str, tuple[Any, ...]]
    short: Mapping[str, tuple[Any, ...]]
    limits: GateLimits
    digits: int = DIGITS

    def inputs(self, *, short: bool) -> Iterator[Inputs]:
        """Every combination."""
        values = {**self.values, **self.short} if short else self.values
        for row in product(*values.values()):
            yield Inputs(**dict(zip(values, row, strict=True)))

    def posed(self, *, short: bool) -> tuple[Posed, ...]:
        """Every combination as the gate gets it, made once."""
        return tuple(posed(inputs, self.limits) for inputs in self.inputs(short=short))


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


def posed(inputs: Inputs, limits: GateLimits) -> Posed:
    """Return inputs as the gate gets them, `after_s` after time 0."""
    safety, now = limits.safety, inputs.after_s
    direction = travel_direction(inputs.gear, inputs.speed)
    body = BodyCommand(gear=inputs.gear, hand_brake=inputs.hand_brake)
    stamp_s, effort = now - inputs.command_age_s, direction * inputs.effort
    vehicle = VehicleCommand(stamp_s, effort, inputs.front, inputs.rear)
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
    facts = Facts(
        now,
        stamp_s,
        now - inputs.report_age_s,
        inputs.speed,
        inputs.measured,
        inputs.hold,
        inputs.slips,
        inputs.reported_front,
        inputs.reported_rear,
        inputs.reported_gear,
        inputs.reported_hand_brake,
        inputs.driver,
    )
    # Counts of the sender from the gate's, which are 0 in every place.
    counts = product((-1, 0, 1), repeat=2)
    wanted = {pair: Wanted(command, inputs.asked, inputs.stops, *pair) for pair in counts}
    fresh = abs(now - facts.report_s) <= safety.report_timeout_s
    rested = abs(inputs.speed) <= safety.standstill_speed_mps
    at_rest, driver = fresh and rested, inputs.driver
    return Posed(
        inputs,
        command,
        facts,
        wanted,
        fresh=fresh,
        in_time=abs(now - stamp_s) <= limits.command_timeout_s,
        at_rest=at_rest,
        rested=rested,
        decel=max(safety.stop_decel_mps2, *(stop.decel_mps2 for stop in inputs.stops), 0.0),
        jerk=max(safety.stop_jerk_mps3, *(stop.jerk_mps3 for stop in inputs.stops), 0.0),
        asked=max(-inputs.asked, 0.0) if math.isfinite(inputs.asked) else 0.0,
        interlocked=any(stop.until is Until.ENGAGED for stop in inputs.stops),
        requested=any(stop.until is Until.RELEASED for stop in inputs.stops),
        uses=fresh and bool(driver.active_controls()),
        presses=fresh and (driver.accelerator or driver.switch),
        free=at_rest or inputs.slips or inputs.raw or inputs.pedals_hold > 0.0,
    )


def apply(place: Place, posed: Posed, limits: GateLimits, judges: Gate = gate) -> Packet:
    """Give one packet to the gate."""
    state, witness = place
    inputs = posed.inputs
    number = counted(witness.number, inputs.number)
    asked_n = counted(witness.counted, inputs.counted)
    wanted = posed.wanted[number, asked_n]
    sent, after, _ = judges(state, wanted, posed.facts, limits)
    if number != witness.number or asked_n != witness.counted:
        # The sender's counts stay where they are; the gate's may have followed.
        witness = witness._replace(number=number, counted=asked_n)
    return Packet(inputs, witness, posed.command, sent, after, number, limits, posed)


def counted(before: int, change: int) -> int:
    """Return a count of the sender from the gate's; more than one later is as good as one."""
    return -1 if change < 0 else min(before + change, 1)


def placed(packet: Packet, witness: Witness, digits: int) -> Place:
    """Return the state after a packet, with its times from now and its counts from 0."""
    now, state = packet.inputs.after_s, packet.state
    number = packet.number - state.engagement
    asked_n = witness.counted - state.emergency_n
    person_s = state.person_s - now
    numbers = [round(number, digits) for number in state[1:6]]
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
    return Place(
        state,
        witness._replace(
            drive=round(witness.drive, digits),
            brake=round(witness.brake, digits),
            demand=round(witness.demand, digits),
            answered=round(witness.answered, digits),
            front=round(witness.front, digits),
            rear=round(witness.rear, digits),
            person_s=math.inf if witness.person_s > LONG_S else round(witness.person_s, DIGITS),
            pressed_s=(
                HELD_BEFORE_S
                if witness.pressed_s == HELD_BEFORE_S
                else min(round(witness.pressed_s, DIGITS), LONG_S)
            ),
            number=max(min(number, 1), -1),
            counted=max(min(asked_n, 1), -1),
        ),
    )


class Places:
    """The states that a search has reached, in the order of their finding."""

    def __init__(self, digits: int) -> None:
        self._digits = digits
        self.found = [BEGIN]
        self._known = {BEGIN}
        self._led: dict[tuple[GateState, Witness, float, int], Place] = {}

    def add(self, packet: Packet, witness: Witness) -> bool:
        """Note where a packet has led; tell whether that is new."""
        # Most packets of a state lead to what another one has led to: it is told by a look.
        key = (packet.state, witness, packet.inputs.after_s, packet.number)
        if key in self._led:
            return False
        place = self._led[key] = placed(packet, witness, self._digits)
        if place in self._known:
            return False
        self._known.add(place)
        self.found.append(place)
        return True

    def at(self, number: int) -> Place:
        """Return a state as the gate has it; what led from others to here is forgotten."""
        self._led.clear()
        return thawed(self.found[number])


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
_TIMEOUT_S = limits().safety.report_timeout_s
_AT_SPEEDS = (0.1, 0.101, 0.3, 0.301, 0.999, 1.0, 1.414, 1.415, 1.499, 1.5)
"""At each bound of a speed, and beside it; 1.4142 m/s end within 0.5 m at the soft stop."""
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
        digits=2,
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
            "reported_gear": (*Gear, None),
            "hand_brake": (False, True),
            "reported_hand_brake": (False, True),
            "speed": (0.0, 0.2, -0.2, 0.5, -0.5, 8.0),
            "report_age_s": _AGES,
        },
        {"reported_gear": (Gear.DRIVE, Gear.REVERSE), "speed": (0.0, 0.2, -0.5, 8.0)},
        limits(),
    ),
    Grid(
        "gears, bounds of speed",
        {
            "gear": tuple(Gear),
            "hand_brake": (False, True),
            "speed": tuple(sign * speed for speed in _AT_SPEEDS[:4] for sign in (1.0, -1.0)),
            "report_age_s": _AGES,
        },
        {},
        limits(),
    ),
    Grid(
        "bounds of speed",
        {
            "effort": (1.0, 0.0),
            "stops": ((), (SOFT,), (HARD,), (CABIN,)),
            "speed": tuple(sign * speed for speed in _AT_SPEEDS for sign in (1.0, -1.0)),
            "report_age_s": _AGES,
            "number": (0, 1),
        },
        {"speed": _AT_SPEEDS, "number": (0,)},
        limits(),
        digits=2,
    ),
    Grid(
        "bounds of an answer",
        {
            "effort": (1.0, 0.0),
            "stops": ((), (SOFT,), (HARD,)),
            "measured": (0.0, -1.699, -1.701, -4.399, -4.401),
            "slips": (False, True),
        },
        {},
        limits(),
    ),
    Grid(
        "bounds of time",
        {
            "after_s": (-0.25, 0.0, 0.25, 0.5, 0.75),
            "effort": (1.0, -3.0),
            "stops": ((), (SOFT,)),
            "command_age_s": (0.0, 0.5, -0.5, 0.501, -0.501),
            "report_age_s": (0.0, _TIMEOUT_S, -_TIMEOUT_S, _TIMEOUT_S + 1e-3, -_TIMEOUT_S - 1e-3),
        },
        {"after_s": (-0.25, 0.0, 0.75), "effort": (1.0,)},
        limits(),
        digits=2,
    ),
    Grid(
        "a person at the controls",
        {
            "after_s": (0.2, 0.3),
            "authority": tuple(_ALL),
            "stops": ((), (EMERGENCY,)),
            "speed": (0.0, 8.0),
            "report_age_s": _AGES,
            "counted": (0, 1),
            "driver": (NO_DRIVER, ACCELERATOR, PEDAL, SWITCH),
        },
        {"authority": (Authority.SILENT,), "driver": (NO_DRIVER, ACCELERATOR), "after_s": (0.3,)},
        limits(0.2, stop_jerk_mps3=100.0, brake_jerk_max_mps3=100.0),
        digits=1,
    ),
    Grid(
        "steering, bounds",
        {
            "front": (0.0, 0.2, 0.2002, 0.6, 0.6002, -0.6, -0.6002),
            "rear": (0.0, 0.1, 0.1002, -0.1, -0.1002, math.inf),
            "reported_front": (0.0, 0.4),
            "reported_rear": (0.0, 0.2, math.nan),
            "number": (0, 1),
            "raw": (False, True),
        },
        {"front": (0.0, 0.6, -0.6002), "rear": (0.0, 0.1, 0.1002, math.inf)},
        limits(0.25),
    ),
)
"""What is explored. Efforts and demands: 0, below, at and above the demand of a stop; speeds: at
rest, below and above each bound of the gate."""
