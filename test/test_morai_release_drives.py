"""The interface against the emulator of each release, and what stops a drive, in virtual time."""

from __future__ import annotations

import re

import pytest
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import HighLevelCommand, Mode, notice_kinds
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.world import PERIOD_S, World

from vdsim_protocol import morai

SIMULATOR = ("127.0.0.1", 9093)
STEP_S = 0.01


class Loop:
    """The interface with platform morai, and the emulator, in lockstep. A rig without a driver."""

    def __init__(
        self,
        release: str = "21",
        stream: str = "status",
        simulator: dict[str, str] | None = None,
        **parameters: str,
    ) -> None:
        """`simulator`: further settings of the emulator."""
        self.world = World(EmulatorSettings(release=release, **(simulator or {})))
        self._stream = stream
        spec = platform_spec("morai")
        interface = InterfaceParameters(
            platform="morai", safety=SafetyParameters(auto_engage=True, rig="driverless")
        )
        setup = PlatformSetup(interface.vehicle, interface.period_s)
        chosen = spec.parameters(**{"release": release, **parameters})
        self.pipeline = Pipeline(interface, spec.create(chosen, setup), spec.capabilities)
        self.now = 0.0
        self.news: list[str] = []
        self.doubts: list[str] = []
        self.accel_mps2 = 0.0
        self._steps_n = 0

    def run(self, seconds: float, speed_mps: float | None, curvature_1pm: float = 0.0) -> None:
        """`speed_mps` None: no command."""
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            if self._steps_n % round(PERIOD_S / STEP_S) == 0:
                self._simulate()
            self._steps_n += 1
            if speed_mps is not None:
                command = HighLevelCommand(self.now, speed_mps, curvature_1pm)
                self.pipeline.on_command(command, self.now)
            output = self.pipeline.tick(self.now)
            self._keep(output.notices)
            for datagram in output.datagrams:
                self.world.receive(datagram.data, "127.0.0.1:9909")

    def _simulate(self) -> None:
        self.world.step()
        sent = {outgoing.port: outgoing.data for outgoing in self.world.messages()}
        received = self.pipeline.on_datagram(sent[self._stream], SIMULATOR, "morai", self.now)
        self._keep(received.notices)

    def _keep(self, notices: tuple[object, ...]) -> None:
        for notice in notices:
            if notice.kind == notice_kinds.VEHICLE_NEWS:  # type: ignore[attr-defined]
                self.news.append(notice.text)  # type: ignore[attr-defined]
            if notice.kind == notice_kinds.IMPLAUSIBLE_REPORT:  # type: ignore[attr-defined]
                self.doubts.append(notice.text)  # type: ignore[attr-defined]

    def load(self, *, paused: bool) -> None:
        order = morai.ScenarioLoad("town", *(True,) * 6, set_pause=paused)
        self.world.receive(morai.encode(order))

    @property
    def mode(self) -> Mode:
        return self.pipeline.mode

    @property
    def blocked(self) -> str:
        return self.pipeline.safety_side.blocked(self.now)


@pytest.mark.parametrize("release", morai.RELEASES)
def test_the_same_release_on_both_sides_drives_and_turns_rightly(release: str) -> None:
    loop = Loop(release)
    loop.run(6.0, 5.0)
    loop.run(3.0, 5.0, 0.05)
    motion = loop.world.session.state()
    assert loop.mode is Mode.AUTONOMOUS
    assert motion.vx_mps == pytest.approx(5.0, abs=0.4)
    assert motion.yaw_rad > 0.4
    assert (loop.news, loop.doubts) == ([], [])


@pytest.mark.parametrize("curvature", [0.01, -0.05])
@pytest.mark.parametrize("release", ["21", "24.R2"])
def test_a_wrong_side_ends_autonomy_within_two_seconds_of_a_bend(
    release: str, curvature: float
) -> None:
    wrong = "right" if release == "21" else "left"
    loop = Loop(release, steer_positive=wrong)
    loop.run(5.0, 7.0)
    assert loop.mode is Mode.AUTONOMOUS
    began = loop.now
    while loop.mode is Mode.AUTONOMOUS and loop.now < began + 5.0:
        loop.run(0.02, 7.0, curvature)
    assert loop.now - began < 2.0
    loop.run(1.0, 7.0)
    right = "left" if wrong == "right" else "right"
    (text,) = loop.news
    assert text.endswith(f"as {wrong}; set morai.steer_positive to {right}")
    assert "engage was not asked for since" in loop.blocked


SIDES = ("left", "right")


