"""What the vehicle reports, checked against the real plant: no false alarm, and every lie shows.

A sample of `./ws bench interface/plausibility`, which prints the tables of docs/plausibility.md.
"""

from __future__ import annotations

import math

import pytest
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Gear, HighLevelCommand, Mode, StateCommand, notice_kinds
from vdsim_kit.alterations import pedals
from vdsim_kit.honest_drives import Drive, all_drives, drives, found_in
from vdsim_kit.lies import LIES, Lie, measured
from vdsim_kit.lying_platform import LyingPlatform
from vdsim_kit.noisy_hour import NoisyHour
from vdsim_kit.plant_loop import PlantLoop
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.world import PERIOD_S, World

from vdsim_protocol import morai

EVERY = 101
"""One in this many of the full sweep; prime to the number of drives on a car."""
SWINGS = [d for d in drives(car="scale_car", mu=1.0, version=5) if d.name == "caught_skid"]
"""Its yaw rate swings with 20 Hz, as often as the checks look."""
SAMPLE = (
    *drives(car="ioniq5_awd", mu=0.3, version=5),
    *SWINGS,
    *list(all_drives())[::EVERY],
)
SIMULATOR = ("127.0.0.1", 9093)
CRUISE = HighLevelCommand(0.0, 9.0, 0.0)


@pytest.mark.parametrize("drive", SAMPLE, ids=lambda drive: drive.title)
def test_an_honest_vehicle_causes_no_alarm(drive: Drive) -> None:
    assert found_in(drive)[1] == []


def test_noise_causes_no_alarm() -> None:
    assert NoisyHour(100.0, seed=5).run() == []


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.name)
def test_a_lie_is_found_in_time(lie: Lie) -> None:
    outcome = measured(lie)
    assert lie.faults(outcome) == "", outcome


def test_a_parameter_makes_it_a_notice() -> None:
    lie = next(lie for lie in LIES if lie.name == "yaw rate: sign")
    outcome = measured(lie, safety={"contradiction_ends_autonomy": False})
    assert math.isfinite(outcome.noticed_s)
    assert math.isnan(outcome.ended_s)


# ---- pedals --------------------------------------------------------------------------------------


def lied_to(throttle: float, brake: float, speed_mps: float) -> PlantLoop:
    """A cruise at 4 m/s whose applied pedals are claimed for 2 s, with another speed asked for."""
    loop = PlantLoop(wrap=LyingPlatform, version=5)
    loop.run(6.0, CRUISE._replace(velocity_mps=4.0))
    platform, last = loop.platform, loop.pipeline.vehicle_side.report
    assert isinstance(platform, LyingPlatform)
    assert last is not None
    platform.lie = pedals(throttle, brake)(last)
    loop.run(2.0, CRUISE._replace(velocity_mps=speed_mps))
    return loop


def test_a_throttle_that_is_claimed_only_does_not_accelerate_the_car() -> None:
    loop = lied_to(0.5, 0.0, 4.0)
    assert max(sample.vx_mps for sample in loop.samples[-400:]) < 4.15
    assert max(command.throttle for command in loop.commands[-200:]) < 0.1


@pytest.mark.parametrize("throttle", [0.0, 0.5])
def test_pedals_that_are_claimed_only_do_not_ease_a_stop(throttle: float) -> None:
    assert lied_to(throttle, 0.0, 0.0).speed < lied_to_nobody() + 0.6


def lied_to_nobody() -> float:
    """The speed after the same stop with honest reports."""
    loop = PlantLoop(version=5)
    loop.run(6.0, CRUISE._replace(velocity_mps=4.0))
    return loop.run(2.0, CRUISE._replace(velocity_mps=0.0)).vx_mps


# ---- interlocks ----------------------------------------------------------------------------------


def stopped_by_a_lie(**lie: object) -> PlantLoop:
    """A car at 5.8 m/s whose reports, from the start on, claim something else."""
    loop = PlantLoop(wrap=LyingPlatform)
    loop.run(6.0, CRUISE._replace(velocity_mps=5.8))
    platform = loop.platform
    assert isinstance(platform, LyingPlatform)
    platform.lie = lambda report: report._replace(**lie)  # type: ignore[arg-type]
    loop.run(0.03, CRUISE)
    return loop


@pytest.mark.parametrize(
    ("request_", "kind", "words"),
    [
        (
            StateCommand(gear=Gear.PARK),
            notice_kinds.GEAR_PARK_MOVING,
            "PARK refused: the wheels turn at 5.",
        ),
        (
            StateCommand(gear=Gear.REVERSE),
            notice_kinds.GEAR_DIRECTION_MOVING,
            "REVERSE refused: the wheels turn at 5.",
        ),
        (
            StateCommand(hand_brake=True),
            notice_kinds.HAND_BRAKE_MOVING,
            "hand brake refused: the wheels turn at 5.",
        ),
    ],
    ids=["park", "reverse", "hand brake"],
)
def test_a_speed_of_zero_alone_unlocks_nothing(
    request_: StateCommand, kind: str, words: str
) -> None:
    """PARK is neutral with the hand brake on VDS1: at 5.8 m/s it must not be set."""
    loop = stopped_by_a_lie(velocity_mps=0.0)
    notices = loop.pipeline.safety_side.on_state_command(request_, loop.now)
    [notice] = [n for n in notices if n.kind == kind]
    assert notice.text.startswith(words)
    assert "while the speed is 0.00 m/s" in notice.text
    loop.run(0.1, CRUISE)
    assert not loop.command.handbrake
    assert loop.command.gear == 1


