"""What a row of the handshake's table sends, the same for both ends of the bus."""

from __future__ import annotations

from collections.abc import Mapping

from vdsim_can.car import HandshakeStep, SignalName


def settings_of(steps: tuple[HandshakeStep, ...], index: int) -> Mapping[SignalName, int]:
    """Return the raw values that a row sends, with those of the first row that it leaves."""
    return {each.signal: each.raw for each in (*steps[0].send, *steps[index].send)}
