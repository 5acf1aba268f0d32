"""The loop on a point mass whose slope, brakes and abilities a test sets."""

import math
from itertools import pairwise
from typing import Any

import pytest
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop, Phase
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.platforms.spec import Capabilities
from vdsim_interface.values import (
    NOT_STANDING,
    AccelMeaning,
    Applied,
    Authority,
    BodyCommand,
    BodyState,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    Sensors,
    VehicleCommand,
    VehicleReport,
)

DT = 0.01
FULL = Capabilities(slope_from="pitch", pedals_overlap=True)
G = 9.80665


class PointMass:
    """Drive and brake act at once; the brake is `brakes` of what it should be."""

    def __init__(
        self,
        capabilities: Capabilities = FULL,
        *,
        slope: float = 0.0,
        speed: float = 0.0,
        brakes: float = 1.0,
        gear: Gear = Gear.DRIVE,
    ) -> None:
        self.loop = AccelerationLoop(AccelerationParameters(), capabilities, 2.0, 3.0, DT)
        self.capabilities = capabilities
        self.slope, self.speed, self.brakes, self.gear = slope, speed, brakes, gear
        self.hand_brake = False
        self.own_brake = 0.0
        self.grip, self.slides, self.spins = math.inf, 0.0, False
        self.way = self.least_way = self.accel = 0.0
        self.now = 0.0
        self.command: PlatformCommand | None = None
        self.texts: list[str] = []

    @property
    def sense(self) -> int:
        return -1 if self.gear is Gear.REVERSE else 1

    def run(
        self, seconds: float, accel: float, meaning: AccelMeaning, *, fresh: bool = True
    ) -> "PointMass":
        for _ in range(round(seconds / DT)):
            if fresh:
                self.now += DT
            self.step(accel, meaning, fresh=fresh)
        return self

    def step(self, accel: float, meaning: AccelMeaning, *, fresh: bool = True) -> None:
        body = BodyCommand(gear=self.gear, hand_brake=self.hand_brake)
        asked = PlatformCommand(
            Authority.COMMAND,
            Mode.AUTONOMOUS,
            VehicleCommand(0.0, accel, 0.0, 0.0),
            body,
            meaning=meaning,
        )
        self.command = self.loop.step(asked, asked.vehicle, self.report(), fresh=fresh)
        self.texts += [notice.text for notice in self.loop.take_notices()]
        drive = self.pushed(self.sense * self.command.vehicle.long_accel_mps2)
        brake = self.brakes * (max(-drive, 0.0) + self.command.hold_mps2) + self.own_brake
        push = self.sense * max(drive, 0.0) - G * math.sin(self.slope)
        self.accel = 0.0
        if self.speed == 0.0 and abs(push) <= brake:
            return
        against = math.copysign(brake, self.speed if self.speed else push)
        after = self.speed + (push - against) * DT
        stops = self.speed * after < 0.0 and abs(push) <= brake
        self.accel = (after - self.speed) / DT
        self.speed = 0.0 if stops else after
        self.way += self.speed * DT
        self.least_way = min(self.least_way, self.sense * self.way)

    def pushed(self, drive: float) -> float:
        """Return what the tyres push with: beyond their grip a wheel spins, until it is braked."""
        self.spins = drive > self.grip or (self.spins and drive > 0.0)
        return self.slides if self.spins else drive

    def report(self, **fields: Any) -> VehicleReport:
        felt = self.accel + G * math.sin(self.slope)
        return VehicleReport(
            stamp_s=self.now,
            vehicle_time_s=self.now,
            velocity_mps=self.speed,
            front_wheel_angle_rad=0.0,
            body=BodyState(gear=self.gear),
            applied=Applied(0.0, 0.0),
            pitch_rad=-self.slope if self.capabilities.slope_from == "pitch" else 0.0,
            sensors=Sensors(accel_x_mps2=felt),
            **fields,
        )


