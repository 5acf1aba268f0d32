"""`vdsim_why DRIVE.mcap [--at T]`: entry point of `vdsim_interface.why`.

What the vehicle interfaces of the recording have published is heard again up to a moment, and
answered by the function that answers for now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from mcap.reader import make_reader
from rclpy.serialization import deserialize_message
from vdsim_interface.extras.explain.ros.trace_value import trace_value
from vdsim_interface.extras.explain.sentences import explain_at, start_line, summary
from vdsim_interface.extras.explain.way import mode_words, step_lines, who_words
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_protocol.checked_file import FileError, open_checked
from vdsim_protocol.why import explained
from vdsim_protocol.why.heard import Heard
from vdsim_protocol.why.messages import body_of, in_control_of, status_of, way_of

from vdsim_record.mcap_file.growing_file import LARGEST_FILE

NOT_RECORDED = (
    "not to be told from a recording: programs that published nothing, types and QoS that do not "
    "fit, other domains, whether the simulated car was paused"
)
STATUS, TRACE = "safety_status", "command_trace"
_SPEED = "odometry"
_HEAR: dict[str, Callable[[Heard, Any, float], None]] = {
    STATUS: lambda heard, message, now: heard.on_status(status_of(message), now),
    "control_source": lambda heard, message, now: heard.on_control(in_control_of(message), now),
    "state_report": lambda heard, message, now: heard.on_body(body_of(message)),
    TRACE: lambda heard, message, now: heard.on_way(way_of(message), now),
    _SPEED: lambda heard, message, now: heard.on_speed(float(message.velocity_mps), now),
}


class Interface(NamedTuple):
    """What one interface has published: (time of the recorder [s], topic, message), in order."""

    namespace: str
    messages: list[tuple[float, str, Any]]

    def traces(self) -> list[CommandTrace]:
        """Each command's way."""
        return [trace_value(message) for _, name, message in self.messages if name == TRACE]

    def traced_s(self) -> list[float]:
        """When each was recorded [s]."""
        return [time_s for time_s, name, _ in self.messages if name == TRACE]


def tell(name: str, at_s: float | None, least_s: float) -> list[str]:
    """Answer for a moment [s since the first trace], or tell the whole drive.

    Raises FileError, OSError.
    """
    lines = []
    for interface in interfaces_of(Path(name)):
        lines.append(f"{interface.namespace or '/'}:")
        lines += _drive(interface, least_s) if at_s is None else _moment(interface, at_s)
    return lines


def _moment(interface: Interface, at_s: float) -> list[str]:
    traces, traced_s = interface.traces(), interface.traced_s()
    first_s = traces[0].stamp_s
    nearest = min(range(len(traces)), key=lambda n: abs(traces[n].stamp_s - first_s - at_s))
    now, speed_mps = traced_s[nearest], None
    heard = Heard(interface.namespace, "")
    for time_s, name, message in interface.messages:
        if time_s > now:
            break
        _HEAR[name](heard, message, time_s)
        if name == _SPEED:
            speed_mps = float(message.velocity_mps)
    evidence = heard.evidence(now, speed_mps=speed_mps)
    return [
        start_line(first_s),
        f"{at_s:.2f} s: {mode_words(evidence)}",
        f"in control: {who_words(evidence)}",
        f"why: {'. '.join(explained(evidence).lines)}",
        *step_lines(evidence, heard.steps(now), {}),
        *explain_at(traces, at_s),
        NOT_RECORDED,
    ]


def _drive(interface: Interface, least_s: float) -> list[str]:
    """What happened, and which rule changed what."""
    traces = interface.traces()
    heard, lines, told_n = Heard(interface.namespace, ""), [start_line(traces[0].stamp_s)], 0
    begun_s = interface.traced_s()[0]
    for time_s, name, message in interface.messages:
        _HEAR[name](heard, message, time_s)
        for event in heard.events_after(told_n):
            told_n = event.number
            lines.append(f"{event.at_s - begun_s:.2f} s: {event.text}")
    return [*lines, "changes of the commands:", *summary(traces, least_s)]


def interfaces_of(path: Path) -> list[Interface]:
    """Read what the interfaces have published; raises FileError where there is none."""
    found: dict[str, Interface] = {}
    try:
        for time_s, topic, message in _messages(path):
            namespace, _, name = topic.rpartition("/")
            made = found.setdefault(namespace, Interface(namespace, []))
            made.messages.append((time_s, name, message))
    except FileError:
        raise
    except Exception as error:  # whatever a damaged file makes of reader, zstd and message
        raise FileError(str(path), "", f"is no recording that can be read: {error}") from None
    whole = [each for each in found.values() if each.traced_s()]
    if not whole:
        raise FileError(str(path), "", "holds no command trace")
    return whole


def _messages(path: Path) -> Iterator[tuple[float, str, Any]]:
    with open_checked(path, largest_bytes=LARGEST_FILE) as stream:
        reader = make_reader(stream, validate_crcs=True)
        summary_of = reader.get_summary()
        schemas = {} if summary_of is None else summary_of.schemas
        channels = () if summary_of is None else summary_of.channels.values()
        types = {
            channel.topic: _type(schemas[channel.schema_id].name)
            for channel in channels
            if channel.topic.rpartition("/")[2] in _HEAR
            and schemas[channel.schema_id].name.startswith("vdsim_msgs/")
        }
        for _, channel, message in reader.iter_messages(topics=[*types]):
            made = deserialize_message(message.data, types[channel.topic])
            yield 1e-9 * message.log_time, channel.topic, made


def _type(name: str) -> type:
    package, _, kind = name.partition("/msg/")
    found: type = getattr(import_module(f"{package}.msg"), kind)
    return found
