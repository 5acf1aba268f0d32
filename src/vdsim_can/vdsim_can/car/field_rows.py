"""Fields, overrides, faults and limits of a car file: rows -> values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from vdsim_can.car.fields import SWITCH, Field
from vdsim_can.car.limits import Agreement, AngleLimits, Limits, SpeedTable, TorqueLimits
from vdsim_can.car.rows import (
    MEASURED,
    Control,
    FaultRow,
    FieldRow,
    OutOfRange,
    OverrideRow,
    SignalName,
)
from vdsim_can.car.section import Row, is_number, word_of
from vdsim_can.car.units import UNITS
from vdsim_can.dbc.network import Signal

FindSignal = Callable[[Row, str], tuple[SignalName, Signal]]
"""Returns the signal that a row names as MESSAGE.SIGNAL, or refuses the row."""
_RAW = (-(1 << 63), (1 << 64) - 1)


def command_row(name: str, field: Field, row: Row, find: FindSignal) -> FieldRow:
    """Return a row of a field that is sent."""
    found = _field_row(name, field, row, find, is_command=True)
    row.finish()
    return found


def report_row(name: str, field: Field, row: Row, find: FindSignal) -> FieldRow:
    """Return a row of a field that is received."""
    found = _field_row(name, field, row, find, is_command=False)
    row.finish()
    return found


def _field_row(
    name: str, field: Field, row: Row, find: FindSignal, *, is_command: bool
) -> FieldRow:
    signal_name, signal = find(row, row.text("signal"))
    unit = row.text("unit", "")
    if unit and unit not in UNITS:
        row.refuse(f"unit={unit}: must be one of {', '.join(UNITS)}")
    scale = row.number("scale", 1.0) * UNITS.get(unit, 1.0)
    if scale == 0.0:
        row.refuse("scale=0: must not be 0")
    enum = _enum(field, row, signal)
    if is_command:
        _check_ends(field, row)
    if field.members and (unit or "scale" in row or "offset" in row):
        row.refuse(f"{name} has named values: unit, scale and offset mean nothing for it")
    return FieldRow(
        field=name,
        signal=signal_name,
        scale=scale,
        offset=row.number("offset", 0.0),
        enum=enum,
        dead_band=row.number("dead_band", 0.0, low=0.0),
        out_of_range=OutOfRange(
            row.choice("out_of_range", [way.value for way in OutOfRange], "saturate")
            if is_command
            else "saturate"
        ),
        least=row.number("least", -math.inf) if is_command else -math.inf,
        most=row.number("most", math.inf) if is_command else math.inf,
        whole_range=row.flag("whole_range") if is_command else False,
        unavailable=frozenset()
        if is_command
        else frozenset(row.integers("unavailable", low=_RAW[0], high=_RAW[1])),
        neutral=_neutral(field, row) if is_command else 0.0,
        line=row.line,
    )


def _check_ends(field: Field, row: Row) -> None:
    if not ("least" in row or "most" in row):
        return
    if field.members:
        row.refuse(f"{field.name} has named values: least and most mean nothing for it")
    least, most = row.number("least", -math.inf), row.number("most", math.inf)
    if least > most:
        row.refuse(f"least={least:g}: must be <= most={most:g}")


def _enum(field: Field, row: Row, signal: Signal) -> tuple[tuple[str, int], ...]:
    given = row.group("enum")
    if given and not field.members:
        row.refuse(f"enum: {field.name} is a number")
    if not field.members:
        return ()
    if not given:
        if field.members == SWITCH and signal.length == 1:
            return (("OFF", 0), ("ON", 1))
        row.refuse(f"enum is missing: a raw value for each of {', '.join(field.members)}")
    pairs = []
    for member, raw in given.items():
        if member not in field.members:
            row.refuse(f"enum: {member} is none of {', '.join(field.members)}")
        items = raw if isinstance(raw, list) else [raw]
        pairs += [
            (member, row.whole(f"enum: {member}", i, low=_RAW[0], high=_RAW[1])) for i in items
        ]
    return tuple(pairs)


def _neutral(field: Field, row: Row) -> float | str:
    value = row.get("neutral")
    if value is None:
        return field.members[0] if field.members else 0.0
    word = word_of(value)
    if word == MEASURED:
        return MEASURED
    if field.members:
        if word not in field.members:
            row.refuse(f"neutral={word}: must be measured or one of {', '.join(field.members)}")
        return word
    return row.number("neutral")


def override_row(row: Row, find: FindSignal) -> OverrideRow:
    """Return a row about the driver."""
    control = Control(row.choice("control", [control.value for control in Control]))
    signal, _ = find(row, row.text("signal"))
    threshold = row.number("threshold", low=0.0)
    hysteresis = row.number("hysteresis", 0.0, low=0.0)
    if hysteresis > threshold:
        row.refuse(f"hysteresis={hysteresis:g}: must be <= the threshold, {threshold:g}")
    found = OverrideRow(
        control=control,
        signal=signal,
        threshold=threshold,
        hysteresis=hysteresis,
        for_ms=row.number("for_ms", 0.0, low=0.0),
        text=row.text("text", f"the driver uses the {control.value.replace('_', ' ')}"),
        line=row.line,
    )
    row.finish()
    return found


def fault_row(row: Row, find: FindSignal) -> FaultRow:
    """Return a row about a fault; `when_not` names the raw values that are no fault."""
    name, signal = find(row, row.text("signal"))
    when = frozenset(row.integers("when", low=_RAW[0], high=_RAW[1]))
    healthy = frozenset(row.integers("when_not", low=_RAW[0], high=_RAW[1]))
    if bool(when) == bool(healthy):
        row.refuse("one of when and when_not is needed: raw values")
    if healthy:
        low, high = signal.raw_range()
        if signal.length > 8:
            row.refuse(f"when_not: {name} has {signal.length} bits; name the faults by when")
        when = frozenset(range(low, high + 1)) - healthy
    found = FaultRow(
        signal=name,
        when=when,
        text=row.text("text"),
        latched=row.flag("latched"),
        line=row.line,
    )
    row.finish()
    return found


def limits_of(row: Row | None, find: FindSignal, steer_cycle_ms: float) -> Limits:
    """Return the encoder's limits; the angle of the wheels is sent once a cycle."""
    if row is None:
        return Limits()
    angle, torque = row.sub("angle"), row.sub("torque")
    limits = Limits(
        angle=None if angle is None else _angle(angle, steer_cycle_ms),
        torque=None if torque is None else _torque(torque),
        accel_min_mps2=_optional(row, "accel_min_mps2"),
        accel_max_mps2=_optional(row, "accel_max_mps2"),
        only_while=_flags(row, "only_while", find),
        send_while=_flags(row, "send_while", find),
        agree=tuple(_agreement(each, find) for each in row.rows("agree")),
    )
    low, high = limits.accel_min_mps2, limits.accel_max_mps2
    if low is not None and high is not None and low >= high:
        row.refuse(f"accel_min_mps2={low:g}: must be < accel_max_mps2={high:g}")
    row.finish()
    return limits