@pytest.mark.parametrize("slope", [-0.29, -0.1, 0.0, 0.1, 0.29])
@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.REVERSE])
def test_what_is_asked_for_is_got_on_any_slope(slope: float, gear: Gear) -> None:
    car = PointMass(slope=slope, gear=gear)
    car.speed = 5.0 * car.sense
    car.run(2.0, 0.5 * car.sense, AccelMeaning.DRIVE)
    before = car.speed
    car.run(1.0, 0.5 * car.sense, AccelMeaning.DRIVE)
    assert (car.speed - before) * car.sense == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("brakes", [0.9, 1.0, 1.2])
@pytest.mark.parametrize("gap", [0.05, 0.07, 0.1, 0.15, 0.24])
def test_a_stop_is_the_one_that_is_asked_for_however_seldom_the_vehicle_reports(
    gap: float, brakes: float
) -> None:
    """The change of speed between two reports counts over the whole time between them."""
    car = PointMass(speed=20.0, brakes=brakes)
    start = car.speed
    report = car.report()
    for n in range(round(3.0 / DT)):
        car.now += DT
        if n % round(gap / DT) == 0:
            report = PointMass.report(car)
        car.report = lambda report=report: report  # type: ignore[method-assign, misc]
        car.step(-3.0, AccelMeaning.STOP)
        if n == round(2.0 / DT) - 1:
            start = car.speed
    assert car.speed - start == pytest.approx(-3.0, abs=0.05)


@pytest.mark.parametrize("period", [0.01, 0.05, 0.1])
def test_a_drive_rises_as_fast_at_each_rate(period: float) -> None:
    """A stop and a drive of 3 m/s2 are the ones that are asked for, too."""
    loop = AccelerationLoop(AccelerationParameters(), FULL, 2.0, 3.0, period)
    speed, efforts = 8.0, []
    for n in range(round(2.0 / period)):
        now = (n + 1) * period
        report = VehicleReport(now, now, speed, 0.0, BodyState(gear=Gear.DRIVE), Applied(0.0, 0.0))
        vehicle = VehicleCommand(now, 3.0, 0.0, 0.0)
        body = BodyCommand(gear=Gear.DRIVE)
        asked = PlatformCommand(Authority.COMMAND, Mode.AUTONOMOUS, vehicle, body, None)
        given = loop.step(asked._replace(meaning=AccelMeaning.DRIVE), vehicle, report, fresh=True)
        efforts.append(given.vehicle.long_accel_mps2)
        loop.on_sent(efforts[-1])
        speed += efforts[-1] * period
    assert efforts[-1] == pytest.approx(3.0, abs=0.05)
    rise_s = AccelerationParameters().rise_max_mps3
    reached = next(n for n, effort in enumerate(efforts) if effort > 2.5)
    assert (reached + 1) * period == pytest.approx(2.5 / rise_s, abs=1.5 * period)


def test_a_flat_road_acceleration_is_passed_on_as_it_is() -> None:
    car = PointMass(slope=0.2, speed=5.0)
    car.run(0.5, 1.5, AccelMeaning.FLAT_ROAD)
    assert car.command is not None
    assert car.command.vehicle.long_accel_mps2 == 1.5
    assert not car.command.engage_wanted
    assert car.command.standing == NOT_STANDING


@pytest.mark.parametrize("speed", [0.0, -0.03])
@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.REVERSE])
def test_a_flat_road_drive_that_grows_rolls_no_car_back(gear: Gear, speed: float) -> None:
    """Seeds 4000159 of `two_computers`, held at rest, and 4010612 of `single`, just engaged."""
    car = PointMass(gear=gear)
    car.slope, car.speed = 0.2 * car.sense, speed * car.sense
    if not speed:
        car.run(0.5, 0.0, AccelMeaning.FLAT_ROAD)
    for n in range(round(1.2 / DT)):
        car.run(DT, 2.4 * n * DT * car.sense, AccelMeaning.FLAT_ROAD)
    car.run(1.0, 2.8 * car.sense, AccelMeaning.FLAT_ROAD)
    assert car.least_way > -0.03
    assert car.speed * car.sense > 0.5
    assert car.texts == []


