"""A small drive-by-wire car, as values: with pedals, an angle, a handshake in two frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vdsim_can.car import (
    MEASURED,
    AngleLimits,
    Bus,
    CarFile,
    Comparison,
    Condition,
    Control,
    FaultRow,
    FieldRow,
    HandshakeStep,
    Limits,
    MessageRow,
    OverrideRow,
    Setting,
    SignalName,
    SpeedTable,
)
from vdsim_can.dbc.reading import read_dbc
from vdsim_can.integrity import Checksum, Counter, Crc

DBC = Path(__file__).with_name("dbw.dbc")
GEARS = (("PARK", 0), ("REVERSE", 1), ("NEUTRAL", 2), ("DRIVE", 3), ("LOW", 4))
SWITCH = (("OFF", 0), ("ON", 1))
COUNTER = Counter(signal="COUNT", first=0, last=15, max_step=5)
CHECKSUM = Checksum(signal="CRC", algorithm=Crc(width=8, poly=0x2F, init=0xFF, xor_out=0xFF))


def named(text: str) -> SignalName:
    """MESSAGE.SIGNAL."""
    return SignalName(*text.split("."))


def field(name: str, signal: str, **more: Any) -> FieldRow:
    """A row of a field."""
    return FieldRow(field=name, signal=named(signal), **more)


def _message(name: str, cycle_ms: float, **more: Any) -> MessageRow:
    protected = {} if name.startswith("BODY") else {"counter": COUNTER, "checksum": CHECKSUM}
    return MessageRow(message=name, bus="chassis", cycle_ms=cycle_ms, **{**protected, **more})


def _is(signal: str, value: float) -> Condition:
    return Condition(named(signal), Comparison.EQUAL, value)


def _sets(*pairs: tuple[str, int]) -> tuple[Setting, ...]:
    return tuple(Setting(named(signal), raw) for signal, raw in pairs)


HANDSHAKE = (
    HandshakeStep(
        state="off",
        send=_sets(("STEER_CMD.ENABLE", 0), ("STEER_CMD.CLEAR", 0), ("PEDAL_CMD.ENABLE", 0)),
        wait_for=(_is("BODY_STATUS.READY", 1),),
        otherwise="drive-by-wire is not ready",
    ),
    HandshakeStep(
        state="clear",
        send=_sets(("STEER_CMD.ENABLE", 0), ("STEER_CMD.CLEAR", 1), ("PEDAL_CMD.ENABLE", 0)),
        wait_for=(_is("STEER_STATUS.OVERRIDDEN", 0),),
        within_ms=200.0,
        otherwise="the override is not cleared",
    ),
    HandshakeStep(
        state="enable",
        send=_sets(("STEER_CMD.ENABLE", 1), ("STEER_CMD.CLEAR", 0), ("PEDAL_CMD.ENABLE", 1)),
        wait_for=(_is("STEER_STATUS.ENABLED", 1), _is("PEDAL_STATUS.ENABLED", 1)),
        within_ms=300.0,
        otherwise="steering or pedals do not enable",
    ),
    HandshakeStep(
        state="drive",
        send=_sets(("STEER_CMD.ENABLE", 1), ("STEER_CMD.CLEAR", 0), ("PEDAL_CMD.ENABLE", 1)),
        wait_for=(_is("STEER_STATUS.ENABLED", 1), _is("PEDAL_STATUS.ENABLED", 1)),
        within_ms=50.0,
        otherwise="the car left drive-by-wire",
        drives=True,
    ),
)


def dbw_car(**changes: Any) -> CarFile:
    """The car; `changes`: other values of the fields of CarFile."""
    network = read_dbc(DBC).network
    rows = (
        _message("STEER_CMD", 10.0),
        _message("PEDAL_CMD", 20.0, phase_ms=10.0),
        _message("BODY_CMD", 100.0),
    )
    received = (
        _message("STEER_STATUS", 10.0, stale_ms=100.0),
        _message("PEDAL_STATUS", 20.0, stale_ms=100.0),
        _message("BODY_STATUS", 100.0, stale_ms=500.0),
        _message("MOTION", 10.0, stale_ms=100.0, jitter_ms=8.0),
    )
    values: dict[str, Any] = {
        "name": "dbw",
        "source": str(DBC),
        "buses": {"chassis": Bus(name="chassis", network=network)},
        "send": {row.message: row for row in rows},
        "receive": {row.message: row for row in received},
        "commands": (
            field("front_wheel_angle_rad", "STEER_CMD.ANGLE", neutral=MEASURED),
            field("throttle", "PEDAL_CMD.THROTTLE"),
            field("brake", "PEDAL_CMD.BRAKE"),
            field("gear", "PEDAL_CMD.GEAR", enum=GEARS, neutral=MEASURED),
            field("hand_brake", "PEDAL_CMD.HAND_BRAKE", enum=SWITCH, neutral=MEASURED),
            field("blinker_left", "BODY_CMD.LEFT", enum=SWITCH, neutral="OFF"),
            field("blinker_right", "BODY_CMD.RIGHT", enum=SWITCH, neutral="OFF"),
            field("horn", "BODY_CMD.HORN", enum=SWITCH, neutral="OFF"),
            field(
                "headlight",
                "BODY_CMD.HEADLIGHT",
                enum=(("OFF", 0), ("ON", 1), ("HIGH", 2)),
                neutral="OFF",
            ),
        ),
        "reports": (
            field("velocity_mps", "MOTION.SPEED"),
            field("yaw_rate_radps", "MOTION.YAW_RATE"),
            field("accel_x_mps2", "MOTION.ACCEL"),
            field("front_wheel_angle_rad", "STEER_STATUS.ANGLE"),
            field("throttle", "PEDAL_STATUS.THROTTLE"),
            field("brake", "PEDAL_STATUS.BRAKE"),
            field("gear", "PEDAL_STATUS.GEAR", enum=GEARS),
            field("hand_brake", "PEDAL_STATUS.HAND_BRAKE", enum=SWITCH),
            field("doors_closed", "BODY_STATUS.DOORS", enum=SWITCH),
            field("fuel_percent", "BODY_STATUS.CHARGE"),
        ),
        "handshake": HANDSHAKE,
        "overrides": (
            OverrideRow(
                control=Control.WHEEL,
                signal=named("STEER_STATUS.TORQUE"),
                threshold=3.0,
                hysteresis=1.0,
                for_ms=50.0,
                text="the driver turns the wheel",
            ),
            OverrideRow(
                control=Control.PEDAL,
                signal=named("PEDAL_STATUS.DRIVER_BRAKE"),
                threshold=0.1,
                text="the driver brakes",
            ),
        ),
        "faults": (
            FaultRow(
                signal=named("STEER_STATUS.FAULT"),
                when=frozenset({2, 3}),
                text="the steering actuator has failed",
                latched=True,
            ),
        ),
        "limits": Limits(
            angle=AngleLimits(
                max_rad=SpeedTable((0.0, 10.0, 30.0), (0.6, 0.4, 0.06)),
                rate_up=SpeedTable((0.0, 30.0), (0.8, 0.2)),
                rate_down=SpeedTable((0.0, 30.0), (1.0, 0.4)),
                lateral_accel_mps2=4.0,
                lateral_jerk_mps3=6.0,
                wheelbase_m=2.97,
            )
        ),
    }
    return CarFile(**{**values, **changes})
