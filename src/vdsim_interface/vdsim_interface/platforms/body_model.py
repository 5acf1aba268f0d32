"""Holds the body functions that a wire does not carry: reports the command, marked `modelled`."""

from dataclasses import replace

from vdsim_interface.values import BodyCommand, BodyState, Gear

BODY_FIELDS = frozenset(
    {"gear", "blinker", "headlight", "wiper", "hand_brake", "horn", "fuel_percent"}
)


class BodyModel:
    """Reports the commanded body, and reduces the fuel with the distance driven.

    `fuel_percent`: what is known of it at the start.
    """

    def __init__(
        self,
        initial_gear: Gear,
        range_m: float,
        reported: frozenset[str],
        fuel_percent: float = 100.0,
    ) -> None:
        self._modelled = BODY_FIELDS - reported
        self._range_m = range_m
        self._driven_m = 0.0
        self._since_s: float | None = None
        self._initial_percent = fuel_percent
        self._state = BodyState(
            gear=initial_gear, fuel_percent=fuel_percent, modelled=self._modelled
        )
        self._command: BodyCommand | None = None

    @property
    def gear(self) -> Gear:
        """The gear in effect."""
        return self._state.gear

    def assume_gear(self, gear: Gear) -> None:
        """Replace the initial gear, because the first report shows a moving car."""
        self._state = replace(self._state, gear=gear)

    def apply(self, command: BodyCommand) -> None:
        """Set the commanded body state."""
        if command is not self._command:
            self._command = command
            self._rebuild()

    def advance(self, speed_mps: float, now: float) -> BodyState:
        """Return the state in effect; the distance since the last call reduces the fuel."""
        if self._since_s is not None:
            step_s = min(max(now - self._since_s, 0.0), 1.0)
            self._driven_m += abs(speed_mps) * step_s
        self._since_s = now
        fuel = max(0.0, self._initial_percent - 100.0 * self._driven_m / self._range_m)
        if abs(fuel - self._state.fuel_percent) > 0.01:
            self._rebuild(fuel)
        return self._state

    def _rebuild(self, fuel_percent: float | None = None) -> None:
        state, command = self._state, self._command
        fuel = state.fuel_percent if fuel_percent is None else fuel_percent
        gear = state.gear if command is None else command.gear
        if command is None:
            self._state = BodyState(gear=gear, fuel_percent=fuel, modelled=self._modelled)
            return
        self._state = BodyState(
            gear=gear,
            blinker=command.blinker,
            headlight=command.headlight,
            wiper=command.wiper,
            hand_brake=command.hand_brake,
            horn=command.horn,
            fuel_percent=fuel,
            modelled=self._modelled,
        )
