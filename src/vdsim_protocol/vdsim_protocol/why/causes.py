"""The table of causes, in the order in which they count: the first that holds is the answer.

A row is a function of the evidence: an Answer, or None where it does not hold. An earlier row
explains the later ones: with an emergency stop latched it is no news that commands are blocked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from vdsim_protocol.why.evidence import (
    EMERGENCY_LOCK,
    SILENT_S,
    STACK,
    STANDS_MPS,
    Answered,
    Control,
    Evidence,
    Finding,
)


class Level(str, Enum):
    """How much an answer matters to whoever wants the car to drive."""

    GOOD = "good"
    """It does what is asked."""
    NOTE = "note"
    """It does not, as it should be: a person drives, nobody has engaged."""
    WARN = "warn"
    """It does less than is asked."""
    ALARM = "alarm"
    """Somebody has to act."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Why, by what, and what to do."""

    cause: str
    """Name of the row."""
    level: Level
    title: str
    """Three words for a headline."""
    sentence: str
    evidence: str = ""
    """What it was seen by."""
    action: str = ""
    """What to do; empty: nothing."""
    command: str = ""
    """The command line that does it; empty: there is none."""

    @property
    def lines(self) -> tuple[str, ...]:
        """For a terminal: the sentence with its evidence, then what to do."""
        seen = f" ({self.evidence})" if self.evidence else ""
        do = ": ".join(filter(None, (self.action, self.command)))
        return tuple(filter(None, (f"{self.title}: {self.sentence}{seen}", do)))


Cause = Callable[[Evidence], Answer | None]

_ENGAGE = "vdsim_msgs/srv/ChangeMode '{request: 1}'"


def _call(evidence: Evidence, service: str, rest: str) -> str:
    return f"ros2 service call {evidence.namespace}/{service} {rest}"


def _give_back(evidence: Evidence) -> str:
    return _call(evidence, "give_back", "std_srvs/srv/Trigger")


def _engage(evidence: Evidence) -> str:
    return _call(evidence, "change_mode", _ENGAGE)


_LEVEL = re.compile("of level (high_level|vehicle|raw)")
"""In `blocked`, where no command has come."""


def _command_topic(evidence: Evidence) -> str:
    """The topic of the stack's commands, as far as their level is known."""
    known = [each.level for each in evidence.sources if each.name == STACK and each.level]
    known += _LEVEL.findall(evidence.blocked)
    if evidence.asked_mps2 is not None:
        known.append("vehicle")
    return f"{evidence.namespace}/{(*known, 'high_level')[0]}_command"


def plant_paused(evidence: Evidence) -> Answer | None:
    """Time stands still in the simulated car."""
    if not evidence.is_plant_paused:
        return None
    return Answer(
        cause="plant_paused",
        level=Level.WARN,
        title="Paused",
        sentence="the simulated car is paused: its time stands still",
        evidence=f"{evidence.plant} says that it is paused",
        action="Resume it",
        command=f"ros2 service call {evidence.plant}/pause std_srvs/srv/SetBool '{{data: false}}'",
    )


STACK_STANDS = ("mode_not_available", "gate_paused", "start_not_accepted", "no_gear")
"""Findings that explain why the stack does not ask for motion."""
STARVES = ("other_domain", "silent_publisher", "no_command")
"""Findings that explain why no command comes, the likeliest first."""
ENDED = ("other_domain", "no_command")
"""Those of them that explain why no more commands come."""
_SLOW = "slow"
_UNANSWERED = ("other_vendor",)
"""Findings that explain why a request to engage has no answer."""


def graph(evidence: Evidence) -> Answer | None:
    """The ROS graph does not fit: domain, discovery, type, QoS, a second interface."""
    is_heard = evidence.status_age_s is not None
    return _finding(evidence, lambda each: each.is_error or not is_heard, Level.ALARM)


def starves(evidence: Evidence) -> Answer | None:
    """The stack itself does not drive, or what it publishes does not come."""
    kinds: tuple[str, ...] = () if evidence.moves else STACK_STANDS
    if evidence.command_age_s is None:
        kinds += STARVES
    elif evidence.is_command_stale:
        kinds += ENDED
    for kind in kinds:
        answer = _finding(evidence, lambda each, kind=kind: each.kind == kind, Level.WARN)  # type: ignore[misc]
        if answer is not None:
            return answer
    return None


