"""Where STATE goes, and in which protocol version. Pure.

The fixed destinations are always served: in the configured version, else in that of the last CMD,
initially 3, and never in one that cannot distinguish the vehicles. From version 4 on every sender
of an accepted CMD is served too, in its own version, until two seconds after its last CMD.
"""

from __future__ import annotations

from collections.abc import Mapping

from vdsim_protocol.vds1 import DEFAULT_VERSION, Source

from vdsim_plant_node.settings.server_settings import Endpoint

FIRST_VERSION_ANSWERED = 4
SENDER_LIFETIME_S = 2.0
LARGEST_SENDER_COUNT = 16
"""Senders remembered at once; a flood of new addresses displaces the longest silent."""


class Destinations:
    """The destinations of one vehicle's STATE."""

    def __init__(
        self, fixed: tuple[Endpoint, ...], *, version: int | None, lowest_version: int = 1
    ) -> None:
        """`version`: the configured one; `lowest_version`: the first one that will do."""
        self._fixed = tuple(endpoint.address for endpoint in fixed)
        self._configured = version
        self._version = max(DEFAULT_VERSION, lowest_version) if version is None else version
        self._lowest = lowest_version
        self._senders: dict[Source, tuple[int, float]] = {}
        self._next_check_s = 0.0
        self._by_version = self._sorted()

    def on_command(self, source: Source, version: int, now: float) -> None:
        """An accepted CMD came from `source` at `now` [s]."""
        changed = False
        if self._configured is None and version != self._version and version >= self._lowest:
            self._version = version
            changed = True
        if version >= FIRST_VERSION_ANSWERED:
            known = self._senders.pop(source, None)
            changed = changed or known is None or known[0] != version
            self._senders[source] = (version, now)
            if len(self._senders) > LARGEST_SENDER_COUNT:
                del self._senders[next(iter(self._senders))]
        if changed:
            self._by_version = self._sorted()

    def by_version(self, now: float) -> Mapping[int, tuple[Source, ...]]:
        """The addresses to serve at `now` [s], by protocol version; never empty of versions."""
        if self._senders and now >= self._next_check_s:
            self._next_check_s = now + SENDER_LIFETIME_S / 4.0
            self._remove_silent(now)
        return self._by_version

    def _remove_silent(self, now: float) -> None:
        silent = [
            source
            for source, (_, received_s) in self._senders.items()
            if now - received_s >= SENDER_LIFETIME_S
        ]
        for source in silent:
            del self._senders[source]
        if silent:
            self._by_version = self._sorted()

    def _sorted(self) -> dict[int, tuple[Source, ...]]:
        found: dict[int, dict[Source, None]] = {self._version: {}}
        for address in self._fixed:
            if address not in self._senders:
                found[self._version][address] = None
        for source, (version, _) in self._senders.items():
            found.setdefault(version, {})[source] = None
        return {version: tuple(addresses) for version, addresses in found.items()}
