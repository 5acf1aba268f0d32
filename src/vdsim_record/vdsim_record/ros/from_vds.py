"""The packets of a recording of the car (`.vds`) as the messages that the interface makes of them.

A STATE goes through the interface's own platform, as on the road; a CMD is the stage `wire` of a
command trace, beside what the car applied. What only a running interface knows is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1 import SPEC
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import ENDPOINT, VDS1_GEARS
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.imu import imu_covariances, imu_message
from vdsim_interface.ros.messages.odometry_covariances import odometry_covariances
from vdsim_interface.ros.messages.trace import command_stage, trace_message
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.sensors.declaration import WORLD_FRAME
from vdsim_interface.sensors.feed import SensorFeed
from vdsim_interface.sensors.message_form import message_type
from vdsim_interface.sensors.standard import standard_sensors
from vdsim_interface.values import (
    Applied,
    Authority,
    BodyCommand,
    Gear,
    Mode,
    VehicleCommand,
    VehicleReport,
    WireCommand,
    state_report,
)
from vdsim_plant_node.runs.recording import Record, RecordKind

from vdsim_protocol import vds1

SENDER = ("127.0.0.1", 1)
_GEARS = {VDS1_GEARS[gear]: gear for gear in (Gear.DRIVE, Gear.REVERSE, Gear.NEUTRAL)}


class Recorded(NamedTuple):
    """A message, on a topic below the vehicle's namespace or on a global one."""

    topic: str
    message: Any


class VehicleMessages:
    """The messages of one vehicle of a recording. `frame_prefix`: put before every frame."""

    def __init__(self, vehicle_id: int, frame_prefix: str) -> None:
        self._output = output = OutputParameters(frame_prefix=frame_prefix)
        own = Vds1Parameters(vehicle_id=vehicle_id)
        setup = PlatformSetup(VehicleGeometry(), InterfaceParameters().period_s)
        self._platform = SPEC.create(own, setup)
        self._report: VehicleReport | None = None
        self._commands_n = 0
        sensors = (*standard_sensors(output.origin, output.gnss_stdev_m), *SPEC.sensors)
        self._feeds = [SensorFeed(each, message_type(each.message)) for each in sensors]

    def of(self, record: Record) -> Iterator[Recorded]:
        """Return what a record gives; nothing for one that is no packet."""
        if record.kind is RecordKind.STATE:
            received = self._platform.receive(record.payload, SENDER, ENDPOINT, record.time_s)
            if received.report is not None:
                self._report = received.report
                yield from self._state(received.report)
        elif record.kind is RecordKind.CMD:
            packet = vds1.decode(record.payload)
            if isinstance(packet, vds1.Packet) and isinstance(packet.body, vds1.Command):
                self._commands_n += 1
                yield Recorded(topics.COMMAND_TRACE, self._trace(packet, record.time_s))

    def _state(self, report: VehicleReport) -> Iterator[Recorded]:
        yield Recorded(topics.ODOMETRY, conversions.odometry_message(report.odometry()))
        body = state_report(report.body, Mode.MANUAL)
        state = conversions.state_report_message(body, report.stamp_s)
        yield Recorded(topics.STATE_REPORT, state)
        covariances = odometry_covariances(SPEC, report.wire_version, self._output)
        odom = conversions.nav_odometry_message(report, self._output.frames, covariances)
        yield Recorded(topics.NAV_ODOMETRY, odom)
        yield Recorded(topics.TF, conversions.transform_message(odom))
        known = imu_covariances(SPEC, report.wire_version, self._output)
        yield Recorded(topics.IMU, imu_message(report, self._output.imu_frame_id, known))
        world, frame = self._output.frames
        for feed in self._feeds:
            message = feed.take(report, report.stamp_s)
            if message is None:
                continue
            if feed.has_header:
                message.header.stamp = conversions.time_message(report.stamp_s)
                message.header.frame_id = world if feed.sensor.frame == WORLD_FRAME else frame
            yield Recorded(feed.sensor.topic_name, message)

    def _trace(self, packet: vds1.Packet[vds1.Command], time_s: float) -> Any:
        command, report = packet.body, self._report
        applied: Applied | None = None if report is None else report.applied
        gear = _GEARS.get(command.gear, Gear.NEUTRAL)
        trace = CommandTrace(
            stamp_s=time_s,
            mode=Mode.MANUAL,
            authority=Authority.SILENT,
            received=None,
            controlled=None,
            filtered=None,
            safe=VehicleCommand(time_s),
            raw=None,
            body=BodyCommand(gear),
            wire=WireCommand(
                front_wheel_angle_rad=command.steering_tire_angle_rad,
                throttle=command.throttle,
                brake=command.brake,
            ),
            wire_sequence=packet.seq,
            applied=applied,
            applied_stamp_s=0.0 if report is None else report.stamp_s,
            changes=(),
        )
        message = trace_message(trace, self._commands_n)
        message.safe = command_stage(None)
        return message
