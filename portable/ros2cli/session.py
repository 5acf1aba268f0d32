"""A short-lived node for one command, and waiting with it until the graph is discovered.

There is no daemon that already knows the graph: each command starts its own discovery, and the
middleware finds the other nodes often at once, sometimes only at their next announcement. A list
is therefore printed after one announcement period, once the graph has stopped changing; a command
on one named entity waits for it.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from xml.etree import ElementTree

import rclpy
from rclpy.exceptions import NameValidationException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.validate_node_name import validate_node_name

from ros2cli import udp_ports
from ros2cli.arguments import CliError
from ros2cli.names import full_node_name

T = TypeVar("T")

POLL_S = 0.02
LONGEST_END_S = 10.0  # from the end of a command to that of its process
MARGIN_S = 0.4  # from the announcement of a node to its topics and name
QUIET_S = 0.3  # a graph unchanged for this time is taken as complete
NAMELESS_S = 2.0  # time for the node names behind the topics to arrive
CHANGING_S = 5.0  # limit for a graph that keeps changing
APPEAR_S = 1.0  # added to the period when waiting for a named entity

UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"  # rmw's name for a node not yet discovered


class _Snapshot(NamedTuple):
    """The names in the graph at one moment."""

    nodes: frozenset[str]
    topics: frozenset[str]
    services: frozenset[str]


class Session:
    """The node of one command, and waiting for discovery."""

    def __init__(self, node: Any, spin_time_s: float | None) -> None:
        self.node = node
        self._spin_time_s = spin_time_s
        self._period_s = announcement_period_s(os.environ)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)

    def settle(self) -> None:
        """Wait until the graph has settled, or exactly the time that the user set."""
        if self._spin_time_s is not None:
            self.wait_for(lambda: None, self._spin_time_s)
            return
        start = changed = time.monotonic()
        announced = start + self._period_s + MARGIN_S
        known = self._snapshot()
        while (now := time.monotonic()) < announced + CHANGING_S:
            if now > announced and now - changed > self._patience_s(known):
                return
            _pause()
            seen = self._snapshot()
            if seen != known:
                known, changed = seen, time.monotonic()

    def wait_for(self, find: Callable[[], T | None], limit_s: float | None = None) -> T | None:
        """Return the first result of `find` that is not None; None at the time limit."""
        if limit_s is None:
            limit_s = self._spin_time_s or self._period_s + APPEAR_S
        end = time.monotonic() + limit_s
        while (found := find()) is None and time.monotonic() < end:
            _pause()
        return found

    def spin_once(self, timeout_s: float | None = None) -> None:
        """Handle the next event of the node, if there is one in time."""
        self._executor.spin_once(timeout_sec=timeout_s)

    def result_of(self, future: Any, timeout_s: float | None = None) -> Any:
        """Spin until a future is done and return its result; None at the time limit."""
        self._executor.spin_until_future_complete(future, timeout_sec=timeout_s)
        return future.result() if future.done() else None

    def _patience_s(self, known: _Snapshot) -> float:
        """Return how long this graph must stay unchanged to count as complete."""
        return QUIET_S if self._all_ends_named(known.topics) else NAMELESS_S

    def _all_ends_named(self, topics: Iterable[str]) -> bool:
        """Return whether the node behind every publisher and subscription is known."""
        ends = (
            end
            for topic in topics
            for query in (
                self.node.get_publishers_info_by_topic,
                self.node.get_subscriptions_info_by_topic,
            )
            for end in query(topic)
        )
        return all(end.node_name != UNKNOWN_NODE for end in ends)

    def _snapshot(self) -> _Snapshot:
        node = self.node
        return _Snapshot(
            frozenset(full_node_name(*pair) for pair in node.get_node_names_and_namespaces()),
            frozenset(name for name, _ in node.get_topic_names_and_types()),
            frozenset(name for name, _ in node.get_service_names_and_types()),
        )


def _pause() -> None:
    time.sleep(POLL_S)
    if not rclpy.ok():
        raise ExternalShutdownException


@contextmanager
def open_session(args: argparse.Namespace, node_name: str | None = None) -> Iterator[Session]:
    """Start rclpy with one node, hidden unless it is named, and end both afterwards.

    An error of rclpy ends the command with one line; a signal ends it silently.
    """
    try:
        rclpy.init(args=[])
        with udp_ports.reserved():
            node = _create_node(node_name or f"_ros2cli_{os.getpid()}", args)
        try:
            yield Session(node, getattr(args, "spin_time", None))
        finally:
            # Fast DDS may wait for ever in the end of a participant: then end the process. A thread
            # of Python would not run, because the call holds its lock.
            with suppress(OSError, ValueError):  # nobody reads the output any more
                sys.stdout.flush()
            faulthandler.dump_traceback_later(LONGEST_END_S, exit=True)
            node.destroy_node()
    except NameValidationException as error:
        sentence, name, *_ = str(error).splitlines()
        raise CliError(f"{sentence.rstrip(':')} ({name.strip()})") from error
    except ExternalShutdownException:
        raise
    except RuntimeError as error:
        if not rclpy.ok():  # a signal has ended rclpy during a call
            raise ExternalShutdownException from error
        raise CliError(str(error).splitlines()[0]) from error
    finally:
        rclpy.try_shutdown()
        faulthandler.cancel_dump_traceback_later()


def _create_node(name: str, args: argparse.Namespace) -> Any:
    validate_node_name(name)
    wants_sim_time = getattr(args, "use_sim_time", False)
    overrides = [Parameter("use_sim_time", value=True)] if wants_sim_time else []
    return Node(name, start_parameter_services=False, parameter_overrides=overrides)


PROFILE_VARIABLES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
FAST_DDS_PERIOD_S = 3.0


def announcement_period_s(environ: Mapping[str, str]) -> float:
    """Return the period that the active Fast DDS profile sets, in seconds; 3 without one."""
    for variable in PROFILE_VARIABLES:
        path = Path(environ.get(variable, ""))
        if path.is_file():
            return _period_of(path)
    return FAST_DDS_PERIOD_S


def _period_of(path: Path) -> float:
    try:
        elements = list(ElementTree.parse(path).iter())
    except (OSError, ElementTree.ParseError):  # Fast DDS reports and ignores it
        return FAST_DDS_PERIOD_S
    for element in elements:
        if _local_name(element) == "leaseAnnouncement":
            parts = {_local_name(part): float(part.text or 0) for part in element}
            return parts.get("sec", 0.0) + parts.get("nanosec", 0.0) * 1e-9
    return FAST_DDS_PERIOD_S


def _local_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
