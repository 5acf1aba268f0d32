"""Every fault of bus and car ends as docs/can-reference.md says: interface and car, closed loop."""

from dataclasses import replace

import pytest
from vdsim_can.car import SignalName
from vdsim_can.ecu.orders import Kind, Order
from vdsim_can.frame import BUS_OFF, RESTARTED, Frame
from vdsim_can.traffic.reception import Fate
from vdsim_can.traffic.transmitter import Sending
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.dbw_car import dbw_car
from vdsim_can_kit.world import World
from vdsim_interface.values import Mode

AT_S = 3.0


def world(*orders: Order) -> World:
    made = World(*orders).run(AT_S)
    assert made.is_driving
    assert made.true_speed_mps > 4.0
    return made


def test_the_car_is_enabled_in_two_frames_with_its_own_angle_and_no_pedal() -> None:
    made = World()
    steer = WireMessage(made.car, made.car.send["STEER_CMD"])
    pedals = WireMessage(made.car, made.car.send["PEDAL_CMD"])
    seen = []
    while not made.is_driving:
        made.period()
        assert made.now < 1.0
        for _, frame in made.sent:
            if frame.can_id == 0x100:
                raws = steer.unpack(frame.data)
                seen.append((raws["CLEAR"], raws["ENABLE"], raws["ANGLE"]))
            elif frame.can_id == 0x101:
                raws = pedals.unpack(frame.data)
                assert raws["THROTTLE"] == 0 or made.is_driving
    changes = [each for n, each in enumerate(seen) if n == 0 or each != seen[n - 1]]
    assert changes[-2:] == [(1, 0, 0), (0, 1, 0)]


def test_it_drives() -> None:
    made = World().run(6.0)
    assert made.is_driving
    assert made.true_speed_mps == pytest.approx(5.0, abs=0.2)
    made.curvature_1pm = 0.02
    made.run(3.0)
    motion = made.driven.session.output().motion
    assert motion.yaw_rate_radps / motion.vx_mps == pytest.approx(0.02, rel=0.1)
    made.speed_mps = 0.0
    made.run(5.0)
    assert made.true_speed_mps == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("kind", [Kind.LOST, Kind.STUCK, Kind.CHECKSUM])
def test_a_message_that_motion_needs_is_gone_the_car_stops_and_autonomy_ends(kind: Kind) -> None:
    made = world(Order(kind, "MOTION", AT_S)).run(0.5)
    # From the time-out on the safety side stops the car.
    assert made.true_speed_mps < 5.0
    made.run(5.0)
    assert made.mode is Mode.DISENGAGED
    assert "no report from the vehicle for 1.00 s" in made.reasons()
    assert made.true_speed_mps == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Kind.STUCK, "counter stands at"),
        (Kind.CHECKSUM, "wrong checksum"),
    ],
)
def test_what_is_wrong_with_a_message_is_named(kind: Kind, why: str) -> None:
    made = world(Order(kind, "PEDAL_STATUS", AT_S)).run(1.0)
    assert made.mode is Mode.DISENGAGED
    assert "no PEDAL_STATUS for 0.1" in made.reasons()
    assert why in made.reasons()


def test_a_message_that_is_lost_for_less_than_its_time_changes_nothing() -> None:
    made = world(Order(Kind.LOST, "PEDAL_STATUS", AT_S, 0.05)).run(2.0)
    assert made.is_driving


def test_an_ecu_that_is_silent_ends_autonomy() -> None:
    made = world(Order(Kind.SILENT, "BODY_STATUS", AT_S)).run(1.0)
    assert made.mode is Mode.DISENGAGED
    assert "no BODY_STATUS for 0.5" in made.reasons()


def test_an_ecu_that_starts_again_is_noticed_and_the_car_is_enabled_only_on_request() -> None:
    made = world(Order(Kind.RESET, "STEER_STATUS", AT_S)).run(3.0)
    assert made.mode is Mode.DISENGAGED
    assert "the car left drive-by-wire" in made.reasons()
    assert not made.is_driving
    assert made.true_speed_mps < 1.0
    made.run(3.0)
    assert made.engage().success
    made.run(0.5)
    assert made.is_driving


def test_a_car_that_is_off_the_bus_stops_by_itself_and_so_does_its_interface() -> None:
    made = world(Order(Kind.BUS_OFF, "chassis", AT_S)).run(6.0)
    assert made.mode is Mode.DISENGAGED
    assert made.true_speed_mps == pytest.approx(0.0, abs=0.01)


def test_while_somebody_else_sends_our_message_we_send_nothing() -> None:
    made = world(Order(Kind.FOREIGN, "STEER_CMD", AT_S, 1.0))
    silent = 0
    for _ in range(100):
        made.period()
        silent += not made.sent
    assert silent >= 98
    assert made.mode is Mode.DISENGAGED
    assert "somebody else sends STEER_CMD (0x100) on chassis" in made.reasons()
    made.run(3.0)
    assert made.true_speed_mps < 1.0