def unanswered(evidence: Evidence) -> Answer | None:
    """Nobody has engaged, and a request to engage may not be answered."""
    if evidence.mode != "MANUAL" or evidence.disengaged.reason or evidence.refused.reason:
        return None
    return _finding(evidence, lambda each: each.kind in _UNANSWERED, Level.WARN)


def disturbs(evidence: Evidence) -> Answer | None:
    """Commands come, and something about them does not fit: stamps, rates, second publishers."""
    others = {*STACK_STANDS, *STARVES, *_UNANSWERED}
    if evidence.is_command_stale:
        others.add(_SLOW)
    return _finding(
        evidence, lambda each: not each.is_error and each.kind not in others, Level.WARN
    )


_TITLES = {
    "no_command": "No command",
    "silent_publisher": "No command",
    "slow": "Commands too slow",
    "two_publishers": "Two publishers",
    "mode_not_available": "Mode not available",
    "gate_paused": "Gate paused",
    "start_not_accepted": "Start not accepted",
}


def _finding(evidence: Evidence, counts: Callable[[Finding], bool], level: Level) -> Answer | None:
    found = next(filter(counts, evidence.findings), None)
    if found is None:
        return None
    is_command = found.cure.startswith("ros2 ")
    return Answer(
        cause=found.kind,
        level=level,
        title=_TITLES.get(found.kind, "Not connected" if found.is_error else "Does not fit"),
        sentence=found.what,
        evidence="the ROS graph",
        action="Ask for it" if is_command else found.cure[:1].upper() + found.cure[1:],
        command=found.cure if is_command else "",
    )


def not_heard(evidence: Evidence) -> Answer | None:
    """No interface has published since the watch began."""
    if evidence.status_age_s is not None:
        return None
    return Answer(
        cause="not_heard",
        level=Level.ALARM,
        title="No interface",
        sentence="no vehicle interface publishes its status",
        evidence=f"nothing came on {evidence.namespace}/safety_status",
        action="Start it, or look for it in other domains and namespaces with ./ws doctor --live",
        command="ros2 launch vdsim_interface vdsim.launch.py",
    )


def silent(evidence: Evidence) -> Answer | None:
    """It published before."""
    age_s = evidence.status_age_s
    if age_s is None or age_s <= SILENT_S:
        return None
    return Answer(
        cause="silent",
        level=Level.ALARM,
        title="Interface silent",
        sentence="the vehicle interface has stopped publishing: it has ended, is deactivated, or "
        "stands still",
        evidence=f"the latest safety_status is {age_s:.1f} s old",
        action="Look at its state and its log",
        command=f"ros2 lifecycle get {evidence.interface}",
    )


def _stop_rule(evidence: Evidence) -> str | None:
    reason = evidence.rule("emergency")
    return evidence.rule("gate_emergency") if reason is None else reason


_WAITS = "waits for give_back: "
"""In the reason of control_source, before why the stack waits."""
_LISTED = "control_source lists the lock emergency_stop"


def _held(evidence: Evidence) -> str:
    return "the car still moves; it is held when it stands" if evidence.moves else "the car is held"


def emergency_stop(evidence: Evidence) -> Answer | None:
    """Latched until give_back at standstill."""
    if EMERGENCY_LOCK not in evidence.locks and _stop_rule(evidence) is None:
        return None
    parts = evidence.control_reason.replace(f"{STACK} {_WAITS}", "").split("; ")
    seen = next((each for each in parts if "emergency stop" in each), _LISTED)
    return Answer(
        cause="emergency_stop",
        level=Level.ALARM,
        title="Emergency stop",
        sentence=f"an emergency stop is latched, {_held(evidence)}",
        evidence=seen,
        action="When the car stands, Give back releases the stop (G on the page); give back once "
        "more, or engage, to let autonomy drive",
        command=_give_back(evidence),
    )


def locked(evidence: Evidence) -> Answer | None:
    """A lock of the arbiter is on."""
    names = [name for name in evidence.locks if name != EMERGENCY_LOCK]
    if not names:
        return None
    return Answer(
        cause="lock",
        level=Level.ALARM,
        title="Locked",
        sentence=f"the lock {', '.join(names)} is on: {_held(evidence)}",
        evidence=f"active_locks of {evidence.namespace}/control_source",
        action="Whoever set it has to release it; then give control back",
        command=f"ros2 topic pub --once {evidence.namespace}/{names[0]}/lock std_msgs/msg/Bool "
        "'{data: false}'",
    )


