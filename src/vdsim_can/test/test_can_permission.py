"""The rows with which a car is let go at one frame, closed loop: nothing steers after it."""

from dataclasses import replace

import pytest
from vdsim_can.car import Agreement, Limits, SignalName
from vdsim_can.ecu.orders import Kind, Order
from vdsim_can.frame import Frame
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.dbw_car import HANDSHAKE, dbw_car, field
from vdsim_can_kit.world import World
from vdsim_interface.values import Mode

AT_S = 1.5
ENABLE = SignalName("STEER_CMD", "ENABLE")


def watched(**changes: object) -> World:
    made = World(*changes.pop("orders", ()), car=dbw_car(**changes)).run(AT_S)  # type: ignore[misc]
    assert made.is_driving
    return made


def enables(made: World, periods: int) -> list[int]:
    """What the frames that steer have said for some periods."""
    steer = WireMessage(made.car, made.car.send["STEER_CMD"])
    said = []
    for _ in range(periods):
        made.period()
        said += [steer.unpack(f.data)["ENABLE"] for _, f in made.sent if f.can_id == 0x100]
    return [int(raw) for raw in said]


def is_let_go(said: list[int]) -> bool:
    """Whether nothing steers from the second frame on at the latest."""
    return len(said) > 2 and said[0] + 2 * sum(said[1:]) <= 1


@pytest.mark.parametrize("max_rejects", [0, 1])
def test_one_rejected_frame_lets_the_car_go_where_the_file_says_so(max_rejects: int) -> None:
    receive = dict(dbw_car().receive)
    receive["STEER_STATUS"] = replace(receive["STEER_STATUS"], max_rejects=max_rejects)
    order = Order(Kind.CHECKSUM, "STEER_STATUS", AT_S + 0.005, 0.01)
    made = watched(orders=(order,), receive=receive)
    said = enables(made, 5)
    assert is_let_go(said) if max_rejects else said == [1] * 5
    assert made.is_driving is not bool(max_rejects)
    if max_rejects:
        assert made.mode is Mode.DISENGAGED
        assert "STEER_STATUS (0x200): wrong checksum" in made.reasons()
        assert made.run(0.5).engage().success
        assert made.run(0.5).is_driving


def test_so_many_rejected_frames_in_a_row() -> None:
    receive = dict(dbw_car().receive)
    receive["STEER_STATUS"] = replace(receive["STEER_STATUS"], max_rejects=3)
    for frames, ends in ((2, False), (3, True)):
        order = Order(Kind.CHECKSUM, "STEER_STATUS", AT_S + 0.005, 0.01 * frames)
        made = watched(orders=(order,), receive=receive).run(0.1)
        assert made.is_driving is not ends


def test_a_stale_message_with_max_rejects_lets_the_car_go() -> None:
    receive = dict(dbw_car().receive)
    receive["BODY_STATUS"] = replace(receive["BODY_STATUS"], max_rejects=1, stale_ms=250.0)
    made = watched(orders=(Order(Kind.LOST, "BODY_STATUS", AT_S),), receive=receive)
    made.run(0.3)
    assert enables(made, 3) == [0, 0, 0]
    assert "no BODY_STATUS" in made.reasons()


def test_a_car_whose_flag_is_wrong_for_one_frame_is_let_go() -> None:
    name = SignalName("STEER_STATUS", "FAULT")
    limits = replace(dbw_car().limits, only_while=((name, (0, 1)),))
    order = Order(Kind.UNFIT, str(name), AT_S + 0.005, 0.01)
    made = watched(orders=(order,), limits=limits, faults=())
    said = enables(made, 5)
    # The angle of that frame is no measured angle, so nothing that has to carry it is sent.
    assert len(said) == 4
    assert is_let_go(said)
    assert "STEER_STATUS.FAULT is 2" in made.reasons()
    assert made.run(0.5).engage().success
    assert made.run(0.5).is_driving


def test_a_car_that_says_so_is_not_taken() -> None:
    name = SignalName("STEER_STATUS", "FAULT")
    limits = replace(dbw_car().limits, only_while=((name, (0, 1)),))
    order = Order(Kind.UNFIT, str(name), 0.0, AT_S)
    made = World(order, car=dbw_car(limits=limits, faults=()), auto_engage=False).run(1.0)
    answer = made.engage()
    assert not answer.success
    assert "STEER_STATUS.FAULT is 2" in answer.reason
    made.run(1.0)
    assert made.engage().success


PARKING = SignalName("PEDAL_STATUS", "HAND_BRAKE")
"""In place of a parking assistant: while it acts nothing may be sent, not even neutral frames."""


def silent_periods(made: World, periods: int) -> list[bool]:
    """Whether nothing was sent, for some periods."""
    found = []
    for _ in range(periods):
        made.period()
        found.append(not made.sent)
    return found


