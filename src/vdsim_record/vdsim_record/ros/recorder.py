"""The node vdsim_record: every topic of the graph, as bytes, into a recording.

It decodes nothing and sends nothing: what is recorded is what was on the wire, and the graph as the
doctor sees it, at each change.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import rclpy.utilities
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from vdsim_interface.guard.tape import VARIABLE
from vdsim_interface.ros.exit_codes import USER_ERROR_EXIT
from vdsim_interface.ros.messages.message_info import Info, with_info
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.process.checked_node import PrivateNode
from vdsim_interface.ros.timers import every_real
from vdsim_protocol.checked_file import FileError, read_text

from vdsim_record.journal.writer import FLUSH_S
from vdsim_record.mcap_file.finishing import finish_all
from vdsim_record.recording import Recording, RecordingError
from vdsim_record.ros.graph_view import TOPIC as VIEWS
from vdsim_record.ros.graph_view import TYPE as VIEW_TYPE
from vdsim_record.ros.graph_view import GraphViews
from vdsim_record.ros.type_texts import NoDefinitionError, type_text
from vdsim_record.tape.receiving import TapeSocket
from vdsim_record.tape.recorded import TOPIC, TYPE, as_message

PROGRAM = "vdsim_record"
_LOOK_S = 0.5
_DEPTH = 500
"""Messages that wait for this process while it does not run."""
_LARGEST_FILE = 1 << 20
_PACKAGES = (
    *("vdsim_record", "vdsim_interface", "vdsim_plant", "vdsim_plant_node", "vdsim_protocol"),
    *("vdsim_autoware", "vdsim_can", "mcap", "numpy"),
)
About = Mapping[str, Mapping[str, str]]


class LogClock:
    """The system clock without its steps back: what is recorded later has a later time.

    A reader sorts by this time: after a step back it would mix two parts of a drive.
    """

    def __init__(
        self,
        system_ns: Callable[[], int] = time.time_ns,
        steady_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._system_ns, self._steady_ns = system_ns, steady_ns
        self._ahead_ns = system_ns() - steady_ns()

    def now_ns(self) -> int:
        """The time of a message that is received now."""
        system_ns, steady_ns = self._system_ns(), self._steady_ns()
        self._ahead_ns = max(self._ahead_ns, system_ns - steady_ns)
        return steady_ns + self._ahead_ns


class Recorder(PrivateNode):
    """Subscribes to what is published, and records it."""

    def __init__(self, target: Path, about: About) -> None:
        super().__init__(PROGRAM)
        self.failure = ""
        self._clock_of_log = LogClock()
        self._log = self.get_logger()
        for done in finish_all(target.absolute().parent):
            self._log.info(f"left by a recorder that has ended: {done}")
        self.recording = Recording(free_name(target), about, time.monotonic())
        self._log.info(f"recording into {self.recording.folder.target}")
        self._topics: dict[str, tuple[Any, QoSProfile, int]] = {}
        self._refused: set[str] = set()
        path = os.environ.get(VARIABLE)
        self._tape = TapeSocket(Path(path)) if path else None
        self._tapes: dict[int, int] = {}
        self._views = GraphViews(self)
        self._views_channel = 0
        self._look()
        every_real(self, _LOOK_S, self._look)
        every_real(self, FLUSH_S, self._turn)

    def _take_tapes(self) -> None:
        """What the interface wrote of its inputs."""
        for tape, packet in () if self._tape is None else self._tape.receive():
            if tape not in self._tapes:
                topic = f"{TOPIC}{tape}"
                self._tapes[tape] = self.recording.channel(topic, TYPE, type_text(TYPE), {})
            now_ns = self._clock_of_log.now_ns()
            self.recording.message(self._tapes[tape], as_message(packet), now_ns, now_ns)

    def _turn(self) -> None:
        self._take_tapes()
        try:
            self.recording.turn(time.monotonic())
        except RecordingError as error:
            self.failure = str(error)
            raise KeyboardInterrupt from None

    def _look(self) -> None:
        """Record the graph, topics that are new, and those whose publishers now offer less."""
        topics = self.get_topic_names_and_types()
        self._take_view([topic for topic, _ in topics])
        for topic, types in topics:
            if topic in self._refused:
                continue
            profile = self._profile(topic)
            if profile is None:
                continue
            known = self._topics.get(topic)
            if known is None:
                self._begin(topic, types, profile)
            elif known[1] != profile:
                subscription, _, number = known
                self.destroy_subscription(subscription)
                self._subscribe(topic, types[0], profile, number)

    def _take_view(self, topics: Sequence[str]) -> None:
        """Record the graph as the doctor sees it, where it has changed."""
        view = self._views.look(topics, time.monotonic())
        if view is None:
            return
        if not self._views_channel:
            self._views_channel = self.recording.channel(VIEWS, VIEW_TYPE, type_text(VIEW_TYPE), {})
        now_ns = self._clock_of_log.now_ns()
        self.recording.message(self._views_channel, view, now_ns, now_ns)

    def _begin(self, topic: str, types: Sequence[str], profile: QoSProfile) -> None:
        kind = types[0]
        try:
            if len(types) > 1:
                raise NoDefinitionError(f"published with several types: {', '.join(types)}")
            text = type_text(kind)
            number = self.recording.channel(topic, kind, text, {})
            self._subscribe(topic, kind, profile, number)
        except (NoDefinitionError, ImportError, AttributeError) as error:
            self._refused.add(topic)
            self._log.warning(f"{topic} is not recorded: {error}")

    def _subscribe(self, topic: str, kind: str, profile: QoSProfile, number: int) -> None:
        package, _, name = kind.partition("/msg/")
        message = getattr(import_module(f"{package}.msg"), name)
        callback = with_info(partial(self._receive, number))
        subscription = self.create_subscription(message, topic, callback, profile, raw=True)
        self._topics[topic] = (subscription, profile, number)

    def _receive(self, number: int, data: bytes, info: Info) -> None:
        now_ns = self._clock_of_log.now_ns()
        self.recording.message(number, data, now_ns, info["source_timestamp"] or now_ns)

    def _profile(self, topic: str) -> QoSProfile | None:
        """What all publishers of a topic fit; None where there is none."""
        offered = [each.qos_profile for each in self.get_publishers_info_by_topic(topic)]
        if not offered:
            return None
        reliable = all(each.reliability is ReliabilityPolicy.RELIABLE for each in offered)
        latched = all(each.durability is DurabilityPolicy.TRANSIENT_LOCAL for each in offered)
        return QoSProfile(
            depth=_DEPTH,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        )

    def end(self) -> None:
        """Complete the file."""
        self._take_tapes()
        if self._tape is not None:
            self._tape.close()
        others = self.recording.close()
        text = self.failure or f"recorded into {self.recording.folder.target}"
        say = self._log.error if self.failure else self._log.info
        say("; ".join([text, *map(str, others or ())]))


def free_name(target: Path) -> Path:
    """Return the name, or with a number where it is taken: a recorder that is started again."""
    names = (target, *(target.with_stem(f"{target.stem}.{n}") for n in range(2, 10_000)))
    return next(name for name in names if not name.exists())


def about(options: argparse.Namespace) -> About:
    """Return what a reader of the file must know: versions, launch arguments, parameters."""
    versions = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("ROS_DISTRO", "RMW_IMPLEMENTATION"):
        versions[name] = os.environ.get(name, "")
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    files = {}
    for path in options.parameters:
        try:
            files[path.name] = read_text(path, largest_bytes=_LARGEST_FILE)
        except (FileError, OSError, ValueError) as error:
            raise RecordingError(f"--parameters {path}: {error}") from None
    return {
        "vdsim.versions": versions,
        "vdsim.launch": {str(name): str(value) for name, value in options.launch.items()},
        "vdsim.parameters": files,
    }


def _object(text: str) -> dict[str, object]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Record every topic into an MCAP file that survives the end of any process.",
    )
    line.add_argument("file", type=Path, help="the recording, such as drive.mcap")
    line.add_argument(
        "--launch", type=_object, default={}, help="what the launch was given, as JSON"
    )
    line.add_argument(
        "--parameters", type=Path, action="append", default=[], help="a parameter file to keep"
    )
    return line


def main(arguments: list[str] | None = None) -> int:
    """Record until Ctrl-C."""
    given = sys.argv if arguments is None else arguments
    options = parser().parse_args(rclpy.utilities.remove_ros_args(given)[1:])
    made: list[Recorder] = []

    def make() -> Sequence[Node]:
        made.append(Recorder(options.file, about(options)))
        return made

    try:
        code = run(PROGRAM, make, given)
    except RecordingError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return USER_ERROR_EXIT
    return 1 if made and made[0].failure else code


if __name__ == "__main__":
    sys.exit(main())
