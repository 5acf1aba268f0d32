"""`vdsim_why DRIVE.mcap [--at T]`: entry point of `vdsim_interface.why`.

What was heard, received and seen of the graph up to a moment is answered by the functions that
answer for now.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from vdsim_interface.extras.explain.recorded import check_moment
from vdsim_interface.extras.explain.said import said
from vdsim_interface.extras.explain.sentences import explain_at, start_line, summary
from vdsim_protocol.checked_file import FileError

from vdsim_record.ros.recorded_drive import Interface, RecordedDrive, read

NOT_RECORDED = (
    "not to be told from a recording: whether a simulated car that publishes no /diagnostics was "
    "paused"
)
NO_GRAPH = (
    "not to be told from this recording, which has no graph: programs that published nothing, "
    "types and QoS that do not fit, other domains"
)


def tell(name: str, at_s: float | None, least_s: float) -> list[str]:
    """Answer for a moment [s since the first trace], or tell the whole drive.

    Raises FileError, OSError.
    """
    tells = partial(_drive, least_s=least_s) if at_s is None else partial(_moment, at_s=at_s)
    lines: list[str] = read(Path(name), lambda drive: tells(name, drive))
    return lines


def _moment(name: str, drive: RecordedDrive, at_s: float) -> list[str]:
    if not drive.interfaces and not drive.views:
        raise FileError(name, "", "holds no command trace and no graph")
    check_moment(name, at_s, drive.begins_s - drive.zero_s, drive.ends_s - drive.zero_s)
    now_s = drive.zero_s + at_s
    moment = drive.moment(at_s)
    lines = [f"{at_s:.2f} s:", *said(*moment, has_graph=bool(drive.views))]
    for interface in drive.interfaces:
        traces, traced_s = interface.traces(), interface.traced_s()
        nearest = min(range(len(traces)), key=lambda n: abs(traced_s[n] - now_s))
        stamp_s = traces[nearest].stamp_s - traces[0].stamp_s
        lines += [start_line(traces[0].stamp_s), *explain_at(traces, stamp_s)]
    return [*lines, NOT_RECORDED, *(() if drive.views else (NO_GRAPH,))]


def _drive(name: str, drive: RecordedDrive, least_s: float) -> list[str]:
    """What happened, and which rule changed what."""
    if not drive.interfaces:
        raise FileError(name, "", "holds no command trace")
    lines = []
    for interface in drive.interfaces:
        lines += [f"{interface.namespace or '/'}:", *_story(interface, drive.zero_s, least_s)]
    return lines


def _story(interface: Interface, zero_s: float, least_s: float) -> list[str]:
    traces = interface.traces()
    return [
        start_line(traces[0].stamp_s),
        *(f"{max(at_s - zero_s, 0.0):.2f} s: {text}" for at_s, text in interface.events()),
        "changes of the commands:",
        *summary(traces, least_s),
    ]