def link(evidence: Evidence) -> Answer | None:
    """The vehicle does not report."""
    if evidence.is_link_well:
        return None
    return Answer(
        cause="link",
        level=Level.ALARM,
        title="Vehicle not heard",
        sentence="the vehicle does not report to the interface: "
        + (evidence.link_reason or "nothing arrives"),
        evidence="vehicle_link_ok of safety_status",
        action="Check that the car or the simulator runs, and its address and ports",
        command=f"ros2 topic echo --once {evidence.namespace}/link_status",
    )


def _rule_cause(
    rule: str, title: str, sentence: str, action: str, *, level: Level = Level.ALARM
) -> Cause:
    """A cause that is one active rule."""

    def cause(evidence: Evidence) -> Answer | None:
        reason = evidence.rule(rule)
        if reason is None:
            return None
        return Answer(
            cause=rule,
            level=level,
            title=title,
            sentence=sentence,
            evidence=reason,
            action=action,
        )

    cause.__doc__ = f"The rule {rule} acts."
    return cause


_cabin_acts = _rule_cause(
    "cabin_unsecured",
    "Cabin open",
    "the cabin is not secured, so the car stops",
    "Close the doors, fasten the belts, secure the load; command standstill for 1 s, then motion",
)
CABIN = ("a door is open", "a belt is not fastened", "the load is not secured")
"""What CabinState says."""
_THEN = re.compile("the mode has changed: |the last request to engage was refused: ")
"""What follows it in `blocked` was so then, and may be over."""


def cabin(evidence: Evidence) -> Answer | None:
    """The cabin is not secured: the car stops, or nobody may engage."""
    acts = _cabin_acts(evidence)
    now = _THEN.split(evidence.blocked, maxsplit=1)[0]
    found = [word for word in CABIN if word in now]
    if acts is not None or not found or evidence.mode == "AUTONOMOUS":
        return acts
    return Answer(
        cause="cabin_unsecured",
        level=Level.ALARM,
        title="Cabin open",
        sentence=f"{' and '.join(found)}, so that nobody can engage",
        evidence=evidence.disengaged.reason or evidence.refused.reason or evidence.blocked,
        action="Close the doors, fasten the belts, secure the load; then engage",
        command=_engage(evidence),
    )


def dropped(evidence: Evidence) -> Answer | None:
    """Commands arrive, and none of them can be used."""
    rule = evidence.rejected
    if rule is None:
        return None
    is_level = rule.name == "wrong_level"
    return Answer(
        cause="wrong_level" if is_level else "not_finite",
        level=Level.ALARM,
        title="Commands dropped",
        sentence=rule.reason,
        evidence=f"the count of {rule.name} in {evidence.namespace}/safety_status rises",
        action="Publish the topic of control_command, or set control_command to what is published"
        if is_level
        else "Find the number in the stack that is not finite",
        command=f"ros2 param get {evidence.interface} control_command"
        if is_level
        else f"ros2 topic echo {_command_topic(evidence)}",
    )


_UNANSWERED_BY_CAR = "the car does not answer"
"""In the reason of the rule implausible_report, where pedals have no effect."""


def implausible(evidence: Evidence) -> Answer | None:
    """What the vehicle reports does not fit what is sent, or contradicts itself."""
    reason = evidence.rule("implausible_report")
    if reason is None:
        return None
    if _UNANSWERED_BY_CAR not in reason:
        return Answer(
            cause="implausible",
            level=Level.ALARM,
            title="Reports contradict",
            sentence=f"the vehicle's reports contradict each other: {reason}",
            evidence="the rule implausible_report of safety_status",
            action="Look at the sensor that it names; engage again when its reports are right",
        )
    return Answer(
        cause="not_applied",
        level=Level.ALARM,
        title="Car does not answer",
        sentence=f"the vehicle does not apply what is sent, or it does not reach it: {reason}",
        evidence="the rule implausible_report of safety_status",
        action="Check the way to the vehicle (address, port, who else drives it), and whether it "
        "counts the packets",
        command=f"ros2 topic echo --once {evidence.namespace}/link_status",
    )


input_lost = _rule_cause(
    "input_lost",
    "Input lost",
    "a required input is lost, so the car stops",
    "Start its publisher again, then engage",
)


