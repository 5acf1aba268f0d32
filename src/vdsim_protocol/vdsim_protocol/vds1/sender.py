"""The sending end of one VDS1 stream: numbers its packets from 0, which opens a session."""

from __future__ import annotations

from vdsim_protocol.vds1.codec import command_datagram, encode_state
from vdsim_protocol.vds1.messages import DEFAULT_VERSION, Command, CommandValues, State
from vdsim_protocol.vds1.sequence import MODULUS


class Sender:
    """Numbers and encodes the packets of one stream; CMD and STATE each need their own."""

    def __init__(self, version: int = DEFAULT_VERSION, vehicle_id: int = 0) -> None:
        self.version = version
        """That of the next packet."""
        self._vehicle_id = vehicle_id
        self.next_seq = 0
        """The number of the next packet."""

    def command(self, command: Command | CommandValues, now: float) -> bytes:
        """The next CMD datagram; `now` [s] is the sender's monotonic clock."""
        datagram = command_datagram(command, self.next_seq, now, self.version, self._vehicle_id)
        # Counted when it is really encoded: one that was refused leaves no gap.
        self.next_seq = (self.next_seq + 1) % MODULUS
        return datagram

    def state(self, state: State, now: float) -> bytes:
        """The next STATE datagram; `now` [s] is the simulation's time."""
        datagram = encode_state(
            state,
            seq=self.next_seq,
            timestamp_s=now,
            version=self.version,
            vehicle_id=self._vehicle_id,
        )
        # Counted when it is really encoded: one that was refused leaves no gap.
        self.next_seq = (self.next_seq + 1) % MODULUS
        return datagram
