"""One sentence for a person per kind of change: used by reports, the trace and vdsim_explain."""

from vdsim_interface.values import Change, ReportKind

CHANNEL_WORDS = {
    "long_accel_mps2": ("acceleration", "m/s2"),
    "front_wheel_angle_rad": ("front wheel angle", "rad"),
    "rear_wheel_angle_rad": ("rear wheel angle", "rad"),
    "rear_steer": ("raw rear steer", ""),
    "velocity_mps": ("velocity", "m/s"),
    "curvature_1pm": ("curvature", "1/m"),
    "blinker": ("blinker", ""),
    "headlight": ("headlight", ""),
    "raw": ("raw command", ""),
    "throttle": ("throttle", ""),
    "brake": ("brake", ""),
    "gear": ("gear", ""),
}

K = ReportKind
WHY = {
    K.NON_FINITE_COMMAND: "it is not a number; the last good value stays",
    K.MANUAL_BLOCK: "autonomy is off; commands are blocked",
    K.COMMAND_TIMEOUT: "no fresh command; the car stops smoothly and holds its steering",
    K.LINK_TIMEOUT: "the vehicle does not report; the car stops smoothly and holds its steering",
    K.CABIN_UNSECURED: "the cabin is not secured; the car stops smoothly",
    K.RANGE: "it is outside the car's range",
    K.LATERAL_ACCEL: "at this speed it would exceed the lateral acceleration limit",
    K.LOW_PASS: "the low-pass filter smooths it",
    K.HIGH_FREQUENCY: "the command oscillates; it is smoothed",
    K.RATE: "it changes faster than the rate limit",
    K.STEER_LEAD: "it is too far from the measured angle",
    K.HAND_BRAKE_SET: "the hand brake is set",
    K.GEAR_NO_DRIVE: "the gear is PARK or NEUTRAL; ask for DRIVE or REVERSE",
    K.SHIFT_HOLD: "a shift is under way; the brake holds",
    K.STANDSTILL_HOLD: "the car stands and is not asked to go the way of its gear; the brake holds",
    K.WIPER_HEADLIGHT: "the wipers run, so the headlights must be on",
    K.HAZARD_PRIORITY: "the safe stop flashes the hazard lamps, which outrank the turn signal",
    K.GEAR_AUTOMATIC: "the sign of the commanded acceleration asks for it",
    K.PLATFORM_LIMIT: "the platform cannot do more",
    K.NO_REAR_STEERING: "this platform has no rear steering",
}


def change_sentence(change: Change) -> str:
    """Say what was changed and why."""
    channel, unit = CHANNEL_WORDS.get(change.channel, (change.channel, ""))
    values = f"{change.before:.4g} -> {change.after:.4g} {unit}".rstrip()
    return f"{channel} {values}: {WHY[change.kind]}"
