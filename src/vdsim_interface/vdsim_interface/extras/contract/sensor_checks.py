"""The part of the contract on sensors: declared ones can be read, and nothing real is left out."""

import math

from vdsim_interface.extras.contract.subject import Subject, require
from vdsim_interface.guard import frames
from vdsim_interface.guard.packing import packed, unpacked
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.sources import table_of
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.sensors.declaration import Sensor
from vdsim_interface.sensors.message_form import FieldError, MayBe, MessageForm, message_type
from vdsim_interface.values import Source, VehicleReport
from vdsim_interface.values.extra import MOST_BYTES, MOST_VALUES, checked_extra

MOVING = PeerMotion(3.0, 0.1, 0.5, 3.0, -4.0, 0.7)


def reads_its_sensors(spec: PlatformSpec) -> None:
    """[VI-2.1] Every declared sensor fills its message, also behind a guard, or has no reading."""
    subject = Subject(spec)
    report = subject.report(MOVING)
    _, why = checked_extra(report.extra)
    limits = f"at most {MOST_VALUES} plain values and {MOST_BYTES} bytes"
    require(not why, f"extra must be {limits}", why)
    behind_guard = _behind_guard(subject, report)
    for sensor in spec.sensors:
        try:
            form = MessageForm(message_type(sensor.message))
        except ValueError as error:
            require(False, f"sensor {sensor.name}: message={sensor.message} {error}")
        here, there = _reading(sensor, form, report), _reading(sensor, form, behind_guard)
        require(
            here == there,
            f"sensor {sensor.name} must read the same in the shell of a guard: from extra, or from "
            "details that PlatformSpec.packet decodes",
            there,
        )


def _reading(sensor: Sensor, form: MessageForm, report: VehicleReport) -> str:
    """Return the message as a text (NaN is like NaN); empty without a reading."""
    try:
        fields = sensor.read(report)
        if fields is None:
            return ""
        return str(form.filled(fields, MayBe(sensor.may_be_nan, sensor.may_be_infinite)))
    except FieldError as error:
        require(False, f"sensor {sensor.name}: {error}")
    except Exception as error:  # whatever a platform's function raises
        found = f"{type(error).__name__}: {error}"
        require(False, f"sensor {sensor.name}: read must not raise", found)
    return ""


def _behind_guard(subject: Subject, report: VehicleReport) -> VehicleReport:
    """Return the report as the shell of a guard has it."""
    extra, _ = checked_extra(report.extra)
    sent = frames.Report(report._replace(extra=extra), b"")
    arrived: VehicleReport = unpacked(frames.Report, packed(sent)).report
    if subject.peer is None or subject.spec.packet is None:
        return arrived
    return arrived._replace(details=subject.spec.packet(subject.last_datagram))


def has_what_it_declares_and_nothing_else(spec: PlatformSpec) -> None:
    """[VI-2.1] What the capabilities call absent is not in the reports, and the other way round."""
    subject = Subject(spec)
    report = subject.report(MOVING)
    known = spec.wire_versions
    require(
        report.wire_version in known, f"wire_version must be one of {known}", report.wire_version
    )
    sources = dict(table_of(subject.spec, report.wire_version, report.body.modelled).items())
    sensors = report.sensors
    found = {
        "sensor.gnss": math.isfinite(sensors.gnss_x_m + sensors.gnss_y_m),
        "sensor.wheel_speeds": any(math.isfinite(spin) for spin in sensors.wheel_spin_radps),
        "state.pedals": math.isfinite(report.applied.throttle + report.applied.brake),
    }
    for name, is_there in found.items():
        declared = sources[name] is not Source.ABSENT
        word = "is in the reports" if is_there else "is not in the reports"
        rule = f"capabilities must declare {name.partition('.')[2]} where the reports hold it"
        require(declared is is_there, rule, f"{sources[name].name}, and it {word}")
