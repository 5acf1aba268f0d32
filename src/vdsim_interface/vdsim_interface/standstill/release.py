"""Whether the vehicle side acknowledges a release of hand brake and PARK; no time decides it.

The safety side says `may_release` in every command, the vehicle side says in every feedback whether
it still holds. Where the two do not meet for RELEASE_ANSWER_S, one direction between them is
missing, and the reason names it. The hold stays meanwhile.
"""

RELEASE_ANSWER_S = 1.0
NOT_RECEIVED = (
    "hand brake and PARK stay: the vehicle side does not receive the request to release them "
    "(safety stage -> stages/safe_command -> vehicle side)"
)
NOT_REPORTED = (
    "hand brake and PARK stay: the safety stage does not receive the vehicle's reports "
    "(vehicle side -> stages/platform_report -> safety stage)"
)


class AnswerWatch:
    """Counts for how long an answer has been missing; `reason` is empty while it is not.

    `is_counting`: it was missing in the last period.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing_s = 0.0
        self.is_counting = False
        self.reason = ""

    def step(self, *, is_missing: bool, period_s: float, answer_s: float) -> None:
        """Count one period."""
        self.is_counting = is_missing
        self._missing_s = min(self._missing_s + period_s, answer_s) if is_missing else 0.0
        self.reason = self._text if is_missing and self._missing_s >= answer_s else ""
