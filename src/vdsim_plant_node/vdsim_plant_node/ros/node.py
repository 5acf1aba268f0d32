"""ROS node `plant`: the plant server with ground truth topics, services and diagnostics.

In real time the server has a thread of its own and the executor never delays it. In lockstep
(parameter `lockstep`) there is no such thread: time passes only in the service `~/step`, and
`/clock` carries it.
"""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any, TypeVar

import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool
from vdsim_plant.parameters import ParameterError
from vdsim_protocol.checked_node import offer_parameters
from vdsim_protocol.data_limit import DataLimit, reserve_small_stacks
from vdsim_protocol.ending_signals import ending_signals
from vdsim_protocol.loopback import own_listening, told
from vdsim_protocol.message_wall import is_of_the_middleware
from vdsim_protocol.request_check import refusal

from vdsim_msgs.msg import LinkStatus, VdsState
from vdsim_msgs.srv import ResetPlant, StepPlant
from vdsim_plant_node.dataport.service import DataPortSocket, claim_data_port, serve_data_port
from vdsim_plant_node.live.early_exit import interruptibly
from vdsim_plant_node.live.realtime_hints import (
    settle_garbage_collector,
    sharpen_timers,
    use_fifo_scheduling,
)
from vdsim_plant_node.live.recording_session import open_recording
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.live.snapshots import ServerSnapshot
from vdsim_plant_node.live.udp_sockets import close_sockets, open_sockets
from vdsim_plant_node.ros import messages
from vdsim_plant_node.ros.interface_link import InterfaceLinks
from vdsim_plant_node.ros.joy_output import TOPIC, JoyTopics
from vdsim_plant_node.ros.parameters import (
    DATA_GROWTH,
    CheckedNode,
    declare_one,
    declare_options,
    declare_process,
    seal,
)
from vdsim_plant_node.ros.requests import initial_state, pedals_of_step, vehicle_to_reset
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node.settings.warnings import warnings_of

