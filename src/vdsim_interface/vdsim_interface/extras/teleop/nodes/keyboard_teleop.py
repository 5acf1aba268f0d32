"""ROS node keyboard_teleop: a terminal's keys -> commands of a source, with a live panel.

The terminal runs in the main thread, the node's executor in a second one. Leaving (q, Esc, Ctrl-C)
and losing the terminal (closed window, hang-up) both stop the car before the process ends.
"""

from __future__ import annotations

import contextlib
import curses
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import NoReturn

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from vdsim_protocol.launch_watch import end_with_launch

from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.extras.teleop.keyboard_driver import KeyboardDriver
from vdsim_interface.extras.teleop.panel import panel_lines
from vdsim_interface.extras.teleop.ros.teleop_node import TeleopNode
from vdsim_interface.ros import topics
from vdsim_interface.ros.exit_codes import USER_ERROR_EXIT
from vdsim_interface.ros.node_main import USER_ERRORS, open_process
from vdsim_interface.ros.parameters import declare
from vdsim_interface.teleop.parameters import KeyboardTeleopParameters
from vdsim_msgs.msg import ControlSource, SafetyStatus

_KEY_WAIT_MS = 50
_END_WAIT_S = 30.0
"""After leaving, the car is braked for at most this long before the process ends anyway."""


def link_text(status: SafetyStatus | None) -> str:
    """Return the state of the vehicle link in a few words."""
    if status is None:
        return "no safety_status from the vehicle interface"
    return "ok" if status.vehicle_link_ok else f"lost: {status.vehicle_link_reason}"


def control_text(control: ControlSource | None) -> str:
    """Return the source in control in a few words; empty without a mux."""
    if control is None:
        return ""
    names = {
        ControlSource.STATE_NONE: "none",
        ControlSource.STATE_SOURCE: control.source,
        ControlSource.STATE_HAND_OVER: f"{control.source} (taking over)",
        ControlSource.STATE_SAFE_STOP: "safe stop",
    }
    return f"{names[control.state]} ({control.reason})"


class KeyboardTeleopNode(TeleopNode):
    """Drives the car from a terminal. Keys come from another thread, so a lock guards the core."""

    core: KeyboardDriver

    def __init__(self) -> None:
        super().__init__("keyboard_teleop")
        parameters = declare(self, KeyboardTeleopParameters())
        self.core = KeyboardDriver(parameters)
        self.station = self.core.station
        seal(self)
        self.lock = threading.Lock()
        self._safety: SafetyStatus | None = None
        self.connect(parameters.source, parameters.driver.output_rate_hz)
        self.create_subscription(
            SafetyStatus, topics.SAFETY_STATUS, self._on_safety, topics.REPORT_QOS
        )

    def on_tick(self) -> None:
        """Run one output period."""
        with self.lock:
            output = self.core.tick(self.now())
        self.publish(output)

    def on_key(self, key: str) -> None:
        """Receive a key from the terminal."""
        with self.lock:
            self.core.on_key(key, self.now())

    def on_closed(self, why: str) -> None:
        """Stop the car: the terminal was left or lost."""
        with self.lock:
            self.core.keyboard.on_closed(why)

    def lines(self, width: int) -> tuple[str, ...]:
        """Return the lines of the panel."""
        refusal = self._safety.last_refusal_reason if self._safety else ""
        with self.lock:
            link = self.unheard or link_text(self._safety)
            data = self.core.panel(link, control_text(self.control), refusal, self.now())
        return panel_lines(data, width)

    @property
    def finished(self) -> bool:
        """True when the terminal was left and the car needs no more commands."""
        with self.lock:
            return self.core.finished

    def _on_safety(self, message: SafetyStatus) -> None:
        self._safety = message

    def _on_control(self, message: ControlSource) -> None:
        with self.lock:
            super()._on_control(message)

    def on_give_back_answer(self, success: bool, text: str) -> None:
        """Receive the response of give_back."""
        with self.lock:
            self.core.on_give_back_answer(success, text)


def _show(screen: curses.window, node: KeyboardTeleopNode, lost: threading.Event) -> None:
    """Read keys and draw the panel until the terminal is left or lost."""
    with contextlib.suppress(curses.error):
        curses.curs_set(0)  # some terminals cannot hide it
    screen.timeout(_KEY_WAIT_MS)
    while not node.core.keyboard.closed and not lost.is_set():
        with contextlib.suppress(curses.error):  # raised when no key came within the wait
            node.on_key(screen.getkey())
        height, width = screen.getmaxyx()
        screen.erase()
        for row, line in enumerate(node.lines(width - 1)[:height]):
            screen.addstr(row, 0, line)
        screen.refresh()


@contextlib.contextmanager
def _quiet_errors() -> Iterator[None]:
    """Keep log lines off the panel; the log file and /rosout still receive them."""
    stderr = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def _stop_the_car(node: KeyboardTeleopNode) -> None:
    deadline_s = time.monotonic() + _END_WAIT_S
    while not node.finished and time.monotonic() < deadline_s:
        time.sleep(0.02)


def _drive(node: KeyboardTeleopNode) -> None:
    """Run the terminal, then bring the car to standstill."""
    lost = threading.Event()
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: lost.set())
    try:
        with _quiet_errors():
            curses.wrapper(_show, node, lost)
    except (curses.error, OSError):
        lost.set()  # the terminal was closed during a call of curses
    node.on_closed("the terminal was closed" if lost.is_set() else "keyboard_teleop was quit")
    _stop_the_car(node)


def _end(why: str) -> NoReturn:
    print(f"keyboard_teleop: {why}", file=sys.stderr, flush=True)
    sys.exit(USER_ERROR_EXIT)


def main() -> None:
    """Console entry."""
    if not sys.stdin.isatty():
        _end("needs a terminal; start it in a terminal of its own")
    end_with_launch()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = KeyboardTeleopNode()
    except USER_ERRORS as error:
        _end(str(error))
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    open_process([node])
    spinner = threading.Thread(target=_spin, args=(executor,), name="ros", daemon=True)
    spinner.start()
    try:
        _drive(node)
    finally:
        executor.shutdown()
        rclpy.try_shutdown()
        spinner.join()


def _spin(executor: SingleThreadedExecutor) -> None:
    with contextlib.suppress(ExternalShutdownException):
        executor.spin()
