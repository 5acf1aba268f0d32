"""A vehicle interface as Autoware's pages want it, and every way to break it. No ROS, no clock.

Each fault is one behaviour that is wrong; the code asks `self.has("...")` where it acts, or
`_broken` for the faults of one topic, without its name, where it acts in each step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.record import ERROR, OK, WARN, Endpoint

LOCK_RAD, STEER_RATE_RADPS = 0.6, 0.6
TIMEOUT_S, STOP_MPS2 = 0.5, 3.0
SHIFT_S, NEXT_SHIFT_S = 0.3, 2.0
SHOWN_S = 2.0
MOTION_HZ, STATE_HZ, ALARM_HZ = 25.0, 20.0, 2.0
RATES_HZ = (15.0, 250.0)
WHEELBASE_M = 2.8
UNSAFE_RAD = 0.2
GEARS = frozenset(names.GEARS.values())


class Status(NamedTuple):
    """A status to publish; `stamp_s` is the double's time, 0 for none."""

    topic: str
    values: tuple[float, ...]
    stamp_s: float


class Line(NamedTuple):
    """A line of /diagnostics."""

    name: str
    level: int
    text: str


@dataclass
class Shown:
    """The problem of one line, until it is old."""

    level: int = OK
    text: str = ""
    seen_s: float = -math.inf


@cache
def _broken(topic: str, faults: frozenset[str]) -> frozenset[str]:
    """The faults of a topic, without its name."""
    begin = f"{names.short(topic)}: "
    return frozenset(fault[len(begin) :] for fault in faults if fault.startswith(begin))


@cache
def _is_matched(topic: str, faults: frozenset[str]) -> bool:
    broken = {"missing", "wrong type"}
    if names.PAGE[topic].end == names.SUBSCRIPTION:
        broken |= {"transient local"} if topic == names.CONTROL else set()
    return not broken & _broken(topic, faults)


