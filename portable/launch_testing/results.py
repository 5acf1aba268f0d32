"""The results of a run, also as JUnit XML, which CI systems read."""

from __future__ import annotations

import re
import time
import unittest
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


@dataclass
class CaseResult:
    """How one test went; ``kind`` is passed, failed, error or skipped."""

    class_name: str
    name: str
    kind: str = "passed"
    text: str = ""
    duration_s: float = 0.0


@dataclass
class RunResult:
    """How one run went."""

    name: str
    cases: list[CaseResult] = field(default_factory=list)
    was_interrupted: bool = False

    @property
    def was_successful(self) -> bool:
        """Return whether nothing failed."""
        return not self.failures

    @property
    def failures(self) -> list[CaseResult]:
        """Return what failed."""
        return [case for case in self.cases if case.kind in ("failed", "error")]

    def add_failure(self, text: str) -> None:
        """Add a failure of the launch itself."""
        self.cases.append(CaseResult("launch", self.name, "failed", text))


class RecordingResult(unittest.TextTestResult):
    """A unittest result that also records every case with its duration."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cases: list[CaseResult] = []
        self._started_s = 0.0

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 (unittest's name)
        """Begin a case."""
        super().startTest(test)
        name = test.id().rpartition(".")[2]
        self.cases.append(CaseResult(type(test).__name__, name))
        self._started_s = time.monotonic()

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802 (unittest's name)
        """End a case."""
        super().stopTest(test)
        self.cases[-1].duration_s = time.monotonic() - self._started_s

    def addFailure(self, test: unittest.TestCase, err: ExcInfo) -> None:  # noqa: N802
        """Note a failure."""
        super().addFailure(test, err)
        self._note(test, "failed", self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: ExcInfo) -> None:  # noqa: N802
        """Note an error, also one outside of a case (setUpClass)."""
        super().addError(test, err)
        self._note(test, "error", self.errors[-1][1])

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        """Note a skipped case."""
        super().addSkip(test, reason)
        self._note(test, "skipped", reason)

    def addSubTest(  # noqa: N802 (unittest's name)
        self, test: unittest.TestCase, subtest: unittest.TestCase, err: ExcInfo | None
    ) -> None:
        """Note a failed part of a case."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, "failed", str(err[1]))

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Note an unexpected success."""
        super().addUnexpectedSuccess(test)
        self._note(test, "failed", "Unexpected success")

    def _note(self, test: unittest.TestCase, kind: str, text: str) -> None:
        name = test.id().rpartition(".")[2]
        if not self.cases or self.cases[-1].name != name:
            self.cases.append(CaseResult(type(test).__name__, str(test)))
        case = self.cases[-1]
        case.kind = kind
        case.text = f"{case.text}\n{text}".strip()


_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}


def results_to_xml(results: Sequence[RunResult], *, name: str = "launch_test") -> ET.ElementTree:
    """Return one suite for each run."""
    root = ET.Element("testsuites", name=name)
    for result in results:
        suite = ET.SubElement(root, "testsuite", name=result.name, package=name)
        for case in result.cases:
            suite.append(_case_element(case, f"{name}.{case.class_name}"))
        _count(suite, result.cases)
    _count(root, [case for result in results for case in result.cases])
    return ET.ElementTree(root)


def _case_element(case: CaseResult, class_name: str) -> ET.Element:
    element = ET.Element(
        "testcase", classname=class_name, name=case.name, time=f"{case.duration_s:.3f}"
    )
    if case.kind in _ELEMENTS:
        text = _NOT_XML.sub("?", case.text)
        last_line = text.rpartition("\n")[2]
        detail = ET.SubElement(element, _ELEMENTS[case.kind], message=last_line)
        detail.text = text
    return element


def _count(element: ET.Element, cases: Sequence[CaseResult]) -> None:
    kinds = [case.kind for case in cases]
    element.set("tests", str(len(cases)))
    element.set("failures", str(kinds.count("failed")))
    element.set("errors", str(kinds.count("error")))
    element.set("skipped", str(kinds.count("skipped")))
    element.set("time", f"{sum(case.duration_s for case in cases):.3f}")