def waits_for_give_back(evidence: Evidence) -> Answer | None:
    """A person or a lock had control: the stack waits."""
    _, mark, why = evidence.control_reason.partition(_WAITS)
    if not mark or evidence.source not in ("", STACK):
        return None
    return Answer(
        cause="give_back",
        level=Level.WARN,
        title="Waits for give back",
        sentence=f"autonomy waits until somebody gives control back: {why}",
        evidence=f"reason of {evidence.namespace}/control_source",
        action="Give back (G on the page)",
        command=_give_back(evidence),
    )


_EXAMPLES = {
    "high_level_command": "vdsim_msgs/msg/HighLevelControlCommand '{velocity_mps: 2.0}'",
    "vehicle_command": "vdsim_msgs/msg/VehicleControlCommand '{long_accel_mps2: 0.5}'",
    "raw_command": "vdsim_msgs/msg/RawControlCommand '{throttle: 100}'",
}


def no_command(evidence: Evidence) -> Answer | None:
    """Nobody has ever sent a command."""
    if evidence.command_age_s is not None or evidence.status_age_s is None:
        return None
    topic = _command_topic(evidence)
    return Answer(
        cause="no_command",
        level=Level.NOTE,
        title="No command",
        sentence="no command has reached the interface",
        evidence="command_age_s of safety_status",
        action=f"Publish {topic}, or drive from the page (W); ./ws doctor --live names a wrong "
        "topic, type or QoS",
        command=f"ros2 topic pub -r 20 {topic} {_EXAMPLES[topic.rpartition('/')[2]]}",
    )


def engaging(evidence: Evidence) -> Answer | None:
    """The handshake runs."""
    if evidence.mode != "NOT_READY":
        return None
    return Answer(
        cause="engaging",
        level=Level.NOTE,
        title="Engaging",
        sentence=evidence.blocked or "the interface waits for the vehicle's answer",
        evidence="mode NOT_READY",
    )


def refused(evidence: Evidence) -> Answer | None:
    """The latest request to engage was refused, and autonomy is off."""
    if evidence.mode in ("AUTONOMOUS", "") or not evidence.refused.reason:
        return None
    if evidence.refused.age_s > evidence.disengaged.age_s:
        return None
    return Answer(
        cause="refused",
        level=Level.WARN,
        title="Refused",
        sentence=evidence.refused.reason,
        evidence=f"{evidence.refused.age_s:.0f} s ago, by last_refusal_reason of safety_status",
        action="Remove the reason, then engage",
        command=_engage(evidence),
    )


def stale_command(evidence: Evidence) -> Answer | None:
    """The commands have stopped."""
    age_s = evidence.command_age_s
    if not evidence.is_command_stale or age_s is None:
        return None
    return Answer(
        cause="stale_command",
        level=Level.ALARM if evidence.moves else Level.NOTE,
        title="Commands stopped",
        sentence="commands have stopped: the car stops smoothly and is held",
        evidence="; ".join(
            (
                f"the latest is {age_s:.1f} s old",
                *(each.what for each in evidence.findings if each.kind == _SLOW),
            )
        ),
        action="Publish commands without a gap of more than command_timeout_s",
        command=f"ros2 topic hz {_command_topic(evidence)}",
    )


def not_engaged(evidence: Evidence) -> Answer | None:
    """Autonomy is off: nobody engaged, or it has ended."""
    if evidence.mode not in ("MANUAL", "DISENGAGED"):
        return None
    ended = evidence.disengaged
    if ended.reason:
        seen = f"autonomy ended {ended.age_s:.0f} s ago: {ended.reason}"
    else:
        seen = evidence.blocked or "nobody has engaged yet"
    return Answer(
        cause="not_engaged",
        level=Level.WARN if evidence.is_asked_to_move else Level.NOTE,
        title="Not engaged",
        sentence=f"autonomy is off (mode {evidence.mode}), so commands do not pass: engage first",
        evidence=seen,
        action="Engage",
        command=_engage(evidence),
    )


def person_drives(evidence: Evidence) -> Answer | None:
    """A source above the stack is in control."""
    if evidence.control not in (Control.SOURCE, Control.HAND_OVER):
        return None
    if evidence.source in ("", STACK):
        return None
    words = {"dashboard": "The page drives", "keyboard": "The keyboard drives"}
    title = words.get(evidence.source, f"{evidence.source} drives")
    waits = any(each.name == STACK and 0.0 <= each.age_s < SILENT_S for each in evidence.sources)
    return Answer(
        cause="person_drives",
        level=Level.NOTE if waits else Level.GOOD,
        title=title,
        sentence=f"the source {evidence.source} is in control"
        + (", and the stack's commands wait" if waits else ""),
        evidence=evidence.control_reason,
        action="Let go, then give back" if waits else "",
        command=_give_back(evidence) if waits else "",
    )