Result = TypeVar("Result")
_ANSWER_TIMEOUT_S = 2.0
_MOST_TICKS = 100_000
_FOR_EVER_S = 1e9
_HEARTBEAT_S = 0.2
_MEMORY_CHECK_S = 1.0
_SLOWEST_HZ = 0.1
# Only the newest value counts.
_SENSOR_QOS = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
_CLOCK_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class PlantNode(CheckedNode, Node):  # type: ignore[misc, unused-ignore]
    """Vehicles with topics."""

    def __init__(self) -> None:
        super().__init__("plant")
        self._opened = ExitStack()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.failure: Exception | None = None
        """What ended the server's thread, if anything did."""
        settings = server_settings(declare_options(self))
        self._declare_own(settings.tick_hz)
        declare_process(self)
        seal(self)
        log = self.get_logger().info
        # Every port is claimed before the cars are built: the first time that compiles the core.
        sockets = open_sockets(settings)
        self._opened.callback(close_sockets, sockets)
        claimed = claim_data_port(settings, log)
        if claimed is not None:
            self._opened.callback(claimed.socket.close)
        vehicles = interruptibly(lambda: build_wire_vehicles(settings))
        self._server = PlantServer(settings, vehicles, sockets=sockets, log=log)
        self._recording = open_recording(self._server)
        if self._recording is not None:
            self._opened.callback(self._recording.close)
        self._make_publishers()
        self._make_services()
        self._announce()
        self._serve_page(claimed)

    def _serve_page(self, claimed: DataPortSocket | None) -> None:
        """Serve the data port, and publish what its page holds."""
        if claimed is None:
            return
        numbers = [vehicle.vehicle_id for vehicle in self._server.vehicles]
        data_port = serve_data_port(
            self._server,
            claimed,
            can_pause=not self._lockstep,
            joy=JoyTopics(self, numbers, self._joy_topic),
            interface=InterfaceLinks(self, self._server, numbers, self._joy_topic),
            log=self.get_logger().info,
        )
        if data_port is not None:
            self._opened.callback(data_port.close)

    def _declare_own(self, tick_hz: float) -> None:
        self._lockstep = declare_one(
            self, "lockstep", bool, False, "time passes only when ~/step is called"
        )
        wanted = declare_one(
            self, "publish_clock", bool, False, "publish /clock; in lockstep it always is"
        )
        self._has_clock = self._lockstep or wanted
        self._rate_hz = declare_one(self, "publish_rate", float, 100.0, "of the topics [Hz]")
        if not _SLOWEST_HZ <= self._rate_hz <= tick_hz:
            allowed = f"must be >= {_SLOWEST_HZ:g} and <= {tick_hz:g} Hz, the tick rate"
            raise ParameterError("publish_rate", f"={self._rate_hz:g}: {allowed}")
        prefix = declare_one(
            self, "frame_prefix", str, "", "put before both frames, such as car_1/"
        )
        world = declare_one(self, "frame_id", str, "map", "world frame of the topics")
        body = declare_one(self, "child_frame_id", str, "base_link", "body frame of the topics")
        self._joy_topic = declare_one(
            self, "joy_topic", str, TOPIC, "where the dashboard's keys and pad go as Joy"
        )
        self._frame, self._child_frame = prefix + world, prefix + body

    def start(self, failed: Callable[[], None]) -> None:
        """Begin: in real time on a thread of its own, in lockstep nothing moves yet.

        `failed()` is called on that thread when an error ends it.
        """
        self._failed = failed
        self._server.subscribe(self._publish, rate_hz=self._rate_hz)
        steady = RosClock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0, self._publish_diagnostics, clock=steady)
        if not self._lockstep:
            self._thread = threading.Thread(target=self._serve, name="plant server")
            self._thread.start()

    def end(self) -> None:
        """Stop the server and release what it holds."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._opened.close()

    @property
    def recording_failure(self) -> str | None:
        """Why the recording ended early, if it did; known after `end`."""
        return None if self._recording is None else self._recording.failure

    def _serve(self) -> None:
        """The server's thread."""
        sharpen_timers()
        if self._server.settings.precise and not use_fifo_scheduling():
            self.get_logger().warning("real-time scheduling is not permitted; precise spins only")
        try:
            self._server.serve(self._stopping.is_set)
        except (
            Exception
        ) as error:  # ends the node too: a plant that stands still must not seem alive
            self.failure = error
            self._failed()

    # --- topics

    def _make_publishers(self) -> None:
        several = len(self._server.vehicles) > 1
        self._odometry: dict[int, Any] = {}
        self._states: dict[int, Any] = {}
        self._links: dict[int, Any] = {}
        self._sent: dict[int, tuple[float, int]] = {}
        for vehicle in self._server.vehicles:
            prefix = f"~/vehicle_{vehicle.vehicle_id}/" if several else "~/"
            self._odometry[vehicle.vehicle_id] = self.create_publisher(
                Odometry, prefix + "odom", _SENSOR_QOS
            )
            self._states[vehicle.vehicle_id] = self.create_publisher(
                VdsState, prefix + "vds_state", _SENSOR_QOS
            )
            self._links[vehicle.vehicle_id] = self.create_publisher(
                LinkStatus, prefix + "link_status", 10
            )
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        if self._has_clock:
            self._clock_topic = self.create_publisher(Clock, "/clock", _CLOCK_QOS)

    def _publish(self, snapshot: ServerSnapshot) -> None:
        """Publish what the server delivers, on the server's thread."""
        stamp = self._stamp(snapshot)
        if self._has_clock:
            self._clock_topic.publish(Clock(clock=stamp))
        for vehicle, shown in zip(self._server.vehicles, snapshot.vehicles, strict=True):
            output, origin = shown.output, vehicle.settings.origin
            self._odometry[vehicle.vehicle_id].publish(
                messages.odometry_message(output, origin, stamp, self._frame, self._child_frame)
            )
            self._states[vehicle.vehicle_id].publish(
                messages.state_message(output, shown.status, origin, stamp, self._frame)
            )

    def _stamp(self, snapshot: ServerSnapshot) -> Time:
        """Simulation time since the start where /clock is published, else the node's clock."""
        if self._has_clock:
            return messages.time_message(snapshot.ticks * self._server.settings.tick_s)
        return self.get_clock().now().to_msg()

    def _publish_diagnostics(self) -> None:
        snapshot = self._ask(lambda server: server.snapshot())
        stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(
            messages.diagnostics_message(snapshot, stamp, self.get_fully_qualified_name())
        )
        self._publish_links(snapshot, stamp)

    def _publish_links(self, snapshot: ServerSnapshot, stamp: Time) -> None:
        """Publish how the commands of each vehicle arrive."""
        for vehicle, shown in zip(self._server.vehicles, snapshot.vehicles, strict=True):
            number = vehicle.vehicle_id
            before_s, before = self._sent.get(number, (0.0, 0))
            self._sent[number] = snapshot.time_s, shown.status.states
            passed_s = snapshot.time_s - before_s
            sent = shown.status.states - before
            self._links[number].publish(
                messages.link_status_message(
                    shown.status,
                    timeout_s=vehicle.settings.failsafe.timeout_s,
                    peer=messages.peer_of(snapshot.ports, number),
                    sent_rate_hz=sent / passed_s if passed_s > 0.0 else 0.0,
                    stamp=stamp,
                )
            )

    # --- services

    def _make_services(self) -> None:
        self.create_service(ResetPlant, "~/reset", self._on_reset)
        self.create_service(SetBool, "~/pause", self._on_pause)
        self.create_service(StepPlant, "~/step", self._on_step)

    def _ask(self, action: Callable[[PlantServer], Result]) -> Result:
        """Run something on the server's thread between two ticks and wait for it."""
        return self._server.call(action).result(timeout=_ANSWER_TIMEOUT_S)

    def _on_reset(
        self, request: ResetPlant.Request, response: ResetPlant.Response
    ) -> ResetPlant.Response:
        response.reason = refusal(request) or self._refusal(
            lambda server: server.reset(vehicle_to_reset(request), initial_state(request))
        )
        response.success = not response.reason
        return response

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        if self._lockstep:
            response.message = "in lockstep time passes only in ~/step"
        else:
            response.message = self._refusal(lambda server: server.pause(request.data))
        response.success = not response.message
        return response

    def _on_step(
        self, request: StepPlant.Request, response: StepPlant.Response
    ) -> StepPlant.Response:
        response.reason = refusal(request) or self._step(request)
        response.success = not response.reason
        server = self._server
        snapshot = self._ask(lambda asked: asked.snapshot())
        vehicle = server.vehicles[0]
        if response.success:
            vehicle = server.vehicle(request.vehicle_id)
            if self._has_clock:
                self._clock_topic.publish(Clock(clock=self._stamp(snapshot)))
        response.time_s = snapshot.ticks * server.settings.tick_s
        response.tick = vehicle.output.tick
        response.state_hash = server.state_hash()
        response.state = messages.state_message(
            vehicle.output, vehicle.status(server.now()), vehicle.settings.origin,
            self._stamp(snapshot), self._frame,
        )  # fmt: skip
        return response

    def _step(self, request: StepPlant.Request) -> str:
        """Do what a step asks for; the reason why not."""
        if not self._lockstep:
            return "start the plant with lockstep:=true to step it"
        if not 1 <= request.ticks <= _MOST_TICKS:
            return f"ticks={request.ticks}: must be within 1..{_MOST_TICKS}"

        def step(server: PlantServer) -> None:
            server.vehicle(request.vehicle_id)
            if request.set_command:
                server.drive(request.vehicle_id, pedals_of_step(request))
            server.advance(request.ticks)

        return self._refusal(step)

    def _refusal(self, action: Callable[[PlantServer], None]) -> str:
        """Run an action; what the user got wrong, or nothing."""
        try:
            self._ask(action)
        except ParameterError as error:
            return str(error)
        return ""

    def _announce(self) -> None:
        for line in self._server.describe():
            self.get_logger().info(line)
        for line in warnings_of(self._server.settings):
            self.get_logger().warning(line)


