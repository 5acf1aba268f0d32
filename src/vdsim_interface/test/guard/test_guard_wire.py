"""The guard of a car behind a socket: what comes from it, what goes to it, and when."""

from __future__ import annotations

import math
import struct

import pytest
from vdsim_interface.guard import frames
from vdsim_interface.platforms.spec import Received
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    AuxiliaryCommand,
    CabinState,
    Mode,
    Notice,
    StateCommand,
    VehicleCommand,
    notice_kinds,
)
from vdsim_interface_kit.guarding import GO, PERIOD_S, GuardedCar, wired_setup

SOURCE = ("127.0.0.1", 7011)


def packet(speed_mps: float, length: int = 8) -> bytes:
    """A packet of the car, which may be longer than its content."""
    return struct.pack("<d", speed_mps).ljust(length, b"\0")


def asked_mps2(datagram: bytes) -> float:
    """The acceleration in a packet for the car."""
    (accel_mps2,) = struct.unpack("<d", datagram)
    return float(accel_mps2)


class WiredCar(GuardedCar):
    """A guard whose car says what a test wants, once a period."""

    def __init__(self, **parameters: object) -> None:
        super().__init__(asked=wired_setup(**parameters))

    def receive(self, data: bytes) -> None:
        """A packet of the car arrives, after the sockets were found to hold one."""
        self.guard.begin_round(self.now)
        self.guard.on_datagram(data, SOURCE, "car", self.now)

    def drive(self, seconds: float, speed_mps: float = 1.0) -> WiredCar:
        """Drive at a speed."""
        for _ in range(round(seconds / PERIOD_S)):
            self.receive(packet(speed_mps))
            self.run(PERIOD_S, GO)
        assert self.mode is Mode.AUTONOMOUS
        return self


# ---- from the car --------------------------------------------------------------------------------


def test_before_the_first_setup_a_packet_of_the_car_is_nothing() -> None:
    car = WiredCar()
    guard = type(car.guard)(car.link)
    guard.connect()
    guard.begin_round(1.0)
    guard.on_datagram(packet(1.0), SOURCE, "car", 1.0)
    guard.after_send(1.0)
    assert guard.take_frames(1.0) == []
    assert guard.take_notices() == ()


@pytest.mark.parametrize(("length", "passes"), [(8, True), (32768, True), (32769, False)])
def test_a_report_reaches_the_shell_with_its_packet_unless_that_is_too_long(
    length: int, passes: bool
) -> None:
    car = WiredCar()
    data = packet(3.0, length)
    car.receive(data)
    car.run(PERIOD_S)
    report = car.last(frames.Report)
    assert report.report.velocity_mps == 3.0
    assert report.datagram == (data if passes else b"")


def test_a_packet_that_is_rejected_is_a_notice_and_no_report() -> None:
    car = WiredCar().drive(0.1)
    reports_n = len(car.all_of(frames.Report))
    car.receive(b"short")
    car.run(PERIOD_S, GO)
    assert len(car.all_of(frames.Report)) == reports_n
    assert [n.text for n in car.last(frames.Output).notices] == ["too short"]
    assert "non_finite_report" not in dict(car.last(frames.Status).status.counts)
    assert "link_reject" not in dict(car.last(frames.Status).status.counts)


def test_a_report_that_is_not_finite_is_counted() -> None:
    car = WiredCar().drive(0.1)
    car.receive(packet(math.nan))
    car.run(0.1, GO)
    assert dict(car.last(frames.Status).status.counts)["non_finite_report"] == 1


def test_what_a_period_of_the_guard_decides_is_told_to_the_shell() -> None:
    car = WiredCar().drive(0.5)
    car.run(1.0, GO)  # the car does not report any more
    assert car.mode is Mode.DISENGAGED
    notices = [notice for output in car.all_of(frames.Output) for notice in output.notices]
    changes = [n.text for n in notices if n.kind is notice_kinds.MODE_CHANGED]
    assert "no report from the vehicle" in changes[-1]


def test_the_notices_of_a_car_in_the_guards_process_are_told_to_the_shell() -> None:
    car = GuardedCar().driving()
    assert car.guard.sides is not None
    notice = Notice(notice_kinds.NON_FINITE_REPORT, "vehicle report dropped: not finite")
    car.guard.sides.vehicle.poll = lambda now: (Received(None, (notice,)),)  # type: ignore[method-assign]
    car.run(PERIOD_S, GO)
    assert notice in car.last(frames.Output).notices
    car.run(0.1, GO)
    assert dict(car.last(frames.Status).status.counts)["non_finite_report"] > 1


def test_a_report_that_waited_while_the_guard_did_not_run_is_late() -> None:
    car = WiredCar().drive(0.1)
    reports_n = len(car.all_of(frames.Report))
    car.now += 0.5
    car.receive(packet(1.0))
    car.send(frames.AskHealth())
    car.run(PERIOD_S)
    assert len(car.all_of(frames.Report)) == reports_n
    assert car.last(frames.Health).statistics["rejected_late"] == 1.0


