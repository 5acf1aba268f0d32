"""Who sends Ego Ctrl Cmd: two at the same time replace each other's commands."""

from __future__ import annotations

from vdsim_plant_node.morai.driver import SILENCE_S

MOST_KNOWN = 16
"""So many senders are remembered: anybody can send from any port."""


class Commanders:
    """The senders of the last half second, by address, with the time of their latest command."""

    def __init__(self) -> None:
        self._latest_s: dict[str, float] = {}

    def add(self, source: str, now: float) -> str:
        """Note a command; return a line while more than one commands, else an empty text."""
        self._latest_s[source] = now
        active = [who for who, at in self._latest_s.items() if 0.0 <= now - at <= SILENCE_S]
        self._latest_s = {who: self._latest_s[who] for who in active[-MOST_KNOWN:]}
        if len(active) < 2:
            return ""
        return (
            f"Ego Ctrl Cmd comes from {len(active)} senders, {', '.join(sorted(active))}: each "
            "replaces the other's commands, stop all but one"
        )