@pytest.mark.parametrize(
    ("reports", "command", "reported", "curvature"),
    [
        *[(a, b, c, -0.05) for a in SIDES for b in SIDES for c in ("as_commanded", *SIDES)],
        *[("left", command, "as_commanded", 0.012) for command in SIDES],
    ],
)
def test_two_sides_are_judged_apart_and_what_is_named_drives(
    reports: str, command: str, reported: str, curvature: float
) -> None:
    """A simulator's command and its report may differ in their side; so may the settings."""
    takes = "right"
    simulator = {"steer_positive": takes, "steer_reported_positive": reports}
    given = {"steer_positive": command, "steer_reported_positive": reported}
    loop = Loop("24.R2", simulator=simulator, **given)
    loop.run(5.0, 7.0)
    assert loop.mode is Mode.AUTONOMOUS
    began = loop.now
    while loop.mode is Mode.AUTONOMOUS and loop.now < began + 4.0:
        loop.run(0.02, 7.0, curvature)
    means = command if reported == "as_commanded" else reported
    if (command, means) == (takes, reports):
        assert loop.mode is Mode.AUTONOMOUS
        assert loop.world.session.state().yaw_rad * curvature > 0.0
        return
    assert loop.now - began < 2.0
    reason = loop.pipeline.safety_side.status(loop.now).last_disengage_reason
    named = dict(re.findall(r"morai\.(steer_\w+) to (left|right)", reason))
    assert named, reason
    corrected = Loop("24.R2", simulator=simulator, **{**given, **named})
    corrected.run(5.0, 7.0)
    corrected.run(4.0, 7.0, curvature)
    assert corrected.mode is Mode.AUTONOMOUS, reason
    assert corrected.world.session.state().yaw_rad * curvature > 0.0


def test_a_slow_car_shows_its_side_too() -> None:
    loop = Loop(steer_positive="right")
    loop.run(4.0, 2.0)
    loop.run(2.0, 2.0, 0.1)
    assert loop.mode is Mode.DISENGAGED
    assert (
        "set morai.steer_positive to left"
        in loop.pipeline.safety_side.status(loop.now).last_disengage_reason
    )


@pytest.mark.parametrize("release", ["21", "24.R2"])
def test_a_scenario_that_is_loaded_before_the_first_command_does_not_stop_auto_engage(
    release: str,
) -> None:
    loop = Loop(release)
    loop.run(1.0, None)
    loop.load(paused=False)
    loop.run(1.0, None)
    assert loop.mode is Mode.MANUAL
    loop.run(6.0, 5.0)
    assert loop.mode is Mode.AUTONOMOUS
    assert loop.world.session.state().vx_mps > 3.0


def test_a_scenario_that_is_loaded_during_autonomy_says_why_nothing_drives() -> None:
    loop = Loop("24.R2")
    loop.run(5.0, 5.0)
    loop.load(paused=False)
    loop.run(2.0, 5.0)
    assert loop.mode is Mode.DISENGAGED
    assert any("or a scenario was loaded" in text for text in loop.news)
    assert "a person has taken over, and engage was not asked for since" in loop.blocked
    accepted, _ = loop.pipeline.safety_side.on_change_mode(True, loop.now)
    assert accepted.success
    loop.run(5.0, 5.0)
    assert loop.world.session.state().vx_mps > 3.0


@pytest.mark.parametrize("release", ["21", "24.R2"])
@pytest.mark.parametrize("speed", [0.0, 5.0])
def test_a_pause_is_recognised_and_does_not_wind_up(release: str, speed: float) -> None:
    loop = Loop(release)
    loop.run(6.0, speed)
    loop.world.paused = True
    loop.run(9.5, 5.0)
    assert loop.mode is not Mode.AUTONOMOUS
    shows = release != "21" or speed > 0.0
    assert len(loop.news) == (1 if shows else 3), "without a stamp a parked car is tried again"
    assert loop.news[0].startswith("the simulator is paused")
    statistics = loop.pipeline.vehicle_side.link_statistics(loop.now)
    assert statistics["paused"] == 1.0
    loop.world.paused = False
    fastest = 0.0
    for _ in range(100):
        loop.run(0.02, speed)
        fastest = max(fastest, loop.world.session.state().ax_mps2)
    assert fastest < 1.6, "what was asked for meanwhile is not given at once"
    loop.run(6.0, 5.0)
    assert loop.mode is Mode.AUTONOMOUS, "it goes on by itself"
    assert loop.news[-1].startswith("the simulator runs again")
    assert loop.doubts == []


def test_the_competition_status_is_enough_to_drive_by() -> None:
    loop = Loop("24.R2", stream="competition")
    loop.run(6.0, 5.0)
    loop.run(3.0, 5.0, 0.05)
    assert loop.mode is Mode.AUTONOMOUS
    assert loop.world.session.state().vx_mps == pytest.approx(5.0, abs=0.5)
    assert loop.doubts == []
