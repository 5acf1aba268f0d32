"""ROS 1 node autohyu_bridge: the bridge for AutoHYU as it is published, on ROS 1 Noetic.

The same core, parameters and topics as the ROS 2 node, over rospy. rospy calls back in threads of
its own; a lock makes the core see one call at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vdsim_protocol.checked_file import FileError, read_yaml

from vdsim_interface.extras.autohyu import (
    AutohyuBridge,
    AutohyuParameters,
    chosen_torque_map,
    topics,
)
from vdsim_interface.extras.autohyu.parameters import ReferenceParameters
from vdsim_interface.extras.autohyu.ros1.api import Logger, Messages, Rospy
from vdsim_interface.extras.autohyu.vehicle_state import VehicleState
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import flatten, from_flat
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.host_lookup import with_addresses
from vdsim_interface.values.notice_log import NoticeLog

NAME = "autohyu_bridge"
FILE = "params_file"
"""Private parameter: a file of the ROS 2 node's form, which the other parameters override."""
FILE_FORM = "must be a YAML file with /**: ros__parameters: ..."


class Ros1Bridge:
    """AutoHYU's topics and one socket; the caller calls `tick` every period."""

    def __init__(self, rospy: Rospy, messages: Messages, clock: Callable[[], float]) -> None:
        self._rospy, self._messages, self._clock = rospy, messages, clock
        self.settings = parameters_of(rospy)
        self._lock = threading.Lock()
        self._log = NoticeLog(Logger(rospy))
        self._bridge = AutohyuBridge(
            with_addresses(self.settings), chosen_torque_map(self.settings.pedals)
        )
        self._sockets = Endpoints(self._bridge.endpoints())
        self._reference = reference_message(messages, self.settings.reference)
        self._create_topics()
        ((host, port),) = self._sockets.bound().values()
        link = self.settings.link
        rospy.loginfo(
            f"STATE at {host}:{port}, CMD to {link.plant_host}:{link.plant_port} "
            f"at {self.settings.rate_hz:g} Hz"
        )

    def _create_topics(self) -> None:
        kinds = self._messages
        for name, received in (
            (topics.STEER, self._bridge.on_steer),
            (topics.TORQUE, self._bridge.on_torque),
            (topics.ACCEL, lambda value, _now: self._bridge.on_accel(value)),
        ):
            self._rospy.Subscriber(
                name,
                kinds.Float32,
                self._locked(received),
                queue_size=1,
                tcp_nodelay=True,
            )
        advertise = self._rospy.Publisher
        self._state = advertise(topics.VEHICLE_STATE, kinds.VehicleState, queue_size=1)
        self._filtered = None
        if self.settings.filtered.type != "off":
            self._filtered = advertise(
                topics.VEHICLE_STATE_FILTERED, kinds.VehicleState, queue_size=1
            )
        latched = advertise(topics.REFERENCE_POINT, kinds.Reference, queue_size=1, latch=True)
        latched.publish(self._reference)

    def _locked(self, received: Callable[[float, float], None]) -> Callable[[Any], None]:
        def callback(message: Any) -> None:
            now = self._clock()
            with self._lock:
                received(message.data, now)

        return callback

    def tick(self) -> None:
        """Run one period: STATE in, CMD out, the state published."""
        now = self._clock()
        with self._lock:
            for data, source, _ in self._sockets.drain(now):
                self._log.write(self._bridge.on_datagram(data, source, now), now)
            output = self._bridge.tick(now)
            self._sockets.send(output.datagrams)
        self._log.write(output.notices + self._sockets.take_notices(), now)
        if output.state is not None:
            self._state.publish(self._message(output.state, now))
        if output.filtered is not None and self._filtered is not None:
            self._filtered.publish(self._message(output.filtered, now))

    def end(self) -> None:
        """Send the final command, which brakes, and close the socket."""
        with self._lock:
            self._sockets.send(self._bridge.stop(self._clock()))
            self._sockets.close()

    def _message(self, values: VehicleState, now: float) -> Any:
        time = self._rospy.Time
        received_s = max(time.now().to_sec() - max(now - values.stamp_s, 0.0), 0.0)
        return vehicle_state_message(
            self._messages,
            values,
            reference=self._reference,
            frame_id=self.settings.frame_id,
            stamp=time.from_sec(received_s),
        )


def run(
    rospy: Rospy, messages: Messages, clock: Callable[[], float], sleep: Callable[[float], None]
) -> None:
    """Run the node until ROS ends it. A period that was missed is not made up for."""
    rospy.init_node(NAME)
    bridge = Ros1Bridge(rospy, messages, clock)
    period_s = bridge.settings.period_s
    due_s = clock()
    try:
        while not rospy.is_shutdown():
            try:
                bridge.tick()
            except rospy.ROSException:  # the topics close first when ROS ends the node
                if not rospy.is_shutdown():
                    raise
                break
            due_s = max(due_s + period_s, clock())
            sleep(max(due_s - clock(), 0.0))
    finally:
        bridge.end()


def parameters_of(rospy: Rospy) -> AutohyuParameters:
    """Return the node's private parameters; those not given come from the file, then defaults."""
    private = rospy.get_param("~", {})
    given = flatten(private) if isinstance(private, Mapping) else {}
    file = given.pop(FILE, "")
    values = _of_file(Path(str(file)), rospy.get_name()) if file else {}
    return from_flat(AutohyuParameters, {**values, **given})


def _of_file(path: Path, node: str) -> dict[str, object]:
    try:
        tree = read_yaml(path, unique=False)
    except FileError as fault:
        why = ": ".join(filter(None, (fault.where, fault.problem)))
        raise ParameterError(FILE, path, why) from None
    values: dict[str, object] = {}
    for key in ("/**", node.rpartition("/")[2], node):
        part = tree.get(key, {}) if isinstance(tree, Mapping) else None
        part = part.get("ros__parameters", {}) if isinstance(part, Mapping) else None
        if not isinstance(part, Mapping):
            raise ParameterError(FILE, path, FILE_FORM)
        values.update(flatten(part))
    return values


def reference_message(messages: Messages, reference: ReferenceParameters) -> Any:
    """Convert the position of the world's origin."""
    message = messages.Reference()
    message.projection = topics.PROJECTION
    _set_position(
        message.wgs84, (reference.ref_lat_deg, reference.ref_lon_deg, reference.ref_alt_m)
    )
    return message


def vehicle_state_message(
    messages: Messages, values: VehicleState, *, reference: Any, frame_id: str, stamp: Any
) -> Any:
    """Convert localisation and bus data; both headers carry the time of receipt."""
    message = messages.VehicleState()
    message.reference = reference
    for header in (message.header, message.vehicle_can.header):
        header.stamp, header.frame_id = stamp, frame_id
    _set_position(message.gnss, values.gnss)
    for part, content in ((message, values.state), (message.vehicle_can, values.can)):
        for name, value in content.items():
            setattr(part, name, value)
    return message


def _set_position(message: Any, position: tuple[float, float, float]) -> None:
    message.latitude, message.longitude, message.altitude = position
