"""What a run leaves behind: bytes on the wire, the car's motion, and what was done to both.

Nothing here was computed by the product. `packets` are decoded from the bytes that left the
interface; `car` is the plant's own state; `facts` are the simulator's notes of what it did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

from vdsim_interface.pipeline.parameters import InterfaceParameters

from vdsim_simulate.scene import Scene

T = TypeVar("T")


class Sent(NamedTuple):
    """A CMD packet as it leaves the interface: `time_s` of the world."""

    time_s: float
    steer_rad: float
    throttle: float
    brake: float
    gear: int
    hand_brake: bool


class Wanted(NamedTuple):
    """A command of a stack, as it arrives; nan: not of its level.

    Speed and curvature of the path, or acceleration on a flat road and the front wheels' angle, or
    pedals from 0 to 1 and that angle.
    """

    time_s: float
    speed_mps: float = math.nan
    curvature_1pm: float = math.nan
    accel_mps2: float = math.nan
    angle_rad: float = math.nan
    throttle: float = math.nan
    brake: float = math.nan


class BusFrame(NamedTuple):
    """A frame of the interface on the bus. `enables`: None where the message has no such bit.

    `next_counter`: that of the frame after it; `first_counter`: that of a process that starts.
    """

    time_s: float
    message: str
    counter: int
    is_protected: bool
    """Whether its checksum fits."""
    enables: bool | None
    clears: bool
    steer_rad: float
    throttle: float
    brake: float
    next_counter: int
    first_counter: int = 0


class Sample(NamedTuple):
    """The true car after one tick: world ENU, body ISO 8855.

    `accel_mps2`: along the body, gravity's share included. `slip`: of the wheel that slips most.
    `brake`: the pedal in effect, 0 to 1.
    """

    time_s: float
    x_m: float
    vx_mps: float
    accel_mps2: float
    yaw_rate_radps: float
    steer_rad: float
    slip: float
    throttle: float = 0.0
    """Signed share of the motor's torque."""
    brake_nm: float = 0.0
    """Of all wheels."""
    brake: float = 0.0


class Header(NamedTuple):
    """The header of a datagram of VDS1, when it leaves: docs/vds1.md."""

    time_s: float
    version: int
    number: int
    stamp_s: float


class Told(NamedTuple):
    """What a STATE says of the car, when it leaves; nan: not in this version. World ENU, body."""

    header: Header
    x_m: float
    vx_mps: float
    yaw_rate_radps: float
    steer_rad: float
    throttle: float
    brake: float


class Fact(NamedTuple):
    """Something that the simulator did, or that the interface answered.

    `what` is one of the names below; `text` is a sentence for the story, empty for what repeats or
    was said before. `who`: the process it is about, or the source of
    a command, empty for the stack.
    """

    time_s: float
    what: str
    text: str = ""
    who: str = ""


# Arrivals at the interface's process, that is: handled by it.
COMMAND, STATE = "command", "state"
# People and what they do; each when it arrives.
ENGAGE, ENGAGED, DISENGAGE = "engage", "engaged", "disengage"
SWITCH_ON, SWITCH_OFF = "switch on", "switch off"
LOCKED, UNLOCKED = "locked", "unlocked"
# A pad whose dead-man button is released, and one whose button was held from its first message on.
JOY, HELD = "joy", "held"
# A page whose throttle was pressed before its dead-man button commands with both, until it ends.
PULLED, PULLED_NO_MORE = "pulled first", "pulled no more"
NONSENSE = "nonsense"
# What each state message says: `who` is the gear's name, "on" or "off", and the turn signal's name.
GEAR_SAID, HAND_BRAKE_SAID, LAMPS_SAID = "gear said", "hand brake said", "lamps said"
DOOR_OPEN, DOOR_SHUT = "door open", "door shut"
EMERGENCY, GIVE_BACK, GIVEN_BACK = "emergency", "give back", "given back"
# When a person asks, before the process handles it.
ASKS_TO_ENGAGE = "asks to engage"
# Processes.
STALLED, RUNS_AGAIN, KILLED, STARTED = "stalled", "runs again", "killed", "started"
# Of a process that sends what another one decides: it has started, and hears that one.
DEAF, HEARS = "deaf", "hears"
# What the stack asks for.
HEALED, DRIVES_NOW, STANDS_NOW = "healed", "must drive", "must stand"
FAULT, ANSWER, MEMORY = "fault", "answer", "memory runs short"
MEMORY_BACK = "memory is there again"
# `who`: "back" where it jumped back.
CLOCK = "clock"
# On a bus: `who` is what it is about, as a message.
BROKEN, MENDED = "broken", "mended"
STATE_CUT, COMMAND_CUT = "state cut", "command cut"
STATE_PASSES = "state passes again"
# On MORAI: the simulator is paused, goes on, puts the car back to its start, reports its keyboard.
PAUSED, GOES_ON, LOADED, KEYBOARD = "paused", "goes on", "loaded", "keyboard"
STRANGER, STRANGER_GONE = "stranger", "stranger gone"


class Explained(NamedTuple):
    """What a packet is made of, and how many lines the event log had when it left.

    `transitions_n`: of the mode, counted at its machine. `stops`: their sources; none in silence.
    """

    time_s: float
    lines_n: int
    transitions_n: int
    mode: str
    is_emergency: bool
    stops: frozenset[str]


class Commanded(NamedTuple):
    """A command is given on: whose it is by the arbiter, and what its event log had before.

    `is_apart`: whether who commands has a log of its own (`Record.control`).
    """

    time_s: float
    lines_n: int
    who: str
    is_apart: bool


