"""The results as JUnit XML, which CI systems read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from .test_result import CaseResult, RunResult

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
