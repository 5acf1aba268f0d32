"""A traffic light and an intersection that go through their states by themselves until set."""

from __future__ import annotations

from vdsim_protocol import morai

LIGHT_NAME = "C119BS010007"
LIGHT_TYPE = 2
INTERSECTION = 7
_LAMPS = morai.TrafficLightLamps
LIGHT_CYCLE = ((_LAMPS.RED, 5.0), (_LAMPS.GREEN, 5.0), (_LAMPS.YELLOW, 2.0))
"""What is lit, for how long [s]."""
INTERSECTION_STATES, INTERSECTION_STATE_S = 4, 10.0


class TrafficLight:
    """Red, green, yellow; what was set stays until the scene is loaded again."""

    def __init__(self) -> None:
        self._set: int | None = None

    def status(self, time_s: float) -> morai.TrafficLightStatus:
        """The light at a time of the scene."""
        return morai.TrafficLightStatus(LIGHT_NAME, LIGHT_TYPE, self._lit(time_s))

    def take(self, order: morai.SetTrafficLight) -> bool:
        """Whether the order is for this light, and for lamps at all."""
        taken = order.index == LIGHT_NAME and order.lamps >= 0
        if taken:
            self._set = order.lamps
        return taken

    def _lit(self, time_s: float) -> int:
        if self._set is not None:
            return self._set
        left = time_s % sum(duration for _, duration in LIGHT_CYCLE)
        for lamps, duration in LIGHT_CYCLE:
            if left < duration:
                return lamps
            left -= duration
        return LIGHT_CYCLE[-1][0]


class Intersection:
    """Four states in turn; an order puts it into one, from where it goes on."""

    def __init__(self) -> None:
        self._offset_s = 0.0

    def status(self, time_s: float) -> morai.IntersectionStatus:
        """The intersection at a time of the scene."""
        state, since_s = divmod(time_s + self._offset_s, INTERSECTION_STATE_S)
        return morai.IntersectionStatus(INTERSECTION, int(state) % INTERSECTION_STATES, since_s)

    def take(self, order: morai.SetIntersection, time_s: float) -> bool:
        """Whether the order is for this intersection and one of its states."""
        known = order.index == INTERSECTION and 0 <= order.status < INTERSECTION_STATES
        fits = 0.0 <= order.time_s < INTERSECTION_STATE_S
        if known and fits:
            self._offset_s = order.status * INTERSECTION_STATE_S + order.time_s - time_s
        return known and fits