class Asked(NamedTuple):
    """A command of composition `two_computers`: the front wheels' angle, whether it drives.

    `amount`: its speed or its acceleration, by the level.
    """

    time_s: float
    angle_rad: float
    drives: bool
    amount: float = 0.0


@dataclass
class Computers:
    """What passed before the interface: of each computer, of the mux, and of the switcher."""

    sent: dict[str, list[Asked]] = field(default_factory=lambda: {"main": [], "sub": []})
    passed: list[Asked] = field(default_factory=list)
    said: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)


@dataclass
class Record:
    """The whole run, in order of time."""

    scene: Scene
    parameters: InterfaceParameters = field(default_factory=InterfaceParameters)
    """As configured."""
    packets: list[Sent] = field(default_factory=list)
    driven: list[tuple[float, bool]] = field(default_factory=list)
    """On a bus: changes of whether commands drive the car, as its ECUs have it."""
    frames: list[BusFrame] = field(default_factory=list)
    """On a bus. There, `packets` are what its frames say together while they enable the car."""
    arrivals_s: list[float] = field(default_factory=list)
    """When a command reached the car, and drove it."""
    heard: list[tuple[float, float]] = field(default_factory=list)
    """On VDS1: when a whole STATE reached the interface's socket, and when the car sent it [s]."""
    used: list[tuple[float, float]] = field(default_factory=list)
    """When the interface accepted a report, and the report's time of the vehicle [s]."""
    received: list[tuple[float, int]] = field(default_factory=list)
    """On VDS1: when a whole CMD reached the car, and which one of `packets` it is."""
    car: list[Sample] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    """On VDS1: of each of `packets`."""
    states: list[Told] = field(default_factory=list)
    """On VDS1: each STATE that the car sends."""
    met: dict[bytes, float] = field(default_factory=dict)
    """On a bus: when each message of the car first reached the interface [s], by its packed id."""
    facts: list[Fact] = field(default_factory=list)
    shown: list[tuple[float, str]] = field(default_factory=list)
    """Changes of the mode that the interface publishes, in the report of the body."""
    statuses: list[tuple[float, str]] = field(default_factory=list)
    """Changes of the mode that the safety status has; empty while its process does not run."""
    reached: set[tuple[str, str, str]] = field(default_factory=set)
    """Coverage: each fault with what the car did and the mode that was shown when it began."""

    told: list[tuple[float, str, str]] = field(default_factory=list)
    """Notices as they are published: when, kind, text."""
    drivers: list[tuple[float, str]] = field(default_factory=list)
    """Changes of who is shown to command; empty: nobody."""
    computers: Computers | None = None
    """Of composition `two_computers`."""
    events: list[str] = field(default_factory=list)
    """Lines of the event log, of the process that decides."""
    control: list[str] = field(default_factory=list)
    """Lines of its part about who commands, where another process decides that."""
    asked: list[tuple[float, float]] = field(default_factory=list)
    """When a stack's command was received that asks for an acceleration on a flat road [m/s2]."""
    wanted: list[Wanted] = field(default_factory=list)
    """Each command of a stack that was received."""
    lamps: list[tuple[float, str]] = field(default_factory=list)
    """Changes of the turn signals and hazard lamps that the interface reports."""
    commanded: list[Commanded] = field(default_factory=list)
    explained: list[Explained] = field(default_factory=list)
    kept: list[tuple[float, int]] = field(default_factory=list)
    """How many objects the interface's objects hold, now and then."""
    derived: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What several oracles ask for (`once`)."""

    def intervals(self, who: str) -> list[tuple[float, float]]:
        """Return when a process does not run."""
        begins, found = None, []
        for fact in rare(self):
            if fact.who != who:
                continue
            if fact.what in (STALLED, KILLED) and begins is None:
                begins = fact.time_s
            elif fact.what in (RUNS_AGAIN, STARTED) and begins is not None:
                found.append((begins, fact.time_s))
                begins = None
        return found if begins is None else [*found, (begins, self.scene.ends_s)]

    def left_alone(self) -> list[tuple[float, float]]:
        """Return when the car's ECUs let no command drive it; there its own brake acts."""
        changes = [*self.driven, (self.scene.ends_s, True)]
        return [(a, b) for (a, driven), (b, _) in pairwise(changes) if not driven]

    def times(self, *names: str) -> Sequence[float]:
        """Return when facts of these names happened [s]."""
        by_name = _times_by_name(self)
        if len(names) == 1:
            return by_name.get(names[0], ())
        return sorted(time_s for name in names for time_s in by_name.get(name, ()))


def once(of: Callable[[Record], T]) -> Callable[[Record], T]:
    """Compute it once for a record, and again when the record has grown or has other lists."""

    @wraps(of)
    def derived(record: Record) -> T:
        told, car, packets = record.facts, record.car, record.packets
        now = id(told), len(told), id(car), len(car), id(packets), len(packets)
        before, found = record.derived.get(of, (None, None))
        if before != now:
            found = of(record)
            record.derived[of] = now, found
        return cast(T, found)

    return derived


@once
def _times_by_name(record: Record) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    for fact in record.facts:
        times.setdefault(fact.what, []).append(fact.time_s)
    return times


@once
def rare(record: Record) -> list[Fact]:
    """Return the facts without arrivals of reports and of the stack's commands: almost all are."""
    return [
        fact for fact in record.facts if fact.what != STATE and (fact.who or fact.what != COMMAND)
    ]
