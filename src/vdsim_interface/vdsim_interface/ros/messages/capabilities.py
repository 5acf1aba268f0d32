"""The table of capabilities as message and as a line of /diagnostics."""

from __future__ import annotations

from collections.abc import Mapping

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus

from vdsim_interface.platforms.sources import BODY_COMMANDS, BODY_STATES, CapabilityTable
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import OK, diagnostic
from vdsim_interface.sensors.declaration import STANDARD_NAMES
from vdsim_interface.values import Source
from vdsim_msgs.msg import Capabilities, Capability

_COMMAND_TOPIC = {
    "acceleration": topics.VEHICLE_COMMAND,
    "front_wheel_angle": topics.VEHICLE_COMMAND,
    "rear_wheel_angle": topics.VEHICLE_COMMAND,
    "throttle": topics.RAW_COMMAND,
    "brake": topics.RAW_COMMAND,
    **dict.fromkeys(BODY_COMMANDS, topics.STATE_COMMAND),
}
_STATE_TOPIC = {
    "velocity": topics.ODOMETRY,
    "front_wheel_angle": topics.ODOMETRY,
    "rear_wheel_angle": topics.ODOMETRY,
    "acceleration": topics.IMU,
    "pedals": topics.COMMAND_TRACE,
    "vehicle_time": "",
    "driver_activity": topics.SAFETY_STATUS,
    "fuel": topics.STATE_REPORT,
    **dict.fromkeys(BODY_STATES, topics.STATE_REPORT),
}


def capabilities_message(table: CapabilityTable, spec: PlatformSpec, stamp: Time) -> Capabilities:
    """The message. What is absent has no topic."""
    auxiliary = dict.fromkeys(spec.capabilities.auxiliary, topics.AUXILIARY_COMMAND)
    sensors = {name: f"sensors/{name}" for name in STANDARD_NAMES}
    sensors |= {sensor.name: sensor.topic_name for sensor in spec.sensors}
    return Capabilities(
        stamp=stamp,
        platform=spec.name,
        wire=table.wire,
        commands=_entries(table.commands, {**_COMMAND_TOPIC, **auxiliary}, ""),
        states=_entries(table.states, _STATE_TOPIC, topics.NAV_ODOMETRY),
        sensors=_entries(table.sensors, sensors, topics.IMU),
    )


def _entries(
    entries: tuple[tuple[str, Source], ...], topic_of: Mapping[str, str], otherwise: str
) -> list[Capability]:
    return [
        Capability(
            name=name,
            source=int(source),
            topic="" if source is Source.ABSENT else topic_of.get(name, otherwise),
        )
        for name, source in entries
    ]


def capabilities_diagnostic(table: CapabilityTable) -> DiagnosticStatus:
    """Every entry, and in words what looks like the vehicle's and is not."""
    values = {name: source.name.lower() for name, source in table.items()}
    modelled = [name for name, source in table.items() if source is Source.MODELLED]
    where = table.wire or "a vehicle in this process"
    text = f"{where}; modelled: {', '.join(modelled) or 'nothing'}"
    return diagnostic("capabilities", OK, text, values)
