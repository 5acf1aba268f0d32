"""A car of YAML alone: a status in pages, angles of the steering wheel, a CRC with Data-IDs."""

from pathlib import Path

import cantools
import pytest
import vdsim_can_kit
from vdsim_can.car.reading import load_car
from vdsim_can.cli.main import main
from vdsim_can.ecu.orders import Kind, Order
from vdsim_can.frame import Frame
from vdsim_can_kit.world import World
from vdsim_interface.values import Gear, Mode

CAR = Path(vdsim_can_kit.__file__).with_name("paged_car.yaml")


def test_it_drives_and_its_gear_comes_from_a_page_of_its_own() -> None:
    world = World(car=load_car(CAR)).run(4.0)
    assert world.is_driving
    assert world.true_speed_mps == pytest.approx(5.0, abs=0.2)
    report = world.pipeline.vehicle_side.report
    assert report is not None
    assert report.body.gear is Gear.DRIVE
    assert report.body.fuel_percent == pytest.approx(100.0, abs=0.5)


def test_the_car_sends_every_page_in_turn_as_cantools_reads_it() -> None:
    network = cantools.database.load_file(CAR.with_suffix(".dbc"))
    world = World(car=load_car(CAR))
    seen: list[dict[str, object]] = []

    def look(bus: str, frame: Frame) -> bool:
        if frame.can_id == 0x230:
            seen.append(network.decode_message(0x230, frame.data))
        return True

    world.pass_on = look
    world.run(0.5)
    assert [page["Page"] for page in seen[:6]] == [0, 1, 2, 0, 1, 2]
    assert {frozenset(page) for page in seen} == {
        frozenset(("Page", "AutoState", "AutoError")),
        frozenset(("Page", "GearNow", "DoorsShut")),
        frozenset(("Page", "BrakePressed", "StateOfCharge")),
    }


def test_an_error_on_one_page_ends_autonomy() -> None:
    world = World(Order(Kind.FAULT, "VCU_Status.AutoError", 3.0), car=load_car(CAR)).run(3.5)
    assert world.mode is Mode.DISENGAGED
    assert "the car reports an error" in world.reasons()


def test_check_prints_what_can_be_sent_where_the_dbc_limits_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", str(CAR)]) == 0
    printed = capsys.readouterr().out
    assert "long_accel_mps2 = ADAS_Longitudinal.AccelRequest: -8 to 3 in steps" in printed
    assert "front_wheel_angle_rad = ADAS_Lateral.SwaRequest: -0.8508 to 0.8508" in printed


def test_a_page_that_does_not_come_any_more_makes_its_message_stale() -> None:
    # Its last values were taken for those of now, for as long as another page came.
    world = World(car=load_car(CAR)).run(3.0)
    assert world.is_driving
    world.pass_on = lambda bus, frame: frame.can_id != 0x230 or frame.data[0] >> 4 != 0
    world.run(0.5)
    assert world.mode is Mode.DISENGAGED
    assert "AUTONOMOUS -> DISENGAGED: no VCU_Status for 0.3" in world.reasons()
    world.pass_on = lambda bus, frame: True
    world.run(1.0)
    assert world.fault == ""
    assert world.engage().success


def test_no_page_of_before_a_silence_is_taken_for_a_new_one() -> None:
    world = World(car=load_car(CAR)).run(3.0)
    world.pass_on = lambda bus, frame: frame.can_id != 0x230
    world.run(5.0)
    world.pass_on = lambda bus, frame: frame.can_id != 0x230 or frame.data[0] >> 4 == 2
    world.run(0.5)
    assert world.fault.startswith("no VCU_Status for 5.5")
