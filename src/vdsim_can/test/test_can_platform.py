"""Platform `can` on the shipped cars: its contract, its parameters, and a drive of each."""

from collections.abc import Callable
from pathlib import Path

import pytest
from vdsim_can.bus.channels import channel_of
from vdsim_can.car import Limits, SignalName
from vdsim_can.car.reading import load_car
from vdsim_can.data import EXAMPLES, car_path
from vdsim_can.ecu.orders import Kind, Order, OrderError, parsed, unfit
from vdsim_can.platform import SPEC
from vdsim_can.platform.parameters import CanParameters
from vdsim_can.traffic.table import lines_of, watcher
from vdsim_can_kit.dbw_car import dbw_car
from vdsim_can_kit.world import World
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup, PlatformSpec
from vdsim_interface.testing import CHECKS
from vdsim_interface.values import Gear, Mode

SETUP = PlatformSetup(VehicleGeometry(), 0.01)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_platform_keeps_the_contract(check: Callable[[PlatformSpec], None]) -> None:
    check(SPEC)


def test_it_is_found_as_an_installed_platform() -> None:
    assert platform_spec("can").doc == SPEC.doc


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_shipped_car_drives_turns_and_stops(name: str) -> None:
    world = World(car=load_car(car_path(name))).run(6.0)
    assert world.is_driving
    assert world.true_speed_mps == pytest.approx(5.0, abs=0.2)
    world.curvature_1pm = 0.02
    world.run(4.0)
    motion = world.driven.session.output().motion
    assert motion.yaw_rate_radps / motion.vx_mps == pytest.approx(0.02, rel=0.1)
    world.speed_mps = 0.0
    world.run(5.0)
    assert world.true_speed_mps == pytest.approx(0.0, abs=0.02)
    assert world.platform.link_statistics(world.now)["lost"] == 0.0


def test_there_is_no_report_before_the_car_has_said_its_gear_and_hand_brake() -> None:
    # C-3: a process that starts again read "no hand brake", and what it had set was nobody's.
    world = World(car=load_car(car_path("vdsim_dbw")), auto_engage=False)
    body = world.car.message("DBW_BODY").can_id
    world.pass_on = lambda bus, frame: frame.can_id != body
    world.run(1.0)
    assert world.pipeline.vehicle is None
    assert "no report: this is not the car of this file: DBW_BODY (0x" in world.notices[-1].text
    world.pass_on = lambda bus, frame: True
    world.run(0.1)
    assert world.pipeline.vehicle is not None


def test_a_car_that_is_not_enabled_is_sent_no_body() -> None:
    world = World(car=load_car(car_path("vdsim_dbw"))).run(3.0)
    assert world.is_driving
    assert world.pipeline.vehicle_side.encoded.carries_body
    order = Order(Kind.OVERRIDE, "DBW_STEERING.DRIVER_TORQUE", 3.0, 0.5)
    world = World(order, car=load_car(car_path("vdsim_dbw"))).run(5.0)
    assert not world.pipeline.vehicle_side.encoded.carries_body


def test_a_car_that_was_overridden_is_engaged_again_by_clearing_first() -> None:
    order = Order(Kind.OVERRIDE, "DBW_STEERING.DRIVER_TORQUE", 3.0, 0.5)
    world = World(order, car=load_car(car_path("vdsim_dbw"))).run(5.0)
    assert "driver override: wheel" in world.reasons()
    assert world.engage().success
    world.run(0.5)
    assert world.mode is Mode.AUTONOMOUS
    assert world.is_driving


def test_what_the_file_maps_is_what_the_platform_can_do() -> None:
    dbw = SPEC.with_parameters(CanParameters()).capabilities
    assert {"gear", "hand_brake", "blinker", "headlight", "wiper", "horn"} <= dbw.commands
    assert dbw.signals == {"yaw_rate", "acceleration", "wheel_speeds"}
    assert dbw.driver_activity
    assert dbw.pedals_overlap
    island = SPEC.with_parameters(CanParameters(car="safety_island")).capabilities
    assert island.commands == frozenset()
    assert not island.driver_activity


def test_a_car_file_that_is_not_there_or_has_a_problem_is_one_line(tmp_path: Path) -> None:
    wrong = tmp_path / "car.yaml"
    wrong.write_text("car: mine\nbuses: {main: {dbc: no.dbc}}\n", encoding="utf-8")
    for name in ("no_such_car", str(wrong)):
        with pytest.raises(ParameterError) as refused:
            SPEC.create(CanParameters(car=name), SETUP)
        assert str(refused.value).startswith(f"can.car={name}: must be a car file")
        assert "\n" not in str(refused.value)


def test_channels_are_named_bus_by_bus() -> None:
    assert channel_of("main=can0, body = can1", "body") == "can1"
    assert channel_of("main=can0", "body") == "body"
    platform = SPEC.create(CanParameters(channels="main=can3"), SETUP)
    [endpoint] = platform.endpoints()
    assert (endpoint.name, endpoint.send_to) == ("main", (("can3", 0),))
    with pytest.raises(ParameterError, match=r"can\.channels=main: must be NAME=CHANNEL"):
        SPEC.create(CanParameters(channels="main"), SETUP).endpoints()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("lost:DBW_MOTION", Order(Kind.LOST, "DBW_MOTION")),
        ("stuck:DBW_MOTION@3", Order(Kind.STUCK, "DBW_MOTION", 3.0)),
        ("bus_off:main@3+0.5", Order(Kind.BUS_OFF, "main", 3.0, 0.5)),
    ],
)
def test_orders_are_read(text: str, order: Order) -> None:
    assert parsed(text) == order


