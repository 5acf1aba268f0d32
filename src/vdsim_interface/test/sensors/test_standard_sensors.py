"""Fix, wheel speeds and charge of a report; every version of both wires."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import BatteryState, NavSatFix
from vdsim_interface.extras.morai.contract_peer import status
from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.extras.morai.platform import MoraiPlatform
from vdsim_interface.extras.morai.sensors import SENSORS as MORAI_SENSORS
from vdsim_interface.extras.morai.sensors import tyres as morai_tyres
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.platforms.vds1.sensors import SENSORS as VDS1_SENSORS
from vdsim_interface.platforms.vds1.sensors import tyres, whole_packet
from vdsim_interface.sensors.declaration import Sensor
from vdsim_interface.sensors.feed import SensorFeed
from vdsim_interface.sensors.message_form import message_type
from vdsim_interface.sensors.standard import UNKNOWN_VARIANCE, standard_sensors
from vdsim_interface.values import Applied, BodyState, Sensors, VehicleReport
from vdsim_kit.wire_car import state_at

from vdsim_protocol import morai, vds1

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SEOUL = (37.5665, 126.978, 40.0)
GNSS, WHEELS, BATTERY = standard_sensors(SEOUL, 0.5)
SETUP = PlatformSetup(VehicleGeometry(), 0.01)


def report(body: BodyState | None = None, **sensors: Any) -> VehicleReport:
    body = body or BodyState()
    return VehicleReport(1.0, 1.0, 0.0, 0.0, body, Applied(0.0, 0.0), sensors=Sensors(**sensors))


def message(sensor: Sensor, of: VehicleReport) -> Any:
    return SensorFeed(sensor, message_type(sensor.message)).take(of, 1.0)


def reason(sensor: Sensor, of: VehicleReport) -> str:
    feed = SensorFeed(sensor, message_type(sensor.message))
    assert feed.take(of, 1.0) is None
    return feed.state(1.0, subscribers_n=1).text


def test_a_fix_is_where_the_receiver_is() -> None:
    fix = message(GNSS, report(gnss_x_m=100.0, gnss_y_m=200.0, gnss_z_m=5.0))
    # One degree of latitude is 110.98 km there, one of longitude 88.37 km.
    assert fix.latitude == pytest.approx(37.5665 + 200.0 / 110980.0, abs=1e-6)
    assert fix.longitude == pytest.approx(126.978 + 100.0 / 88370.0, abs=1e-6)
    assert fix.altitude == pytest.approx(45.0, abs=0.01)
    assert (fix.status.status, fix.status.service) == (0, 1)
    assert fix.position_covariance_type == NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
    assert [fix.position_covariance[i] for i in (0, 4, 8)] == [0.25] * 3


def test_a_fix_without_height_says_so() -> None:
    fix = message(GNSS, report(gnss_x_m=100.0, gnss_y_m=200.0))
    assert math.isnan(fix.altitude)
    assert fix.position_covariance[8] == UNKNOWN_VARIANCE


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan, 1e308])
def test_a_position_that_is_no_number_is_not_published(bad: float) -> None:
    assert "must be finite" in reason(GNSS, report(gnss_x_m=bad, gnss_y_m=2.0))


def test_no_receiver_no_fix() -> None:
    assert reason(GNSS, report()) == "no reading yet"


def test_wheel_speeds_are_fl_fr_rl_rr() -> None:
    sent = report(wheel_spin_radps=(1.0, 2.0, math.nan, 4.0), wheel_radius_m=0.3)
    found = message(WHEELS, sent)
    assert (found.front_left_radps, found.front_right_radps) == (1.0, 2.0)
    assert math.isnan(found.rear_left_radps), "one encoder is broken"
    assert (found.rear_right_radps, found.radius_m) == (4.0, 0.3)
    assert reason(WHEELS, report()) == "no reading yet"
    infinite = report(wheel_spin_radps=(1.0, 2.0, math.inf, 4.0))
    assert "rear_left_radps=inf: must be finite" in reason(WHEELS, infinite)


def test_the_charge_is_that_of_the_vehicle_alone() -> None:
    found = message(BATTERY, report(BodyState(fuel_percent=62.0)))
    assert found.percentage == pytest.approx(0.62)
    assert found.present
    assert math.isnan(found.voltage)
    assert found.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_UNKNOWN
    modelled = BodyState(fuel_percent=62.0, modelled=frozenset({"fuel_percent"}))
    assert reason(BATTERY, report(modelled)) == "no reading yet"


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_every_version_of_state_has_its_own_readings(version: int) -> None:
    platform = Vds1Platform(Vds1Parameters(), SETUP)
    data = vds1.Sender(version).state(state_at(3.0), 1.0)
    received = platform.receive(data, ("127.0.0.1", 7001), "vds1", 1.0).report
    assert received is not None
    assert received.wire_version == version
    assert (message(GNSS, received) is not None) is (version >= 2)
    assert message(WHEELS, received) is not None
    fields = tyres(received)
    assert fields is not None
    assert math.isfinite(fields["vertical_force_n"][0])
    assert math.isfinite(fields["slip_ratio"][0]) is (version >= 2)
    assert math.isfinite(fields["lateral_force_n"][0]) is (version >= 3)
    whole = whole_packet(received)
    assert whole is not None
    assert whole["protocol_version"] == version
    assert math.isfinite(whole["throttle_applied"]) is (version >= 5)


STATUS = next(sensor for sensor in MORAI_SENSORS if sensor.name == "ego_vehicle_status")
FULL: dict[str, Any] = {
    "link_id": "A219BS010184",
    "sec": 12,
    "nsec": 500_000_000,
    "angular_velocity_x_degps": 1.0,
    "angular_velocity_y_degps": 2.0,
    "angular_velocity_z_degps": 180.0,
    "tire_lateral_force_n": (1.0, 2.0, 3.0, 4.0),
    "side_slip_angle_deg": (90.0, 0.0, 0.0, 0.0),
    "tire_cornering_stiffness_npdeg": (1.0, 1.0, 1.0, math.nan),
    "rear_steer_deg": 2.0,
    "lane_left_m": 1.5,
    "lane_right_m": math.nan,
    "cross_track_error_m": -0.2,
}


def morai_report(generation: int, **changed: str) -> VehicleReport:
    platform = MoraiPlatform(MoraiParameters(**changed), SETUP)
    body = replace(status(PeerMotion(5.0, 0.1, 0.0, 3.0, -4.0)), map_data_id=7, **FULL)
    data = morai.encode(body, generation)
    received = platform.receive(data, ("127.0.0.1", 9093), "morai", 1.0).report
    assert received is not None
    return received


@pytest.mark.parametrize("generation", [1, 2, 3, 4, 5])
def test_the_whole_status_of_every_generation(generation: int) -> None:
    received = morai_report(generation)
    found = message(STATUS, received)
    assert found.generation == generation
    assert found.map_data_id == 7
    assert found.signed_velocity_mps == pytest.approx(5.0)
    assert list(found.size_m) == pytest.approx([4.6, 1.9, 1.6])
    overhangs = found.front_overhang_m, found.wheelbase_m, found.rear_overhang_m
    assert overhangs == pytest.approx((0.8, 3.0, 0.8))
    assert found.front_wheel_angle_rad == pytest.approx(0.1)
    assert found.link_id == ("A219BS010184" if generation >= 2 else "")
    time = (found.time.sec, found.time.nanosec)
    assert time == ((12, 500_000_000) if generation >= 3 else (0, 0))
    rates = found.angular_velocity_radps
    assert rates[2] == pytest.approx(math.pi) if generation >= 3 else math.isnan(rates[2])
    slip = found.tyre_slip_angle_rad[0]
    assert slip == pytest.approx(math.pi / 2) if generation >= 4 else math.isnan(slip)
    stiffness = found.tyre_cornering_stiffness_nprad
    if generation >= 4:
        assert stiffness[0] == pytest.approx(180.0 / math.pi)
    assert math.isnan(stiffness[3])
    rear = found.rear_wheel_angle_rad
    assert rear == pytest.approx(math.radians(2.0)) if generation >= 5 else math.isnan(rear)
    lane = found.lane_left_m
    assert lane == pytest.approx(1.5) if generation >= 5 else math.isnan(lane)
    assert math.isnan(found.lane_right_m)
    fields = morai_tyres(received)
    assert (fields is not None) is (generation >= 4)


def test_the_rear_angle_has_the_side_of_the_front() -> None:
    right = morai_report(5, steer_positive="right")
    assert right.rear_wheel_angle_rad == pytest.approx(-math.radians(2.0))
    assert right.front_wheel_angle_rad == pytest.approx(-0.1)


def test_no_field_of_the_status_is_left_out() -> None:
    """Each field changed by itself changes the message."""
    base = replace(status(PeerMotion(5.0)), **FULL)
    platform = MoraiPlatform(MoraiParameters(), SETUP)

    def sent(body: morai.EgoVehicleStatus) -> str:
        data = morai.encode(body, 5)
        received = platform.receive(data, ("127.0.0.1", 9093), "morai", 1.0).report
        assert received is not None
        return str(message(STATUS, received))

    for field in fields(base):
        value = getattr(base, field.name)
        changed: Any = value + 1 if isinstance(value, int | float) else "other"
        if field.name in ("ctrl_mode", "gear"):
            changed = 1
        if isinstance(value, tuple):
            changed = tuple(item + 1.0 for item in value)
        if isinstance(value, float) and math.isnan(value):
            changed = 1.0
        assert sent(replace(base, **{field.name: changed})) != sent(base), field.name


def all_discarded(sensors: tuple[Sensor, ...], of: VehicleReport) -> set[str]:
    """Why readings of a report were discarded."""
    reasons: set[str] = set()
    for sensor in sensors:
        feed = SensorFeed(sensor, message_type(sensor.message))
        feed.take(of, 1.0)
        values = feed.state(1.0, subscribers_n=1).values
        reasons |= {name for name in values if name.startswith("discarded")}
    return reasons


@given(st.data(), st.sampled_from([1, 2, 3, 4, 5]))
def test_whatever_a_simulator_sends_fits_into_the_messages(
    data: st.DataObject, generation: int
) -> None:
    good = bytearray(morai.encode(replace(status(PeerMotion(5.0)), **FULL), generation))
    for _ in range(data.draw(st.integers(1, 8))):
        good[data.draw(st.integers(27, len(good) - 3))] = data.draw(st.integers(0, 255))
    platform = MoraiPlatform(MoraiParameters(), SETUP)
    received = platform.receive(bytes(good), ("127.0.0.1", 9093), "morai", 1.0).report
    if received is not None:
        sensors = (GNSS, WHEELS, BATTERY, *MORAI_SENSORS)
        assert all_discarded(sensors, received) <= {"discarded_not_finite"}


@given(st.sampled_from(vds1.VERSIONS), st.lists(FINITE, min_size=8, max_size=8))
def test_whatever_a_car_sends_fits_into_the_messages(version: int, values: list[float]) -> None:
    state = replace(
        state_at(values[0]),
        m_gnss_x_m=values[1],
        m_gnss_y_m=values[2],
        wheel_spin_radps=tuple(values[3:7]),
        tire_fx_n=tuple(values[4:8]),
        wheel_radius_nominal_m=values[7],
    )
    platform = Vds1Platform(Vds1Parameters(), SETUP)
    data = vds1.Sender(version).state(state, 1.0)
    received = platform.receive(data, ("127.0.0.1", 7001), "vds1", 1.0).report
    if received is not None:
        sensors = (GNSS, WHEELS, BATTERY, *VDS1_SENSORS)
        assert all_discarded(sensors, received) <= {"discarded_not_finite"}
