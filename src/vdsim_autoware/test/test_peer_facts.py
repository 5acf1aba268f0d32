"""Facts about peers: their form, their age, the release that a graph is of."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from vdsim_autoware.cli.facts import main
from vdsim_autoware.facts.peer_facts import LONGEST_DAYS, FactsError, load, peer, peers
from vdsim_autoware.facts.seen_release import release_line, seen_release, simulator_lines
from vdsim_interface.extras.doctor.snapshot import Endpoint, Side, Snapshot

FORM = """peer: Some
page: docs/some.md
releases:
- name: '1'
  released: not read
  sources: [{repository: some/where, commit: 0123456789, read: '2026-01-02'}]
  size: not read
  port: 7
"""


def test_what_was_not_read_is_none_and_never_filled_in(tmp_path: Path) -> None:
    (tmp_path / "some.yaml").write_text(FORM, encoding="utf-8")
    [some] = peers(tmp_path)
    release = some.latest
    assert (release.released, release.get("size"), release.get("port")) == (None, None, 7)
    assert release.get("never mentioned") is None
    assert some.checked_against() == ("Checked against Some 1 (some/where 01234567) on 2026-01-02.")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("peer: Some\n", "", "some.yaml: peer=None: must be text"),
        ("read: '2026-01-02'", "read: soon", "some.yaml: 1: read=soon: must be a day"),
        ("commit: 0123456789, ", "", "some.yaml: 1: commit=None: must be text"),
        ("released: not read", "released: 2026", "some.yaml: 1: released=2026: must be a day"),
        ("- name: '1'", "- nam: '1'", "some.yaml: name=None: must be text"),
        ("releases:", "release:", "some.yaml: releases: must be a list of at least one"),
    ],
)
def test_a_file_without_the_form_is_named_with_its_place(
    old: str, new: str, text: str, tmp_path: Path
) -> None:
    assert old in FORM
    path = tmp_path / "some.yaml"
    path.write_text(FORM.replace(old, new), encoding="utf-8")
    with pytest.raises(FactsError, match=text):
        load(path)


def test_every_fact_names_the_commit_and_the_day() -> None:
    for known in peers():
        assert (Path(__file__).parents[3] / known.page).is_file(), known.page
        for release in known.releases:
            assert all(source.read >= date(2026, 11, 1) for source in release.sources)


def test_the_command_says_when_facts_are_older_than_a_year(
    capsys: pytest.CaptureFixture[str],
) -> None:
    read = min(known.read for known in peers())
    assert main(["--today", str(read + timedelta(days=LONGEST_DAYS))]) == 0
    assert "OLD" not in capsys.readouterr().out
    assert main(["--today", str(read + timedelta(days=LONGEST_DAYS + 1))]) == 1
    assert f"read {LONGEST_DAYS + 1} days ago; read it again" in capsys.readouterr().out


# ---- the release of a graph ----------------------------------------------------------------------

SIMULATOR = "/simulation/simple_planning_simulator"


def graph(*theirs: tuple[str, str]) -> Snapshot:
    ours = [
        Endpoint(node=SIMULATOR, topic=topic, type_name=kind, side=side)
        for topic, kind, side in (
            ("/control/command/control_cmd", "autoware_control_msgs/msg/Control",
             Side.SUBSCRIPTION),
            ("/planning/scenario_planning/trajectory", "autoware_planning_msgs/msg/Trajectory",
             Side.SUBSCRIPTION),
            ("/vehicle/status/velocity_status", "autoware_vehicle_msgs/msg/VelocityReport",
             Side.PUBLISHER),
        )
    ]  # fmt: skip
    ends = [
        Endpoint(node="/of/autoware", topic=topic, type_name=kind, side=Side.PUBLISHER)
        for topic, kind in theirs
    ]
    return Snapshot(endpoints=(*ours, *ends))


CONTROL = ("/control/command/control_cmd", "autoware_control_msgs/msg/Control")
OLD = ("/planning/scenario_planning/trajectory", "autoware_planning_msgs/msg/Trajectory")
NEW = ("/planning/trajectory", "autoware_planning_msgs/msg/Trajectory")
PEDALS = "/control/command/actuation_cmd"


@pytest.mark.parametrize(
    ("theirs", "text"),
    [
        ([CONTROL, OLD], "Autoware: as in 0.45.3 (by /planning/scenario_planning/trajectory)"),
        ([CONTROL, NEW], "Autoware: as in 0.50.0 to main of 2026-08-21 (by /planning/trajectory)"),
        (
            [NEW, (PEDALS, "tier4_vehicle_msgs/msg/ActuationCommandStamped")],
            "Autoware: as in 0.50.0 to 0.52.0 (by",
        ),
        (
            [NEW, (PEDALS, "autoware_vehicle_msgs/msg/ActuationCommandStamped")],
            "Autoware: as in 0.52.0 to main of 2026-08-21 (by",
        ),
        ([NEW, OLD], "Autoware: of no release that was read, or of several at once"),
        ([CONTROL], "Autoware: its topics do not tell its release; checked against"),
    ],
)
def test_the_release_is_told_by_what_a_release_changed(
    theirs: list[tuple[str, str]], text: str
) -> None:
    [line] = release_line(graph(*theirs), peer("autoware"))
    assert line.startswith(text)


def test_the_doctor_names_whose_simulator_runs() -> None:
    theirs = graph()
    trace = Endpoint(
        node=SIMULATOR,
        topic="/simulation/command_trace",
        type_name="vdsim_msgs/msg/CommandTrace",
        side=Side.PUBLISHER,
    )
    ours = Snapshot(endpoints=(*theirs.endpoints, trace))
    assert simulator_lines(theirs) == [f"{SIMULATOR}: that of Autoware itself"]
    assert simulator_lines(ours) == [f"{SIMULATOR}: that of vdsim"]


def test_without_an_autoware_there_is_no_line() -> None:
    assert seen_release(Snapshot()) == []
    assert release_line(graph(), peer("autoware")) == []
    assert release_line(graph(("/odom", "nav_msgs/msg/Odometry")), peer("autoware")) == []