def test_a_flat_road_drive_that_stays_too_weak_is_its_senders_then_refused() -> None:
    car = PointMass(slope=0.2)
    car.run(0.5, 0.0, AccelMeaning.FLAT_ROAD)
    car.run(1.4, 1.0, AccelMeaning.FLAT_ROAD)
    assert car.least_way > -0.001
    car.run(1.0, 1.0, AccelMeaning.FLAT_ROAD)
    assert -0.1 < car.least_way < -0.001
    car.run(4.0, 1.0, AccelMeaning.FLAT_ROAD)
    assert car.speed == 0.0
    assert ["refused" in text for text in car.texts] == [True]


@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.REVERSE])
def test_a_flat_road_drive_that_is_too_weak_is_held_where_nobody_reports_the_slope(
    gear: Gear,
) -> None:
    """It rolls back until that shows; with wheels that spin it would slide on for ever."""
    car = PointMass(Capabilities(), gear=gear)
    car.slope = 0.2 * car.sense
    car.run(0.5, 0.0, AccelMeaning.FLAT_ROAD)
    car.run(6.0, 1.5 * car.sense, AccelMeaning.FLAT_ROAD)
    assert -0.3 < car.least_way < -0.005
    assert car.speed == 0.0
    assert ["refused" in text for text in car.texts] == [True]


@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.REVERSE])
def test_a_car_that_brakes_past_rest_on_a_hill_is_held(gear: Gear) -> None:
    # Between two reports its speed goes from 0.019 to -0.019 m/s: none of them says that it stands.
    brake = 1.5
    step_mps = (brake + G * math.sin(0.245)) * DT
    car = PointMass(gear=gear)
    car.slope, car.speed = 0.245 * car.sense, 10.5 * step_mps * car.sense
    car.run(0.5, -brake * car.sense, AccelMeaning.FLAT_ROAD)
    rested_m = car.sense * car.way
    car.run(3.0, -brake * car.sense, AccelMeaning.FLAT_ROAD)
    assert rested_m - car.sense * car.way < 0.01
    assert car.speed == 0.0


@pytest.mark.parametrize("slope", [-0.29, -0.1, 0.0, 0.1, 0.29])
@pytest.mark.parametrize("brakes", [0.7, 1.0, 1.5])
def test_a_stop_ends_at_standstill_and_stays_there(slope: float, brakes: float) -> None:
    car = PointMass(slope=slope, speed=6.0, brakes=brakes)
    car.run(9.0, -2.5, AccelMeaning.STOP)
    assert car.speed == 0.0
    assert car.loop.phase is Phase.STANDING
    assert car.command is not None
    assert car.command.vehicle.long_accel_mps2 < -abs(G * math.sin(slope)) / brakes


@pytest.mark.parametrize("slope", [0.0, 0.1, 0.29])
@pytest.mark.parametrize(
    ("capabilities", "rollback_m"),
    [
        (FULL, 0.001),
        (Capabilities(slope_from="pitch"), 0.01),
        (Capabilities(slope_from="specific_force", pedals_overlap=True), 0.05),
        (Capabilities(pedals_overlap=True), 0.3),
        (Capabilities(), 0.3),
    ],
)
def test_a_start_does_not_roll_back(
    slope: float, capabilities: Capabilities, rollback_m: float
) -> None:
    car = PointMass(capabilities, slope=slope)
    car.run(0.5, 0.0, AccelMeaning.STOP)
    car.run(10.0, 0.5, AccelMeaning.DRIVE)
    assert car.speed > 0.5, car.texts
    assert -car.least_way <= rollback_m


@pytest.mark.parametrize("slope", [-0.2, -0.02, 0.02, 0.2])
@pytest.mark.parametrize(
    ("gear", "hand_brake"), [(Gear.NEUTRAL, False), (Gear.PARK, False), (Gear.DRIVE, True)]
)
def test_no_slope_is_compensated_by_a_throttle_that_must_not_act(
    slope: float, gear: Gear, hand_brake: bool
) -> None:
    car = PointMass(slope=slope, speed=4.0).run(1.0, 0.5, AccelMeaning.DRIVE)
    car.gear, car.hand_brake = gear, hand_brake
    for _ in range(50):
        car.step(0.0, AccelMeaning.DRIVE)
        assert car.command is not None
        assert car.speed > 1.0
        assert car.command.vehicle.long_accel_mps2 <= 0.0
        # A weak braking would be throttle, where the car by itself slows down more.
        assert car.command.no_drive


