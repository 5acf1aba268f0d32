"""Recorded drives of a gamepad on virtual time: the pad's core, the desk, the pipeline, the plant.

This measures a statement of docs/teleop.md: when the driver releases the gamepad, the car stops
within the distance that SafeStopParameters.stopping_distance_m gives for that speed. The same
recordings' parts drive the real processes in test_teleop_drive.py.
"""

from __future__ import annotations

import itertools
import math

import pytest
from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.extras.teleop.joystick import TimedSample
from vdsim_interface.pipeline.desk import Desk, Ends
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.pipeline.output import Motion
from vdsim_interface.teleop.gamepad_driver import GamepadDriver
from vdsim_interface.teleop.parameters import GamepadTeleopParameters
from vdsim_interface.teleop.station import ModeRequest
from vdsim_interface.values import ControlLevel, Gear, Mode
from vdsim_interface_kit.teleop import XBOX
from vdsim_kit.joy import DEADMAN, load
from vdsim_kit.plant_loop import PERIOD_S, PlantLoop

SOURCE = "gamepad"
DRIVER_PERIODS_N = 2
RELEASE_REACTION_S = 0.6
UNPLUG_REACTION_S = RELEASE_REACTION_S + 0.3  # no Joy for joy_timeout_s


class Drive:
    """A pad that is played, and the car that it drives; what the car reported."""

    def __init__(self) -> None:
        self.loop = PlantLoop(safety={"auto_engage": False})
        self.pad = GamepadDriver((XBOX,), GamepadTeleopParameters())
        pipeline = self.loop.pipeline
        intake = Intake(
            ArbitrationParameters(), XBOX, level=ControlLevel.HIGH_LEVEL, wheelbase_m=2.97
        )
        ends = Ends(
            side=lambda: pipeline.safety_side,
            level=lambda: pipeline.safety_side.level,
            motion=self._motion,
            deliver=pipeline.on_command,
            override=pipeline.override,
            follow=lambda command, now: None,
            fixed=lambda: "",
            report=lambda notices, now: None,
            late_engage=lambda now: "",
        )
        self.desk = Desk(intake, ends)
        self.periods_n = 0
        self.gears: list[Gear] = []
        self.modes: list[Mode] = []
        self.angles_rad: list[float] = []
        self.run(0.5)

    def run(self, seconds: float, samples: tuple[TimedSample, ...] = ()) -> None:
        """Run on, while samples are played at their times."""
        waiting = list(samples)
        start_s = self.loop.now
        for _ in range(round(seconds / PERIOD_S)):
            now = self.loop.now
            while waiting and waiting[0].time_s <= now - start_s:
                sample = waiting.pop(0).sample
                self.pad.on_joy(sample.axes, sample.buttons, now)
            if self.periods_n % DRIVER_PERIODS_N == 0:
                self._drive(now)
            self.periods_n += 1
            self.desk.tick(now)
            self.loop.period()
            self._note()

    def play(self, samples: tuple[TimedSample, ...]) -> None:
        """Play a recording as long as it is."""
        self.run(samples[-1].time_s + PERIOD_S, samples)

    def stopped(self, samples: tuple[TimedSample, ...] = ()) -> float:
        """Run until the car stands, the samples played meanwhile; how far it went [m]."""
        first_n = len(self.loop.samples) - 1
        self.run(10.0, samples)
        assert abs(self.loop.speed) < 0.05
        places = [(at.x_m, at.y_m) for at in self.loop.samples[first_n:]]
        return sum(math.dist(a, b) for a, b in itertools.pairwise(places))

    def _motion(self) -> Motion:
        return self.loop.pipeline.motion()

    def _drive(self, now: float) -> None:
        """One period of the gamepad's node."""
        odometry, state = self._motion()
        if odometry is not None:
            self.pad.station.on_odometry(odometry, now)
        if state is not None:
            self.pad.station.on_state_report(state)
        output = self.pad.tick(now)
        if output.command is not None:
            self.desk.on_source(SOURCE, output.command, now)
        for message in output.state_commands:
            self.desk.on_state(SOURCE, message, now)
        for request in output.mode_requests:
            engage = request is ModeRequest.ENGAGE
            answer, _ = self.loop.pipeline.safety_side.on_change_mode(engage, now)
            self.pad.station.on_mode_answer(request, answer.success, answer.reason)

    def _note(self) -> None:
        odometry, state = self._motion()
        if odometry is not None and state is not None:
            self.angles_rad.append(odometry.front_wheel_angle_rad)
            self.gears += [state.gear] if self.gears[-1:] != [state.gear] else []
            self.modes += [state.mode] if self.modes[-1:] != [state.mode] else []


def test_a_whole_drive() -> None:
    drive = Drive()
    drive.play(load("xbox_drive"))
    speeds_mps = [at.vx_mps for at in drive.loop.samples]
    assert max(speeds_mps) > 3.0
    assert min(speeds_mps) < -0.5
    assert max(drive.angles_rad) > 0.1, "steered left"
    assert min(drive.angles_rad) < -0.1, "steered right"
    assert drive.gears == [Gear.PARK, Gear.DRIVE, Gear.REVERSE, Gear.PARK]
    modes = [mode for mode in drive.modes if mode is not Mode.NOT_READY]
    assert modes == [Mode.MANUAL, Mode.AUTONOMOUS, Mode.MANUAL]
    assert abs(drive.loop.speed) < 0.05


def lost(name: str) -> tuple[Drive, tuple[TimedSample, ...]]:
    """A drive up to the last sample before the loss, and the samples after it."""
    samples = load(name)
    held_n = max(n for n, timed in enumerate(samples) if timed.sample.buttons[DEADMAN]) + 1
    drive = Drive()
    drive.play(samples[:held_n])
    assert drive.loop.speed > 3.0
    start_s = samples[held_n - 1].time_s
    after = [TimedSample(timed.time_s - start_s, timed.sample) for timed in samples[held_n:]]
    return drive, tuple(after)


@pytest.mark.parametrize("how", ["released", "silent", "gone"])
def test_a_lost_driver_stops_the_car_within_the_stated_distance(how: str) -> None:
    """The button let go; no Joy any more; the device told that it is gone."""
    drive, after = lost("xbox_release" if how == "released" else "xbox_unplug")
    if how == "gone":
        drive.pad.on_device("Microsoft X-Box One pad", drive.loop.now)
        drive.pad.on_device("", drive.loop.now)
    speed_mps = drive.loop.speed
    went_m = drive.stopped(after)
    reaction_s = UNPLUG_REACTION_S if how == "silent" else RELEASE_REACTION_S
    stated_m = SafeStopParameters().stopping_distance_m(speed_mps, reaction_s)
    assert 0.5 * stated_m < went_m <= stated_m
    drive.run(3.0)
    assert drive.desk.intake.mux.in_control is None, "the mux holds the car"