@pytest.mark.parametrize("drives", [True, False])
@pytest.mark.parametrize("kind", [Kind.UNFIT, Kind.CHECKSUM, Kind.STUCK])
def test_nothing_is_sent_while_the_file_says_so(kind: Kind, drives: bool) -> None:
    """Nor after a frame that was rejected, for what it says is not known then."""
    fault = SignalName("STEER_STATUS", "FAULT")
    flags = {"only_while": ((fault, (0, 1)),), "send_while": ((PARKING, (0,)),)}
    what = f"{PARKING}=1" if kind is Kind.UNFIT else PARKING.message
    made = watched(limits=replace(dbw_car().limits, **flags), faults=())
    if not drives:
        made.ecus.order(Order(Kind.UNFIT, str(fault), made.now + 0.001, 0.01))
        made.run(0.1)
        assert not made.is_driving
        assert enables(made, 5) == [0] * 5
    made.ecus.order(Order(kind, what, made.now + 0.001, 0.1))
    said = silent_periods(made, 10)
    assert said[4:] == [True] * 6
    assert not made.is_driving
    made.run(0.05)
    assert set(enables(made, 5)) == {0}  # it begins with the handshake
    made.run(0.5)
    assert made.engage().success
    assert made.run(0.5).is_driving


def test_nothing_is_sent_while_a_message_is_stale_that_must_say_so() -> None:
    limits = replace(dbw_car().limits, send_while=((PARKING, (0,)),))
    made = watched(limits=limits, orders=(Order(Kind.LOST, PARKING.message, AT_S, 1.0),))
    said = silent_periods(made, 50)
    assert said[:5] == [False] * 5
    assert said[15:] == [True] * 35
    assert "no PEDAL_STATUS" in made.reasons()


def test_two_speeds_that_do_not_agree_let_the_car_go() -> None:
    """The signal of the speed, and one that the test moves."""
    speed, other = SignalName("MOTION", "SPEED"), SignalName("MOTION", "ACCEL")
    limits = replace(dbw_car().limits, agree=(Agreement(speed, other, 8.0),))
    made = watched(limits=limits)
    made.speed_mps = 20.0
    made.run(6.0)
    assert not made.is_driving
    assert "and MOTION.ACCEL is " in made.reasons()
    assert "not within 8" in made.reasons()


def test_a_last_row_without_a_time_ends_at_once() -> None:
    at_once = (*HANDSHAKE[:-1], replace(HANDSHAKE[-1], within_ms=0.0))
    made = watched(handshake=at_once)
    made.ecus._enabling.level = 0
    made.ecus._enabling._kept_s = -1.0
    assert is_let_go(enables(made, 4))


def test_a_pedal_that_is_let_go_before_the_next_report_was_used() -> None:
    made = watched()
    status = WireMessage(made.car, made.car.receive["PEDAL_STATUS"])
    pressed = {"DRIVER_BRAKE": 50, "ENABLED": 1, "GEAR": 3}
    reception = made.platform._receiver.messages["PEDAL_STATUS"]
    count = int(reception.raws["COUNT"])
    for step, raws in enumerate((pressed, {**pressed, "DRIVER_BRAKE": 0})):
        made.inject("chassis", status.frame(raws, (count + 1 + step) % 16))
    made.run(0.03)
    assert not made.is_driving
    assert "driver override: pedal" in made.reasons()


def test_frames_that_stopped_begin_with_the_handshake() -> None:
    made = watched()
    made.inject("chassis", Frame(0x100, bytes(8)))
    assert enables(made, 50) == []
    made.run(0.52)
    assert set(enables(made, 5)) == {0}


def test_an_acceleration_beyond_the_limits_is_cut_and_named() -> None:
    commands = tuple(row for row in dbw_car().commands if row.field not in ("throttle", "brake"))
    accel = field("long_accel_mps2", "PEDAL_CMD.THROTTLE", scale=10.0, offset=-5.0)
    limits = Limits(accel_min_mps2=-3.0, accel_max_mps2=0.5)
    made = World(car=dbw_car(commands=(*commands, accel), limits=limits))
    made.speed_mps = 25.0
    made.run(2.0)
    assert made.is_driving
    assert made.platform.limiter.refused == {}
    pedals = WireMessage(made.car, made.car.send["PEDAL_CMD"])
    sent = []
    for _ in range(20):
        made.period()
        raws = [pedals.unpack(f.data)["THROTTLE"] for _, f in made.sent if f.can_id == 0x101]
        sent += [pedals.physical(accel.signal, raw) for raw in raws]
    assert sent
    assert max(10.0 * share - 5.0 for share in sent) == pytest.approx(0.5, abs=0.01)
