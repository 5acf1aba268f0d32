"""Double lane change: the tracks' measures, cone hits, missed gates, pass speed."""

import numpy as np
import pytest
from vdsim_plant.parameters import ParameterError, load_vehicle
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.study.manoeuvres import double_lane_change, double_lane_change_pass_speed
from vdsim_plant.study.manoeuvres.double_lane_change import RUN_UP_M, cone_distances_m
from vdsim_plant.study.manoeuvres.lane_change_track import CONE_RADIUS_M, iso_3888_1, iso_3888_2
from vdsim_plant.study.manoeuvres.trace import trace_of


def test_iso_3888_1_has_the_standards_measures() -> None:
    track = iso_3888_1(1.8)
    spans = [(lane.x0_m, lane.x1_m) for lane in track.lanes]
    widths = [lane.left_m - lane.right_m for lane in track.lanes]
    assert spans == [(0, 15), (45, 70), (95, 125)]
    assert widths == pytest.approx([1.1 * 1.8 + 0.25, 1.2 * 1.8 + 0.25, 1.3 * 1.8 + 0.25])
    assert track.evasion.right_m - track.entry.right_m == pytest.approx(3.5)
    assert track.exit.right_m == track.entry.right_m


def test_iso_3888_2_has_the_standards_measures() -> None:
    track = iso_3888_2(1.8)
    spans = [(lane.x0_m, lane.x1_m) for lane in track.lanes]
    widths = [lane.left_m - lane.right_m for lane in track.lanes]
    assert spans == [(0, 12), (25.5, 36.5), (49, 61)]
    assert widths == pytest.approx([1.1 * 1.8 + 0.25, 1.8 + 1.0, 3.0])
    assert track.evasion.right_m - track.entry.left_m == pytest.approx(1.0)
    assert track.exit.left_m == track.entry.left_m


def test_cones_stand_outside_and_touch_the_border() -> None:
    track = iso_3888_2(1.8)
    for x, y in track.cones_m():
        lane = next(lane for lane in track.lanes if lane.x0_m <= x <= lane.x1_m)
        assert min(abs(y - lane.left_m), abs(y - lane.right_m)) == pytest.approx(CONE_RADIUS_M)
        assert not lane.right_m < y < lane.left_m


def test_distance_to_a_cone_is_measured_from_the_body() -> None:
    vehicle = load_vehicle("ioniq5_awd")
    track = iso_3888_2(vehicle.body.width_m)
    plant = VDSimPlant(vehicle)
    # The car stands in the first lane, in its middle: the cones beside it are half of the play away
    standing = plant.reset([RUN_UP_M + 6.0, 0, 0, 0, 0, 0])
    distances = cone_distances_m(trace_of([standing], [(0.0, 0.0)]), track, vehicle)
    play = (track.entry.left_m - track.entry.right_m) - vehicle.body.width_m
    beside = [d for d, (x, _) in zip(distances, track.cones_m(), strict=True) if x == 6.0]
    assert beside == pytest.approx([play / 2.0, play / 2.0])
    # Turned by 90 degrees it covers the cones of both sides.
    across = plant.reset([RUN_UP_M + 6.0, 0, np.pi / 2, 0, 0, 0])
    distances = cone_distances_m(trace_of([across], [(0.0, 0.0)]), track, vehicle)
    beside = [d for d, (x, _) in zip(distances, track.cones_m(), strict=True) if x == 6.0]
    assert beside == pytest.approx([-CONE_RADIUS_M, -CONE_RADIUS_M])


def test_a_slow_drive_passes_and_a_fast_one_does_not() -> None:
    slow = double_lane_change(speed_mps=12.0)
    assert (slow.passed, slow.cones_hit, slow.gates_missed) == (True, 0, 0)
    assert slow.smallest_cone_distance_m > 0.0
    assert slow.exit_speed_mps < slow.entry_speed_mps, "the pedal is off"
    fast = double_lane_change(speed_mps=30.0)
    assert not fast.passed
    assert fast.cones_hit + fast.gates_missed > 0
    assert set(fast.hit_cones_m) <= set(fast.track.cones_m())


def test_driving_straight_on_misses_the_gates_of_the_evasion() -> None:
    straight = double_lane_change(speed_mps=40.0, calmness_m_per_rad=1000.0, track="3888-1")
    assert straight.gates_missed > 0
    assert not straight.passed


def test_the_first_track_is_driven_at_constant_speed() -> None:
    result = double_lane_change(speed_mps=15.0, track="3888-1")
    assert result.passed
    assert result.exit_speed_mps == pytest.approx(15.0, abs=0.3)


@pytest.mark.parametrize("track", ["3888-1", "3888-2"])
def test_the_pass_speed_parts_passing_from_failing(track: str) -> None:
    dry = double_lane_change_pass_speed(track=track, resolution_mps=0.5)
    assert dry.fastest_passed.passed
    assert not dry.slowest_failed.passed
    assert dry.pass_speed_mps == dry.fastest_passed.entry_speed_mps
    assert 0.0 < dry.slowest_failed.entry_speed_mps - dry.pass_speed_mps <= 0.5
    wet = double_lane_change_pass_speed(mu=0.5, track=track, resolution_mps=0.5)
    assert wet.pass_speed_mps < dry.pass_speed_mps


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"track": "moose"}, "track='moose': must be one of 3888-1, 3888-2"),
        ({"calmness_m_per_rad": 0.0}, "calmness_m_per_rad=0.0: must be 0.1 to 1000 m/rad"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        double_lane_change(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_a_wrong_resolution_is_named() -> None:
    with pytest.raises(ParameterError, match=r"resolution_mps=0: must be 0\.001 to 5 m/s"):
        double_lane_change_pass_speed(resolution_mps=0)
