"""The version of CMD follows that of STATE, and asks where nobody answers."""

import itertools

import pytest
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.wire_version import Link, WireVersion
from vdsim_interface.values import Authority, Mode, VehicleCommand
from vdsim_kit.one_version_server import OneVersionServer
from vdsim_kit.served_link import ServedLink, kinds

from vdsim_protocol import vds1

GO = VehicleCommand(0.0, 1.0, 0.0, 0.0)
PERIOD_S = 0.01
PUSH = vds1.Command(steering_tire_angle_rad=0.0, throttle=1.0, brake=0.0, gear=1, handbrake=False)


def version(configured: int | str = "auto", vehicle_id: int = 0) -> WireVersion:
    return WireVersion(configured, vehicle_id, "vds1.version")


# ---- the decision by itself ----------------------------------------------------------------------


def test_three_packets_in_a_row_decide() -> None:
    link = version()
    for seen in (5, 5, 4, 5, 5):
        assert link.on_state(seen) == ()
        assert link.current == 3
        assert not link.is_settled
    [notice] = link.on_state(5)
    assert notice.text == "CMD is sent in version 5, as STATE comes (vds1.version: auto)"
    assert (link.current, link.is_settled) == (5, True)
    assert link.on_state(5) == ()


def test_the_version_never_changes_while_autonomy_drives() -> None:
    link = version()
    link.update(0.0, wanted=False, autonomous=True)
    notices = [link.on_state(5) for _ in range(100)]
    assert [kinds(each) for each in notices if each] == [["version_differs"]]
    assert notices[0], "at once"
    assert (link.current, link.is_settled) == (3, True)
    link.update(1.0, wanted=False, autonomous=False)
    assert kinds(link.on_state(5)) == ["version_adopted"]


@pytest.mark.parametrize("fixed", vds1.VERSIONS)
def test_a_fixed_version_stays_and_a_difference_is_named_at_once(fixed: int) -> None:
    link = version(fixed)
    other = 1 if fixed == 5 else 5
    [notice] = link.on_state(other)
    assert notice.text == (
        f"STATE comes in version {other} and CMD goes out in version {fixed}, which the vehicle "
        "may discard: vds1.version: auto adopts it"
    )
    assert [link.on_state(other) for _ in range(10)] == [()] * 10
    for now in (0.0, 1.0, 5.0):
        link.on_state(other)
        assert link.update(now, wanted=True, autonomous=False) == ()
        assert (link.current, link.is_asking, link.is_settled) == (fixed, False, True)
    link.on_state(fixed)
    assert kinds(link.on_state(other)) == ["version_differs"], "it differs again"


def test_a_version_above_the_known_ones_is_answered_in_the_newest_known_one() -> None:
    link = version()
    for _ in range(3):
        link.on_state(9)
    assert (link.current, link.is_settled) == (5, True)


@pytest.mark.parametrize(
    ("vehicle_id", "expected"),
    [
        (0, [3, 3, 5, 4, 3, 5, 4, 3, 5]),
        (7, [4, 4, 5, 4, 5, 4, 5, 4, 5]),
    ],
)
def test_without_state_it_asks_in_turn(vehicle_id: int, expected: list[int]) -> None:
    link = version(vehicle_id=vehicle_id)
    seen, notices = [], []
    for n in range(9):  # at 10.0, 10.5 and so on; a second passes first
        notices += kinds(link.update(10.0 + 0.5 * n, wanted=True, autonomous=False))
        seen.append(link.current)
        assert link.is_asking is (n >= 2)
    assert seen == expected
    assert notices == ["version_asked"]


def test_it_asks_until_state_comes_or_nobody_wants_it() -> None:
    link = version()
    link.update(0.0, wanted=True, autonomous=False)
    link.update(1.6, wanted=True, autonomous=False)
    assert (link.is_asking, link.current) == (True, 4)
    link.update(1.7, wanted=False, autonomous=False)
    assert (link.is_asking, link.current) == (False, 3)
    link.update(2.0, wanted=True, autonomous=False)
    link.update(2.9, wanted=True, autonomous=False)
    assert not link.is_asking, "the wait begins again"
    link.update(3.0, wanted=True, autonomous=False)
    assert link.is_asking
    link.on_state(5)
    link.update(3.5, wanted=True, autonomous=False)
    assert (link.is_asking, link.current, link.is_settled) == (False, 5, True)