def test_a_fault_of_the_car_ends_autonomy_with_the_makers_word() -> None:
    made = world(Order(Kind.FAULT, "STEER_STATUS.FAULT", AT_S, 0.5)).run(0.2)
    assert made.mode is Mode.DISENGAGED
    assert "the steering actuator has failed (STEER_STATUS.FAULT is 2)" in made.reasons()


def test_a_driver_who_takes_the_wheel_drives_and_nothing_is_sent_any_more() -> None:
    made = world()
    made.ecus.driver[SignalName("STEER_STATUS", "TORQUE")] = 4.0
    made.run(0.2)
    assert made.mode is not Mode.AUTONOMOUS
    assert "driver override: wheel" in made.reasons()
    for _ in range(100):
        made.period()
        assert made.sent == []


def test_a_short_push_at_the_wheel_is_none() -> None:
    made = world()
    made.ecus.driver[SignalName("STEER_STATUS", "TORQUE")] = 4.0
    made.run(0.03)
    del made.ecus.driver[SignalName("STEER_STATUS", "TORQUE")]
    made.run(1.0)
    assert "override" not in made.reasons()


def test_when_the_stack_is_silent_the_car_is_stopped_by_commands_of_its_own_period() -> None:
    made = world()
    made.stack_lives = False
    made.run(0.6)
    pedals = WireMessage(made.car, made.car.send["PEDAL_CMD"])
    for _ in range(20):
        made.period()
        for _, frame in made.sent:
            if frame.can_id == 0x101:
                assert pedals.unpack(frame.data)["THROTTLE"] == 0
                assert pedals.unpack(frame.data)["BRAKE"] > 0
    made.run(6.0)
    assert made.true_speed_mps == pytest.approx(0.0, abs=0.01)


def test_when_the_interface_is_silent_nothing_is_on_the_bus_and_the_car_stops_by_itself() -> None:
    made = world()
    made.interface_lives = False
    made.run(0.2)
    assert made.ecus.command(made.now) is None
    made.run(6.0)
    assert made.true_speed_mps == pytest.approx(0.0, abs=0.01)


def test_the_controller_off_the_bus_ends_autonomy_and_nothing_is_sent_until_it_is_back() -> None:
    made = world()
    made.inject("chassis", Frame(BUS_OFF, bytes(8), error=True))
    made.run(0.05)
    assert "chassis: the controller is off the bus" in made.reasons()
    assert made.sent == []
    made.inject("chassis", Frame(RESTARTED, bytes(8), error=True))
    made.run(0.5)
    assert made.mode is Mode.DISENGAGED
    assert made.sent


def test_another_car_gets_no_frame() -> None:
    """A message has another length than in the file: nothing was sent when that is seen."""
    made = World()
    made.pass_on = lambda bus, frame: frame.can_id != 0x202
    for _ in range(200):
        made.inject("chassis", Frame(0x202, bytes(6)))
        made.period()
        assert made.sent == []
    assert made.fault == (
        "this is not the car of this file: BODY_STATUS (0x202): 6 bytes; the file says 4"
    )
    assert made.mode is Mode.MANUAL


def test_a_car_that_lacks_a_message_gets_no_frame() -> None:
    made = World()
    made.pass_on = lambda bus, frame: frame.can_id != 0x202
    for _ in range(200):
        made.period()
        assert made.sent == []
    assert made.fault == "this is not the car of this file: BODY_STATUS (0x202) does not come"


def test_an_engage_that_the_car_refuses_is_answered_in_the_makers_words() -> None:
    made = World(auto_engage=False)
    made.ecus._enabling._ours.pop(SignalName("BODY_STATUS", "READY"))  # and so it stays 0
    made.run(1.0)
    assert made.engage().reason == (
        "the vehicle is not ready for autonomy: drive-by-wire is not ready (BODY_STATUS.READY is "
        "0, and must be == 1)"
    )


def test_a_replayed_command_does_not_reach_the_car() -> None:
    """The ECU counts, too: old frames with old counters change nothing."""
    made = world()
    angle = SignalName("STEER_CMD", "ANGLE")
    stranger = Sending(WireMessage(made.car, made.car.send["STEER_CMD"]))
    reception = made.ecus.receiver.messages["STEER_CMD"]
    assert reception.count is not None
    before = reception.raws["ANGLE"]
    for ahead in (0, 8, 9, 10):
        stranger.count = (reception.count + ahead) % 16
        fate = made.ecus.receive("chassis", stranger.frame({"ANGLE": 4000}), made.now)
        assert fate is Fate.COUNTER
    assert made.ecus.receiver.raw(angle, made.now) == before
    assert made.run(0.5).is_driving


def test_a_car_that_is_steered_by_torque_is_refused_with_a_sentence() -> None:
    made = World(car=dbw_car(steers_by_torque=True)).run(1.0)
    assert made.mode is Mode.MANUAL
    assert made.sent == []
    assert "no torque loop" in made.fault


