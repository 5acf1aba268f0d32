"""Publishes safety_status: at once when the mode changes, else at its rate."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vdsim_interface.pipeline.link_health import silence
from vdsim_interface.ros import topics
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.stage_node import StageNode, finite_or_nan
from vdsim_interface.values import Mode, Notice, NoticeKind, SafetyStatus, notice_kinds
from vdsim_msgs.msg import Intervention
from vdsim_msgs.msg import SafetyStatus as SafetyStatusMsg

# With these the link's reason is the notice's own text, until one of the others comes.
_LINK_PLAIN = (notice_kinds.LINK_RESTORED, notice_kinds.LINK_TIMEOUT)
_LINK_KINDS = (notice_kinds.LATE_REPORT, notice_kinds.SLOW_REPORTS, *_LINK_PLAIN)


class SafetyStatusPublisher:
    """The publisher, and the latest text of each kind of notice."""

    def __init__(self, node: StageNode, output: OutputParameters) -> None:
        self._publisher = node.create_checked_publisher(
            SafetyStatusMsg, topics.SAFETY_STATUS, topics.REPORT_QOS
        )
        self._node = node
        self._output = output
        self._texts: dict[NoticeKind, str] = {}
        self._late = ""
        self._refusal = ""
        self._refusal_s = -math.inf
        self._disengage_reason = ""
        self._disengage_s = -math.inf
        self._published_mode: Mode | None = None
        self._published_link_ok: bool | None = None
        self._published_s = -math.inf

    def remember(self, notices: Sequence[Notice], now: float) -> None:
        """Keep the latest text of each kind."""
        for notice in notices:
            self._texts[notice.kind] = notice.text
            if notice.kind in _LINK_KINDS:
                self._late = "" if notice.kind in _LINK_PLAIN else notice.text
            if notice.kind.is_refusal:
                self._refusal, self._refusal_s = notice.text, now

    def publish_if_due(self, status: SafetyStatus, now: float) -> None:
        """Publish at the rate, and at once when the mode or the vehicle's link changes."""
        due = self._output.is_due(now - self._published_s, self._node.parameters.period_s)
        self._keep_reason(status, now)
        timeout_s = self._node.parameters.safety.report_timeout_s
        link_ok = 0.0 <= status.report_age_s <= timeout_s
        changed = status.mode is not self._published_mode or link_ok is not self._published_link_ok
        if status.mode is Mode.AUTONOMOUS and self._published_mode is not Mode.AUTONOMOUS:
            self._refusal, self._refusal_s = "", -math.inf
        if due or changed:
            self._published_mode, self._published_s = status.mode, now
            self._published_link_ok = link_ok
            self._publisher.publish(self._message(status, now))

    def _keep_reason(self, status: SafetyStatus, now: float) -> None:
        """Keep the last reason across an activation, which resets the core."""
        reason = status.last_disengage_reason
        ended = self._published_mode is Mode.AUTONOMOUS and status.mode is not Mode.AUTONOMOUS
        if reason and (ended or reason != self._disengage_reason):
            self._disengage_reason, self._disengage_s = reason, now

    def _message(self, status: SafetyStatus, now: float) -> SafetyStatusMsg:
        parameters = self._node.parameters
        link = silence(status.report_age_s, parameters.safety.report_timeout_s)
        active, stamp = set(status.active), self._node.ros_time.stamp
        return SafetyStatusMsg(
            stamp=stamp(now),
            mode=int(status.mode),
            engage_pending=status.mode is Mode.NOT_READY,
            last_disengage_reason=self._disengage_reason,
            last_disengage_stamp=stamp(self._disengage_s),
            last_refusal_reason=self._refusal,
            last_refusal_stamp=stamp(self._refusal_s),
            interventions=[
                Intervention(
                    rule=kind,
                    reason=self._texts.get(kind, ""),
                    count=count,
                    active=kind in active,
                )
                for kind, count in status.counts
            ],
            command_age_s=finite_or_nan(status.command_age_s),
            command_timed_out=not 0.0 <= status.command_age_s <= parameters.command_timeout_s,
            vehicle_link_ok=not link,
            vehicle_link_reason=self._late if link and self._late else link,
            disabled_rules=list(parameters.safety.rules_off),
            parameters_hash=status.parameters_hash,
        )