def test_time_that_jumps_back_begins_the_wait_again() -> None:
    link = version()
    link.update(100.0, wanted=True, autonomous=False)
    link.update(2.0, wanted=True, autonomous=False)
    assert not link.is_asking
    link.update(3.0, wanted=True, autonomous=False)
    assert link.is_asking


# ---- the parameter -------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "value"), [("auto", "auto"), (4, 4), ("4", 4)])
def test_a_number_or_auto(given: object, value: object) -> None:
    assert from_flat(Vds1Parameters, {"vds1.version": given}).version == value


@pytest.mark.parametrize("given", [0, 6, "6", "newest", ""])
def test_anything_else_is_refused(given: object) -> None:
    with pytest.raises(ParameterError) as caught:
        from_flat(Vds1Parameters, {"vds1.version": given})
    assert str(caught.value) == f"vds1.version={given}: must be >= 1 and <= 5, or auto"


def test_a_vehicle_number_needs_a_version_that_carries_it() -> None:
    assert Vds1Parameters(vehicle_id=3).version == "auto"
    with pytest.raises(ParameterError, match="vehicle_id=3: must be 0 below version 4"):
        Vds1Parameters(vehicle_id=3, version=3)


# ---- a server that speaks one version ------------------------------------------------------------


@pytest.mark.parametrize("spoken", vds1.VERSIONS)
def test_a_car_whose_server_speaks_one_version_drives(spoken: int) -> None:
    link = ServedLink(OneVersionServer(spoken, answers_all=True))
    link.run(0.5)
    assert link.engage()
    link.run(3.0)
    assert link.pipeline.mode is Mode.AUTONOMOUS
    assert link.speed_mps > 0.3
    assert link.notices.count("version_adopted") == (spoken != 3)
    assert "version_differs" not in link.notices
    figures = link.pipeline.vehicle_side.link_statistics(link.now)
    assert (figures["command_version"], figures["state_version"]) == (spoken, spoken)


def test_a_fixed_version_against_such_a_server_stays_still_and_says_why() -> None:
    link = ServedLink(OneVersionServer(5, answers_all=True), configured=3)
    link.run(0.5)
    assert "version_differs" in link.notices
    assert link.engage()
    link.run(3.0)
    assert link.speed_mps == 0.0


@pytest.mark.parametrize("rig", ["driver", "driverless"])
@pytest.mark.parametrize("spoken", [3, 4, 5])
def test_a_server_that_answers_only_whom_it_accepted_is_asked(spoken: int, rig: str) -> None:
    link = ServedLink(OneVersionServer(spoken), rig=rig)
    link.run(5.0)
    assert {used for _, used, _ in link.sent} <= {3}, "nobody has asked for autonomy"
    if spoken == 3 and rig == "driverless":
        return  # held in version 3, which it reads
    assert not link.server.knows_client
    assert not link.engage()
    link.run(2.6)
    assert link.server.knows_client
    assert "version_asked" in link.notices
    assert link.engage()
    link.run(3.0)
    assert link.pipeline.mode is Mode.AUTONOMOUS
    assert link.speed_mps > 0.3


def test_what_asks_is_the_fail_safe_command_in_each_version() -> None:
    link = ServedLink(OneVersionServer(1))  # which is never asked
    waits(link, 0.3)  # as long as the first packet waits for a report
    assert not link.engage()
    begin = link.now
    link.run(6.0)
    asked = [(at, used, body) for at, used, body in link.sent if at - begin >= 1.0]
    assert all((body.throttle, body.brake) == (0.0, 0.3) for _, _, body in asked)
    runs = [(used, len(list(run))) for used, run in itertools.groupby(used for _, used, _ in asked)]
    assert [used for used, _ in runs] == [5, 4, 3]
    assert all(abs(n - 50) <= 2 for _, n in runs)
    assert asked[0][0] - begin == pytest.approx(1.0, abs=0.03)
    assert asked[-1][0] - begin <= 2.53, "one request asks once"
    assert link.pipeline.mode is Mode.MANUAL


