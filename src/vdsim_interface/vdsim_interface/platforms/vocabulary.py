"""The names by which a platform says what its vehicle reports and how its link is.

The checks of a platform (extras/contract) refuse any other; nothing that drives reads them.
"""

REPORTED = frozenset(
    {
        *("vehicle_time", "position", "height", "heading", "attitude", "rear_wheel_angle"),
        *("lateral_velocity", "vertical_velocity", "yaw_rate", "roll_rate", "pitch_rate"),
        *("acceleration", "vertical_acceleration", "pedals", "gnss", "gnss_height"),
        "wheel_speeds",
    }
)
"""Names of `Capabilities.reported`: values that a vehicle may report in addition to velocity and
front wheel angle. `attitude`: roll and pitch. `pedals`: those in effect."""

SIGNALS = frozenset(
    {
        *("vehicle_time", "position", "heading", "lateral_velocity", "yaw_rate"),
        *("acceleration", "wheel_speeds"),
    }
)
"""What a vehicle may report in addition to speed and wheel angle. `acceleration`: `accel_x_mps2` is
that of the car, without gravity."""

LINK_NAMES = frozenset(
    {
        *("accepted", "lost", "loss_ratio", "reordered", "duplicates", "clamped", "sessions"),
        *("rate_hz", "sent_rate_hz", "age_s", "jitter_s", "clock_offset_s", "clock_skew_ppm"),
        *("newer_version", "other_vehicles", "measured_round_trip_s"),
        *("command_version", "state_version", "paused", "other_messages"),
    }
)
"""Names of link statistics, in addition to `rejected_<reason>`. Offset: peer - own clock.
`other_vehicles`: packets about other vehicles of the same server, which are no rejects.
`other_messages`: packets of the vehicle that the platform has no use for, which are no rejects.
`command_version`, `state_version`: of what is sent, and of the latest report (0 before it).
`paused`: 1 while the vehicle, a simulator, is paused."""
