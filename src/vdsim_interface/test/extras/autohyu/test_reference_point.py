"""The motion of the rear axle follows from that of the centre of gravity."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from vdsim_interface.extras.autohyu.reference_point import point_behind

from vdsim_protocol import vds1

BEHIND_M = 1.8
STILL = vds1.State(
    **{item.name: (0.0,) * 4 if "tuple" in str(item.type) else 0.0 for item in fields(vds1.State)}  # type: ignore[arg-type]
)


def turning(at_s: float, radius_m: float = 30.0, speed_mps: float = 12.0) -> vds1.State:
    """The CG of a car that turns left on a level circle round the origin, 1.8 m in front of the
    point that moves along its own body: the slip angle of the CG is that of the geometry."""
    rate = speed_mps / radius_m
    yaw = rate * at_s
    axle = radius_m * math.sin(yaw), -radius_m * math.cos(yaw)
    return replace(
        STILL,
        x_world_m=axle[0] + BEHIND_M * math.cos(yaw),
        y_world_m=axle[1] + BEHIND_M * math.sin(yaw),
        yaw_rad=yaw,
        vx_mps=speed_mps,
        vy_mps=rate * BEHIND_M,
        yaw_rate_radps=rate,
    )


@pytest.mark.parametrize("at_s", [0.0, 1.0, 4.7])
def test_the_rear_axle_of_a_turning_car_moves_along_its_circle(at_s: float) -> None:
    point = point_behind(turning(at_s), BEHIND_M)
    assert math.hypot(*point.position_m[:2]) == pytest.approx(30.0)
    assert point.velocity_mps == pytest.approx((12.0, 0.0, 0.0))


def test_velocity_is_the_derivative_of_position_while_the_car_pitches() -> None:
    step_s, rate = 1e-6, 0.2
    before = replace(STILL, pitch_rad=0.1, pitch_rate_radps=rate)
    after = replace(before, pitch_rad=0.1 + rate * step_s)
    first, second = (point_behind(state, BEHIND_M) for state in (before, after))
    moved = [
        (new - old) / step_s for old, new in zip(first.position_m, second.position_m, strict=True)
    ]
    # The body's axes in the world: x points down by the pitch angle, ISO 8855.
    along = moved[0] * math.cos(0.1) - moved[2] * math.sin(0.1)
    up = moved[0] * math.sin(0.1) + moved[2] * math.cos(0.1)
    assert (along, up) == pytest.approx((0.0, BEHIND_M * rate), abs=1e-5)
    assert first.velocity_mps == (0.0, 0.0, BEHIND_M * rate)


def test_the_cg_itself_is_not_moved() -> None:
    state = turning(2.0)
    point = point_behind(state, 0.0)
    assert point.position_m == (state.x_world_m, state.y_world_m, state.z_world_m)
    assert point.velocity_mps == (state.vx_mps, state.vy_mps, state.vz_mps)