def test_auto_engage_asks_and_drives_by_itself() -> None:
    link = ServedLink(OneVersionServer(4), auto_engage=True)
    link.run(5.0)
    assert link.pipeline.mode is Mode.AUTONOMOUS
    assert link.speed_mps > 0.3
    assert [str(kind) for kind in link.notices].count("version_asked") == 1


def test_a_person_who_disengages_ends_the_asking() -> None:
    link = ServedLink(OneVersionServer(1))
    link.engage()
    link.run(1.5)
    assert link.sent
    link.pipeline.safety_side.on_change_mode(False, link.now)
    link.sent.clear()
    link.run(2.0)
    assert link.sent == []


def test_one_of_a_fleet_is_driven_in_a_version_with_vehicle_numbers() -> None:
    link = ServedLink(OneVersionServer(5, 3), vehicle_id=2, auto_engage=True)
    link.run(5.0)
    assert link.speed_mps > 0.3
    assert link.server.speeds_mps[:2] == [0.0, 0.0]
    assert {used for _, used, _ in link.sent} <= {4, 5}
    figures = link.pipeline.vehicle_side.link_statistics(link.now)
    assert (figures["lost"], figures["loss_ratio"]) == (0.0, 0.0)


def test_a_server_that_changes_its_version_is_followed_after_autonomy_only() -> None:
    link = ServedLink(OneVersionServer(5, answers_all=True), auto_engage=True)
    link.run(3.0)
    assert link.pipeline.mode is Mode.AUTONOMOUS
    link.server.version = 4
    link.sent.clear()
    link.run(0.5)
    assert {used for _, used, _ in link.sent} == {5}
    assert "version_differs" in link.notices
    link.pipeline.safety_side.on_change_mode(False, link.now)
    link.run(0.5)
    assert link.pipeline.vehicle_side.link_statistics(link.now)["command_version"] == 4.0
    assert link.pipeline.vehicle is not None
    assert link.pipeline.mode is not Mode.AUTONOMOUS
    assert Authority.COMMAND not in {trace_of(link.pipeline.tick(link.now + 0.01)).authority}


# ---- a server that forgets a silent client -------------------------------------------------------


def waits(link: ServedLink, seconds: float) -> None:
    """Run on; nobody asks for anything."""
    link.run(seconds, command=False)


@pytest.mark.parametrize("after_s", [0.5, 1.9, 3.0, 6.0, 9.0])
@pytest.mark.parametrize("spoken", [4, 5])
def test_a_second_request_finds_a_vehicle_that_was_asked(spoken: int, after_s: float) -> None:
    """The server forgets a silent client after two seconds."""
    link = ServedLink(OneVersionServer(spoken))
    assert not link.engage()
    while not link.server.knows_client:
        link.run(PERIOD_S)
    link.run(after_s)
    assert link.engage()
    link.run(2.0)
    assert link.pipeline.mode is Mode.AUTONOMOUS
    assert link.speed_mps > 0.1


@pytest.mark.parametrize("configured", ["auto", 5])
def test_a_server_that_forgot_a_silent_client_is_asked_again(configured: int | str) -> None:
    """Twice: a link that was heard once is asked like one that never was."""
    link = ServedLink(OneVersionServer(5), configured=configured)
    for _ in range(2):
        assert not link.engage()
        link.run(2.0)
        assert link.engage()
        link.run(1.0)
        assert link.pipeline.mode is Mode.AUTONOMOUS
        link.pipeline.safety_side.on_change_mode(False, link.now)
        waits(link, 15.0)
        assert not link.server.knows_client
        assert abs(link.speed_mps) < 0.1
        link.sent.clear()
        waits(link, 5.0)
        assert link.sent == [], "in this rig a person drives"