def test_motion_against_the_gear_is_braked_whatever_is_asked_for() -> None:
    car = PointMass(slope=0.2, speed=-1.0)
    car.step(2.0, AccelMeaning.DRIVE)
    assert car.command is not None
    assert car.command.vehicle.long_accel_mps2 < 0.0


def test_while_the_vehicle_does_not_report_the_stop_goes_on() -> None:
    car = PointMass(speed=5.0)
    car.run(0.5, -2.5, AccelMeaning.STOP)
    car.run(1.0, -2.5, AccelMeaning.STOP, fresh=False)
    assert car.command is not None
    assert car.command.vehicle.long_accel_mps2 == pytest.approx(-2.5, abs=0.3)


def test_a_stop_without_wheel_speeds_brakes_at_most_a_fifth_more_than_the_map() -> None:
    car = PointMass(speed=20.0, brakes=0.3)
    car.run(3.0, -2.5, AccelMeaning.STOP)
    assert car.command is not None
    assert car.command.vehicle.long_accel_mps2 == pytest.approx(-3.0)
    assert not car.command.past_map
    assert [text for text in car.texts if "does not slow" in text]


def test_raw_commands_and_silence_pass_through() -> None:
    loop = PointMass().loop
    report = PointMass(speed=3.0).report()
    vehicle, body = VehicleCommand(0.0, -1.0, 0.0, 0.0), BodyCommand(gear=Gear.DRIVE)
    for command in (
        PlatformCommand(Authority.COMMAND, Mode.AUTONOMOUS, vehicle, body, RawCommand(0.0, 5)),
        PlatformCommand(Authority.SILENT, Mode.DISENGAGED, vehicle, body),
    ):
        assert loop.step(command, vehicle, report, fresh=True) == command
    idle = PlatformCommand(Authority.IDLE, Mode.MANUAL, vehicle, body, meaning=AccelMeaning.STOP)
    assert loop.step(idle, vehicle, None, fresh=False) == idle


@pytest.mark.parametrize("rolled", [True, False])
def test_a_stop_releases_wheels_that_rolled_before_anything_was_sent(rolled: bool) -> None:
    """The car may brake by itself with locked wheels; wheels that never rolled are not believed."""
    car = PointMass(speed=8.0)
    rolling, locked = (
        car.report()._replace(sensors=Sensors(wheel_spin_radps=(spin,) * 4, wheel_radius_m=0.3))
        for spin in (8.0 / 0.3, 0.0)
    )
    silent = PlatformCommand(
        Authority.SILENT, Mode.MANUAL, VehicleCommand(0.0, 0.0, 0.0, 0.0), BodyCommand()
    )
    for report in (rolling if rolled else locked, locked):
        car.loop.step(silent, silent.vehicle, report, fresh=True)
    brakes = silent._replace(authority=Authority.COMMAND, meaning=AccelMeaning.STOP)
    asked = brakes.vehicle._replace(long_accel_mps2=-6.0)
    for _ in range(100):
        car.now += DT
        report = locked._replace(vehicle_time_s=car.now)
        given = car.loop.step(brakes, asked, report, fresh=True)
    assert (given.vehicle.long_accel_mps2 > -1.0) is rolled


