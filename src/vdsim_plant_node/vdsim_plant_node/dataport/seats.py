"""Which page drives which vehicle: one at a time, and how many may be connected. Pure."""

from __future__ import annotations

from dataclasses import dataclass

DRIVE_TIMEOUT_S = 0.5
"""How long a command of a page holds: a browser on a busy machine is late now and then."""
IDLE_S = 10.0
"""A page that has sent no valid command for this time is disconnected."""
MOST_PAGES = 16
COMMAND_RATE_HZ, COMMAND_BURST = 120.0, 60
"""Commands of one page."""


@dataclass
class _Seat:
    page: object
    last_s: float


class Seats:
    """The pages that are connected to drive, and those that do."""

    def __init__(self) -> None:
        self._pages: set[object] = set()
        self._seats: dict[int, _Seat] = {}

    def enter(self, page: object) -> bool:
        """Connect a page; False when there are too many."""
        if len(self._pages) >= MOST_PAGES:
            return False
        self._pages.add(page)
        return True

    def leave(self, page: object) -> None:
        """The page has disconnected."""
        self._pages.discard(page)
        self._seats = {number: seat for number, seat in self._seats.items() if seat.page != page}

    def drive(self, page: object, vehicle_id: int, now: float) -> bool:
        """Whether a page may drive a vehicle at `now` [s]; false while another one does."""
        seat = self._seats.get(vehicle_id)
        if seat is not None and seat.page is not page and now - seat.last_s <= DRIVE_TIMEOUT_S:
            return False
        self._seats[vehicle_id] = _Seat(page, now)
        return True

    def is_driven_by(self, page: object, vehicle_id: int) -> bool:
        """Whether a page was the last to drive a vehicle, and no other one has followed."""
        seat = self._seats.get(vehicle_id)
        return seat is not None and seat.page is page
