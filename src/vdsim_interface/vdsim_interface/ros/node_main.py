"""Start, spin and end a node process; a user's mistake is one line."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, ClassVar

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from vdsim_protocol.checked_node import offer_parameters
from vdsim_protocol.data_limit import DataLimit, reserve_small_stacks
from vdsim_protocol.ending_signals import ending_signals, ignore_repeated_signals
from vdsim_protocol.loopback import own_listening, told
from vdsim_protocol.message_wall import is_of_the_middleware

from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.platforms.discovery import PlatformError
from vdsim_interface.ros.exit_codes import MEMORY_EXIT, USER_ERROR_EXIT
from vdsim_interface.ros.process.checked_node import CheckedNode, checked
from vdsim_interface.ros.process.loop_watch import LoopWatch
from vdsim_interface.ros.timers import every_real, uses_simulated_time

# What a user can correct; anything else is a defect and keeps its traceback.
USER_ERRORS = (ParameterError, PlatformError, OSError, ValueError)
NO_TYPES = ("--ros-args", "-p", "start_type_description_service:=false")
"""For every node of the process: the request of rclpy's service of types is a text, and a node
cannot end that service."""
_FOR_EVER_S = 1e9
_HEARTBEAT_S = 0.1
_MEMORY_CHECK_S = 0.5
_MEMORY_PATIENCE_S = 15.0
"""The middleware keeps the memory of the largest messages for ever. What ends more often than five
times a minute is not started again."""
_CLOCK = "/clock"
# Long enough for discovery to find a simulation that runs.
_CLOCK_CHECK_S = 3.0
# Shorter than the 5 s after which a launch goes from SIGINT to SIGTERM.
_LONGEST_END_S = 4.0


def make_executor(nodes: Sequence[Node]) -> Executor:
    """The cheapest executor that fits: events, or a wait set where timers follow simulated time."""
    simulated = any(uses_simulated_time(node) for node in nodes)
    executor: Any = SingleThreadedExecutor() if simulated else _events_executor()
    for node in nodes:
        executor.add_node(node)
    return executor  # type: ignore[no-any-return]


def _events_executor() -> Any:
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:  # releases before Jazzy
        return SingleThreadedExecutor()
    return EventsExecutor()


class _Stop:
    """Ctrl-C, or the launch's SIGTERM, as a future that completes between two callbacks.

    rclpy's own handlers would close the context first, while callbacks still run and
    before the nodes have sent their last, safe command. The handler only records the signal: a
    future has a lock, and a terminal and its launch often send the same signal twice.
    """

    # Signals come to the process, and it runs its nodes once.
    is_requested: ClassVar[bool] = False

    def __init__(self) -> None:
        self.future = Future()
        _Stop.is_requested = False
        for number in ending_signals():
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        _Stop.is_requested = True

    def on_heartbeat(self) -> None:
        """Check for a signal. Python handles one only between two of its own instructions."""
        if _Stop.is_requested and not self.future.done():
            self.future.set_result(None)


def end_if_asked() -> None:
    """For a long wait on the thread that spins, where no heartbeat looks: end on a signal."""
    if _Stop.is_requested:
        raise KeyboardInterrupt


class MemoryHeldError(Exception):
    """What arrived holds the memory of the process, and only its end gives it back."""


class _ClockWatch:
    """Warns when nothing publishes simulated time: timers would wait without a message."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._is_missing = False

    def check(self) -> None:
        """Warn once each time that the last publisher is gone."""
        is_missing = self._node.count_publishers(_CLOCK) == 0
        if is_missing and not self._is_missing:
            self._node.get_logger().warning(
                f"use_sim_time is set and nothing publishes {_CLOCK}: time does not advance"
            )
        self._is_missing = is_missing


def open_process(nodes: Sequence[Node]) -> None:
    """Begin to serve: parameter services where they are to be open, the limit on memory."""
    offer_parameters([checked(node) for node in nodes])
    watch_memory(nodes)


def watch_memory(nodes: Sequence[Node]) -> None:
    """Limit the memory of the process from now on; its nodes react before the limit is reached."""
    watching = [node for node in nodes if isinstance(node, CheckedNode)]
    if not watching:
        return
    limit = DataLimit(_growth_mb([node.process.data_growth_mb for node in watching]))
    for node in watching:
        node.data_limit = limit
    log = nodes[0].get_logger()
    low_since: list[float] = []

    def check() -> None:
        was_low = limit.is_low
        why = limit.update()
        if limit.is_low is was_low:
            if low_since and time.monotonic() - low_since[0] > _MEMORY_PATIENCE_S:
                raise MemoryHeldError
            return
        low_since[:] = [time.monotonic()] if why else []
        if why:
            log.error(why)
        else:
            log.info("memory is free again")
        for node in watching:
            node.on_memory(why)

    every_real(nodes[0], _MEMORY_CHECK_S, check)


