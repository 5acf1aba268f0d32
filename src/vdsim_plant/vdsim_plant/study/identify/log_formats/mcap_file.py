"""Reads MCAP recordings of ROS 2: fields of messages become channels, at the message's own time.

What is known by its type is taken from the table below; `TOPIC:FIELD` names anything else. Needs
the package mcap-ros2-support (`pip install "vdsim_plant[mcap]"`); no ROS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.input_file import check_file
from vdsim_plant.study.identify.channels import CHANNELS, COMMAND_NAMES, TIME, WHEELS

Array = NDArray[np.float64]
LARGEST_BYTES = 64 << 30
Fields = Mapping[str, str]


def _per_wheel(channel: str, field: str) -> dict[str, str]:
    return {f"{channel}_{wheel}": f"{field}.{index}" for index, wheel in enumerate(WHEELS)}


BY_TYPE: Mapping[str, Fields] = {
    "vdsim_msgs/msg/CommandTrace": {
        "command_steer_rad": "wire.front_wheel_angle_rad",
        "command_throttle": "wire.throttle",
        "command_brake": "wire.brake",
    },
    "vdsim_msgs/msg/VdsState": {
        "vx_mps": "vx_mps",
        "vy_mps": "vy_mps",
        "yaw_rate_radps": "m_yaw_rate_radps",
        "ax_mps2": "m_ax_mps2",
        "ay_mps2": "m_ay_mps2",
        "steer_rad": "m_steer_rad",
        **_per_wheel("wheel_spin_radps", "wheel_spin_radps"),
    },
    "tier4_vehicle_msgs/msg/ActuationCommandStamped": {
        "command_throttle": "actuation.accel_cmd",
        "command_brake": "actuation.brake_cmd",
        "command_steer_rad": "actuation.steer_cmd",
    },
    "autoware_control_msgs/msg/Control": {"command_steer_rad": "lateral.steering_tire_angle"},
    "autoware_vehicle_msgs/msg/VelocityReport": {
        "vx_mps": "longitudinal_velocity",
        "vy_mps": "lateral_velocity",
    },
    "autoware_vehicle_msgs/msg/SteeringReport": {"steer_rad": "steering_tire_angle"},
    "sensor_msgs/msg/Imu": {
        "yaw_rate_radps": "angular_velocity.z",
        "ax_mps2": "linear_acceleration.x",
        "ay_mps2": "linear_acceleration.y",
    },
}
"""Message type -> channel -> field; elements of arrays by number."""


def read_mcap(path: Path, fields: Fields | None = None) -> tuple[Array, dict[str, Array]]:
    """Return (time, channels) of a recording; `fields` maps channels to `TOPIC:FIELD`."""
    if find_spec("mcap_ros2") is None:
        raise ParameterError(
            "file", 'needs mcap-ros2-support: pip install "vdsim_plant[mcap]"', source=path.name
        )
    check_file(path, largest_bytes=LARGEST_BYTES)
    try:
        samples = collected(_messages(path), fields or {})
    except ParameterError as error:
        raise error.in_file(path.name) from None
    except Exception as error:  # whatever a damaged file makes of the reader
        raise ParameterError(
            "file", f"is no MCAP recording of ROS 2: {type(error).__name__}", source=path.name
        ) from None
    if not samples:
        raise ParameterError("file", "has no message of a known type", source=path.name)
    return on_one_time(samples)


def collected(
    messages: Iterator[tuple[str, str, float, Any]], fields: Fields
) -> dict[str, list[tuple[float, float]]]:
    """Sort messages, as (topic, type, time [s], message), into samples of channels.

    Two topics of one type: the first one that comes counts; `fields` counts before the table.
    """
    wanted = _by_topic(fields)
    samples: dict[str, list[tuple[float, float]]] = {}
    owners: dict[str, str] = {channel: spec.rpartition(":")[0] for channel, spec in fields.items()}
    for topic, kind, time_s, message in messages:
        for channel, field in (*BY_TYPE.get(kind, {}).items(), *wanted.get(topic, ())):
            if owners.setdefault(channel, topic) != topic:
                continue
            if channel in fields and (channel, field) not in wanted.get(topic, ()):
                continue
            samples.setdefault(channel, []).append((time_s, _number(message, field, channel)))
    return samples


def on_one_time(samples: Mapping[str, list[tuple[float, float]]]) -> tuple[Array, dict[str, Array]]:
    """Bring channels of different rates to the times of the fastest measured one."""
    series = {}
    for channel, pairs in samples.items():
        table = np.array(sorted(pairs))
        keep = np.concatenate(([True], np.diff(table[:, 0]) > 0.0))
        series[channel] = table[keep]
    measured = [name for name in series if name not in COMMAND_NAMES]
    if not measured:
        raise ParameterError("file", "has commands only")
    clock = max(measured, key=lambda name: len(series[name]))
    time_s = series[clock][:, 0]
    columns = {}
    for channel, table in series.items():
        if channel in COMMAND_NAMES:
            place = np.searchsorted(table[:, 0], time_s, side="right") - 1
            columns[channel] = table[np.clip(place, 0, None), 1]
        else:
            columns[channel] = np.interp(time_s, table[:, 0], table[:, 1])
    return time_s - time_s[0], columns


def checked_fields(given: Sequence[str]) -> dict[str, str]:
    """Return channel -> TOPIC:FIELD from `CHANNEL=TOPIC:FIELD` of a command line."""
    found = {}
    for text in given:
        channel, _, spec = text.partition("=")
        if channel not in CHANNELS or channel == TIME.name or not all(spec.rpartition(":")):
            raise ParameterError(
                "field", f"={text!r}: must be CHANNEL=TOPIC:FIELD, CHANNEL as in --channels"
            )
        found[channel] = spec
    return found


def _messages(path: Path) -> Iterator[tuple[str, str, float, Any]]:
    reader: Any = import_module("mcap_ros2.reader")  # optional
    for view in reader.read_ros2_messages(str(path)):
        yield view.channel.topic, view.schema.name, view.log_time_ns * 1e-9, view.ros_msg


def _by_topic(fields: Fields) -> dict[str, list[tuple[str, str]]]:
    topics: dict[str, list[tuple[str, str]]] = {}
    for channel, spec in fields.items():
        topic, _, field = spec.rpartition(":")
        topics.setdefault(topic, []).append((channel, field))
    return topics


def _number(message: Any, field: str, channel: str) -> float:
    value = message
    try:
        for part in field.split("."):
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        return float(value)
    except (AttributeError, IndexError, TypeError, ValueError):
        raise ParameterError(channel, f"={field}: the message has no such number") from None
