"""What the safety stage has received of stack, vehicle and people, and what autonomy needs of it.

Each input counts until the next one of its kind; the report of the motion has an age.

`RequiredInput`: is the source of an input that autonomy requires (cabin state, driver switch)
alive? It is while it has a publisher, was received, and, if it repeats its messages, repeats them
within three of its own periods. A source that publishes changes only (latched) is alive as long as
its publisher exists.

`AnswerWatch`: does the vehicle side answer a request to release the car?
"""

import math
from collections import deque

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    NOT_YET_REPORTED,
    NOTHING_PARKED,
    BodyState,
    CabinState,
    ControlLevel,
    NoticeKind,
    Odometry,
    Parked,
    RawCommand,
    Stop,
    VehicleCommand,
    notice_kinds,
    wheels_stand,
)

REPEATS_N = 3
"""As many equal messages in a row show that a source repeats itself."""
PERIODS_MAX = 3.0
"""A source that repeats itself is silent after this many of its own periods."""


class RequiredInput:
    """One input, by the name of its topic. `publishers_n`: how many publishers it has."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self.publishers_n = 0
        self._last: object = None
        self._last_s = math.inf
        self._intervals_s: deque[float] = deque(maxlen=REPEATS_N)

    def on_message(self, message: object, now: float) -> None:
        """Note a message."""
        if message != self._last:
            self._intervals_s.clear()
        elif math.isfinite(self._last_s):
            self._intervals_s.append(now - self._last_s)
        self._last, self._last_s = message, now

    def restart(self) -> None:
        """Time jumped back: judge the repetition again."""
        self._intervals_s.clear()
        self._last_s = math.inf

    def fault(self, now: float) -> str:
        """Return why the source is not alive; empty while it is."""
        if not self.publishers_n:
            return f"nobody publishes {self._topic}, which is required"
        if self._last is None:
            return f"{self._topic} is required and was not received yet"
        silence_s = now - self._last_s
        if len(self._intervals_s) == REPEATS_N:
            period_s = max(self._intervals_s)
            if silence_s > PERIODS_MAX * period_s:
                return f"{self._topic} is silent for {silence_s:.2f} s, and is required"
        return ""


class RequiredInputs:
    """Cabin state and driver switch. `lost`: why those that are required are not alive."""

    def __init__(self) -> None:
        self.cabin = RequiredInput("cabin_state")
        self.switch = RequiredInput("driver_override")
        self.lost: tuple[str, ...] = ()

    def on_publishers(self, cabin_n: int, switch_n: int) -> None:
        """Note how many publishers each topic has."""
        self.cabin.publishers_n, self.switch.publishers_n = cabin_n, switch_n

    def restart(self) -> None:
        """Time jumped back: judge the repetition of both again."""
        self.cabin.restart()
        self.switch.restart()

    def check(self, limits: SafetyParameters, now: float) -> bool:
        """Judge those that are required; return whether one has just been lost."""
        faults = []
        if limits.cabin_required and limits.applies("cabin_unsecured"):
            faults.append(self.cabin.fault(now))
        if limits.driver_switch_required:
            faults.append(self.switch.fault(now))
        had_fault = bool(self.lost)
        self.lost = tuple(fault for fault in faults if fault)
        return bool(self.lost) and not had_fault


NEVER_S = -math.inf
"""Time of receipt of what was never received [s]."""
REJECTED_WORDS = {
    notice_kinds.WRONG_LEVEL: " (commands of another level come)",
    notice_kinds.NON_FINITE_COMMAND: " (those that come are not finite)",
    notice_kinds.STALE_COMMAND: " (those that come are too old)",
}


class LatestCommand:
    """Holds the latest accepted command and the reason of the latest rejection.

    `command`: None before the first. `timeout_s`: the age up to which it is fresh.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.command: VehicleCommand | RawCommand | None = None
        self._rejected = notice_kinds.WRONG_LEVEL, NEVER_S

    def age_s(self, now: float) -> float:
        """Return the age of the command [s], infinite before the first."""
        return math.inf if self.command is None else now - self.command.stamp_s

    def is_fresh(self, now: float) -> bool:
        """Return whether there is a command that counts."""
        return self.age_s(now) <= self.timeout_s

    def reject(self, kind: NoticeKind, now: float) -> None:
        """Remember that a command was rejected, and why."""
        self._rejected = kind, now

    def rejected(self, now: float) -> str:
        """Name what arrives instead of commands that could pass; empty when nothing does."""
        kind, at_s = self._rejected
        return REJECTED_WORDS[kind] if 0.0 <= now - at_s <= self.timeout_s else ""

    def missing(self, level: ControlLevel, now: float) -> str:
        """Describe that no command arrives; empty while the latest one is fresh."""
        age_s = self.age_s(now)
        if math.isinf(age_s):
            return f"no command of level {level.value} has come{self.rejected(now)}"
        if age_s > self.timeout_s:
            return f"commands of level {level.value} do not come any more{self.rejected(now)}"
        return ""


