"""The report: one sentence for what failed, JUnit that counts, an exit code; wrong use is named."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from vdsim_autoware.conformance import report
from vdsim_autoware.conformance.cli.conformance import main
from vdsim_autoware.conformance.requirements import REQUIREMENTS
from vdsim_autoware.conformance.verdict import Judged, Level, failed, not_judged, passed

FIRST = REQUIREMENTS[0]


def test_a_failure_is_one_sentence_with_what_is_required_and_what_was_seen() -> None:
    item = Judged(FIRST, failed("no subscription"))
    assert report.sentence(item) == (
        "CC-01 /control/command/control_cmd: MUST: the vehicle interface subscribes, with the "
        "type; failed: no subscription"
    )


def test_junit_counts_each_page_and_skips_what_was_not_judged() -> None:
    judged = tuple(
        Judged(item, (passed("x"), failed("<y> & z"), not_judged("w"))[place % 3])
        for place, item in enumerate(REQUIREMENTS)
    )
    root = ElementTree.fromstring(report.junit(judged))
    suites = root.findall("testsuite")
    assert len(suites) == 11
    assert sum(int(suite.get("tests", "")) for suite in suites) == len(REQUIREMENTS)
    assert len(root.findall(".//failure")) == sum(int(s.get("failures", "")) for s in suites)
    assert len(root.findall(".//skipped")) == sum(int(s.get("skipped", "")) for s in suites)
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "<y> & z"


def test_a_broken_must_counts_and_a_broken_should_does_not() -> None:
    by_level = {item.level: item for item in REQUIREMENTS}
    good = Judged(FIRST, passed("x"))
    assert report.has_failed((good, Judged(by_level[Level.MUST], failed("y"))))
    assert not report.has_failed((good, Judged(by_level[Level.SHOULD], failed("y"))))


def test_a_drive_that_shows_nothing_is_no_success() -> None:
    assert report.has_failed(tuple(Judged(item, not_judged("why")) for item in REQUIREMENTS))


def test_the_markdown_has_a_row_for_each_requirement() -> None:
    text = report.markdown(tuple(Judged(item, failed("a | b")) for item in REQUIREMENTS))
    rows = [line for line in text.splitlines() if "**failed**" in line]
    assert len(rows) == len(REQUIREMENTS)
    assert all(row.endswith("| a \\| b |") for row in rows)


def test_the_list_needs_no_graph(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(REQUIREMENTS) + 2


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--patience", "nan"], "--patience=nan: must be >= 1 and <= 100"),
        (["--namespace", "a b"], "--namespace=a b: must be like /vehicle_1"),
        (["--provoke", "rain=true"], "rain=true: must be CAUSE=COMMAND, CAUSE one of link_lost"),
        (["--provoke", "link_lost="], "link_lost=: must be CAUSE=COMMAND"),
        (["--without", "wheels"], "invalid choice: 'wheels'"),
    ],
)
def test_wrong_use_is_named(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--relieve", "link_lost=true"], "--relieve link_lost: there is no --provoke link_lost"),
        (["--junit", "/no/such/file.xml"], "/no/such/file.xml: there is no folder /no/such"),
    ],
)
def test_wrong_use_starts_nothing(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert text in capsys.readouterr().err