@dataclass
class Double:
    """The vehicle and its interface."""

    faults: frozenset[str] = frozenset()
    provoked: set[str] = field(default_factory=set)
    now: float = 0.0
    moved_s: float = 0.0
    """Until when the car has moved: commands that arrive between two steps set `now`, too."""
    velocity_mps: float = 0.0
    steer_rad: float = 0.0
    mode: int = names.MANUAL
    gear: int = names.PARK
    turn: int = names.DISABLE
    hazard: int = names.HAZARD_DISABLE
    control: tuple[float, float, float] = (0.0, 0.0, 0.0)
    control_s: float = -math.inf
    control_stamp_s: float = -math.inf
    arrivals_s: list[float] = field(default_factory=list)
    lines: dict[str, Shown] = field(default_factory=dict)
    due_s: dict[str, float] = field(default_factory=dict)
    changed_s: dict[str, float] = field(default_factory=dict)
    published: dict[str, tuple[float, ...]] = field(default_factory=dict)
    shift: tuple[int, float] | None = None
    shifted_s: float = -math.inf
    wanted_gear: int = 0
    held_s: float = -math.inf
    """When a person commanded last."""
    late: list[tuple[float, Status]] = field(default_factory=list)

    def has(self, fault: str) -> bool:
        """Whether this double is broken in this way."""
        return fault in self.faults

    # ---- the graph -------------------------------------------------------------------------------

    def endpoints(self) -> tuple[Endpoint, ...]:
        """What DDS announces."""
        made = []
        for page in names.PAGES:
            word = names.short(page.topic)
            if self.has(f"{word}: missing"):
                continue
            type_name = page.type_name
            if self.has(f"{word}: wrong type"):
                type_name = "std_msgs/msg/Int32" if page.end != names.SERVICE else "x/srv/Y"
            reliability = self._if(f"{word}: best effort", names.BEST_EFFORT, names.RELIABLE)
            durability = names.VOLATILE
            if page in names.STATES:
                wrong = f"{word}: volatile and on change"
                durability = self._if(wrong, names.VOLATILE, names.TRANSIENT_LOCAL)
            durability = self._if(f"{word}: transient local", names.TRANSIENT_LOCAL, durability)
            if page.end == names.SERVICE:
                reliability = durability = ""
            made.append(Endpoint(page.topic, page.end, type_name, reliability, durability))
        return tuple(made)

    def _if(self, fault: str, broken: str, sound: str) -> str:
        return broken if self.has(fault) else sound

    def is_matched(self, topic: str) -> bool:
        """Whether a partner with the pages' QoS and type exchanges messages with it."""
        return _is_matched(topic, self.faults)

    def latched(self, topic: str) -> Status | None:
        """What a late subscriber receives at once."""
        word = names.short(topic)
        lost = self.has(f"{word}: not latched") or self.has(f"{word}: volatile and on change")
        if lost or not self.is_matched(topic) or topic not in self.published:
            return None
        return Status(topic, self.published[topic], self.now)

    # ---- what arrives ----------------------------------------------------------------------------

    def receive(self, topic: str, values: tuple[float, ...], stamp_s: float) -> None:
        """Take a command."""
        if topic in (names.MANUAL_CONTROL, names.MANUAL_GEAR):
            self.held_s = self.now
            return
        if not self.is_matched(topic):
            return
        if topic == names.CONTROL:
            self._on_control((values[0], values[1], values[2]), stamp_s)
        elif topic == names.GEAR:
            self._on_gear(int(values[0]))
        elif topic == names.TURN:
            self._on_turn(int(values[0]))
        else:
            self._on_hazard(int(values[0]))

    def _problem(self, name: str, level: int, text: str) -> None:
        if not self.has(f"{name}: not reported"):
            self.lines[name.partition(":")[0]] = Shown(level, text, self.now)

    def _on_control(self, values: tuple[float, float, float], stamp_s: float) -> None:
        self.arrivals_s.append(self.now)
        if not all(map(math.isfinite, values)):
            self._problem("control_cmd: not finite", ERROR, "a number is not finite")
            if not self.has("control_cmd: not finite used"):
                return
        if self.has("control_cmd: latest stamp counts") and stamp_s < self.control_stamp_s:
            return
        if abs(values[2]) > LOCK_RAD:
            self._problem("control_cmd: out of range", WARN, "the angle is out of range")
            if self.has("control_cmd: out of range ignored"):
                return
        self.control, self.control_s, self.control_stamp_s = values, self.now, stamp_s

    def _accepts(self, group: str) -> bool:
        modes = {
            "velocity": (names.AUTONOMOUS, names.VELOCITY_ONLY),
            "steering": (names.AUTONOMOUS, names.STEER_ONLY),
            "others": (names.AUTONOMOUS, names.STEER_ONLY, names.VELOCITY_ONLY),
        }[group]
        return self.mode in modes

    def _obeys(self, group: str, topic: str) -> bool:
        word = names.short(topic)
        if self.mode == names.MANUAL and self.has(f"{word}: obeyed in MANUAL"):
            return True
        if self.mode == names.STEER_ONLY and self.has(f"STEER_ONLY: {group} obeyed"):
            return True
        if self.mode == names.VELOCITY_ONLY and self.has(f"VELOCITY_ONLY: {group} obeyed"):
            return True
        if self.mode not in (names.MANUAL, names.AUTONOMOUS) and self.has(f"partial: {word} lost"):
            return False
        return self._accepts(group)

    def _unknown(self, word: str, number: int, known: frozenset[int]) -> bool:
        """Whether a number is to be ignored."""
        if number == names.NONE:
            return not self.has(f"{word}: NONE taken")
        if number in known:
            return False
        self._problem(f"{word}: undefined", ERROR, f"{number} is undefined")
        return not self.has(f"{word}: undefined taken")

    def _on_gear(self, number: int) -> None:
        if self._unknown("gear_cmd", number, GEARS) or not self._obeys("velocity", names.GEAR):
            return
        self.wanted_gear = number
        if number == self.gear or self.has(f"gear_cmd: {number} ignored"):
            return
        if abs(self.velocity_mps) > 0.3 and not self.has("gear_cmd: taken while moving"):
            self._problem("gear_cmd: unsafe", WARN, "the car moves")
            return
        if self.now - self.shifted_s < NEXT_SHIFT_S and not self.has("gear_cmd: chatter taken"):
            return
        if self.shift is None:
            self.shift = (number, self.now + (30.0 if self.has("gear_cmd: late") else SHIFT_S))

    def _on_turn(self, number: int) -> None:
        known = frozenset((names.DISABLE, names.ENABLE_LEFT, names.ENABLE_RIGHT))
        word = "turn_indicators_cmd"
        if self._unknown(word, number, known) or not self._obeys("steering", names.TURN):
            return
        if self.has("turn_indicators_cmd: no lamps"):
            return
        if number == names.DISABLE and self.has("turn_indicators_cmd: stays on"):
            return
        if self.has("turn_indicators_cmd: sides swapped") and number in (2, 3):
            number = 5 - number
        self.turn = number
        if number == names.ENABLE_LEFT and self.has("turn_indicators_cmd: ends hazard lights"):
            self.hazard = names.HAZARD_DISABLE

    def _on_hazard(self, number: int) -> None:
        known = frozenset((names.HAZARD_DISABLE, names.HAZARD_ENABLE))
        word = "hazard_lights_cmd"
        if self._unknown(word, number, known) or not self._obeys("others", names.HAZARD):
            return
        if self.has("hazard_lights_cmd: no lamps"):
            return
        if self.has("turn_indicators_cmd: ends hazard lights") and self.turn == names.ENABLE_LEFT:
            return
        if not (number == names.HAZARD_DISABLE and self.has("hazard_lights_cmd: stays on")):
            self.hazard = number

    def request(self, mode: int) -> bool | None:
        """Answer a request of a control mode; None: no answer."""
        if not self.is_matched(names.REQUEST) or self.has("request: no answer"):
            return None
        if self.has("request: always refused"):
            return False
        if mode not in (1, 2, 3, 4):
            wrong = "request: NO_COMMAND granted" if mode == 0 else "request: undefined granted"
            if self.has(f"request: {'undefined' if mode else 'NO_COMMAND'} entered"):
                self.mode = names.MANUAL
            return self.has(wrong)
        if mode in (2, 3) and self.has("request: partial modes refused"):
            return False
        is_held = self.now - self.held_s <= TIMEOUT_S
        if mode in (2, 3) and self.has("request: partial modes need a person") and not is_held:
            return False
        if mode in (2, 3) and self.has("request: partial modes refused, entered"):
            self.mode = mode
            return False
        if mode == names.MANUAL and self.has("request: MANUAL refused"):
            return False
        unsafe = abs(self.velocity_mps) > 0.5 and abs(self.control[2] - self.steer_rad) > UNSAFE_RAD
        if mode == names.AUTONOMOUS and unsafe and not self.has("request: unsafe granted"):
            return False
        if not self.has(f"request: {mode} granted, not entered"):
            self.mode = mode
        return not self.has(f"request: {mode} refused, entered")

    # ---- one step --------------------------------------------------------------------------------

    def step(self, now: float) -> tuple[list[Status], list[Line]]:
        """Go on to `now`; return what to publish."""
        dt_s, self.now, self.moved_s = max(now - self.moved_s, 0.0), now, now
        self._move(dt_s)
        self._shift()
        self._watch()
        statuses = [] if self.has("all: nothing published") else self._statuses()
        return statuses, self._diagnostics()

    def _move(self, dt_s: float) -> None:
        is_stale = self.now - self.control_s > TIMEOUT_S
        velocity_mps, accel_mps2, angle_rad = self.control
        stopping = is_stale and not self.has("control_cmd: no time-out")
        if self.has("control_cmd: time-out coasts") and stopping:
            self.velocity_mps -= math.copysign(
                min(0.2 * dt_s, abs(self.velocity_mps)), self.velocity_mps
            )
            return
        drives = self._obeys("velocity", names.CONTROL) and not self.has("control_cmd: no speed")
        if stopping or not drives:
            # By hand nobody brakes in earnest: the car rolls out.
            brake_mps2 = 0.5 if self.mode == names.MANUAL else STOP_MPS2
            self.velocity_mps -= math.copysign(
                min(brake_mps2 * dt_s, abs(self.velocity_mps)), self.velocity_mps
            )
        elif self.gear in (names.DRIVE, names.REVERSE):
            self._accelerate(velocity_mps, accel_mps2, dt_s)
        steers = self._obeys("steering", names.CONTROL) and not self.has("control_cmd: no steering")
        if steers and not stopping:
            self._steer(angle_rad, dt_s)

    def _accelerate(self, velocity_mps: float, accel_mps2: float, dt_s: float) -> None:
        side = 1.0 if self.gear == names.DRIVE else -1.0
        if self.has("control_cmd: weak"):
            accel_mps2 *= 0.3
        speed_mps = side * self.velocity_mps + accel_mps2 * dt_s
        if "not_followed" in self.provoked:
            speed_mps = side * self.velocity_mps
            self._problem("tracking: not followed", WARN, "the car does not follow")
        if not self.has("control_cmd: weak"):
            speed_mps = min(speed_mps, max(abs(velocity_mps), side * self.velocity_mps - dt_s))
        self.velocity_mps = side * (speed_mps if math.isnan(speed_mps) else max(speed_mps, 0.0))

    def _steer(self, angle_rad: float, dt_s: float) -> None:
        lock_rad = math.inf if self.has("control_cmd: not clamped") else LOCK_RAD
        if self.has("control_cmd: steering inverted"):
            angle_rad = -angle_rad
        wanted_rad = (
            min(max(angle_rad, -lock_rad), lock_rad) if angle_rad == angle_rad else math.nan
        )
        step_rad = STEER_RATE_RADPS * dt_s
        change_rad = wanted_rad - self.steer_rad
        if not abs(change_rad) <= step_rad and change_rad == change_rad:
            change_rad = math.copysign(step_rad, change_rad)
        self.steer_rad = 0.0 if math.isnan(self.steer_rad) else self.steer_rad + change_rad

    def _shift(self) -> None:
        if self.shift is not None and self.now >= self.shift[1]:
            self.gear, self.shift, self.shifted_s = self.shift[0], None, self.now

    def _watch(self) -> None:
        self.arrivals_s = [t for t in self.arrivals_s if self.now - t <= 1.0]
        rate_hz = float(len(self.arrivals_s))
        if rate_hz < RATES_HZ[0] and self.now - self.control_s < 1.0:
            self._problem("rate: too low", ERROR, "the rate is too low")
        if rate_hz > RATES_HZ[1]:
            self._problem("rate: too high", ERROR, "the rate is too high")
        if "link_lost" in self.provoked:
            self._problem("status: link lost", ERROR, "the vehicle does not report")
        if "sensor_fault" in self.provoked:
            self._problem("status: sensor fault", ERROR, "a sensor has failed")
        for topic, cause in names.UNDEFINED_STATUS.items():
            if cause in self.provoked:
                self._problem(f"status: undefined {names.short(topic)}", ERROR, "undefined report")

    # ---- statuses --------------------------------------------------------------------------------

    def _values(self) -> Mapping[str, tuple[float, ...]]:
        speed_mps, angle_rad, sign = self.velocity_mps, self.steer_rad, 1.0
        if self.has("velocity_status: km/h"):
            speed_mps *= 3.6
        if self.has("velocity_status: no sign"):
            speed_mps = abs(speed_mps)
        if self.has("velocity_status: heading rate inverted"):
            sign = -1.0
        if self.has("velocity_status: NaN at rest") and abs(speed_mps) < 0.01:
            speed_mps = math.nan
        shown_rad = angle_rad
        if self.has("steering_status: degrees"):
            shown_rad = math.degrees(angle_rad)
        if self.has("steering_status: inverted"):
            shown_rad = -angle_rad
        yaw_radps = sign * self.velocity_mps * math.tan(angle_rad) / WHEELBASE_M
        gear = self.gear
        if self.has("gear_status: commanded one") and self.wanted_gear:
            gear = self.wanted_gear
        dark = (self.now % 0.8) > 0.4
        turn, hazard = self.turn, self.hazard
        if dark and self.has("turn_indicators_status: blinks"):
            turn = names.DISABLE
        if dark and self.has("hazard_lights_status: blinks"):
            hazard = names.HAZARD_DISABLE
        return {
            names.VELOCITY_STATUS: (speed_mps, 0.0, yaw_radps),
            names.STEERING_STATUS: (shown_rad,),
            names.GEAR_STATUS: (float(gear),),
            names.TURN_STATUS: (float(turn),),
            names.HAZARD_STATUS: (float(hazard),),
            names.MODE_STATUS: (float(self.mode),),
        }

    def _statuses(self) -> list[Status]:
        made = []
        for topic, values in self._values().items():
            if not self.is_matched(topic):
                continue
            broken = _broken(topic, self.faults)
            lost = "link_lost" in self.provoked and "goes on" not in broken
            cause = names.UNDEFINED_STATUS.get(topic)
            if cause in self.provoked:
                if "undefined published" not in broken:
                    continue
                values = (float(names.UNDEFINED),)
            if lost or not self._is_due(topic, values):
                continue
            if values != self.published.get(topic):
                self.changed_s[topic] = self.now
            self.published[topic] = values
            made.append(Status(topic, values, self._stamp(topic)))
        if not self.has("gear_status: late"):
            return made
        self.late += [(self.now + 12.0, item) for item in made if item.topic == names.GEAR_STATUS]
        due = [item for at_s, item in self.late if at_s <= self.now]
        self.late = [pair for pair in self.late if pair[0] > self.now]
        return [item for item in made if item.topic != names.GEAR_STATUS] + due

    def _is_due(self, topic: str, values: tuple[float, ...]) -> bool:
        broken = _broken(topic, self.faults)
        is_state = bool(names.PAGE[topic].values)
        on_change = "on change" in broken or "volatile and on change" in broken
        if on_change and is_state:
            return values != self.published.get(topic)
        if "pauses" in broken and self.now % 3.0 < 1.5:
            return False
        rate_hz = STATE_HZ if is_state else MOTION_HZ
        if "slow" in broken:
            rate_hz = 5.0
        if self.now < self.due_s.get(topic, -math.inf):
            return False
        self.due_s[topic] = self.now + 1.0 / rate_hz
        return True

    def _stamp(self, topic: str) -> float:
        broken = _broken(topic, self.faults)
        if "stamps zero" in broken:
            return 0.0
        if "stamps of the last change" in broken:
            return self.changed_s[topic]
        return self.now + (30.0 if "stamps ahead" in broken else 0.0)

    def _diagnostics(self) -> list[Line]:
        if self.now < self.due_s.get("/diagnostics", -math.inf):
            return []
        self.due_s["/diagnostics"] = self.now + 1.0 / ALARM_HZ
        if self.has("all: no diagnostics"):
            return []
        known = ("control_cmd", "gear_cmd", "turn_indicators_cmd", "hazard_lights_cmd")
        made = []
        for name in (*known, "rate", "status", "tracking"):
            shown = self.lines.get(name, Shown())
            is_new = self.now - shown.seen_s < SHOWN_S
            level = shown.level if is_new else OK
            if self.has("all: problems are only OK"):
                level = OK
            made.append(Line(name, level, shown.text if is_new else "no problem"))
        return made