def test_a_message_may_go_on_in_the_makers_way_while_a_person_drives() -> None:
    car = dbw_car()
    row = replace(car.send["STEER_CMD"], when_silent=(("ENABLE", 0), ("CLEAR", 0)))
    made = World(car=dbw_car(send={**car.send, "STEER_CMD": row})).run(AT_S)
    assert made.is_driving
    made.ecus.driver[SignalName("STEER_STATUS", "TORQUE")] = 4.0
    made.run(0.5)
    steer = WireMessage(made.car, row)
    counts = []
    for _ in range(20):
        made.period()
        [(bus, frame)] = made.sent
        raws = steer.unpack(frame.data)
        assert (bus, raws["ENABLE"], raws["CLEAR"]) == ("chassis", 0, 0)
        measured = made.driven.session.output().motion.steer_applied_rad
        assert raws["ANGLE"] == pytest.approx(measured / 0.0001, abs=1)
        counts.append(raws["COUNT"])
    assert counts == [(counts[0] + n) % 16 for n in range(20)]


def test_a_car_on_two_buses_is_driven_on_both() -> None:
    car = dbw_car()
    body = replace(car.buses["chassis"], name="body")
    send = {**car.send, "BODY_CMD": replace(car.send["BODY_CMD"], bus="body")}
    receive = {**car.receive, "BODY_STATUS": replace(car.receive["BODY_STATUS"], bus="body")}
    both = {**car.buses, "body": body}
    made = World(car=dbw_car(buses=both, send=send, receive=receive))
    made.run(AT_S)
    assert made.is_driving
    assert [endpoint.name for endpoint in made.platform.endpoints()] == ["chassis", "body"]
    # The same message on the other bus is another one.
    made.pass_on = lambda bus, frame: bus != "body"
    made.run(1.0)
    assert "no BODY_STATUS for 0.5" in made.reasons()


def test_a_frame_that_the_limiter_refuses_is_not_sent_and_named() -> None:
    made = world()
    made.platform.limiter.bounded = lambda angle, at: 0.55  # type: ignore[method-assign]
    for _ in range(5):
        made.period()
        assert all(frame.can_id != 0x100 for _, frame in made.sent)
    texts = [notice.text for notice in made.notices]
    assert any(text.startswith("STEER_CMD is not sent: STEER_CMD.ANGLE carries") for text in texts)
    made.run(0.1)
    assert made.ecus.command(made.now) is None, "the car's watchdog has acted"


def test_after_refused_frames_the_counter_goes_on_where_the_last_sent_one_was() -> None:
    made = world()
    steer = WireMessage(made.car, made.car.send["STEER_CMD"])

    def counts(periods: int) -> list[float]:
        found = []
        for _ in range(periods):
            made.period()
            found += [steer.unpack(f.data)["COUNT"] for _, f in made.sent if f.can_id == 0x100]
        return found

    [before] = counts(1)
    refusal = made.platform.limiter.refusal
    made.platform.limiter.refusal = lambda *given: "no"  # type: ignore[method-assign]
    assert counts(7) == []
    made.platform.limiter.refusal = refusal  # type: ignore[method-assign]
    assert counts(2) == [(before + 1) % 16, (before + 2) % 16]
    assert made.is_driving


def test_one_request_engages_and_enables_the_car() -> None:
    made = World(auto_engage=False).run(1.0)
    assert made.sent == [], "nothing is on the bus while a person drives"
    assert made.engage().success
    made.run(0.3)
    assert made.is_driving


def test_a_car_that_does_not_answer_the_handshake_ends_autonomy_in_the_makers_words() -> None:
    made = World(auto_engage=False)
    made.ecus._enabling._arrived = lambda index, raw: False  # type: ignore[method-assign]
    made.run(1.0)
    assert made.engage().success
    made.run(1.0)
    assert made.mode is not Mode.AUTONOMOUS
    assert made.true_speed_mps == 0.0
    assert (
        "the override is not cleared (STEER_STATUS.OVERRIDDEN is 1, and must be == 0)"
        in made.reasons()
    )


def test_a_controller_that_receives_again_is_on_the_bus_though_no_error_frame_says_so() -> None:
    """As after `ip link set can0 down` and `up`: nobody was let drive until the next start."""
    made = world()
    made.inject("chassis", Frame(BUS_OFF, bytes(8), error=True))
    made.pass_on = lambda bus, frame: False
    made.run(2.0)
    assert made.mode is Mode.DISENGAGED
    made.pass_on = lambda bus, frame: True
    made.run(1.0)
    assert made.fault == ""
    assert made.engage().success
    made.run(0.5)
    assert made.is_driving


def test_a_control_that_the_safety_stage_ignores_ends_autonomy_as_the_car_does() -> None:
    """Frames stop while a person uses a control: the mode stayed, and it drove on later."""
    made = World(rig="driverless")
    safety = replace(made.parameters.safety, driver_override="ignored")
    made.parameters = replace(made.parameters, safety=safety)
    made.pipeline.configure(made.parameters)
    made.run(3.0)
    assert made.is_driving
    made.ecus._person_acts = lambda now: False  # type: ignore[method-assign]
    made.ecus.driver[SignalName("STEER_STATUS", "TORQUE")] = 5.0
    made.run(0.3)
    assert made.mode is Mode.DISENGAGED
    assert "AUTONOMOUS -> DISENGAGED: the driver turns the wheel" in made.reasons()