def _make_executor(node: Node) -> Executor:
    """The events executor where rclpy has it: it wakes up for what happened and nothing else."""
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:  # releases before Jazzy
        executor: Executor = SingleThreadedExecutor()
    else:
        executor = EventsExecutor()
    executor.add_node(node)
    return executor


class _Stop:
    """Ctrl-C, SIGTERM or a failure: they break a start-up off, and end the spinning in order.

    rclpy's own handlers would close the context first, under the thread that publishes.
    """

    def __init__(self) -> None:
        self.asked = Future()
        self.is_spinning = False
        self._is_signalled = False
        for number in ending_signals():
            signal.signal(number, self._on_signal)

    def ask(self) -> None:
        """End the spinning; from any thread."""
        if not self.asked.done():
            self.asked.set_result(None)

    def _on_signal(self, number: int, frame: object) -> None:
        if not self.is_spinning:
            raise KeyboardInterrupt
        # No more than a note: the future has a lock, and signals often come in pairs.
        self._is_signalled = True

    def on_heartbeat(self) -> None:
        """Check for a signal. Python handles one only between two of its own instructions."""
        if self._is_signalled:
            self.ask()


def main(arguments: list[str] | None = None) -> int:
    """Run the node until Ctrl-C; exit codes as vdsim_realtime."""
    reserve_small_stacks()
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    node: PlantNode | None = None
    try:
        stop = _Stop()
        node = PlantNode()
        _spin(node, stop)
    except ParameterError as error:
        print(f"plant: {error}", file=sys.stderr, flush=True)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"plant: {where}{error.strerror or error}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        rclpy.try_shutdown()
        os._exit(0)  # during start-up: a thread may be compiling, and would outlive the interpreter
    finally:
        if node is not None:
            node.end()
            node.destroy_node()
        rclpy.try_shutdown()
    if node is not None and node.failure is not None:
        raise node.failure
    if node is not None and node.recording_failure is not None:
        print(f"plant: the recording ended early: {node.recording_failure}", file=sys.stderr)
        return 1
    return 0


def _watch_memory(node: PlantNode, limit: DataLimit) -> None:
    why = limit.update()
    if why:
        node.get_logger().error(why)


def _spin(node: PlantNode, stop: _Stop) -> None:
    """Start the node and serve it until it is asked to stop."""
    executor = _make_executor(node)
    steady = RosClock(clock_type=ClockType.STEADY_TIME)
    node.create_timer(_HEARTBEAT_S, stop.on_heartbeat, clock=steady)
    offer_parameters([node])
    if line := told(own_listening(os.environ)):
        node.get_logger().info(line)
    stop.is_spinning = True
    node.start(stop.ask)
    limit = DataLimit(node.get_parameter(DATA_GROWTH).value)
    node.create_timer(_MEMORY_CHECK_S, partial(_watch_memory, node, limit), clock=steady)
    settle_garbage_collector()
    while not stop.asked.done():
        try:
            # EventsExecutor.spin() of rclpy 7.1.6 never begins; with a far deadline it does.
            executor.spin_until_future_complete(stop.asked, timeout_sec=_FOR_EVER_S)
        except MemoryError as error:
            if not is_of_the_middleware(error, __name__):
                raise
            node.note_lost()


if __name__ == "__main__":
    sys.exit(main())