def safe_stop(evidence: Evidence) -> Answer | None:
    """The arbiter stops the car."""
    if evidence.control is not Control.SAFE_STOP:
        return None
    if evidence.control_reason.startswith("emergency stop"):
        return Answer(
            cause="released",
            level=Level.NOTE,
            title="Held",
            sentence="the emergency stop is released, and the car is held until somebody drives",
            evidence="control_source is in its safe stop",
            action="Drive from the page (W), or publish commands",
        )
    return Answer(
        cause="safe_stop",
        level=Level.WARN,
        title="Safe stop",
        sentence="the source in control was lost, so the car stops and is held",
        evidence=evidence.control_reason,
        action="Send commands again; after a person had control, give back too",
        command=_give_back(evidence),
    )


hand_brake = _rule_cause(
    "hand_brake_set",
    "Hand brake",
    "the hand brake is set, so the car does not move",
    "Release it: publish state_command with hand_brake false (k on the keyboard)",
    level=Level.WARN,
)
gear = _rule_cause(
    "gear_no_drive",
    "No driving gear",
    "the gear is PARK or NEUTRAL, so the car does not move",
    "Request DRIVE or REVERSE with state_command",
    level=Level.WARN,
)
_not_slowing_acts = _rule_cause(
    "not_slowing",
    "Does not slow down",
    "the car does not slow down as it is commanded: the grip or the brake is not there",
    "Look at the road and at the brake",
)
_no_start_acts = _rule_cause(
    "start_refused",
    "Does not start",
    "the car does not start on this slope, load or grip",
    "Ask for more acceleration, or look at slope, load and grip",
    level=Level.WARN,
)
_BRAKES_MPS2, _STARTS_MPS2, _SHARE = -1.5, 1.0, 0.4
"""A request of this size or more is judged; a response below this share of it counts as none."""
_SLOPE_MPS2 = 2.5
"""What a stack of accelerations may add for the slope by itself: 25 %."""


def not_slowing(evidence: Evidence) -> Answer | None:
    """It is sent to brake, and its speed stays. A car that stands by now has slowed down."""
    car, acts = evidence.answered, _not_slowing_acts(evidence)
    if acts is not None or car is None or not _drives_itself(evidence) or car.most_mps < 0.5:
        return acts
    if car.sent_mps2 > _BRAKES_MPS2 or car.seen_mps2 < _SHARE * car.sent_mps2:
        return None
    slope_mps2 = 0.0 if evidence.asked_mps2 is None else _SLOPE_MPS2
    if not evidence.moves or car.seen_mps2 - car.sent_mps2 < slope_mps2:
        return None
    return Answer(
        cause="not_slowing",
        level=Level.ALARM,
        title="Does not slow down",
        sentence="the car does not slow down as it is commanded: the grip or the brake is not "
        "there",
        evidence=_seen(car),
        action="Look at the road and at the brake",
    )


def no_start(evidence: Evidence) -> Answer | None:
    """It is sent to drive forward, and stands or rolls back. In REVERSE that is to brake."""
    car, acts = evidence.answered, _no_start_acts(evidence)
    if acts is not None or car is None or not _drives_itself(evidence) or car.most_mps > STANDS_MPS:
        return acts
    is_reverse = evidence.gear == "REVERSE" or (evidence.asked_mps or 0.0) < 0.0
    if car.sent_mps2 < _STARTS_MPS2 or is_reverse:
        return None
    if car.seen_mps2 > _SHARE * car.sent_mps2:
        return None
    rolls = (evidence.speed_mps or 0.0) < -STANDS_MPS
    return Answer(
        cause="start_refused",
        level=Level.ALARM if rolls else Level.WARN,
        title="Rolls back" if rolls else "Does not start",
        sentence="the car does not start on this slope, load or grip"
        + (", and rolls back" if rolls else ""),
        evidence=_seen(car),
        action="Stop it with the emergency stop, and look at slope, load and grip"
        if rolls
        else "Ask for more acceleration, or look at slope, load and grip",
    )


def _drives_itself(evidence: Evidence) -> bool:
    return evidence.mode == "AUTONOMOUS" and evidence.is_link_well


def _seen(car: Answered) -> str:
    return (
        f"{car.sent_mps2:+.1f} m/s2 sent, {car.seen_mps2:+.1f} m/s2 seen in the last second, speed "
        f"{car.most_mps:.1f} m/s at most"
    )