@pytest.mark.parametrize("time_runs", [True, False])
def test_the_drive_of_a_stop_ends_whatever_the_vehicle_reports(time_runs: bool) -> None:
    """A pedal that lies looks like a load, and a stamp that stands still like a pause."""
    car = PointMass(speed=4.0)

    def drive_of(accel: float, meaning: AccelMeaning, *, advance: bool) -> float:
        car.now += DT if advance else 0.0
        asked = PlatformCommand(
            Authority.COMMAND,
            Mode.AUTONOMOUS,
            VehicleCommand(0.0, accel, 0.0, 0.0),
            BodyCommand(gear=Gear.DRIVE),
            meaning=meaning,
        )
        lying = car.report()._replace(applied=Applied(0.0, 0.0, effort_mps2=6.6))
        given = car.loop.step(asked, asked.vehicle, lying, fresh=True)
        return max(given.vehicle.long_accel_mps2, 0.0)

    before = [drive_of(0.5, AccelMeaning.DRIVE, advance=True) for _ in range(200)][-1]
    drives = [drive_of(-2.5, AccelMeaning.STOP, advance=time_runs) for _ in range(400)]
    assert before > 1.0
    assert drives[-1] == 0.0
    assert all(after <= before for before, after in pairwise([before, *drives]))


@pytest.mark.parametrize(("speed", "is_reported"), [(0.9, False), (1.0, True), (4.0, True)])
def test_a_stop_that_does_not_slow_is_reported_from_1_mps_on(
    speed: float, is_reported: bool
) -> None:
    car = PointMass()
    for _ in range(150):
        car.speed = speed  # whatever the brake does
        car.now += DT
        car.step(-2.5, AccelMeaning.STOP)
    assert car.texts == (["the car does not slow: 2.5 m/s2 asked, -0.0 got"] if is_reported else [])


def spinning_start(speed: float, seconds: float, dt: float = DT) -> PointMass:
    """A start on a slope of 20 %, of which the front wheels spin, at a speed that stays."""
    car = PointMass(slope=0.2)
    car.run(1.0, 0.0, AccelMeaning.STOP)
    car.now = 2.0
    car.step(0.0, AccelMeaning.STOP)
    assert car.loop.phase is Phase.STANDING
    for step_n in range(round(seconds / dt)):
        car.now += dt
        spin = 20.0 if step_n else 0.0
        sensors = Sensors(wheel_spin_radps=(spin, spin, 0.0, 0.0), wheel_radius_m=0.3)
        report = car.report()._replace(velocity_mps=speed if step_n else 0.0, sensors=sensors)
        asked = PlatformCommand(
            Authority.COMMAND,
            Mode.AUTONOMOUS,
            VehicleCommand(0.0, 1.0, 0.0, 0.0),
            BodyCommand(gear=Gear.DRIVE),
            meaning=AccelMeaning.DRIVE,
        )
        car.command = car.loop.step(asked, asked.vehicle, report, fresh=True)
        car.texts += [notice.text for notice in car.loop.take_notices()]
    return car


@pytest.mark.parametrize("speed", [0.0, -0.01])
def test_a_start_whose_wheels_spin_is_refused_after_3_s(speed: float) -> None:
    """At the bound it does not roll back yet: that is no try of the start."""
    assert spinning_start(speed, 2.9).loop.phase is Phase.STARTING
    car = spinning_start(speed, 3.2)
    assert car.loop.phase is Phase.STANDING
    assert car.texts == [
        "start refused: the drive does not reach what the slope needs, its wheels spin"
    ]


def test_a_start_whose_wheels_spin_is_braked_as_soon_as_the_car_rolls_back() -> None:
    """On ice a car that slides with locked wheels slides on: 30 m in 12 s at 25 %."""
    car = spinning_start(-0.011, 0.2)
    assert car.loop.phase is Phase.STANDING
    assert car.command is not None
    assert car.command.vehicle.long_accel_mps2 < -G * math.sin(0.2)


@pytest.mark.parametrize(("speed", "phase"), [(-0.05, Phase.STARTING), (-0.051, Phase.STANDING)])
def test_a_start_whose_wheels_roll_may_give_way_a_little(speed: float, phase: Phase) -> None:
    car = PointMass(slope=0.2).run(1.0, 0.0, AccelMeaning.STOP).run(0.2, 1.0, AccelMeaning.DRIVE)
    car.speed = speed
    car.step(1.0, AccelMeaning.DRIVE)
    assert car.loop.phase is phase


