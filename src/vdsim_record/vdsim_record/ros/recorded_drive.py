"""A recording as the doctor sees a running graph: what was published and heard until a moment.

Its messages and its views of the graph become what the checks and the causes look at:

    /vdsim_record/graph ─▶ View ─┐
    what the interfaces publish ─┼─▶ Snapshot of a moment
    commands, reports, the stack ┘
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from mcap.reader import McapReader, make_reader
from rclpy.parameter import parameter_value_to_python
from rclpy.serialization import deserialize_message
from vdsim_interface.extras.doctor.arrivals import (
    LATCHED_TYPES,
    Arrivals,
    Diagnosed,
    stack_says,
    stack_topics,
    watched,
)
from vdsim_interface.extras.doctor.ros.ends import installed_type
from vdsim_interface.extras.doctor.ros.hearing import PLANT
from vdsim_interface.extras.doctor.snapshot import Endpoint, Received, Side, Snapshot, StackSeen
from vdsim_interface.extras.explain.limits import CHANGED, Limit
from vdsim_interface.extras.explain.ros.trace_value import trace_value
from vdsim_interface.extras.explain.view import View, view_of
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_protocol.checked_file import FileError, open_checked
from vdsim_protocol.why.evidence import Evidence
from vdsim_protocol.why.heard import Heard
from vdsim_protocol.why.messages import body_of, in_control_of, status_of, way_of
from vdsim_protocol.why.steps import Step

from vdsim_record.mcap_file.growing_file import LARGEST_FILE
from vdsim_record.ros.graph_view import TOPIC as VIEWS

STATUS, TRACE = "safety_status", "command_trace"
_SPEED = "odometry"
_DIAGNOSTICS, _PARAMETERS = "/diagnostics", "/parameter_events"
_WINDOW_S, _LEAST_S = 2.0, 1.0
"""Commands are counted for so long before a moment; a younger publisher is not judged [s]."""
_DIAGNOSED_S = 3.0
"""A line of /diagnostics that is older does not count [s]."""
_NEAR_S = 0.1
"""A moment within this time of a trace is that of the trace [s]."""
_FIRST_N = 20
_NANO = 1e-9
_ROUNDED_NS = 1000
"""More than what a time in seconds loses of its nanoseconds."""
_SPAN = ("starting_at", "ending_before")
if _SPAN[0] not in inspect.signature(McapReader.iter_messages).parameters:
    _SPAN = ("start_time", "end_time")  # of mcap before 1.6
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

    def first_s(self) -> float:
        """When the first trace was made, by the clock of the recorder [s].

        It often arrives late, as a recorder that has just subscribed is busy: the least late of the
        first ones tells.
        """
        stamps = [
            (time_s, trace_value(message).stamp_s)
            for time_s, name, message in self.messages
            if name == TRACE
        ][:_FIRST_N]
        return min(time_s - (stamp_s - stamps[0][1]) for time_s, stamp_s in stamps)

    def heard(self, now: float) -> tuple[Heard, float | None]:
        """What was heard of it until then, and its speed [m/s]."""
        found, speed_mps = Heard(self.namespace, PLANT), None
        for time_s, name, message in self.messages:
            if time_s > now:
                break
            _HEAR[name](found, message, time_s)
            if name == _SPEED:
                speed_mps = float(message.velocity_mps)
        return found, speed_mps

    def events(self) -> Iterator[tuple[float, str]]:
        """Every line of its timeline: (time of the recorder [s], text)."""
        heard, told_n = Heard(self.namespace, PLANT), 0
        for time_s, name, message in self.messages:
            _HEAR[name](heard, message, time_s)
            for event in heard.events_after(told_n):
                told_n = event.number
                yield event.at_s, event.text


class Moment(NamedTuple):
    """A moment. `ways`, `bounds`: of each interface, in the order of the evidence."""

    snapshot: Snapshot
    ways: list[tuple[Step, ...]]
    bounds: list[Mapping[str, Limit]]


class RecordedDrive:
    """An open recording. Use it with `with recorded(path) as drive`."""

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        """Read the index; raises whatever a damaged file makes of the reader."""
        self._path = path
        self._reader: McapReader = make_reader(stream, validate_crcs=True)
        summary = self._reader.get_summary()
        schemas = {} if summary is None else summary.schemas
        channels = () if summary is None else summary.channels.values()
        self._schemas = {each.topic: schemas[each.schema_id] for each in channels}
        statistics = None if summary is None else summary.statistics
        ends_ns = 0 if statistics is None else statistics.message_end_time
        begins_ns = 0 if statistics is None else statistics.message_start_time
        self.begins_s, self.ends_s = begins_ns * _NANO, ends_ns * _NANO

    @cached_property
    def interfaces(self) -> list[Interface]:
        """Those of which commands were traced."""
        topics = [
            topic
            for topic, schema in self._schemas.items()
            if topic.rpartition("/")[2] in _HEAR and schema.name.startswith("vdsim_msgs/")
        ]
        found: dict[str, Interface] = {}
        for time_s, topic, message in self._messages(topics):
            namespace, _, name = topic.rpartition("/")
            made = found.setdefault(namespace, Interface(namespace, []))
            made.messages.append((time_s, name, message))
        return [each for each in found.values() if each.traced_s()]

    @cached_property
    def views(self) -> list[tuple[float, View]]:
        """The graph at each of its changes; empty for a recording without."""
        found = self._messages([VIEWS])
        return [(time_s, view_of(message.data)) for time_s, _, message in found]

    @property
    def zero_s(self) -> float:
        """From when the times of this recording count: the first trace, else its begin [s]."""
        return min((each.first_s() for each in self.interfaces), default=self.begins_s)

    def moment(self, at_s: float) -> Moment:
        """What the doctor would have seen at a time [s from zero_s on]."""
        now = min(self.zero_s + at_s, self.ends_s)
        traced_s = [time_s for each in self.interfaces for time_s in each.traced_s()]
        nearest_s = min(traced_s, key=lambda time_s: abs(time_s - now), default=now)
        now = nearest_s if abs(nearest_s - now) <= _NEAR_S else now
        paused = self._diagnosed(now).is_paused(PLANT)
        evidence: list[Evidence] = []
        ways = []
        for each in self.interfaces:
            heard, speed_mps = each.heard(now)
            evidence.append(heard.evidence(now, speed_mps=speed_mps, is_paused=paused))
            ways.append(heard.steps(now))
        snapshot = self._graph(now, tuple(evidence))
        return Moment(snapshot, ways, [self._bounds(snapshot, each, now) for each in evidence])

    # ---- inside ----------------------------------------------------------------------------------

    def _graph(self, now: float, evidence: tuple[Evidence, ...]) -> Snapshot:
        view = self._view(now)
        if view is None:
            return Snapshot(evidence=evidence)
        nodes = view.graph.interfaces
        evidence = tuple(
            replace(each, node=next(iter(nodes.get(each.namespace, ())), "")) for each in evidence
        )
        ends = view.graph.endpoints
        received, stack = tuple(self._received(ends, now)), self._stack(ends, now)
        return replace(view.graph, received=received, stack=stack, evidence=evidence)

    def _view(self, now: float) -> View | None:
        return next((view for time_s, view in reversed(self.views) if time_s <= now), None)

    def _received(self, ends: tuple[Endpoint, ...], now: float) -> Iterator[Received]:
        """What arrived on the topics that the checks look at, where their messages are known."""
        for topic, type_name in watched(ends).items():
            window_s = min(_WINDOW_S, now - self._published_since_s(topic, now))
            if window_s < _LEAST_S or self._is_unreadable(topic):
                continue
            arrivals = Arrivals()
            for time_s, _, message in self._messages([topic], now - window_s, now):
                arrivals.take(message, time_s)
            if type_name in LATCHED_TYPES and not arrivals.count:
                for time_s, message in self._latest(topic, now):
                    arrivals.take(message, time_s)
            yield arrivals.received(topic, window_s)

    def _is_unreadable(self, topic: str) -> bool:
        """Whether its messages came and cannot be read: then nothing is known of them."""
        return topic in self._schemas and self._decoder(topic) is None

    def _published_since_s(self, topic: str, now: float) -> float:
        """Since when the publishers of a topic are what they are [s]."""
        since_s, known = now, None
        for time_s, view in reversed([each for each in self.views if each[0] <= now]):
            publishers = {
                end.gid
                for end in view.graph.endpoints
                if end.topic == topic and end.side is Side.PUBLISHER
            }
            known = publishers if known is None else known
            if publishers != known:
                break
            since_s = time_s
        return since_s

    def _stack(self, ends: tuple[Endpoint, ...], now: float) -> StackSeen:
        seen = StackSeen()
        for topic, type_name in stack_topics(ends).items():
            for _, message in self._latest(topic, now):
                seen = stack_says(seen, topic, type_name, message)
        return seen

    def _diagnosed(self, now: float) -> Diagnosed:
        found = Diagnosed()
        for _, _, message in self._messages([_DIAGNOSTICS], now - _DIAGNOSED_S, now):
            found.take(message)
        return found

    def _bounds(self, snapshot: Snapshot, evidence: Evidence, now: float) -> dict[str, Limit]:
        """The limits of an interface, and where each comes from."""
        nodes = snapshot.interfaces.get(evidence.namespace, ())
        view = self._view(now)
        limits = (
            () if view is None else (each for node in nodes for each in view.limits.get(node, ()))
        )
        found = {each.name: each for each in limits}
        for _, _, event in self._messages([_PARAMETERS], until_s=now) if found else ():
            if event.node not in nodes:
                continue
            for parameter in (*event.new_parameters, *event.changed_parameters):
                value = parameter_value_to_python(parameter.value)
                known = found.get(parameter.name)
                if known is not None and known.value != value:
                    found[parameter.name] = Limit(parameter.name, value, CHANGED)
        return found

    def _latest(self, topic: str, now: float) -> Iterator[tuple[float, Any]]:
        for time_s, _, message in self._messages([topic], until_s=now, newest_first=True):
            yield time_s, message
            return

    def _messages(
        self,
        topics: list[str],
        from_s: float | None = None,
        until_s: float | None = None,
        *,
        newest_first: bool = False,
    ) -> Iterator[tuple[float, str, Any]]:
        """(time of the recorder [s], topic, message), of those whose types are installed."""
        decoders = {
            topic: decode for topic in topics if (decode := self._decoder(topic)) is not None
        }
        if not decoders:
            return
        from_ns = None if from_s is None else max(round(from_s / _NANO), 0)
        until_ns = None if until_s is None else round(until_s / _NANO) + _ROUNDED_NS
        span: dict[str, Any] = dict(zip(_SPAN, (from_ns, until_ns), strict=True))
        for _, channel, message in self._reader.iter_messages(
            topics=[*decoders], reverse=newest_first, **span
        ):
            yield message.log_time * _NANO, channel.topic, decoders[channel.topic](message.data)

    def _decoder(self, topic: str) -> Callable[[bytes], Any] | None:
        """How the messages of a topic are read; None where it has none, or nothing knows them.

        The file has the definition of each type: a package that is not installed here is no
        hindrance where mcap_ros2 is.
        """
        if topic not in self._schemas:
            return None
        schema = self._schemas[topic]
        kind = installed_type(schema.name)
        if kind is not None:
            return partial(_deserialized, kind)
        try:
            from mcap_ros2.decoder import DecoderFactory
        except ImportError:
            return None
        return DecoderFactory().decoder_for("cdr", schema)


def _deserialized(kind: type, data: bytes) -> Any:
    return deserialize_message(data, kind)


def read(path: Path, take: Callable[[RecordedDrive], Any]) -> Any:
    """Open a recording and give it to `take`; raises FileError, OSError."""
    with open_checked(path, largest_bytes=LARGEST_FILE) as stream:
        try:
            return take(RecordedDrive(path, stream))
        except FileError:
            raise
        except Exception as error:  # whatever a damaged file makes of reader, zstd and message
            text = f"is no recording that can be read: {error}"
            raise FileError(str(path), "", text) from None
