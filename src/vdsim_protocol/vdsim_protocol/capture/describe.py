"""Says what a datagram is: its fields, or why a receiver would drop it.

VDS1 packets go through a real `vds1.Receiver` for each stream, so duplicates, late packets and
values out of range show too.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from vdsim_protocol import morai, vds1
from vdsim_protocol.capture.datagram import Datagram
from vdsim_protocol.link import LinkSnapshot, LinkStatistics
from vdsim_protocol.vds1.messages import LAYOUTS
from vdsim_protocol.wire import fields_of

MAX_STREAMS = 256
MORAI_START = b"#"
FLOAT_DIGITS = 7


@dataclass(frozen=True)
class Description:
    """One datagram in words."""

    datagram: Datagram
    protocol: str
    message: str
    header: Mapping[str, Any]
    fields: Mapping[str, Any]
    reject: str = ""
    """Why a receiver drops it; empty when it is taken."""
    clamped: tuple[str, ...] = ()


class _Stream:
    """What one receiver would have seen so far."""

    def __init__(self, packet: vds1.Packet[vds1.Body]) -> None:
        body_type = type(packet.body)
        self.receiver = vds1.Receiver(body_type, vehicle_ids=(packet.vehicle_id,))
        self.statistics = LinkStatistics()
        self.last_time_s = 0.0


class Describer:
    """Describes datagrams in the order in which they come."""

    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}

    def describe(self, datagram: Datagram) -> Description:
        """One datagram. Never raises."""
        if datagram.payload.startswith(MORAI_START):
            return _describe_morai(datagram)
        return self._describe_vds1(datagram)

    def links(self) -> dict[str, LinkSnapshot]:
        """The link statistics of every VDS1 stream seen."""
        return {
            name: stream.statistics.snapshot(stream.last_time_s)
            for name, stream in self._streams.items()
        }

    def _describe_vds1(self, datagram: Datagram) -> Description:
        packet = vds1.decode(datagram.payload)
        if isinstance(packet, vds1.Reject):
            return Description(datagram, "VDS1", "?", {}, {}, reject=str(packet))
        header = packet.header
        stream = self._stream(datagram, packet)
        outcome = stream.receiver.receive(datagram.payload, ("", 0), datagram.time_s)
        stream.statistics.observe(outcome, datagram.time_s)
        stream.last_time_s = datagram.time_s
        rows = LAYOUTS[header.msg_type][header.version].fields
        is_rejected = isinstance(outcome, vds1.Reject)
        return Description(
            datagram,
            "VDS1",
            header.msg_type.name,
            {name: value for name, value in header._asdict().items() if name != "msg_type"},
            {row.name: getattr(packet.body, row.name) for row in rows},
            reject=str(outcome) if is_rejected else "",
            clamped=getattr(outcome, "clamped", ()),
        )

    def _stream(self, datagram: Datagram, packet: vds1.Packet[vds1.Body]) -> _Stream:
        name = f"{packet.header.msg_type.name} vehicle {packet.vehicle_id}"
        if datagram.source:
            name += f" {datagram.source} > {datagram.destination}"
        if name not in self._streams and len(self._streams) >= MAX_STREAMS:
            self._streams.pop(next(iter(self._streams)))
        return self._streams.setdefault(name, _Stream(packet))


def _describe_morai(datagram: Datagram) -> Description:
    packet = morai.decode(datagram.payload)
    if isinstance(packet, morai.Reject):
        return Description(datagram, "MORAI", packet.kind or "?", {}, {}, reject=str(packet))
    rows = fields_of(packet.kind.table, packet.generation)
    return Description(
        datagram,
        "MORAI",
        packet.kind.title,
        {"generation": packet.generation},
        {row.name: getattr(packet.body, row.name) for row in rows},
    )


def _plain(value: Any) -> Any:
    """A value that JSON can hold: no NaN, no objects."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, tuple):
        return [_plain(element) for element in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain_record(value)
    return int(value) if isinstance(value, enum.IntEnum | enum.IntFlag) else value


def _plain_record(record: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(record, field.name)) for field in dataclasses.fields(record)}


def to_json_object(description: Description, only: Collection[str] = ()) -> dict[str, Any]:
    """One JSON object a datagram; NaN and infinity become null."""
    datagram = description.datagram
    found: dict[str, Any] = {"time_s": datagram.time_s}
    if datagram.source:
        found |= {"source": datagram.source, "destination": datagram.destination}
    found |= {"protocol": description.protocol, "message": description.message}
    if description.reject:
        found |= {"reject": description.reject, "hex": datagram.payload.hex()}
    if description.clamped:
        found["clamped"] = list(description.clamped)
    if description.header:
        found["header"] = {name: _plain(value) for name, value in description.header.items()}
    if description.fields:
        found["fields"] = {
            name: _plain(value)
            for name, value in description.fields.items()
            if not only or name in only
        }
    return found


def _text(value: Any) -> str:
    if isinstance(value, enum.IntEnum | enum.IntFlag):
        return value.name or str(int(value))
    if isinstance(value, float):
        return f"{value:.{FLOAT_DIGITS}g}"
    if isinstance(value, tuple):
        return f"[{' '.join(_text(element) for element in value)}]"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return "{" + " ".join(f"{name}={_text(getattr(value, name))}" for name in names) + "}"
    return str(value)


def to_line(description: Description, only: Collection[str] = ()) -> str:
    """One readable line a datagram."""
    datagram = description.datagram
    parts = [f"{datagram.time_s:.6f}"]
    if datagram.source:
        parts.append(f"{datagram.source} > {datagram.destination}")
    parts += [description.protocol, description.message]
    if description.reject:
        parts.append(f"REJECT {description.reject}")
    if description.clamped:
        parts.append(f"CLAMPED {','.join(description.clamped)}")
    parts += [f"{name}={_text(value)}" for name, value in description.header.items()]
    parts += [
        f"{name}={_text(value)}"
        for name, value in description.fields.items()
        if not only or name in only
    ]
    return " ".join(parts)