# ---- to the car ----------------------------------------------------------------------------------


def test_the_last_command_leaves_before_the_sockets_close() -> None:
    car = WiredCar().drive(0.5)
    assert car.guard.decide(car.now + PERIOD_S)
    car.now += PERIOD_S
    car.link.events.clear()
    assert car.ask(frames.Deactivate()).success
    assert car.link.events == ["send", "close"]
    assert asked_mps2(car.link.sent[-1]) < 0.0


def test_the_last_command_leaves_before_the_sockets_of_another_setup_open() -> None:
    car = WiredCar().drive(0.5)
    car.link.events.clear()
    assert car.ask(wired_setup(rate_hz=50.0)).success
    assert car.link.events == ["send", "close", "open"]
    assert asked_mps2(car.link.sent[-1]) < 0.0


def test_the_end_of_the_guard_is_the_only_one_that_it_announces() -> None:
    """Else a shell would take a later crash of the guard for its end in order."""
    car = WiredCar().drive(0.1)
    car.ask(wired_setup(rate_hz=50.0))
    car.ask(frames.Deactivate())
    car.ask(wired_setup())
    car.run(0.3)  # longer than the first packet waits for a report
    assert car.all_of(frames.Ending) == []
    [last] = car.guard.stop(car.now)
    assert asked_mps2(last.data) < 0.0
    car.run(PERIOD_S)
    assert len(car.all_of(frames.Ending)) == 1


def test_after_a_deactivation_nothing_is_left_to_end() -> None:
    car = WiredCar().drive(0.1)
    car.ask(frames.Deactivate())
    outputs_n = len(car.all_of(frames.Output))
    car.run(1.0, GO)
    car.guard.begin_round(car.now)
    assert car.guard.stop(car.now) == ()
    assert car.guard.decide(car.now) == ()
    car.run(PERIOD_S)
    assert len(car.all_of(frames.Output)) == outputs_n
    assert car.guard.take_notices() == ()


def test_an_auxiliary_control_reaches_the_platform() -> None:
    car = WiredCar().drive(0.1)
    car.send(frames.AuxiliaryReceived(AuxiliaryCommand(car.now, (("blade", 1.0),))))
    car.run(PERIOD_S, GO)
    kinds = [notice.kind for notice in car.last(frames.Output).notices]
    assert kinds == [notice_kinds.PLATFORM_LIMIT]


def test_a_state_message_reaches_the_car() -> None:
    car = WiredCar().drive(0.1)
    for horn in (True, False):
        car.send(frames.StateReceived(StateCommand(horn=horn)))
        car.receive(packet(1.0))
        car.run(PERIOD_S, GO)
        assert car.last(frames.Output).safe.command.body.horn is horn


# ---- figures and state ---------------------------------------------------------------------------


def test_health_has_the_figures_of_the_link_and_of_the_sockets_once() -> None:
    car = WiredCar().drive(0.1)
    car.link.failures = {"send_failed": 2.0}
    car.send(frames.AskHealth())
    car.run(0.1, GO)
    [health] = car.all_of(frames.Health)
    assert health.statistics["accepted"] == 10.0
    assert health.statistics["send_failed"] == 2.0


def times_of(car: GuardedCar, kind: type) -> list[float]:
    """When the shell was sent what."""
    return [frame.sent_s for frame in car.received if isinstance(frame.payload, kind)]


def test_the_status_comes_every_50_ms_after_a_change_of_mode_and_with_health() -> None:
    car = WiredCar(safety=SafetyParameters())

    def tick(now: float) -> None:
        car.now = now
        car.guard.decide(now)
        car.guard.after_send(now)
        car._receive()

    for now in (0.0, 0.0, 0.03125, 0.05, 0.0625, 0.09375, 0.125):
        tick(now)
    assert times_of(car, frames.Status) == [0.0, 0.05, 0.125]
    car.send(frames.AskHealth())
    tick(0.15625)
    assert times_of(car, frames.Status)[3:] == times_of(car, frames.Health) == [0.15625]
    tick(0.171875)
    assert times_of(car, frames.Status)[4:] == []


def test_a_change_of_mode_is_in_the_status_at_once() -> None:
    car = WiredCar().drive(0.5)
    car.receive(packet(1.0))
    car.run(PERIOD_S, GO)
    sent_n = len(car.all_of(frames.Status))
    car.send(frames.ChangeMode(engage=False))
    car.run(PERIOD_S)
    assert len(car.all_of(frames.Status)) == sent_n + 1
    assert car.last(frames.Status).status.mode is Mode.MANUAL


