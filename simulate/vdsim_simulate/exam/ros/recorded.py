"""The exam from a recording: what is published, and the graph, are written; the file alone answers.

    drive on virtual time ─▶ shipped publishers ─▶ MCAP ─▶ vdsim_record.ros.recorded_drive ─▶ Answer

The file is made by the shipped journal and finisher. What arrives on a topic of the graph is
written as messages with the number, the stamps and the content of the question.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from vdsim_interface.extras.doctor.arrivals import STACK
from vdsim_interface.extras.doctor.examine import all_answers, examine
from vdsim_interface.extras.doctor.ros.ends import installed_type
from vdsim_interface.extras.doctor.snapshot import Received, Side, Snapshot
from vdsim_interface.extras.explain.view import View
from vdsim_protocol.why import Answer
from vdsim_protocol.why.evidence import Evidence
from vdsim_record.journal.folder import JournalFolder
from vdsim_record.journal.frames import all_framed
from vdsim_record.mcap_file import records
from vdsim_record.mcap_file.finishing import finish_all
from vdsim_record.ros.graph_view import TOPIC as VIEWS
from vdsim_record.ros.recorded_drive import RecordedDrive, read
from vdsim_record.ros.type_texts import type_text

from vdsim_simulate.exam.graph import FITS, NAMESPACE, publishes
from vdsim_simulate.exam.marks import is_silent
from vdsim_simulate.exam.pairs import HEALTHY_S, SETTLES_S
from vdsim_simulate.exam.question import Question
from vdsim_simulate.exam.room import Room
from vdsim_simulate.exam.ros.watching import Watch, room_of
from vdsim_simulate.scene import ENGAGES_S, Scene

EPOCH_S = 1000.0
"""The recorder's clock when a drive begins; stamps before the drive are times, too."""
STEP_S = 5.0
AUTOWARE_NODE = "/autoware_api"
_TIME_TEXT = f"{'=' * 80}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
_STAMP_TEXT = "builtin_interfaces/Time stamp\n"
_CDR = b"\0\1\0\0"


class _Says(NamedTuple):
    """A message of Autoware by which it says something of itself; its package is rarely installed.

    `field`: of StackSeen. `text`: of the definition, after the stamp. `data`: where it is true.
    """

    field: str
    text: str
    layout: str
    yes: tuple[int, ...]
    no: tuple[int, ...]


_SAYS: Mapping[str, _Says] = {
    "/api/operation_mode/state": _Says(
        "is_autonomous_available",
        "uint8 mode\nbool is_autoware_control_enabled\nbool is_in_transition\n"
        "bool is_stop_mode_available\nbool is_autonomous_mode_available\n"
        "bool is_local_mode_available\nbool is_remote_mode_available\n",
        "<4siI7B",
        (1, 1, 0, 1, 1, 1, 1),
        (1, 1, 0, 1, 0, 1, 1),
    ),
    "/control/vehicle_cmd_gate/is_paused": _Says(
        "is_gate_paused", "bool data\n", "<4siIB", (1,), (0,)
    ),
    "/api/motion/state": _Says("waits_for_start", "uint16 state\n", "<4siIH", (2,), (1,)),
}


