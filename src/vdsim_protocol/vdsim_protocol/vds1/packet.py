"""The result of decoding: a `Packet`, or a `Reject` with its reason."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from vdsim_protocol.vds1.messages import Body, MessageType

BodyT = TypeVar("BodyT", bound=Body, covariant=True)


class Header(NamedTuple):
    """The header without its magic word."""

    version: int
    msg_type: MessageType
    seq: int
    vehicle_id: int
    timestamp_s: float


class Packet(tuple[Any, ...], Generic[BodyT]):
    """A datagram that passed every check of `decode`: header and typed body.

    A bare tuple underneath, because creating one costs a third of a dataclass and this is the
    hot path. `Packet.of(header, body)` builds one explicitly.
    """

    __slots__ = ()

    @classmethod
    def of(cls, header: Header, body: BodyT) -> Packet[BodyT]:  # type: ignore[misc]
        """Join a header and a body."""
        return cls((*header, body))

    @property
    def header(self) -> Header:
        """The header's fields as one value."""
        return Header(
            version=self[0],
            msg_type=MessageType(self[1]),
            seq=self[2],
            vehicle_id=self[3],
            timestamp_s=self[4],
        )

    @property
    def body(self) -> BodyT:
        """The `Command` or `State`."""
        body: BodyT = self[5]
        return body

    @property
    def seq(self) -> int:
        """The header's sequence number."""
        seq: int = self[2]
        return seq

    @property
    def vehicle_id(self) -> int:
        """Which vehicle; 0 before version 4."""
        vehicle_id: int = self[3]
        return vehicle_id

    @property
    def timestamp_s(self) -> float:
        """The sender's time stamp [s]."""
        timestamp_s: float = self[4]
        return timestamp_s

    def __repr__(self) -> str:
        return f"Packet(header={self.header!r}, body={self.body!r})"


class Reason(enum.Enum):
    """Why a datagram was discarded, in the order of the checks."""

    LENGTH = "length"
    MAGIC = "magic"
    VERSION = "version"
    TYPE = "type"
    CRC = "crc"
    SOURCE = "source"
    VEHICLE = "vehicle"
    OTHER_SOURCE = "other_source"
    DUPLICATE = "duplicate"
    REORDERED = "reordered"
    STALE = "stale"
    JUMP = "jump"
    NON_FINITE = "non_finite"


REASON_TEXT = {
    Reason.LENGTH: "no packet of this type and version has this length",
    Reason.MAGIC: "does not start with VDS1",
    Reason.VERSION: "a version that this receiver does not accept",
    Reason.TYPE: "a message type that this receiver does not accept",
    Reason.CRC: "the CRC-32 does not match the bytes",
    Reason.SOURCE: "the sender is not on the allow-list",
    Reason.VEHICLE: "addressed to a vehicle that this receiver does not serve",
    Reason.OTHER_SOURCE: "another sender has the session",
    Reason.DUPLICATE: "this sequence number was already received",
    Reason.REORDERED: "late: a newer packet arrived first",
    Reason.STALE: "older than the session, or than the last 64 numbers",
    Reason.JUMP: "too far ahead of the session's last number",
    Reason.NON_FINITE: "a value that must be finite is NaN or infinite",
}
"""What each reason means, in one line."""


@dataclass(frozen=True)
class Reject:
    """A discarded datagram. `header` is set when the CRC matched."""

    reason: Reason
    detail: str
    header: Header | None = None

    @property
    def is_other_vehicle(self) -> bool:
        """Whether it is the STATE of another vehicle, as a server with several sends them."""
        if self.reason is not Reason.VEHICLE or self.header is None:
            return False
        return self.header.msg_type is MessageType.STATE

    def __str__(self) -> str:
        return f"{self.reason.value}: {REASON_TEXT[self.reason]} ({self.detail})"
