"""Parameters of the interface as users set them: values beside the defaults, drawn by seed."""

from __future__ import annotations

import random

from vdsim_simulate.scene import STATE_RATE_HZ, Setting

SHARE = 0.35
"""Of the scenes, with parameters other than the defaults."""
MOST_N = 3
SLOW_SHARE, SLOW_HZ = 0.15, (12.5, 25.0, 50.0, 100.0)
"""Share of cars that report less often than 200 times a second, and how often."""
ROWS: tuple[tuple[dict[str, Setting], ...], ...] = (
    ({"rate_hz": 15.0}, {"rate_hz": 50.0}, {"rate_hz": 200.0}),
    ({"command_timeout_s": 0.25}, {"command_timeout_s": 1.0}),
    ({"safety.jerk_max_mps3": 2.0}, {"safety.jerk_max_mps3": 5.0}),
    ({"safety.brake_jerk_max_mps3": 10.0}, {"safety.brake_jerk_max_mps3": 50.0}),
    ({"safety.accel_max_mps2": 1.5}, {"safety.decel_max_mps2": 8.0}),
    ({"safety.stop_decel_mps2": 1.5}, {"safety.stop_decel_mps2": 4.0}),
    ({"safety.stop_jerk_mps3": 1.5}, {"safety.stop_jerk_mps3": 10.0}),
    ({"safety.standstill_speed_mps": 0.2, "safety.gear_change_speed_mps": 0.5},),
    ({"safety.standstill_hold_mps2": 1.0}, {"safety.standstill_hold_mps2": 4.0}),
    ({"safety.shift_time_s": 0.1}, {"safety.shift_time_s": 1.5}),
    ({"safety.command_lost_s": 1.2}, {"safety.command_lost_s": 5.0}),
    ({"safety.link_lost_s": 0.5}, {"safety.link_lost_s": 2.0}),
    ({"safety.report_timeout_s": 0.06}, {"safety.report_timeout_s": 0.2}),
    ({"safety.stop_park_after_s": 0.3}, {"safety.hold_park_after_s": 2.0}),
    ({"safety.lateral_accel_max_mps2": 3.0}, {"safety.steer_lead_max_rad": 0.1}),
    ({"safety.auto_gear_deadzone_mps2": 0.1},),
    ({"controller.accel_max_mps2": 1.0}, {"controller.decel_max_mps2": 4.0}),
    ({"controller.standstill_speed_mps": 0.03}, {"controller.launch_accel_mps2": 1.0}),
    ({"acceleration.rise_max_mps3": 3.0}, {"vehicle.curvature_correction": False}),
    (
        {"filter.long_accel.type": "butterworth", "filter.long_accel.cutoff_frequency_hz": 2.0},
        {"filter.long_accel.type": "first_order", "filter.long_accel.cutoff_frequency_hz": 5.0},
        {
            "filter.front_wheel_angle.type": "butterworth",
            "filter.front_wheel_angle.cutoff_frequency_hz": 3.0,
        },
    ),
)
"""One row a subject; of a row at most one alternative is drawn."""


def settings_of(name: str) -> dict[str, Setting]:
    """Draw the parameters of a scene by its name, apart from all else that is drawn."""
    draws = random.Random(f"{name} parameters")
    if draws.random() >= SHARE:
        return {}
    rows = draws.sample(ROWS, draws.randint(1, MOST_N))
    return {key: value for row in rows for key, value in draws.choice(row).items()}


def state_rate_hz_of(name: str) -> float:
    """Draw how often the car of a scene reports, apart from all else that is drawn."""
    draws = random.Random(f"{name} reports")
    return draws.choice(SLOW_HZ) if draws.random() < SLOW_SHARE else STATE_RATE_HZ