def test_a_start_may_take_3_s_to_the_period() -> None:
    """Periods of a 32nd of a second, which add up exactly; the first one begins the start."""
    dt = 1.0 / 32.0
    assert spinning_start(0.0, 3.0 + dt, dt).loop.phase is Phase.STARTING
    assert spinning_start(0.0, 3.0 + 2.0 * dt, dt).loop.phase is Phase.STANDING


@pytest.mark.parametrize("phase_s", [0.02, 0.3])
def test_a_start_that_is_given_up_keeps_its_brake(phase_s: float) -> None:
    car = spinning_start(0.0, phase_s)
    assert car.loop.phase is Phase.STARTING
    assert car.command is not None
    hold = car.command.hold_mps2
    assert hold > 2.0
    car.now += DT
    car.step(0.0, AccelMeaning.STOP)
    assert car.loop.phase is Phase.STANDING
    assert car.command.vehicle.long_accel_mps2 <= -hold


def test_a_start_that_the_vehicle_cannot_drive_is_refused_with_its_brake() -> None:
    car = PointMass(slope=0.2).run(1.0, 0.0, AccelMeaning.STOP).run(0.2, 1.0, AccelMeaning.DRIVE)
    assert car.loop.phase is Phase.STARTING
    assert car.command is not None
    hold = car.command.hold_mps2
    car.loop.on_sent(0.1)
    assert car.loop.phase is Phase.STANDING
    assert "the vehicle has 0.1" in car.loop.refusal
    car.now += DT
    car.step(1.0, AccelMeaning.DRIVE)
    assert car.command.vehicle.long_accel_mps2 <= -hold
    assert car.loop.phase is Phase.STANDING, "until nobody asks to drive"


@pytest.mark.parametrize("drive", [0.1, 1.0])
def test_a_brake_that_is_not_reported_refuses_no_start_on_a_reported_slope(drive: float) -> None:
    """R-3: on ice the vehicle gives little drive, and the start needs no more on level ground."""
    car = PointMass(speed=4.0)
    car.run(0.5, 0.0, AccelMeaning.DRIVE)
    car.own_brake = 3.0
    car.run(3.0, -2.0, AccelMeaning.STOP)
    assert car.speed == 0.0
    car.own_brake = 0.0
    for _ in range(round(2.0 / DT)):
        car.run(DT, 1.0, AccelMeaning.DRIVE)
        if car.loop.phase is Phase.STARTING:
            assert car.command is not None
            car.loop.on_sent(min(drive, car.command.vehicle.long_accel_mps2))
    assert car.texts == []
    assert car.speed > 0.1
    assert car.least_way == 0.0


def test_a_brake_that_was_weaker_than_reported_does_not_push_a_start_in_reverse() -> None:
    """Seed 9601737 of `guarded` on CAN: on level ground the throttle rose to 85 %, then a jolt."""
    car = PointMass(speed=6.0, brakes=0.4)
    car.run(4.0, -4.0, AccelMeaning.STOP)
    assert car.speed == 0.0
    car.gear, car.brakes = Gear.REVERSE, 1.0
    most = 0.0
    for _ in range(round(2.0 / DT)):
        car.run(DT, -0.5, AccelMeaning.DRIVE)
        assert car.command is not None
        most = max(most, -car.command.vehicle.long_accel_mps2)
    assert car.speed < -0.5
    assert most < 1.0


def test_wheels_that_spun_before_anybody_asked_to_drive_do_not_limit_a_start() -> None:
    """The first report is of a car that somebody else has driven."""
    speeds = {}
    for spin in (0.0, 20.0):
        car = PointMass(Capabilities(pedals_overlap=True), slope=0.29)
        sensors = Sensors(wheel_spin_radps=(spin, spin, 0.0, 0.0), wheel_radius_m=0.3)
        applied = Applied(0.0, 0.0, effort_mps2=2.0)
        asked = PlatformCommand(
            Authority.COMMAND,
            Mode.AUTONOMOUS,
            VehicleCommand(0.0, 1.0, 0.0, 0.0),
            BodyCommand(gear=Gear.DRIVE),
            meaning=AccelMeaning.DRIVE,
        )
        first = car.report()._replace(sensors=sensors, applied=applied)
        car.loop.step(asked, asked.vehicle, first, fresh=True)
        car.run(5.0, 1.0, AccelMeaning.DRIVE)
        speeds[spin] = car.speed
        assert car.texts == []
    assert speeds[20.0] == pytest.approx(speeds[0.0], abs=0.5)
    assert speeds[0.0] > 2.0