# ---- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("timeout_s", "is_fresh"), [(0.1, False), (0.3, True)])
def test_a_changed_parameter_reaches_the_vehicle_side(timeout_s: float, is_fresh: bool) -> None:
    car = WiredCar(safety=SafetyParameters())
    assert car.ask(frames.Configure({"safety.report_timeout_s": timeout_s})).success
    car.receive(packet(0.0))
    car.run(0.2)
    assert car.last(frames.Output).link_fresh is is_fresh


def test_the_time_after_which_the_shell_is_silent_is_that_of_the_setup() -> None:
    car = WiredCar(command_timeout_s=1.0).drive(0.5)
    for connects_again in (False, True):
        if connects_again:
            car.guard.disconnect()
            car.start_shell()
        before_s = car.now
        car.now += 0.8
        old = GO._replace(stamp_s=before_s)
        car.send(frames.Front(old, old, old, None), sent_s=before_s)
        assert not car.guard.shell_is_silent(car.now), connects_again
        car.now += 0.3
        assert car.guard.shell_is_silent(car.now)


def test_a_setup_for_a_guard_that_has_none_may_be_half_a_second_old() -> None:
    for age_s, is_used in ((0.5, True), (0.75, False)):
        car = WiredCar()
        car.guard = type(car.guard)(car.link)
        car.guard.connect()
        car.now = 10.0
        _, data = frames.FrameWriter().write(wired_setup(), car.now - age_s)
        car.guard.on_frame(data, car.now)
        assert car.guard.is_active is is_used


def test_at_a_low_rate_a_gap_of_three_periods_is_no_stall() -> None:
    car = WiredCar(rate_hz=10.0, command_timeout_s=1.0)
    for _ in range(5):
        car.receive(packet(0.0))
        car.now += 0.3
    car.run(PERIOD_S)
    assert "tick_overrun" not in dict(car.last(frames.Status).status.counts)


def test_the_time_without_a_setup_is_no_stall() -> None:
    car = WiredCar().drive(0.1)
    car.ask(frames.Deactivate())
    car.now += 10.0
    car.ask(wired_setup())
    car.receive(packet(0.0))
    car.run(PERIOD_S)
    assert "tick_overrun" not in dict(car.last(frames.Status).status.counts)


def test_before_the_first_setup_the_period_is_that_of_the_default_rate() -> None:
    car = WiredCar(rate_hz=50.0)
    assert type(car.guard)(car.link).period_s == 0.01
    assert car.guard.period_s == 0.02


def test_the_scheduling_is_what_the_shell_asks_for() -> None:
    car = WiredCar()
    assert type(car.guard)(car.link).scheduling == (False, 0)
    assert car.guard.scheduling == (False, 0)
    car.ask(wired_setup()._replace(lock_memory=True, fifo_priority=5))
    assert car.guard.scheduling == (True, 5)


BEFORE_SETUP: list[frames.Payload] = [
    frames.CommandReceived(GO),
    frames.Front(GO, GO, GO, None),
    frames.AuxiliaryReceived(AuxiliaryCommand(0.0, (("blade", 1.0),))),
    frames.StateReceived(StateCommand()),
    frames.CabinReceived(CabinState()),
    frames.OverrideReceived(True),
    frames.InputPublishers(1, 1),
    frames.AskHealth(),
]


@pytest.mark.parametrize("payload", BEFORE_SETUP, ids=lambda payload: type(payload).__name__)
def test_before_the_first_setup_a_frame_changes_nothing(payload: frames.Payload) -> None:
    car = WiredCar()
    guard = type(car.guard)(car.link)
    guard.connect()
    is_front = guard.on_frame(frames.FrameWriter().write(payload, 1.0)[1], 1.0)
    assert is_front is isinstance(payload, frames.Front)
    assert guard.take_frames(1.0) == []
    assert guard.take_notices() == ()


@pytest.mark.parametrize(
    "payload", [frames.ChangeMode(True), frames.Configure({"safety.accel_max_mps2": 1.0})]
)
def test_before_the_first_setup_a_request_is_refused(payload: frames.Payload) -> None:
    car = WiredCar()
    car.guard = type(car.guard)(car.link)
    car._writer, car._reader = frames.FrameWriter(), frames.FrameReader(frames.TO_SHELL)
    car.guard.connect()
    answer = car.ask(payload)
    assert not answer.success
    assert (answer.text, answer.mode) == ("the guard is not active", Mode.MANUAL)


def test_a_command_keeps_its_time_unless_it_is_ahead() -> None:
    car = WiredCar().drive(0.2)
    now = car.now
    for offset_s in (-0.125, 0.0, 5.0):
        command = VehicleCommand(now + offset_s, 1.0, 0.1)
        car.send(frames.CommandReceived(command))
        car.run(PERIOD_S)
        received = car.last(frames.Output).safe.received
        assert received is not None
        assert received.stamp_s <= car.now
        if offset_s <= 0.0:
            assert received == command