def test_the_hand_brake_of_a_stop_waits_for_both_signals() -> None:
    """No command, and a speed of zero that is none: the wheels still turn."""
    safety = {"contradiction_ends_autonomy": False}
    loop = PlantLoop(wrap=LyingPlatform, safety=safety)
    loop.run(8.0, CRUISE)
    platform = loop.platform
    assert isinstance(platform, LyingPlatform)
    platform.lie = lambda report: report._replace(velocity_mps=0.0)
    for _ in range(400):
        loop.period(None)
        assert not loop.command.handbrake or abs(loop.speed) < 0.5


def test_both_signals_at_rest_unlock() -> None:
    loop = PlantLoop()
    loop.run(3.0, CRUISE)
    loop.run(8.0, CRUISE._replace(velocity_mps=0.0))
    assert loop.pipeline.safety_side.on_state_command(StateCommand(gear=Gear.PARK), loop.now) == ()
    loop.run(0.6, CRUISE._replace(velocity_mps=0.0))
    assert loop.command.handbrake


# ---- what people see -----------------------------------------------------------------------------


def test_status_names_the_contradiction_and_forgets_it() -> None:
    loop = PlantLoop(wrap=LyingPlatform)
    loop.run(4.0, CRUISE._replace(velocity_mps=2.0, curvature_1pm=0.1))
    platform = loop.platform
    assert isinstance(platform, LyingPlatform)
    platform.lie = lambda report: report._replace(yaw_rate_radps=-report.yaw_rate_radps)
    loop.run(1.0, CRUISE._replace(velocity_mps=2.0, curvature_1pm=0.1))
    status = loop.pipeline.safety_side.status(loop.now)
    assert status.mode is Mode.AUTONOMOUS, "slow: a notice"
    assert status.doubt.startswith("yaw rate -0.")
    assert notice_kinds.IMPLAUSIBLE_REPORT in status.active
    assert dict(status.counts)[notice_kinds.IMPLAUSIBLE_REPORT] == 1
    platform.lie = None
    loop.run(3.0, CRUISE._replace(velocity_mps=2.0))
    status = loop.pipeline.safety_side.status(loop.now)
    assert status.doubt == ""
    assert notice_kinds.IMPLAUSIBLE_REPORT not in status.active


# ---- MORAI ---------------------------------------------------------------------------------------


class Morai:
    """The interface with platform morai, and the emulator, in lockstep."""

    def __init__(self, **parameters: str) -> None:
        self.world = World(EmulatorSettings())
        spec = platform_spec("morai")
        interface = InterfaceParameters(platform="morai", safety=SafetyParameters(auto_engage=True))
        setup = PlatformSetup(interface.vehicle, interface.period_s)
        platform = spec.create(spec.parameters(**parameters), setup)
        self.pipeline = Pipeline(interface, platform, spec.capabilities)
        self.now = 0.0
        self.texts: list[str] = []

    def run(self, seconds: float, speed_mps: float, curvature_1pm: float = 0.0) -> None:
        for step in range(round(seconds / 0.01)):
            self.now += 0.01
            if step % round(PERIOD_S / 0.01) == 0:
                self.world.step()
                status = next(iter(self.world.messages())).data
                received = self.pipeline.on_datagram(status, SIMULATOR, "morai", self.now)
                self._keep(received.notices)
            command = HighLevelCommand(self.now, speed_mps, curvature_1pm)
            self.pipeline.on_command(command, self.now)
            output = self.pipeline.tick(self.now)
            self._keep(output.notices)
            for datagram in output.datagrams:
                self.world.receive(datagram.data)

    def _keep(self, notices: tuple[object, ...]) -> None:
        self.texts += [
            notice.text  # type: ignore[attr-defined]
            for notice in notices
            if notice.kind is notice_kinds.IMPLAUSIBLE_REPORT  # type: ignore[attr-defined]
        ]


def test_five_legs_with_the_sign_of_the_steering_wrong_end_at_the_first() -> None:
    """The sign is one parameter for command and report, so the two agree with each other."""
    drive = Morai(steer_positive="right")
    drive.run(5.0, 7.0)
    began = drive.now
    while drive.pipeline.mode is Mode.AUTONOMOUS and drive.now < began + 3.0:
        drive.run(0.02, 7.0, 0.03)
    assert drive.now < began + 1.2
    reason = drive.pipeline.safety_side.status(drive.now).last_disengage_reason
    assert reason.endswith("set morai.steer_positive to left"), "the platform names the parameter"


def test_the_right_sign_drives_all_five_legs_and_through_a_scenario() -> None:
    drive = Morai()
    drive.run(5.0, 7.0)
    for leg in range(5):
        drive.run(4.0, 7.0, 0.03 if leg % 2 else -0.03)
    for paused in (False, True, False):
        load = morai.ScenarioLoad("again", *(True,) * 6, set_pause=paused)
        drive.world.receive(morai.encode(load))
        drive.run(6.0, 7.0, 0.02)
    assert drive.texts == []
    assert math.isfinite(drive.pipeline.safety_side.status(drive.now).report_age_s)
