"""A vehicle side whose safety side is in another process, and may not hear it."""

from __future__ import annotations

import math

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.wire import Encoded, Platform, Received
from vdsim_interface.safety.inputs import RELEASE_ANSWER_S, AnswerWatch
from vdsim_interface.values import SafeCommand, VehicleFeedback, notice_kinds
from vdsim_interface.values.capabilities import Capabilities

HEARTBEAT_S = 0.05
NOT_REPORTED = (
    "hand brake and PARK stay: the safety stage does not receive the vehicle's reports "
    "(vehicle side -> stages/platform_report -> safety stage)"
)


class StagedVehicleSide(VehicleSide):
    """Repeats its feedback, watches whether it is heard, and ends with a stop of its own."""

    def __init__(
        self, parameters: InterfaceParameters, platform: Platform, capabilities: Capabilities
    ) -> None:
        super().__init__(parameters, platform, capabilities)
        self._answers = AnswerWatch(NOT_REPORTED)
        self._fed_back_s = -math.inf

    def on_safe_command(self, safe: SafeCommand, now: float) -> None:
        """Use the safety side's command until the next one, unless a newer one has come before."""
        is_newest = now >= self._safe_s
        super().on_safe_command(safe, now)
        if is_newest and (safe.stops or self._answers.is_counting):
            blind = any(stop.source == notice_kinds.LINK_TIMEOUT for stop in safe.stops)
            timeout_s = self._parameters.safety.report_timeout_s
            self._answers.step(
                is_missing=blind and self.report_age_s(now) <= timeout_s,
                period_s=self._parameters.period_s,
                answer_s=RELEASE_ANSWER_S,
            )

    def repeated_feedback(self, now: float) -> VehicleFeedback | None:
        """Return the latest feedback again where no report came for HEARTBEAT_S; else None.

        It shows the safety stage that this process runs; its stamp keeps its age. One from before a
        backward jump of time would have none.
        """
        if self.report is None or 0.0 <= now - self._fed_back_s < HEARTBEAT_S:
            return None
        self._fed_back_s = now
        return self.feedback

    def unheard(self, now: float) -> str:
        """Return what the safety side does not receive of us although it sends; empty: nothing."""
        return "" if self.safety_is_silent(now) else self._answers.reason

    def stop(self, now: float) -> Encoded:
        """Deactivate: the last datagrams carry the safe command."""
        self._safe_s = -math.inf
        self.brake_at_once()
        return self.encode(now)

    def _accept(self, received: Received) -> Received:
        accepted = super()._accept(received)
        if accepted.report is not None and self._as_received is not None:
            self._fed_back_s = self._as_received.stamp_s
        return accepted
