"""The checks of status topics: rate, latching, stamps, values, silence."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.checks import has_no, probe_of
from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.record import Arrival, Record
from vdsim_autoware.conformance.verdict import Check, Verdict, failed, not_judged, passed

RATE_TOLERANCE = 0.9
GAP_MAX_S = 1.0
AGE_MAX_S = 0.5
AHEAD_MAX_S = 0.1
SILENT_AFTER_S = 1.0


def _live(record: Record, topic: str) -> list[Arrival]:
    """All but the first one, which may be a latched one of long ago."""
    return [item for item in record.arrivals.get(topic, []) if not item.is_first]


def has_rate(topic: str) -> Check:
    """Check 10 Hz at least; a latched state may come on change alone."""
    is_state = bool(names.PAGE[topic].values)

    def check(record: Record, options: Options) -> Verdict:
        probe = probe_of("rest", record)
        if isinstance(probe, Verdict):
            return probe
        page = names.PAGE[topic]
        if topic not in record.arrivals:
            ends = record.ends(topic, names.PUBLISHER)
            there = any(end.type_name == page.type_name for end in ends)
            return failed("nothing arrived") if there else not_judged(has_no(topic, record))
        items = record.during(topic, probe)
        has_stamps = all(item.stamp_s > 0.0 for item in items)
        times = [item.stamp_s if has_stamps else item.time_s for item in items]
        steps = [after - before for before, after in pairwise(times)]
        rate_hz = 1.0 / max(median(steps), 1e-6) if steps else 0.0
        gap_s = max(steps, default=math.inf)
        fast = rate_hz >= RATE_TOLERANCE * names.STATUS_RATE_HZ
        if fast and gap_s <= GAP_MAX_S * options.patience:
            return passed(f"{rate_hz:.0f} Hz, longest gap {gap_s:.2f} s")
        if is_state and record.is_latched(topic):
            return passed(f"{rate_hz:.1f} Hz, latched")
        gap = f", with a gap of {gap_s:.1f} s" if fast else ""
        return failed(f"{rate_hz:.1f} Hz{gap}, {'volatile' if is_state else 'not steady'}")

    return check


def latches(topic: str) -> Check:
    """Check that a late subscriber receives the state of a latched topic."""

    def check(record: Record, _options: Options) -> Verdict:
        if topic not in record.joined:
            return not_judged(record.why_skipped("join"))
        if why := has_no(topic, record):
            return not_judged(why)
        if not record.is_latched(topic):
            return not_judged("the publisher is volatile, which the page allows at 10 Hz")
        if record.joined[topic].received:
            return passed("a late subscriber received the state")
        return failed("a late subscriber received nothing")

    return check


def has_stamps(topic: str) -> Check:
    """Check that stamps are those of now."""

    def check(record: Record, options: Options) -> Verdict:
        if why := has_no(topic, record):
            return not_judged(why)
        items = _live(record, topic)
        if not items:
            return not_judged("it arrived once only")
        zero = [item for item in items if item.stamp_s == 0.0]
        if zero:
            return failed(f"{len(zero)} of {len(items)} stamps are zero")
        ages = sorted(item.age_s for item in items)
        # One in twenty may be late: whoever reads it stalls now and then, too.
        oldest_s = ages[int(0.95 * (len(ages) - 1))]
        if oldest_s > AGE_MAX_S * options.patience:
            return failed(f"one in twenty stamps was more than {oldest_s:.2f} s old on receipt")
        if ages[0] < -AHEAD_MAX_S:
            return failed(f"a stamp was {-ages[0]:.2f} s ahead of the clock")
        return passed(f"{median(ages) * 1e3:.0f} ms old")

    return check


def is_defined(topic: str) -> Check:
    """Check that a state is one of its numbers, a quantity finite."""
    allowed = names.PAGE[topic].values

    def check(record: Record, _options: Options) -> Verdict:
        if why := has_no(topic, record):
            return not_judged(why)
        for item in record.arrivals[topic]:
            if not all(map(math.isfinite, item.values)):
                return failed(f"a value was {item.values}")
            if allowed and int(item.values[0]) not in allowed:
                return failed(f"a value was {item.values[0]:g}")
        return passed(f"{len(record.arrivals[topic])} statuses")

    return check


def stops(topic: str, cause: str) -> Check:
    """Check that a status stops while the vehicle does not report it."""

    def check(record: Record, options: Options) -> Verdict:
        probe = probe_of(f"cause.{cause}.on", record)
        if isinstance(probe, Verdict):
            return probe
        if why := has_no(topic, record):
            return not_judged(why)
        after_s = min(SILENT_AFTER_S * options.patience, 0.7 * (probe.end_s - probe.begin_s))
        late = record.during(topic, probe, after_s)
        if late:
            return failed(f"{len(late)} statuses arrived more than {after_s:.1f} s after it began")
        return passed("it stopped")

    return check
