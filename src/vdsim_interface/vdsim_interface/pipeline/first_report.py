"""The wait for a vehicle's first report: no error, because the vehicle may be starting."""

from vdsim_interface.values import Notice, notice_kinds

FIRST_REPORT_S = 1.0
"""Duration of the wait after which it is noted [s]."""
START_S = 30.0
"""Duration after which a warning follows [s]: the start of the simulated car, which compiles its
model on the first run, takes less."""
AWAITED = "waiting for the vehicle's first report"
ABSENT = (
    f"no report from the vehicle in the first {START_S:g} s: is it running, and do the addresses "
    "and ports of both sides fit?"
)


class FirstReportWait:
    """Returns two notices at most: one early, one when the wait is longer than any start."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._noted: set[str] = set()

    def update(self, now: float) -> tuple[Notice, ...]:
        """Call this each period in which no report has been received yet."""
        if self._since_s is None or now < self._since_s:  # the first period, or time jumped back
            self._since_s = now
        waited_s = now - self._since_s
        if waited_s >= START_S:
            return self._once(Notice(notice_kinds.LINK_ABSENT, ABSENT))
        if waited_s >= FIRST_REPORT_S:
            return self._once(Notice(notice_kinds.LINK_AWAITED, AWAITED))
        return ()

    def _once(self, notice: Notice) -> tuple[Notice, ...]:
        if notice.text in self._noted:
            return ()
        self._noted.add(notice.text)
        return (notice,)
