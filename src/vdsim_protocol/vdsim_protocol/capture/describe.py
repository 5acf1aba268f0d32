"""Describes a datagram: its fields, or why a receiver would discard it.

The packets of each VDS1 stream pass through a real `vds1.Receiver`, which finds duplicates, late
packets and values out of range too.
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
from vdsim_protocol.vds1.probe import PROBE, Probe, read_probe
from vdsim_protocol.wire import fields_of

MAX_STREAMS = 256
MORAI_START = b"#"
FLOAT_DIGITS = 7


@dataclass(frozen=True)
class Description:
    """The description of one datagram."""

    datagram: Datagram
    protocol: str
    message: str
    header: Mapping[str, Any]
    fields: Mapping[str, Any]
    reject: str = ""
    """Why a receiver discards it; empty when it is accepted."""
    clamped: tuple[str, ...] = ()


class _Stream:
    """The receiver and the statistics of one stream."""

    def __init__(self, packet: vds1.Packet[vds1.Body]) -> None:
        body_type = type(packet.body)
        self.receiver = vds1.Receiver(body_type, vehicle_ids=(packet.vehicle_id,))
        self.statistics = LinkStatistics()
        self.last_time_s = 0.0


class Describer:
    """Describes datagrams in their order of arrival."""

    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}

    def describe(self, datagram: Datagram) -> Description:
        """Describe one datagram. Never raises."""
        if datagram.payload.startswith(MORAI_START):
            return _describe_morai(datagram)
        return self._describe_vds1(datagram)

    def links(self) -> dict[str, LinkSnapshot]:
        """The link statistics of every VDS1 stream."""
        return {
            name: stream.statistics.snapshot(stream.last_time_s)
            for name, stream in self._streams.items()
        }

    def _describe_vds1(self, datagram: Datagram) -> Description:
        probe = read_probe(datagram.payload)
        if probe is not None:
            return _describe_probe(datagram, probe)
        packet = vds1.decode(datagram.payload)
        if isinstance(packet, vds1.Reject):
            return _undecoded(datagram, "VDS1", "?", packet)
        header = packet.header
        stream = self._stream(datagram, packet)
        outcome = stream.receiver.receive(datagram.payload, ("", 0), datagram.time_s)
        stream.statistics.observe(outcome, datagram.time_s)
        stream.last_time_s = datagram.time_s
        rows = LAYOUTS[header.msg_type][header.version].fields
        is_rejected = isinstance(outcome, vds1.Reject)
        return Description(
            datagram=datagram,
            protocol="VDS1",
            message=header.msg_type.name,
            header={name: value for name, value in header._asdict().items() if name != "msg_type"},
            fields={row.name: getattr(packet.body, row.name) for row in rows},
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


def _describe_probe(datagram: Datagram, probe: Probe) -> Description:
    fields = {name: value for name, value in probe._asdict().items() if name != "kind"}
    return Description(
        datagram=datagram,
        protocol="VDS1",
        message="PROBE" if probe.kind == PROBE else "ANSWER",
        header={},
        fields=fields,
    )


def _describe_morai(datagram: Datagram) -> Description:
    packet = morai.decode(datagram.payload)
    if isinstance(packet, morai.Reject):
        return _undecoded(datagram, "MORAI", packet.kind or "?", packet)
    rows = fields_of(packet.kind.table, packet.generation)
    return Description(
        datagram=datagram,
        protocol="MORAI",
        message=packet.kind.title,
        header={"generation": packet.generation},
        fields={row.name: getattr(packet.body, row.name) for row in rows},
    )


def _undecoded(
    datagram: Datagram, protocol: str, message: str, reject: vds1.Reject | morai.Reject
) -> Description:
    return Description(
        datagram=datagram,
        protocol=protocol,
        message=message,
        header={},
        fields={},
        reject=str(reject),
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
    """A datagram as a JSON object; NaN and infinity become null."""
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
    """A datagram as one readable line."""
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
