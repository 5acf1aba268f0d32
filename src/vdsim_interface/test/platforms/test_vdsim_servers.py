"""The interface at servers that behave as VDSim's do, version by version, in virtual time."""

from __future__ import annotations

import re

import pytest
from vdsim_interface.values import HighLevelCommand, Mode
from vdsim_kit.one_version_server import OneVersionServer
from vdsim_kit.served_link import PERIOD_S, ServedLink
from vdsim_kit.wire_car import state_at

from vdsim_protocol import vds1

CAR = "vdsim_ioniq5"


def speed(velocity_mps: float, curvature: float = 0.0) -> HighLevelCommand:
    return HighLevelCommand(0.0, velocity_mps, curvature)


def driving(server: OneVersionServer, **options: object) -> ServedLink:
    """At 5 m/s, from rest, with the stack's commands alone."""
    given = {"auto_engage": True, "car": CAR, "level": "high_level", **options}
    link = ServedLink(server, **given)  # type: ignore[arg-type]
    link.run(12.0, order=speed(5.0, 0.02))
    assert link.pipeline.mode is Mode.AUTONOMOUS, link.notices
    return link


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_the_car_holds_its_speed_on_a_bend_and_stops(version: int) -> None:
    link = driving(OneVersionServer(version, answers_all=True))
    speeds = []
    for _ in range(300):
        link.run(PERIOD_S, order=speed(5.0, 0.02))
        speeds.append(link.speed_mps)
    assert min(speeds) > 4.9
    assert max(speeds) < 5.1
    assert link.sent[-1][2].steering_tire_angle_rad == pytest.approx(0.0594, abs=0.004)
    assert {used for _, used, _ in link.sent[-100:]} == {version}
    link.run(6.0, order=speed(0.0))
    assert abs(link.speed_mps) < 0.01
    link.run(5.0, order=speed(0.0))
    assert abs(link.speed_mps) < 0.01, "it stands"
    figures = link.figures
    assert (figures["lost"], figures["loss_ratio"]) == (0.0, 0.0)
    assert sum(count for name, count in figures.items() if name.startswith("rejected_")) == 0.0


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_silence_of_the_stack_brakes_with_all_that_these_brakes_have(version: int) -> None:
    """2.5 m/s2 are asked; full brake gives 2.5 with the drag. A map of strong brakes gave 0.6."""
    link = driving(OneVersionServer(version, answers_all=True))
    link.run(1.0, command=False)  # the command is stale after 0.5 s
    before_mps = link.speed_mps
    link.run(1.0, command=False)
    assert before_mps - link.speed_mps > 2.0
    link.run(8.0, command=False)
    assert abs(link.speed_mps) < 0.01


def test_an_acceleration_is_the_one_that_was_asked_for_with_the_map_of_this_car_only() -> None:
    reached = {}
    for car in (CAR, "ioniq5_awd"):
        link = ServedLink(OneVersionServer(5, answers_all=True), auto_engage=True, car=car)
        link.run(2.0)
        before_mps = link.speed_mps
        link.run(1.0)
        reached[car] = link.speed_mps - before_mps
    assert reached[CAR] == pytest.approx(1.0, abs=0.05)
    assert reached["ioniq5_awd"] < 0.3, "why the launch argument says which car it is"


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_a_server_that_starts_again_is_driven_again_after_a_new_request(version: int) -> None:
    link = ServedLink(OneVersionServer(version, answers_all=True), car=CAR, level="high_level")
    link.run(1.0, order=speed(5.0))
    assert link.engage()
    link.run(4.0, order=speed(5.0))
    for _ in range(200):  # two seconds without a server
        link.now += PERIOD_S
        link.period([], speed(5.0))
    assert link.pipeline.mode is not Mode.AUTONOMOUS
    link.server = OneVersionServer(version, answers_all=True)
    link.run(2.0, order=speed(5.0))
    assert link.pipeline.mode is not Mode.AUTONOMOUS
    assert link.speed_mps < 0.1, "nothing moves by itself"
    assert link.engage()
    link.run(10.0, order=speed(5.0))
    assert link.speed_mps == pytest.approx(5.0, abs=0.1)


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_an_interface_that_starts_again_is_heard_at_once(version: int) -> None:
    """Its numbers begin at 0 again, which such a server takes for a new sender."""
    first = driving(OneVersionServer(version, answers_all=True))
    second = ServedLink(first.server, auto_engage=True, car=CAR, level="high_level")
    second.now = first.now
    accepted = len(first.server.commands)
    second.run(2.0, order=speed(3.0))
    assert second.pipeline.mode is Mode.AUTONOMOUS
    assert len(first.server.commands) - accepted > 150