@pytest.mark.parametrize(
    "text", ["", "lost", "gone:X", "lost:X@a", "lost:X@-1", "lost:X@1+0", "lost:X@nan"]
)
def test_an_order_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(OrderError):
        World(parsed(text), car=load_car(car_path("vdsim_dbw")))


def test_an_order_names_what_the_car_file_has() -> None:
    with pytest.raises(OrderError, match=r"fault lost:NO: must be one of DBW_BODY, "):
        World(Order(Kind.LOST, "NO"), car=load_car(car_path("vdsim_dbw")))


def test_an_order_may_say_with_which_value_the_car_may_not_be_driven() -> None:
    limits = Limits(only_while=((SignalName("STEER_STATUS", "FAULT"), (0, 1)),))
    car = dbw_car(limits=limits)
    for what, raw in (("STEER_STATUS.FAULT", 2), ("STEER_STATUS.FAULT=3", 3)):
        order = Order(Kind.UNFIT, what)
        World(order, car=car)
        assert unfit(order, car) == (SignalName("STEER_STATUS", "FAULT"), raw)
    for wrong in ("4", "-1", "x", ""):
        with pytest.raises(OrderError, match=r"must be a raw value of 0 to 3"):
            World(Order(Kind.UNFIT, f"STEER_STATUS.FAULT={wrong}"), car=car)
    for other in ("STEER_STATUS.NONE", "STEER_CMD.ENABLE", "STEER_STATUS"):
        with pytest.raises(OrderError, match=rf"the car sends no {other}"):
            World(Order(Kind.UNFIT, f"{other}=1"), car=car)
    with pytest.raises(OrderError, match=r"must be one of STEER_STATUS\.FAULT"):
        World(Order(Kind.UNFIT, "STEER_STATUS.TORQUE"), car=car)


def test_a_signal_of_the_handshake_may_have_any_value_for_a_time() -> None:
    made = World(car=dbw_car()).run(1.5)
    assert made.is_driving
    made.ecus.order(Order(Kind.UNFIT, "STEER_STATUS.ENABLED=0", made.now, 0.1))
    made.run(0.3)
    assert not made.is_driving
    assert "STEER_STATUS.ENABLED is 0, and must be == 1" in made.reasons()


def test_the_monitor_shows_each_message_with_its_last_reason() -> None:
    car = load_car(car_path("vdsim_dbw"))
    world = World(Order(Kind.CHECKSUM, "DBW_PEDALS", 0.0), car=car)
    seen = watcher(car)
    world.pass_on = lambda bus, frame: bool(seen.receive(bus, frame, world.now)) or True
    world.run(1.0)
    for bus, frame in world.sent:
        seen.receive(bus, frame, world.now)
    lines = {line.split()[0]: line for line in lines_of(car, seen, world.now)}
    assert lines["DBW_MOTION"].endswith("  ok")
    assert " 100.0 " in lines["DBW_MOTION"]
    assert "STALE; last reject: wrong checksum" in lines["DBW_PEDALS"]
    assert lines["DBW_STEER_CMD"].endswith("never seen")
    world.run(0.01)


def test_a_car_that_is_told_no_gear_does_not_drive_forward_where_it_should_drive_back() -> None:
    # In REVERSE a positive acceleration brakes; this car knows of no REVERSE, and drove off.
    world = World(car=load_car(car_path("safety_island"))).run(0.5)
    world.speed_mps = -2.0
    for _ in range(8):
        world.run(0.5)
        assert world.true_speed_mps == pytest.approx(0.0, abs=0.02)
    report = world.pipeline.vehicle_side.report
    assert report is not None
    assert report.body.gear is not Gear.REVERSE
    told = [each.text for each in world.notices if each.kind == "platform_limit"]
    assert told == ["REVERSE is not driven in: this car is told no gear, and is in DRIVE"]
    world.speed_mps = 3.0
    world.run(5.0)
    assert world.true_speed_mps == pytest.approx(3.0, abs=0.2)


def test_a_car_between_two_gears_is_not_asked_for_park_while_it_moves() -> None:
    world = World(car=load_car(car_path("vdsim_dbw")), auto_engage=False).run(0.5)
    assert world.engage().success
    world.run(4.0)
    world.ecus.order(Order(Kind.OVERRIDE, "DBW_STEERING.DRIVER_TORQUE", world.now, 0.3))
    world.run(0.5)
    world.ecus.order(Order(Kind.UNFIT, "DBW_BODY.GEAR=5", world.now, 0.5))
    world.run(0.15)
    assert world.engage().success
    body = world.car.message("DBW_BODY_CMD").can_id
    asked = set()
    for _ in range(20):
        world.period()
        asked |= {frame.data[1] >> 4 & 7 for _, frame in world.sent if frame.can_id == body}
        assert world.driven._body["gear"] == "DRIVE"
    assert world.is_driving
    assert asked == {3}
