"""The checks, pure functions of what was recorded; what makes one binds topic, part and bound."""

from __future__ import annotations

from collections.abc import Callable

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.record import ERROR, Arrival, Probe, Record
from vdsim_autoware.conformance.verdict import Check, Verdict, failed, not_judged, passed

_BY_AUTONOMY = ("gear.", "turn.", "hazard.", "drive.")
"""Parts of the drive in which the car must be driven by commands."""
LEVEL_NAMES = ("OK", "WARN", "ERROR", "STALE")


def has_no(topic: str, record: Record) -> str:
    """Why a status cannot be judged; empty when it can."""
    return "" if topic in record.arrivals else f"no {names.short(topic)} arrived"


# ---- the graph -----------------------------------------------------------------------------------


def exists(topic: str) -> Check:
    """Check that the vehicle interface has its end, with the type."""
    page = names.PAGE[topic]

    def check(record: Record, _options: Options) -> Verdict:
        ends = record.ends(topic, page.end)
        if not ends:
            return failed(f"no {page.end} of {topic}")
        wrong = sorted({item.type_name for item in ends} - {page.type_name})
        return failed(f"its type is {', '.join(wrong)}") if wrong else passed(page.type_name)

    return check


def has_qos(topic: str) -> Check:
    """Check reliability and durability of the end."""
    page = names.PAGE[topic]

    def check(record: Record, _options: Options) -> Verdict:
        ends = record.ends(topic, page.end)
        if not ends:
            return not_judged(f"no {page.end} of {topic}")
        wrong = [
            end
            for end in ends
            if end.reliability != names.RELIABLE or end.durability not in page.durabilities
        ]
        # Others listen to commands, too, a display for example; nobody else publishes statuses.
        if not wrong or (page.end == names.SUBSCRIPTION and len(wrong) < len(ends)):
            return passed(f"{ends[0].reliability}, {ends[0].durability}")
        return failed(f"the {page.end} is {wrong[0].reliability}, {wrong[0].durability}")

    return check


def depth(_topic: str) -> Check:
    """DDS announces no depth."""
    return lambda _record, _options: not_judged("DDS does not announce the depth of a queue")


# ---- parts of the drive --------------------------------------------------------------------------


def probe_of(name: str, record: Record) -> Probe | Verdict:
    """Return a part of the drive, or why it shows nothing: without autonomy all is ignored."""
    probe = record.probes.get(name)
    if probe is None:
        return not_judged(record.why_skipped(name))
    if name.startswith(_BY_AUTONOMY):
        # Commands that end may end autonomy, too.
        end_s = probe.begin_s if name == "drive.timeout" else probe.end_s
        for mode in record.modes(probe.begin_s, end_s):
            if mode != names.AUTONOMOUS:
                return not_judged(f"the control mode was {mode:g}, not AUTONOMOUS")
    return probe


def reaches(part: str, topic: str, wanted: str, *, granted: bool = False) -> Check:
    """Check that a part of the drive reached what it waited for; `granted`: if it was granted."""

    def check(record: Record, _options: Options) -> Verdict:
        probe = probe_of(part, record)
        if isinstance(probe, Verdict):
            return probe
        if why := has_no(topic, record):
            return not_judged(why)
        answer = record.answers.get(part)
        if granted and (answer is None or not answer.success):
            return not_judged("the request was not granted")
        span_s = probe.end_s - probe.begin_s
        if probe.reached:
            return passed(f"{wanted} after {span_s:.1f} s")
        last = [item for item in record.arrivals[topic] if item.time_s <= probe.end_s]
        shown = f"{last[-1].values[0]:g}" if last else "nothing"
        return failed(f"{names.short(topic)} was {shown} after {span_s:.1f} s, not {wanted}")

    return check


def keeps(
    part: str,
    topic: str,
    is_allowed: Callable[[Arrival, Arrival], bool],
    wanted: str,
    after_s: float = 0.0,
    place: int = 0,
) -> Check:
    """Check every status of a part: `is_allowed(status, the last one before)`."""

    def check(record: Record, _options: Options) -> Verdict:
        probe = probe_of(part, record)
        if isinstance(probe, Verdict):
            return probe
        if why := has_no(topic, record):
            return not_judged(why)
        before = [item for item in record.arrivals[topic] if item.time_s <= probe.begin_s]
        during = record.during(topic, probe, after_s)
        if not before:
            return not_judged(f"no {names.short(topic)} arrived before")
        for item in during:
            if not is_allowed(item, before[-1]):
                was, became = before[-1].values[place], item.values[place]
                return failed(f"{names.short(topic)} became {became:.3g}, before it was {was:.3g}")
        if not during and not record.is_latched(topic):
            return not_judged(f"no {names.short(topic)} arrived meanwhile")
        return passed(f"{wanted}: {len(during)} statuses")

    return check


def unchanged(part: str, topic: str) -> Check:
    """Check that a state stayed as it was."""
    return keeps(part, topic, lambda item, before: item.values == before.values, "it stayed")


def never(part: str, topic: str, number: int) -> Check:
    """Check that a state did not become a number that it was not before."""

    def is_allowed(item: Arrival, before: Arrival) -> bool:
        return item.values[0] != number or before.values[0] == number

    return keeps(part, topic, is_allowed, f"it did not become {number}")