@pytest.mark.parametrize("version", [4, 5])
def test_two_interfaces_share_a_fleet(version: int) -> None:
    """One counter over all vehicles, and everyone gets them all."""
    server = OneVersionServer(version, 3, answers_all=True)
    links = [
        ServedLink(
            server,
            vehicle_id=vehicle,
            auto_engage=True,
            car=CAR,
            level="high_level",
            client=("127.0.0.1", 7002 + vehicle),
        )
        for vehicle in (1, 2)
    ]
    for _ in range(1200):
        for link in links:
            link.now += PERIOD_S
        datagrams = server.step(links[0].now, PERIOD_S)
        for link, target_mps in zip(links, (3.0, 5.0), strict=True):
            link.period(datagrams, speed(target_mps))
    assert server.speeds_mps == pytest.approx([0.0, 3.0, 5.0], abs=0.1)
    assert server.clients == {("127.0.0.1", 7003), ("127.0.0.1", 7004)}
    for link in links:
        figures = link.figures
        assert (figures["lost"], figures["loss_ratio"], figures["reordered"]) == (0.0, 0.0, 0.0)
        assert figures["other_vehicles"] > 2000
        assert "link_reject" not in link.notices


def test_a_server_that_changes_its_version_at_rest_is_followed_after_autonomy() -> None:
    """In autonomy the version stays, and the difference is a warning at once."""
    link = driving(OneVersionServer(5, answers_all=True))
    link.run(10.0, order=speed(0.0))
    assert link.pipeline.mode is Mode.AUTONOMOUS
    link.server.version = 4
    link.notices.clear()
    link.sent.clear()
    link.run(0.05, order=speed(0.0))
    assert "version_differs" in link.notices
    link.run(3.0, order=speed(0.0))
    assert {used for _, used, _ in link.sent} == {5}
    assert abs(link.speed_mps) < 0.01, "its own fail-safe holds it"
    link.pipeline.safety_side.on_change_mode(False, link.now)
    link.run(1.0, order=speed(0.0))
    assert link.figures["command_version"] == 4.0
    assert link.engage()
    link.run(12.0, order=speed(5.0))
    assert link.speed_mps == pytest.approx(5.0, abs=0.1)


@pytest.mark.parametrize("stranger", [("127.0.0.1", 6666), ("10.1.2.3", 7001)])
@pytest.mark.parametrize("autonomous", [True, False])
def test_a_strangers_state_changes_no_version(stranger: tuple[str, int], autonomous: bool) -> None:
    link = ServedLink(OneVersionServer(5, answers_all=True), car=CAR, auto_engage=autonomous)
    link.run(2.0)
    assert link.figures["command_version"] == 5.0
    for n in range(200):
        link.hear(
            vds1.encode_state(state_at(0.0), seq=n, timestamp_s=0.01 * n, version=3), stranger
        )
        link.run(PERIOD_S)
    assert link.figures["command_version"] == 5.0
    assert link.figures["state_version"] == 5.0
    assert {used for _, used, _ in link.sent[-100:]} <= {5}
    assert "version_differs" not in link.notices
    assert (link.pipeline.mode is Mode.AUTONOMOUS) is autonomous


def test_a_stranger_before_the_server_is_forgotten_when_it_is_silent() -> None:
    """Its version is adopted like that of any first sender; the server's follows."""
    link = ServedLink(OneVersionServer(5), car=CAR)
    for n in range(5):
        link.now += PERIOD_S
        link.hear(vds1.encode_state(state_at(0.0), seq=n, timestamp_s=0.01 * n, version=2))
    assert link.figures["command_version"] == 2.0
    link.server = OneVersionServer(5, answers_all=True)
    link.run(1.0)
    assert link.engage()
    link.run(5.0)
    assert link.figures["command_version"] == 5.0
    assert link.speed_mps > 1.0


def test_versions_that_alternate_are_never_ready() -> None:
    """Nobody can say what such a server reads."""
    link = ServedLink(OneVersionServer(3), car=CAR)
    for n in range(100):
        link.now += PERIOD_S
        version = 5 if n % 2 else 4
        link.hear(vds1.encode_state(state_at(0.0), seq=n, timestamp_s=0.01 * n, version=version))
        link.period([], None)
        assert not link.engage()
    assert link.figures["command_version"] == 3.0


@pytest.mark.parametrize("scale", [0.25, 0.5, 2.0])
def test_a_time_scale_of_the_server_is_named_as_the_cause(scale: float) -> None:
    """Its slider makes the position move with another speed than STATE says; nothing is broken."""
    link = driving(OneVersionServer(5, answers_all=True))
    link.server.time_scale = scale
    for _ in range(300):
        link.run(PERIOD_S, order=speed(5.0, 0.02))
        if link.pipeline.mode is not Mode.AUTONOMOUS:
            break
    assert link.pipeline.mode is not Mode.AUTONOMOUS
    reason = link.pipeline.safety_side.status(link.now).last_disengage_reason
    named = re.search(r"the vehicle's time runs about ([\d.]+) times as fast as its stamps", reason)
    assert named, reason
    assert float(named[1]) == pytest.approx(scale, rel=0.2)


@pytest.mark.parametrize("scale", [0.8, 1.0, 1.2])
def test_a_time_scale_near_one_is_driven(scale: float) -> None:
    link = driving(OneVersionServer(5, answers_all=True))
    link.server.time_scale = scale
    link.run(5.0, order=speed(5.0, 0.02))
    assert link.pipeline.mode is Mode.AUTONOMOUS