class Written:
    """A recording of what is published, complete when `finish` returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._journal = JournalFolder.of(path)
        self._journal.path.mkdir()
        self._head: list[bytes] = []
        self._messages: list[tuple[int, int, bytes]] = []
        self._channels: dict[str, int] = {}
        self.traced_s: list[float] = []

    def take(self, topic: str, message: Any, now: float) -> None:
        """As the recorder does. `now`: of the world [s]."""
        kind = type(message)
        if topic == "command_trace":
            self.traced_s.append(now)
        name = f"{kind.__module__.partition('.')[0]}/msg/{kind.__name__}"
        self.write(topic, name, serialize_message(message), now, type_text(name))

    def write(self, topic: str, type_name: str, data: bytes, now: float, text: str) -> None:
        """A message as bytes."""
        full = topic if topic.startswith("/") else f"{NAMESPACE}/{topic}"
        if full not in self._channels:
            number = self._channels[full] = len(self._channels) + 1
            self._head.append(records.schema(number, type_name, text))
            self._head.append(records.channel(number, full, number, {}))
        at_ns = round((EPOCH_S + now) * 1e9)
        self._messages.append((at_ns, self._channels[full], data))

    def finish(self) -> None:
        """Complete it, as the finisher does."""
        found = [
            records.message(records.MessageHead(channel, number, at_ns, at_ns), data)
            for number, (at_ns, channel, data) in enumerate(
                sorted(self._messages, key=lambda each: each[0])
            )
        ]
        self._journal.segment(1).write_bytes(all_framed([*self._head, *found]))
        done = finish_all(self.path.parent)
        assert self.path.exists(), done


def recorded_answers(question: Question, folder: Path) -> tuple[Answer, ...]:
    """What the recording of a question answers, and every other cause that holds."""
    written = Written(folder / "drive.mcap")
    if question.is_doctored:
        assert question.change is not None
        graph = question.change(FITS)
    else:
        room, watch = room_of(question)
        watch.listeners.append(written.take)
        room.agenda.run_until(question.asked_s)
        graph = watch.graph() if question.change is None else question.change(watch.graph())
    _write_graph(written, graph, question.asked_s)
    written.finish()
    answers: tuple[Answer, ...] = read(
        written.path, lambda drive: _answers(drive, question.asked_s)
    )
    return answers


def recorded_names(scene: Scene, folder: Path) -> list[tuple[float, Answer]]:
    """Every cause that the recording of a healthy drive names, with the moment [s]."""
    room = Room(scene, ENGAGES_S)
    watch = Watch(room)
    written = Written(folder / "drive.mcap")
    watch.listeners.append(written.take)
    room.agenda.run_until(HEALTHY_S)
    written.take(VIEWS, String(data=_view(watch.graph()).text), 0.0)
    for time_s in room.commands_s:
        _write_command(written, time_s)
    written.finish()

    def named(drive: RecordedDrive) -> Iterator[tuple[float, Answer]]:
        time_s = ENGAGES_S + SETTLES_S
        while time_s < HEALTHY_S:
            first = _answers(drive, time_s)[0]
            if not is_silent(first):
                yield time_s, first
            time_s += STEP_S

    found: list[tuple[float, Answer]] = read(written.path, lambda drive: list(named(drive)))
    return found


def _answers(drive: RecordedDrive, at_s: float) -> tuple[Answer, ...]:
    moment = drive.moment(EPOCH_S + at_s - drive.zero_s)
    snapshot = moment.snapshot
    if not snapshot.evidence:  # no interface of ours is there: what the graph says of it
        snapshot = replace(snapshot, evidence=(Evidence(namespace=NAMESPACE),))
    return all_answers(snapshot, examine(snapshot))[0]


def _view(graph: Snapshot) -> View:
    said = [
        publishes(AUTOWARE_NODE, topic, type_name)
        for topic, type_name in _stack_says(graph).items()
    ]
    return View(graph=replace(graph, endpoints=(*graph.endpoints, *said)))


def _write_graph(written: Written, graph: Snapshot, until_s: float) -> None:
    """The graph itself, and what arrives on its topics until it is asked."""
    written.take(VIEWS, String(data=_view(graph).text), 0.0)
    for seen in graph.received:
        kinds = {end.type_name for end in graph.ends(Side.PUBLISHER, seen.topic)}
        for kind in kinds:
            _write_received(written, seen, kind, until_s)
    for topic, kind in _stack_says(graph).items():
        _write_of_stack(written, topic, kind, graph, until_s - 1.0)


def _write_received(written: Written, seen: Received, kind: str, until_s: float) -> None:
    for n in range(seen.count):
        now = until_s - seen.window_s * (1.0 - (n + 0.5) / seen.count)
        message = installed_type(kind)()
        share = n / max(seen.count - 1, 1)
        age_s = seen.oldest_s + share * (seen.newest_s - seen.oldest_s)
        _stamp(message, None if n < seen.unstamped else now - age_s)
        for name, value in _content(message, seen, n):
            setattr(message, name, value)
        written.take(seen.topic, message, now)


def _content(message: Any, seen: Received, n: int) -> Iterator[tuple[str, Any]]:
    if seen.gear is not None:
        yield ("command" if hasattr(message, "command") else "report"), seen.gear
    if seen.wants_motion:
        message.longitudinal.velocity = 1.0
    if hasattr(message, "clock"):
        yield "clock", _time(100.0 + 0.02 * n - (seen.back_s if 2 * n >= seen.count else 0.0))


def _stamp(message: Any, at_s: float | None) -> None:
    holder = getattr(message, "header", message)
    if at_s is not None and hasattr(holder, "stamp"):
        holder.stamp = _time(EPOCH_S + at_s)


def _time(at_s: float) -> Time:
    return Time(sec=int(at_s), nanosec=int(1e9 * (at_s % 1.0)))


def _write_command(written: Written, now: float) -> None:
    [source] = {end.type_name for end in FITS.ends(Side.PUBLISHER, FITS.received[0].topic)}
    message = installed_type(source)()
    _stamp(message, now)
    written.take(FITS.received[0].topic, message, now)


def _stack_says(graph: Snapshot) -> dict[str, str]:
    """The topics on which the stack of a question speaks, each with its type."""
    said = graph.stack._asdict()
    return {topic: kind for topic, kind in STACK if said[_SAYS[topic].field] is not None}


def _write_of_stack(written: Written, topic: str, kind: str, graph: Snapshot, at_s: float) -> None:
    says = _SAYS[topic]
    values = says.yes if getattr(graph.stack, says.field) else says.no
    data = struct.pack(says.layout, _CDR, 0, 0, *values)
    written.write(topic, kind, data, at_s, f"{_STAMP_TEXT}{says.text}{_TIME_TEXT}")
