"""The fields of the interface that signals of a car can carry: quantity, unit, allowed names.

The same names stand in a car file. Angles are those of the road wheels, positive to the left;
accelerations and speeds are along the body's x axis (ISO 8855). This room imports nothing of the
interface: `members` are the names of its enumerations, and a test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass

GEARS = ("PARK", "REVERSE", "NEUTRAL", "DRIVE", "LOW")
BLINKERS = ("OFF", "LEFT", "RIGHT", "HAZARD")
HEADLIGHTS = ("OFF", "ON", "HIGH")
WIPERS = ("OFF", "LOW", "HIGH", "CLEAN")
SWITCH = ("OFF", "ON")


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `members`: its values by name; empty for a number in `unit`."""

    name: str
    unit: str
    text: str
    members: tuple[str, ...] = ()


def _table(*fields: Field) -> dict[str, Field]:
    return {field.name: field for field in fields}


_BODY = (
    Field("gear", "", "gear", GEARS),
    Field("blinker", "", "turn and hazard lamps, as one value", BLINKERS),
    Field("blinker_left", "", "left turn lamp; hazard lamps are both", SWITCH),
    Field("blinker_right", "", "right turn lamp; hazard lamps are both", SWITCH),
    Field("headlight", "", "front lamps, as one value", HEADLIGHTS),
    Field("low_beam", "", "low beam", SWITCH),
    Field("high_beam", "", "high beam", SWITCH),
    Field("wiper", "", "windscreen wipers", WIPERS),
    Field("hand_brake", "", "hand brake", SWITCH),
    Field("horn", "", "horn", SWITCH),
)

COMMAND_FIELDS = _table(
    Field("long_accel_mps2", "m/s2", "acceleration, negative to brake; in REVERSE positive"),
    Field("throttle", "1", "accelerator pedal, 0 to 1"),
    Field("brake", "1", "brake pedal, 0 to 1"),
    Field("front_wheel_angle_rad", "rad", "angle of the front wheels"),
    Field("rear_wheel_angle_rad", "rad", "angle of the rear wheels"),
    Field("front_wheel_rate_radps", "rad/s", "rate of the commanded angle of the front wheels"),
    Field("steering_torque_nm", "N m", "torque at the steering wheel; encoded, never driven"),
    Field("velocity_mps", "m/s", "speed that the command leads to"),
    Field("sequence", "", "number of the command, counted by the interface"),
    Field("time_ms", "ms", "clock of the sender"),
    Field("motion_valid", "", "a command of the stack is fresh and accepted", SWITCH),
    Field("autonomous", "", "autonomy drives", SWITCH),
    *_BODY,
)
"""What is sent to the car, by name."""

REPORT_FIELDS = _table(
    Field("velocity_mps", "m/s", "speed"),
    Field("front_wheel_angle_rad", "rad", "angle of the front wheels"),
    Field("rear_wheel_angle_rad", "rad", "angle of the rear wheels"),
    Field("lateral_velocity_mps", "m/s", "lateral speed"),
    Field("yaw_rate_radps", "rad/s", "yaw rate"),
    Field("accel_x_mps2", "m/s2", "longitudinal acceleration, without gravity"),
    Field("accel_y_mps2", "m/s2", "lateral acceleration"),
    Field("specific_force_x_mps2", "m/s2", "what an accelerometer measures along x"),
    Field("pitch_rad", "rad", "pitch, positive with the nose down"),
    Field("roll_rad", "rad", "roll"),
    Field("throttle", "1", "accelerator pedal in effect, 0 to 1"),
    Field("brake", "1", "brake pedal in effect, 0 to 1"),
    Field("long_accel_mps2", "m/s2", "acceleration that the car applies"),
    Field("steering_torque_nm", "N m", "torque of the driver at the steering wheel"),
    Field("wheel_fl_radps", "rad/s", "spin of the front left wheel"),
    Field("wheel_fr_radps", "rad/s", "spin of the front right wheel"),
    Field("wheel_rl_radps", "rad/s", "spin of the rear left wheel"),
    Field("wheel_rr_radps", "rad/s", "spin of the rear right wheel"),
    Field("fuel_percent", "%", "fuel or charge"),
    Field("vehicle_time_s", "s", "clock of the car"),
    Field("doors_closed", "", "all doors are closed", SWITCH),
    Field("belts_fastened", "", "all belts are fastened", SWITCH),
    Field("load_secured", "", "the load is secured", SWITCH),
    *_BODY,
)
"""What the car reports, by name. A name that begins with `extra.` is a value of one's own."""
