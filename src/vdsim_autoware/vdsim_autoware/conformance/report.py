"""The verdicts as sentences, as JUnit XML and as markdown. Texts only."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.requirements import REQUIREMENTS
from vdsim_autoware.conformance.verdict import Judged, Level, Outcome

PAGES = "autoware-documentation, component interfaces, 2026-01-21"
_WORDS = {Outcome.PASSED: "passed", Outcome.FAILED: "**failed**", Outcome.NOT_JUDGED: "not judged"}


def sentence(item: Judged) -> str:
    """Return one sentence: what is required and what was seen."""
    rule, verdict = item
    head = f"{rule.id} {rule.topic}: {rule.level.value}: {rule.required}"
    return f"{head}; {verdict.outcome.value}: {verdict.seen}"


def counts(judged: tuple[Judged, ...]) -> str:
    """Return how many have passed, failed, and were not judged."""
    number = dict.fromkeys(Outcome, 0)
    for item in judged:
        number[item.verdict.outcome] += 1
    return ", ".join(f"{number[outcome]} {outcome.value}" for outcome in Outcome)


def lines(judged: tuple[Judged, ...]) -> Iterator[str]:
    """Yield what a person reads: failures first, then what was not judged."""
    for outcome in (Outcome.FAILED, Outcome.NOT_JUDGED):
        yield from (sentence(item) for item in judged if item.verdict.outcome is outcome)
    yield f"{len(judged)} requirements of 11 pages: {counts(judged)}"


def has_failed(judged: tuple[Judged, ...]) -> bool:
    """Whether the vehicle interface breaks a MUST, or shows nothing that can be judged."""
    required = [item for item in judged if item.requirement.level is Level.MUST]
    outcomes = {item.verdict.outcome for item in required}
    return Outcome.FAILED in outcomes or Outcome.PASSED not in outcomes


def junit(judged: tuple[Judged, ...]) -> str:
    """Return JUnit XML: a page is a suite; what was not judged is skipped, with the reason."""
    root = ElementTree.Element("testsuites", name="Autoware vehicle interface")
    for page in names.PAGES:
        items = [item for item in judged if item.requirement.topic == page.topic]
        suite = ElementTree.SubElement(root, "testsuite", name=page.topic, tests=str(len(items)))
        for kind, outcome in (("failures", Outcome.FAILED), ("skipped", Outcome.NOT_JUDGED)):
            suite.set(kind, str(sum(item.verdict.outcome is outcome for item in items)))
        for item in items:
            _case(suite, item)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, item: Judged) -> None:
    rule, verdict = item
    case = ElementTree.SubElement(
        suite, "testcase", classname=names.short(rule.topic), name=f"{rule.id} {rule.required}"
    )
    if verdict.outcome is Outcome.FAILED:
        ElementTree.SubElement(case, "failure", message=verdict.seen).text = sentence(item)
    elif verdict.outcome is Outcome.NOT_JUDGED:
        ElementTree.SubElement(case, "skipped", message=verdict.seen)
    else:
        ElementTree.SubElement(case, "system-out").text = verdict.seen


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def markdown(judged: tuple[Judged, ...]) -> str:
    """Return a table for each page."""
    made = ["# Conformance of a vehicle interface with Autoware's pages", ""]
    made += [f"Pages: {PAGES}. {counts(judged).capitalize()}.", ""]
    for page in names.PAGES:
        made += [
            f"## {page.topic}",
            "",
            "| id | | required | verdict | seen |",
            "|---|---|---|---|---|",
        ]
        made += [
            f"| {rule.id} | {rule.level.value} | {_cell(rule.required)} "
            f"| {_WORDS[verdict.outcome]} | {_cell(verdict.seen)} |"
            for rule, verdict in judged
            if rule.topic == page.topic
        ]
        made.append("")
    return "\n".join(made)


def table() -> str:
    """Return all requirements as a markdown table."""
    made = ["| id | page | | required | how it is checked |", "|---|---|---|---|---|"]
    made += [
        f"| {rule.id} | `{names.short(rule.topic)}` | {rule.level.value} | {_cell(rule.required)} "
        f"| {_cell(rule.how)} |"
        for rule in REQUIREMENTS
    ]
    return "\n".join(made) + "\n"
