"""The emergency stop where a command_mux in a process of its own arbitrates.

Its stop arrives as commands, which end with autonomy. So the interface latches the request itself,
from the same topic and from what the mux reports, until the mux reports another give_back: one that
has started again knows of none, and releases nothing.

    emergency_stop, control_source --> OtherArbiter --latched--> safety side
"""

from collections.abc import Collection

from vdsim_interface.arbitration.give_back import GiveBack, Latches
from vdsim_interface.arbitration.mux import EMERGENCY_LOCK


class OtherArbiter(GiveBack):
    """The latch `emergency` beside a mux of its own process."""

    def __init__(self) -> None:
        super().__init__({})
        self._mux_gave_back_n: int | None = None

    def on_report(self, locks: Collection[str], given_back_n: int, now: float) -> None:
        """Use what the mux reports: its active locks, and how often give_back was done."""
        before, self._mux_gave_back_n = self._mux_gave_back_n, given_back_n
        if EMERGENCY_LOCK in locks:
            if not self.emergency:
                self.stop("command_mux", now)
        elif before is not None and given_back_n > before:
            self.restore(Latches())