def unmet_preconditions(inputs: "Inputs", limits: SafetyParameters, now: float) -> str:
    """Return the unmet preconditions in words; empty when all are met.

    [VI-3.3]: autonomy does not start before cabin and contents are secured.
    """
    report_age_s = inputs.report_age_s(now)
    unmet = []
    if inputs.emergency is not None:
        unmet.append("an emergency stop is latched: give_back releases it at standstill")
    if not report_age_s < math.inf:
        unmet.append("the vehicle does not report")
    elif report_age_s > limits.report_timeout_s:
        # A lag counts as age: what is too old may arrive all the time.
        unmet.append("the vehicle's reports have stopped, or arrive late")
    unmet.extend(inputs.unsecured(limits))
    if inputs.process_fault:
        unmet.append(inputs.process_fault)
    controls = ", ".join(inputs.driver.active_controls())
    if controls and limits.obeys_driver:
        unmet.append(f"the driver uses {controls}")
    if not inputs.vehicle_ready:
        words = f": {inputs.vehicle_words}" if inputs.vehicle_words else ""
        unmet.append(f"the vehicle is not ready for autonomy{words}")
    return "; ".join(unmet)


def handshake_missing(command_fresh: bool, vehicle_answered: bool) -> str:
    """Return what the handshake still needs; empty when it is complete."""
    if not command_fresh:
        return "no valid command"
    return "" if vehicle_answered else "no report since the request"


class Inputs:
    """The latest motion, body, cabin and driver.

    `body`: without what is ours of it, which is in `parked`: in PARK of ours, the gear before.
    `wheel_mps`: speed of the fastest wheel, nan where wheels are not reported. `vehicle_ready`:
    whether the vehicle itself is ready for, or still in, autonomous operation; `vehicle_words`: why
    it is not, as the platform says it. `doubt`: which reports of the vehicle contradict each other,
    empty for none: while some do, nothing shows a stand. `required`: whether the sources of the
    inputs that autonomy requires are alive. `process_fault`: what is wrong with the process itself,
    or empty. `emergency`: the emergency stop that is latched.
    """

    def __init__(self) -> None:
        self.odometry = Odometry(NEVER_S)
        self.body = NOT_YET_REPORTED
        self.parked = NOTHING_PARKED
        self.wheel_mps = math.nan
        self.cabin = CabinState()
        self.cabin_secured = True
        self.driver = NO_DRIVER
        self.vehicle_ready = True
        self.vehicle_words = ""
        self.doubt = ""
        self.required = RequiredInputs()
        self.process_fault = ""
        self.emergency: Stop | None = None

    def restart(self) -> None:
        """Time jumped back: discard the report from before, but for the wheels' angles."""
        self.odometry = self.odometry._replace(stamp_s=NEVER_S, velocity_mps=0.0)
        self.doubt = ""
        self.required.restart()

    def restore_from(self, previous: "Inputs") -> None:
        """Copy what is not sent again: the cabin and the driver, and how their sources behave.

        The wheels' angles, too: a stop holds them until the next report.
        """
        self.odometry = previous.odometry._replace(stamp_s=NEVER_S, velocity_mps=0.0)
        self.cabin, self.cabin_secured = previous.cabin, previous.cabin_secured
        self.driver = previous.driver
        self.required = previous.required
        self.process_fault = previous.process_fault
        self.emergency = previous.emergency

    def on_body(self, body: BodyState, wheel_mps: float, parked: Parked = NOTHING_PARKED) -> None:
        """Use the reported gear, lamps and so on, the fastest wheel, and what is ours."""
        self.body = body if parked is NOTHING_PARKED else parked.without(body)
        self.wheel_mps, self.parked = wheel_mps, parked

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Use the state of doors, belts and load."""
        self.required.cabin.on_message(cabin, now)
        self.cabin = cabin
        self.cabin_secured = not cabin.unsecured()

    def report_age_s(self, now: float) -> float:
        """Return the age of the report [s], infinite before the first."""
        return now - self.odometry.stamp_s

    def known_speed_mps(self, limits: SafetyParameters, now: float) -> float | None:
        """Return the measured speed, None when the report is stale."""
        fresh = self.report_age_s(now) <= limits.report_timeout_s
        return self.odometry.velocity_mps if fresh else None

    def moves(self, limits: SafetyParameters, now: float) -> bool:
        """Whether the car is known to move: by a fresh report that no other contradicts."""
        speed_mps, most_mps = self.known_speed_mps(limits, now), limits.standstill_speed_mps
        if speed_mps is None or self.doubt:
            return False
        return abs(speed_mps) > most_mps or not wheels_stand(self.wheel_mps, most_mps)

    def unsecured(self, limits: SafetyParameters) -> tuple[str, ...]:
        """Describe what of the cabin and the required inputs stops the car."""
        cabin = self.cabin.unsecured() if limits.applies("cabin_unsecured") else ()
        return (*cabin, *self.required.lost)


RELEASE_ANSWER_S = 1.0
NOT_RECEIVED = (
    "hand brake and PARK stay: the vehicle side does not receive the request to release them "
    "(safety stage -> stages/safe_command -> vehicle side)"
)


class AnswerWatch:
    """Counts for how long an answer has been missing; `reason` is empty while it is not.

    `is_counting`: it was missing in the last period.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing_s = 0.0
        self.is_counting = False
        self.reason = ""

    def step(self, *, is_missing: bool, period_s: float, answer_s: float) -> None:
        """Count one period."""
        self.is_counting = is_missing
        self._missing_s = min(self._missing_s + period_s, answer_s) if is_missing else 0.0
        self.reason = self._text if is_missing and self._missing_s >= answer_s else ""
