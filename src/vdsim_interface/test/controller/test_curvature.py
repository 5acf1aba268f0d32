import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.controller.controller import wheel_angles
from vdsim_interface.parameters.vehicle import VehicleGeometry

CAR = VehicleGeometry(wheelbase_m=3.0)
QUAD = VehicleGeometry(wheelbase_m=3.0, rear_wheel_angle_max_rad=0.2)


@pytest.mark.parametrize(
    ("curvature", "speed", "geometry", "share", "front", "rear"),
    [
        (0.0, 10.0, CAR, 0.0, 0.0, 0.0),
        (0.1, 10.0, CAR, 0.0, math.atan(0.3), 0.0),
        (-0.1, 10.0, CAR, 0.0, -math.atan(0.3), 0.0),
        (5.0, 1.0, CAR, 0.0, 0.55, 0.0),
        (-5.0, 1.0, CAR, 0.0, -0.55, 0.0),
        (0.1, 5.0, QUAD, 0.4, math.atan(0.18), -math.atan(0.12)),
        (0.3, 5.0, QUAD, 0.5, math.atan(0.45), -0.2),
        (0.1, 5.0, CAR, 0.4, math.atan(0.18), 0.0),
    ],
)
def test_cases(
    curvature: float,
    speed: float,
    geometry: VehicleGeometry,
    share: float,
    front: float,
    rear: float,
) -> None:
    got = wheel_angles(curvature, speed, geometry, share)
    assert got == (pytest.approx(front), pytest.approx(rear))


def test_the_understeer_gradient_adds_angle_with_lateral_acceleration() -> None:
    """[VI-4.2]"""
    car = VehicleGeometry(wheelbase_m=3.0, understeer_gradient_rad_s2pm=0.002)
    plain, _ = wheel_angles(0.01, 20.0, CAR, 0.0)
    more, _ = wheel_angles(0.01, 20.0, car, 0.0)
    assert more - plain == pytest.approx(0.002 * 20.0**2 * 0.01)


@given(st.floats(-0.15, 0.15), st.floats(0.0, 0.5))
def test_both_axles_together_give_the_curvature(curvature: float, share: float) -> None:
    wide = VehicleGeometry(
        wheelbase_m=3.0, front_wheel_angle_max_rad=1.5, rear_wheel_angle_max_rad=1.5
    )
    front, rear = wheel_angles(curvature, 0.0, wide, share)
    assert (math.tan(front) - math.tan(rear)) / 3.0 == pytest.approx(curvature, abs=1e-12)