@pytest.mark.parametrize(("reached", "is_refused"), [(0.3, True), (0.31, False)])
def test_a_try_counts_until_the_car_has_driven(reached: float, is_refused: bool) -> None:
    car = PointMass().run(0.5, 0.0, AccelMeaning.STOP)
    for _ in range(2):
        while car.loop.phase is not Phase.MOVING:
            car.run(DT, 1.0, AccelMeaning.DRIVE)
            assert car.now < 5.0
        for speed in (reached, -0.1, 0.0):
            car.speed = speed
            car.now += DT
            car.step(1.0, AccelMeaning.DRIVE)
        car.speed = 0.0
    assert bool(car.loop.refusal) is is_refused


def test_a_brake_of_the_vehicles_own_does_not_spoil_the_next_start() -> None:
    """While no packet arrives the vehicle brakes by itself; static friction teaches nothing."""
    car = PointMass(slope=0.2)
    car.run(1.0, 0.0, AccelMeaning.STOP)
    car.own_brake, held = 3.9, car.report
    fail_safe = Applied(0.0, 0.0, throttle=0.0, brake=0.3, effort_mps2=-car.own_brake)
    car.report = lambda: held()._replace(applied=fail_safe)  # type: ignore[method-assign]
    car.run(1.5, 1.0, AccelMeaning.DRIVE)
    assert car.speed == 0.0
    car.own_brake, car.report = 0.0, held  # type: ignore[method-assign]
    car.run(1.0, 0.0, AccelMeaning.STOP)
    car.run(3.0, 1.0, AccelMeaning.DRIVE)
    assert car.least_way > -0.001
    assert car.speed > 1.0


UNREPORTED = Capabilities(slope_from="", pedals_overlap=False)


@pytest.mark.parametrize("slides", [2.2, 2.5])
@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.REVERSE])
def test_a_start_whose_wheels_spin_unseen_is_repeated_with_less(gear: Gear, slides: float) -> None:
    """On 25 %: the car rolls back with wheels that spin, or creeps on as if it were steeper."""
    car = PointMass(UNREPORTED, slope=0.245, gear=gear)
    car.slope *= car.sense
    car.grip, car.slides = 3.6, slides
    car.run(7.0, 2.9 * car.sense, AccelMeaning.DRIVE)
    assert car.speed * car.sense > 1.0
    assert not car.spins
    assert not car.texts


def test_a_start_that_was_gentle_is_over_when_nobody_asks_to_drive() -> None:
    car = PointMass(UNREPORTED, slope=0.245)
    car.grip, car.slides = 3.6, 2.2
    car.run(7.0, 2.9, AccelMeaning.DRIVE).run(3.0, -2.0, AccelMeaning.STOP)
    car.grip = math.inf
    car.run(2.0, 2.9, AccelMeaning.DRIVE)
    assert car.accel == pytest.approx(2.9, abs=0.1)


@pytest.mark.parametrize("asked", [0.1, 0.5, 2.9])
@pytest.mark.parametrize("slope", [-0.245, 0.0, 0.245])
def test_a_ramp_at_the_start_is_no_wheel_that_spins(slope: float, asked: float) -> None:
    """The road becomes steeper by 10 % within each metre."""
    car = PointMass(UNREPORTED, slope=slope)
    car.run(0.5, 0.0, AccelMeaning.STOP)
    car.run(1.0, asked, AccelMeaning.DRIVE)  # a start may roll back, and is repeated
    phases = set()
    for _ in range(200):
        car.slope = slope + 0.1 * max(car.way, 0.0)
        car.step(asked, AccelMeaning.DRIVE)
        car.now += DT
        phases.add(car.loop.phase)
    assert phases == {Phase.MOVING}