def _growth_mb(wanted: Sequence[int]) -> int:
    """The largest of what the nodes of a process want; 0, no limit, is the largest of all."""
    return 0 if 0 in wanted else max(wanted)


def _spin(nodes: Sequence[Node], stop: _Stop, watch: LoopWatch | None) -> None:
    executor = make_executor(nodes)
    if watch is not None:
        every_real(nodes[0], _HEARTBEAT_S, watch.turn)
    # In real time: a simulation that is paused, or never started, must not delay the end.
    every_real(nodes[0], _HEARTBEAT_S, stop.on_heartbeat)
    simulated = [node for node in nodes if uses_simulated_time(node)]
    if simulated:
        every_real(simulated[0], _CLOCK_CHECK_S, _ClockWatch(simulated[0]).check)
    open_process(nodes)
    if line := told(own_listening(os.environ)):
        nodes[0].get_logger().info(line)
    # Objects created at start-up are permanent: exclude them from garbage collection.
    gc.collect()
    gc.freeze()
    if watch is not None:
        watch.turn()
    while not stop.future.done():
        try:
            # EventsExecutor.spin() of Jazzy 7.1.6 runs no callback; with a far deadline this does.
            executor.spin_until_future_complete(stop.future, timeout_sec=_FOR_EVER_S)
        except MemoryError as error:
            if not is_of_the_middleware(error, __name__):
                raise
            _note_no_memory(nodes)


def _note_no_memory(nodes: Sequence[Node]) -> None:
    """A message is lost; what holds the memory ends the process if it does not give it back."""
    node = nodes[0]
    if isinstance(node, CheckedNode):
        node.note_lost()


def _end(nodes: Sequence[Node]) -> None:
    """Let every node send its last, safe command, also where memory has run out."""
    for node in nodes:
        if isinstance(node, CheckedNode) and node.data_limit is not None:
            node.data_limit.lift()
    # Our code does not block here. If the middleware does, print where and end; otherwise launch
    # would kill this process without showing the reason. It needs a thread: there may be none.
    with suppress(RuntimeError, MemoryError):
        faulthandler.dump_traceback_later(_LONGEST_END_S, exit=True)
    failures = []
    ends = [getattr(node, "end", None) for node in nodes]
    for end in (*ends, *(node.destroy_node for node in nodes)):
        try:
            if callable(end):
                end()
        except Exception as error:  # the others must end, too
            failures.append(error)
    if failures:
        raise failures[0]


def run(
    name: str,
    make: Callable[[], Sequence[Node]],
    arguments: list[str] | None = None,
    *,
    loop_limit_s: float = 0.0,
) -> int:
    """Create the nodes, spin them until Ctrl-C, end them; return the exit code.

    `loop_limit_s`: a loop that stands still for so long ends the process; 0: whatever it does.
    """
    given = sys.argv if arguments is None else arguments
    reserve_small_stacks()
    rclpy.init(args=[*given, *NO_TYPES], signal_handler_options=SignalHandlerOptions.NO)
    nodes: Sequence[Node] = ()
    watch = None
    stop = _Stop()
    try:
        try:
            nodes = make()
        except USER_ERRORS as error:
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            return USER_ERROR_EXIT
        # Every exception from here on is a defect.
        watch = LoopWatch(name, loop_limit_s) if loop_limit_s else None
        _spin(nodes, stop, watch)
        return 0
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    except MemoryHeldError:
        print(
            f"{name}: the memory that arrivals took is not free again within "
            f"{_MEMORY_PATIENCE_S:g} s: the process ends, for its launch to start it again",
            file=sys.stderr,
            flush=True,
        )
        return MEMORY_EXIT
    except Exception:
        for node in nodes:
            if isinstance(node, CheckedNode):
                node.has_failed = True
        raise
    finally:
        if watch is not None:
            watch.end()
        _end(nodes)
        rclpy.try_shutdown()
        faulthandler.cancel_dump_traceback_later()
        ignore_repeated_signals()