def _flags(row: Row, key: str, find: FindSignal) -> tuple[tuple[SignalName, tuple[int, ...]], ...]:
    group = row.sub(key)
    found = []
    for name in row.group(key):
        assert group is not None
        signal_name, signal = find(group, name)
        low, high = signal.raw_range()
        raws = group.integers(name, low=low, high=high)
        if not raws:
            group.refuse(f"{name}: needs a raw value, or a list of them")
        found.append((signal_name, raws))
    return tuple(found)


def _agreement(row: Row, find: FindSignal) -> Agreement:
    """Two signals of the same unit, by the name of the first one."""
    (name, signal), (other_name, other) = find(row, row.name), find(row, row.text("other"))
    if signal.unit != other.unit:
        row.refuse(f"{name} is in {signal.unit or 1!r}, {other_name} in {other.unit or 1!r}")
    if name == other_name:
        row.refuse(f"other={other_name}: is the signal itself")
    found = Agreement(name, other_name, row.number("within", low=0.0), row.line)
    row.finish()
    return found


def _angle(row: Row, cycle_ms: float) -> AngleLimits:
    limits = AngleLimits(
        max_rad=_by_speed(row, "max_rad"),
        rate_up=_by_speed(row, "rate_up_radps"),
        rate_down=_by_speed(row, "rate_down_radps"),
        lateral_accel_mps2=_optional(row, "lateral_accel_mps2"),
        lateral_jerk_mps3=_optional(row, "lateral_jerk_mps3"),
        wheelbase_m=_optional(row, "wheelbase_m"),
        slip_factor_s2pm2=row.number("slip_factor_s2pm2", 0.0),
        longest_ms=row.number("longest_ms", cycle_ms, low=1.0),
        near_measured_rad=row.number("near_measured_rad", 0.02, low=0.0),
        frames=row.integer("frames", 0, low=0, high=1000),
        frames_ms=row.number("frames_ms", 0.0, low=0.0),
    )
    if bool(limits.frames) != bool(limits.frames_ms):
        row.refuse("frames and frames_ms belong together: so many frames in so long a time")
    lateral = (limits.lateral_accel_mps2, limits.lateral_jerk_mps3)
    if any(value is not None for value in lateral) and limits.wheelbase_m is None:
        row.refuse("a lateral limit needs wheelbase_m")
    row.finish()
    return limits


def _torque(row: Row) -> TorqueLimits:
    max_nm = _by_speed(row, "max_nm")
    if max_nm is None:
        row.refuse("max_nm is missing")
    limits = TorqueLimits(
        max_nm=max_nm,
        step_up_nm=row.number("step_up_nm", low=0.0),
        step_down_nm=row.number("step_down_nm", low=0.0),
        driver_allowance_nm=_optional(row, "driver_allowance_nm"),
        driver_factor=row.number("driver_factor", 1.0, low=0.0),
        window_ms=row.number("window_ms", 0.0, low=0.0),
        window_delta_nm=row.number("window_delta_nm", 0.0, low=0.0),
    )
    row.finish()
    return limits


def _optional(row: Row, key: str) -> float | None:
    return row.number(key) if key in row else None


def _by_speed(row: Row, key: str) -> SpeedTable | None:
    """A number for every speed, or a group of speed [m/s]: value."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return SpeedTable((0.0,), (row.number(key, low=0.0),))
    table = row.sub(key)
    assert table is not None
    points = []
    for speed, at_speed in value.items():
        if not (is_number(speed) and 0.0 <= speed < 1e3):
            table.refuse(f"{speed}: must be a speed in m/s")
        if not (is_number(at_speed) and at_speed >= 0.0):
            table.refuse(f"{speed:g}: {at_speed!r}: must be a number >= 0")
        points.append((float(speed), float(at_speed)))
    if not points or points != sorted(points, key=lambda point: point[0]):
        table.refuse("must name speeds in rising order")
    return SpeedTable(tuple(s for s, _ in points), tuple(v for _, v in points))
