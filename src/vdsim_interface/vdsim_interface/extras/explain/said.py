"""What is said of a snapshot: mode, who is in control, why, what to do, the way. Pure.

The same lines for now and for a moment of a recording.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vdsim_protocol.why import Answer, beside
from vdsim_protocol.why.evidence import Evidence
from vdsim_protocol.why.steps import Step

from vdsim_interface.extras.doctor.examine import all_answers, examine
from vdsim_interface.extras.doctor.snapshot import Snapshot
from vdsim_interface.extras.explain.limits import Limit
from vdsim_interface.extras.explain.way import mode_words, step_lines, who_words
from vdsim_interface.values import Severity


def said(
    snapshot: Snapshot,
    ways: Sequence[Sequence[Step]],
    bounds: Sequence[Mapping[str, Limit]],
    *,
    has_graph: bool = True,
) -> list[str]:
    """The lines for each vehicle interface; where there is none, what does not fit in the graph.

    `ways`, `bounds`: of each interface, in the order of the evidence. `has_graph`: whether the
    snapshot has the ends of topics.
    """
    findings = examine(snapshot) if has_graph else ()
    if not snapshot.evidence:
        return [each.sentence for each in findings if each.severity is not Severity.INFO]
    lines = []
    answers = all_answers(snapshot, findings)
    for evidence, found, way, limit in zip(snapshot.evidence, answers, ways, bounds, strict=True):
        lines += [f"{evidence.namespace or '/'}: {mode_words(evidence)}"]
        lines += _why(evidence, found)
        lines += step_lines(evidence, way, limit)
    return lines


def _why(evidence: Evidence, found: tuple[Answer, ...]) -> list[str]:
    lines = [f"in control: {who_words(evidence)}", f"why: {'. '.join(found[0].lines)}"]
    return [*lines, *(f"also: {'. '.join(each.lines)}" for each in beside(found))]