@pytest.mark.parametrize(("before", "after"), [(5, 5), (5, 4), (4, 3)])
def test_a_server_that_was_started_again_is_asked_in_the_version_of_before_first(
    before: int, after: int
) -> None:
    link = ServedLink(OneVersionServer(before))
    link.engage()
    link.run(2.0)
    assert link.engage()
    link.run(0.5)
    link.pipeline.safety_side.on_change_mode(False, link.now)
    waits(link, 15.0)
    link.server = OneVersionServer(after)
    link.sent.clear()
    assert not link.engage()
    link.run(2.4)
    assert link.sent[0][1] == before
    assert link.server.knows_client
    assert link.engage()
    link.run(2.0)
    assert link.pipeline.mode is Mode.AUTONOMOUS
    assert link.speed_mps > 0.1


@pytest.mark.parametrize("after", [3, 4])
def test_a_driverless_rig_finds_a_server_of_another_version(after: int) -> None:
    """It sends anyway; ten seconds after the loss its commands go out in other versions too."""
    link = ServedLink(OneVersionServer(5), rig="driverless", auto_engage=True)
    link.run(5.0)
    assert link.speed_mps > 0.3
    link.server = OneVersionServer(after)
    link.sent.clear()
    lost = link.now
    link.run(20.0)
    early = {used for at, used, _ in link.sent if at - lost < 10.0}
    assert early == {5}, "a stop goes out in one version"
    assert all(body.throttle == 0.0 for at, _, body in link.sent if 0.5 < at - lost < 10.0)
    assert link.pipeline.mode is Mode.AUTONOMOUS
    assert link.speed_mps > 0.3


def test_nothing_takes_the_place_of_a_stop_when_the_link_is_lost() -> None:
    """The commands still arrive, STATE does not; what asks would brake less than the stop."""
    link = ServedLink(OneVersionServer(5, answers_all=True), auto_engage=True)
    link.run(8.0)
    link.sent.clear()
    for _ in range(300):
        link.now += PERIOD_S
        link.server.step(link.now, PERIOD_S)
        link.period([], GO)
    braked = [body.brake for _, _, body in link.sent[150:250]]
    assert braked
    assert min(braked) == max(braked) != 0.3


def test_a_moving_car_is_not_braked_to_be_kept_reporting() -> None:
    """Another client of the server drives it; the asking itself is over after 2.5 s."""
    link = ServedLink(OneVersionServer(5))
    link.engage()
    link.run(3.0)
    assert link.server.knows_client
    other = vds1.Sender(5)
    for n in range(400):
        if n == 100:
            link.sent.clear()
        link.server.receive(other.command(PUSH, link.now), link.now, ("127.0.0.1", 7300))
        link.run(PERIOD_S)
    assert link.speed_mps > 1.0
    assert link.sent == []


def test_the_states_of_a_link() -> None:
    link = version()
    assert link.state is Link.UNKNOWN
    link.update(0.0, wanted=True, autonomous=False)
    assert link.state is Link.UNKNOWN
    link.update(1.0, wanted=True, autonomous=False)
    assert link.state is Link.ASKED
    link.update(1.1, wanted=False, autonomous=False)
    assert link.state is Link.UNKNOWN
    for _ in range(3):
        link.on_state(5)
    for now in (2.0, 2.9):
        link.update(now, wanted=False, autonomous=False)
        assert link.state is Link.HEARD
    link.update(3.0, wanted=False, autonomous=False)
    assert link.state is Link.LOST
    [notice] = link.update(9.0, wanted=True, autonomous=False)
    assert notice.text == (
        "no STATE within 1 s since the last one: throttle 0 and brake 0.3 go out in version "
        "5, 4, 3 in turn, 0.5 s each"
    )
    assert (link.state, link.current) == (Link.ASKED, 5)
    link.update(9.6, wanted=True, autonomous=False)
    assert link.current == 4
    link.update(9.7, wanted=False, autonomous=False)
    assert (link.state, link.current) == (Link.LOST, 5)
