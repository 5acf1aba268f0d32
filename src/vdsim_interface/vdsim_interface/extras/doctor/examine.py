"""All checks of a snapshot, the gravest findings first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from vdsim_protocol.why import Answer, Level, every_cause
from vdsim_protocol.why.evidence import Finding as Unfit

from vdsim_interface.extras.doctor import (
    drive_checks,
    name_checks,
    network_checks,
    stack_checks,
    time_checks,
    topic_checks,
    vendors,
)
from vdsim_interface.extras.doctor.snapshot import Finding, Snapshot
from vdsim_interface.values import Severity

Check = Callable[[Snapshot], list[Finding]]

NODE_CHECKS: tuple[Check, ...] = (
    topic_checks.types,
    topic_checks.installed_types,
    topic_checks.qos,
    name_checks.almost_equal_names,
    vendors.other_vendors,
    time_checks.clock,
)
"""Those that a node runs for itself: they need the ends of its topics alone. Several publishers of
commands are in its line `command`."""
CHECKS: tuple[Check, ...] = (
    network_checks.no_interface,
    network_checks.several_interfaces,
    name_checks.commands_without_interface,
    *NODE_CHECKS,
    topic_checks.several_publishers,
    topic_checks.several_reports,
    drive_checks.other_kind_of_command,
    drive_checks.no_gear,
    stack_checks.autoware,
    name_checks.nobody_commands,
    network_checks.other_domains,
    time_checks.rates,
    time_checks.stamps,
    network_checks.open_sockets,
)


def examine(snapshot: Snapshot, checks: tuple[Check, ...] = CHECKS) -> tuple[Finding, ...]:
    """Run the checks; each finding once, the gravest first."""
    found = dict.fromkeys(finding for check in checks for finding in check(snapshot))
    return tuple(sorted(found, key=lambda finding: -finding.severity))


def answers(snapshot: Snapshot, findings: tuple[Finding, ...]) -> tuple[Answer, ...]:
    """Why each vehicle does not do what was asked, or that it does."""
    return tuple(causes[0] for causes in all_answers(snapshot, findings))


def all_answers(
    snapshot: Snapshot, findings: tuple[Finding, ...]
) -> tuple[tuple[Answer, ...], ...]:
    """Every cause that holds for each vehicle, the one that counts first."""
    unfit = tuple(
        Unfit(each.kind, each.what, each.cure, each.severity is Severity.ERROR)
        for each in findings
        if each.severity is not Severity.INFO
    )
    return tuple(every_cause(replace(each, findings=unfit)) for each in snapshot.evidence)


def report(
    snapshot: Snapshot, findings: tuple[Finding, ...], peers: Sequence[str] = ()
) -> list[str]:
    """Return the lines that the doctor prints. `peers`: what is known of the stacks it sees."""
    network = snapshot.network
    middleware = vendors.vendor_of(snapshot.own_gid) or "this middleware"
    nodes = sorted(snapshot.vehicle_nodes)
    lines = [
        f"domain {network.domain_id}, discovery {network.discovery_range}, {middleware}, "
        f"{len(snapshot.topics)} topics",
        f"vehicle: {', '.join(nodes) or 'none'}",
        *peers,
    ]
    lines += [f"{finding.severity.name:<5} {finding.sentence}" for finding in findings]
    lines += [
        f"{reason.severity.name:<5} {reason.name}: {reason.text}"
        for reason in sorted(snapshot.reasons, key=lambda reason: -reason.severity)
    ]
    found = answers(snapshot, findings)
    for evidence, answer in zip(snapshot.evidence, found, strict=True):
        if answer.cause not in {finding.kind for finding in findings}:
            first, *rest = answer.lines
            lines += [f"{evidence.namespace}: {first}", *(f"      {line}" for line in rest)]
    unfit = any(finding.severity > Severity.INFO for finding in findings)
    if not unfit and not snapshot.reasons and all(each.level is Level.GOOD for each in found):
        lines.append("everything fits")
    return lines


def has_errors(findings: tuple[Finding, ...]) -> bool:
    """Whether something keeps messages from arriving."""
    return any(finding.severity is Severity.ERROR for finding in findings)