def request_refused(evidence: Evidence) -> Answer | None:
    """A request for the body was refused just now; the drive goes on."""
    end = evidence.refused
    if evidence.mode != "AUTONOMOUS" or not end.reason or end.age_s > _JUST_NOW_S:
        return None
    return Answer(
        cause="request_refused",
        level=Level.WARN,
        title="Request refused",
        sentence=end.reason,
        evidence=f"{end.age_s:.0f} s ago, by last_refusal_reason of safety_status",
        action="Request it again when its reason is gone",
    )


_JUST_NOW_S = 10.0
NOT_FOR_A_PERSON = frozenset(
    {
        "implausible_report",
        *("acceleration_loop", "low_pass", "curvature_trim", "gate_stop", "gate_body"),
        *("standstill_hold", "gear_stop", "hand_brake_stop", "gear_automatic", "gear_wait"),
        *("rate", "shift_hold", "time_jump", "clock_step", "tick_overrun", "vehicle_news"),
    }
)
"""Rules that act as long as the car drives, or hold one that nobody asks to drive."""


def limited(evidence: Evidence) -> Answer | None:
    """A limit makes less of the command than was asked."""
    found = [rule for rule in evidence.active if rule.name not in NOT_FOR_A_PERSON]
    if not found:
        return None
    return Answer(
        cause="limited",
        level=Level.WARN,
        title="Limited",
        sentence=found[0].reason or f"the rule {found[0].name} limits the command",
        evidence="active: " + ", ".join(rule.name for rule in found),
        action="The limits in force, and who set each",
        command="ros2 run vdsim_interface vdsim_status --limits",
    )


def asks_for_rest(evidence: Evidence) -> Answer | None:
    """It stands because the command says so."""
    stands = evidence.speed_mps is not None and not evidence.moves
    is_known = evidence.asked_mps is not None or evidence.asked_mps2 is not None
    if evidence.mode != "AUTONOMOUS" or not stands or not is_known or evidence.is_asked_to_move:
        return None
    brakes_mps2 = min(evidence.asked_mps2 or 0.0, 0.0)
    return Answer(
        cause="asks_for_rest",
        level=Level.GOOD,
        title="Held at rest",
        sentence="the command asks for standstill, and the car stands",
        evidence=f"its acceleration of {brakes_mps2:.3g} m/s2 is a brake; to drive in reverse it "
        "must be 0 first, or REVERSE must be requested"
        if brakes_mps2
        else "the speed or acceleration of the command is 0",
    )


def drives(evidence: Evidence) -> Answer | None:
    """Nothing is wrong."""
    if evidence.mode != "AUTONOMOUS":
        return None
    return Answer(
        cause="drives",
        level=Level.GOOD,
        title="Autonomy drives",
        sentence="commands pass, and no limit acts",
        evidence="mode AUTONOMOUS",
    )


CAUSES: tuple[Cause, ...] = (
    plant_paused,
    graph,
    not_heard,
    silent,
    emergency_stop,
    locked,
    link,
    cabin,
    input_lost,
    waits_for_give_back,
    engaging,
    dropped,
    starves,
    no_command,
    unanswered,
    refused,
    not_engaged,
    disturbs,
    stale_command,
    safe_stop,
    hand_brake,
    gear,
    implausible,
    not_slowing,
    no_start,
    limited,
    request_refused,
    person_drives,
    asks_for_rest,
    drives,
)

UNKNOWN = Answer(
    cause="unknown",
    level=Level.NOTE,
    title="Not known",
    sentence="what is known does not say why",
    action="Look at the way of a command with vdsim_explain",
)


def all_causes(evidence: Evidence) -> tuple[Answer, ...]:
    """Every cause that holds, in the order in which they count."""
    return tuple(answer for cause in CAUSES if (answer := cause(evidence)) is not None)


def every_cause(evidence: Evidence) -> tuple[Answer, ...]:
    """As `all_causes`; `unknown` alone where none holds."""
    return all_causes(evidence) or (UNKNOWN,)


def beside(answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
    """What else holds beside the first answer, and somebody has to do something about."""
    return tuple(each for each in answers[1:] if each.level in (Level.WARN, Level.ALARM))


def explained(evidence: Evidence) -> Answer:
    """The first cause that holds; `unknown` where none does."""
    return every_cause(evidence)[0]
