"""What is real: for each command, state and sensor of a platform, vehicle, modelled or absent.

    SPEC (capabilities, sensors) + version of the wire + body of the report ──▶ CapabilityTable

A value is the vehicle's when its wire carries it, modelled when the platform or the interface
computes it or echoes the command, absent otherwise.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import NamedTuple

from vdsim_interface.platforms.spec import PlatformSpec, Reported
from vdsim_interface.sensors.declaration import STANDARD_NAMES
from vdsim_interface.values import BodyCommand, BodyState, Source

BODY_COMMANDS = tuple(item.name for item in fields(BodyCommand))
BODY_STATES = tuple(item.name for item in fields(BodyState) if item.name != "modelled")
IMU_CHANNELS = ("orientation", "angular_velocity", "acceleration")
_ALWAYS = {"position": Reported(), "heading": Reported()}
"""The contract of every platform with a wire demands them (extras/contract/)."""
_ABSENT = Reported(Source.ABSENT)
_STATES = (
    *("rear_wheel_angle", "position", "height", "heading", "attitude", "lateral_velocity"),
    *("vertical_velocity", "yaw_rate", "roll_rate", "pitch_rate", "acceleration"),
    *("pedals", "vehicle_time"),
)


class Entry(NamedTuple):
    """One command, state or sensor."""

    name: str
    source: Source


class CapabilityTable(NamedTuple):
    """Everything that a platform has or lacks. `wire`: protocol and version."""

    wire: str
    commands: tuple[Entry, ...]
    states: tuple[Entry, ...]
    sensors: tuple[Entry, ...]

    def items(self) -> Iterator[tuple[str, Source]]:
        """Return every entry with its group: `command.gear`, `state.fuel`, `sensor.gnss`."""
        groups = (("command", self.commands), ("state", self.states), ("sensor", self.sensors))
        for group, entries in groups:
            for entry in entries:
                yield f"{group}.{entry.name}", entry.source


def reported_source(spec: PlatformSpec, name: str, version: int) -> Source:
    """Return where a value of REPORTED comes from."""
    capabilities = spec.capabilities
    found = capabilities.reported.get(name)
    if found is None:
        found = Reported() if name in capabilities.signals else _ALWAYS.get(name, _ABSENT)
    return found.at(version)


def table_of(spec: PlatformSpec, version: int, modelled: frozenset[str]) -> CapabilityTable:
    """Return the table. `version`: of the wire; `modelled`: as in BodyState."""
    return CapabilityTable(
        wire=spec.wire.replace("{version}", str(version)),
        commands=tuple(_commands(spec, modelled)),
        states=tuple(_states(spec, version, modelled)),
        sensors=tuple(_sensors(spec, version, modelled)),
    )


def modelled_by_default(spec: PlatformSpec) -> frozenset[str]:
    """Return the fields of BodyState that the platform's wire does not report."""
    return frozenset(BODY_STATES) - spec.capabilities.reports


def _commands(spec: PlatformSpec, modelled: frozenset[str]) -> Iterator[Entry]:
    capabilities = spec.capabilities
    for name in ("acceleration", "front_wheel_angle", "throttle", "brake"):
        yield Entry(name, Source.VEHICLE)
    steers = Source.VEHICLE if capabilities.rear_steering else Source.ABSENT
    yield Entry("rear_wheel_angle", steers)
    for name in BODY_COMMANDS:
        echoed = Source.MODELLED if name in modelled else Source.ABSENT
        yield Entry(name, Source.VEHICLE if name in capabilities.commands else echoed)
    for name in capabilities.auxiliary:
        yield Entry(name, Source.VEHICLE)


def _states(spec: PlatformSpec, version: int, modelled: frozenset[str]) -> Iterator[Entry]:
    yield Entry("velocity", Source.VEHICLE)
    yield Entry("front_wheel_angle", Source.VEHICLE)
    for name in _STATES:
        yield Entry(name, reported_source(spec, name, version))
    driver = Source.VEHICLE if spec.capabilities.driver_activity else Source.ABSENT
    yield Entry("driver_activity", driver)
    for name in BODY_STATES:
        state = "fuel" if name == "fuel_percent" else name
        yield Entry(state, Source.MODELLED if name in modelled else Source.VEHICLE)


def _sensors(spec: PlatformSpec, version: int, modelled: frozenset[str]) -> Iterator[Entry]:
    for name, source in zip(IMU_CHANNELS, imu_sources(spec, version), strict=True):
        yield Entry(f"imu_{name}", source)
    charge = Source.ABSENT if "fuel_percent" in modelled else Source.VEHICLE
    for name in STANDARD_NAMES:
        source = charge if name == "battery" else reported_source(spec, name, version)
        yield Entry(name, source)
    for sensor in spec.sensors:
        yield Entry(sensor.name, sensor.source_at(version))


def imu_sources(spec: PlatformSpec, version: int) -> tuple[Source, Source, Source]:
    """Return where orientation, angular velocity and acceleration of the IMU come from.

    That of a vector is the best of its channels'.
    """
    groups = (
        ("heading", "attitude"),
        ("yaw_rate", "roll_rate", "pitch_rate"),
        ("acceleration", "vertical_acceleration"),
    )
    best = (max(reported_source(spec, name, version) for name in group) for group in groups)
    orientation, rates, acceleration = best
    return orientation, rates, acceleration