def within(part: str, topic: str, span: float, *, after_s: float = 0.0) -> Check:
    """Check that a quantity stayed within `span` of what it was, and finite."""

    def is_allowed(item: Arrival, before: Arrival) -> bool:
        return abs(item.values[0] - before.values[0]) <= span

    return keeps(part, topic, is_allowed, f"it stayed within {span:g}", after_s)


def ends_at(part: str, topic: str, is_allowed: Callable[[float], bool], wanted: str) -> Check:
    """Check the last status of a part."""

    def check(record: Record, _options: Options) -> Verdict:
        probe = probe_of(part, record)
        if isinstance(probe, Verdict):
            return probe
        items = [i for i in record.arrivals.get(topic, []) if i.time_s <= probe.end_s]
        if not items:
            return not_judged(f"no {names.short(topic)} arrived")
        seen = f"{names.short(topic)} was {items[-1].values[0]:.3g} in the end"
        return passed(seen) if is_allowed(items[-1].values[0]) else failed(f"{seen}, not {wanted}")

    return check


def reported(part: str, level: int) -> Check:
    """Check that /diagnostics got a new problem during a part."""

    def check(record: Record, options: Options) -> Verdict:
        probe = probe_of(part, record)
        if isinstance(probe, Verdict):
            return probe
        new = record.new_alarms(probe, level)
        if new:
            return passed(f"{new[0].name}: {new[0].text}")
        if part == "control.rate.high" and record.sent_hz[part] < 0.6 * options.too_high_hz:
            return not_judged(f"this machine sent {record.sent_hz[part]:.0f} Hz only")
        if not record.alarms:
            return failed("nothing publishes /diagnostics")
        return failed(f"/diagnostics got no new {LEVEL_NAMES[level]}")

    return check


def answers(part: str, wanted: bool | None) -> Check:
    """Check an answer of the service; `wanted` None: any answer."""

    def check(record: Record, _options: Options) -> Verdict:
        answer = record.answers.get(part)
        if not record.ends(names.REQUEST, names.SERVICE):
            return not_judged("there is no such service")
        if answer is None:
            return not_judged(record.why_skipped(part))
        if answer.success is None:
            return failed("no answer came") if wanted is None else not_judged("no answer came")
        seen = f"success={str(answer.success).lower()}"
        return passed(seen) if wanted in (None, answer.success) else failed(seen)

    return check


def optional(what: str, check: Check, *, without: bool = False) -> Check:
    """Judge only vehicles that have something; `without`: only those that lack it."""

    def judge(record: Record, options: Options) -> Verdict:
        if (what in options.without) is without:
            return check(record, options)
        return not_judged(f"--without {what} was {'not ' if without else ''}given")

    return judge


def refusal_changes_nothing(*parts: str) -> Check:
    """Check that refused modes were not entered."""

    def check(record: Record, _options: Options) -> Verdict:
        judged = 0
        for part in parts:
            answer, probe = record.answers.get(part), record.probes.get(part)
            if answer is None or answer.success is not False or probe is None:
                continue
            judged += 1
            seen = record.during(names.MODE_STATUS, probe)
            if any(item.values[0] == answer.mode for item in seen):
                return failed(f"mode {answer.mode} was refused, and entered")
        return passed(f"{judged} refused") if judged else not_judged("no request was refused")

    return check


def follows_acceleration(part: str, commanded_mps2: float) -> Check:
    """Check the acceleration that the speeds of a part show."""

    def check(record: Record, _options: Options) -> Verdict:
        probe = probe_of(part, record)
        if isinstance(probe, Verdict):
            return probe
        items = record.during(names.VELOCITY_STATUS, probe)
        inside = [item for item in items if 0.4 <= item.values[0] <= 2.2]
        if len(inside) < 5:
            return not_judged("too few speeds between 0.4 and 2.2 m/s arrived")
        first, last = inside[0], inside[-1]
        has_stamps = first.stamp_s > 0.0 and last.stamp_s > first.stamp_s
        passed_s = last.stamp_s - first.stamp_s if has_stamps else last.time_s - first.time_s
        accel_mps2 = (last.values[0] - first.values[0]) / max(passed_s, 1e-6)
        seen = f"{accel_mps2:.2f} m/s2 at a command of {commanded_mps2:g}"
        is_near = 0.5 <= accel_mps2 / commanded_mps2 <= 2.0
        return passed(seen) if is_near else failed(seen)

    return check


def _is_bend(part: str, topic: str, sign: float, place: int = 0) -> Check:
    def is_allowed(item: Arrival, _before: Arrival) -> bool:
        return item.values[place] * sign > 0.0

    wanted = "positive to the left" if sign > 0 else "negative to the right"
    return keeps(part, topic, is_allowed, wanted, 0.8, place)


def all_of(*checks: Check) -> Check:
    """Check several things: a failure counts first, then what was not judged."""

    def check(record: Record, options: Options) -> Verdict:
        verdicts = [each(record, options) for each in checks]
        order = ("failed", "not judged", "passed")
        return min(verdicts, key=lambda verdict: order.index(verdict.outcome.value))

    return check


def bends(topic: str, place: int = 0) -> Check:
    """Check the sign of a quantity in a bend to either side."""
    left = _is_bend("drive.bend.left", topic, 1.0, place)
    return all_of(left, _is_bend("drive.bend.right", topic, -1.0, place))


def cause_reported(cause: str) -> Check:
    """Check that a provoked cause becomes an ERROR."""
    return reported(f"cause.{cause}", ERROR)
