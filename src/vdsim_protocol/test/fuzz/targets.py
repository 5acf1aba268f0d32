"""What is fuzzed: one function for each reader of bytes from outside. None may raise."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

from vdsim_protocol.capture import CaptureError, Datagram, Describer, read_pcap, to_json_object
from vdsim_protocol.faults import RelayControl, RelayPlan, Route
from vdsim_protocol.vds1.probe import PROBE_SIZE, Prober, answer_to, read_probe

from vdsim_protocol import morai, vds1

SOURCE = ("127.0.0.1", 7001)
_CRC_SIZE = 4
_ROUTES = (Route("a", SOURCE, SOURCE),)


def _sealed(data: bytes) -> bytes:
    """The data with a right CRC in place of its last bytes, so that the checks behind it run."""
    content = data[:-_CRC_SIZE]
    return content + zlib.crc32(content).to_bytes(_CRC_SIZE, "little")


def vds1_decode(data: bytes) -> None:
    """Any bytes, as they are and with a right CRC; a packet re-encodes to what it was."""
    for datagram in (data, _sealed(data)):
        outcome = vds1.decode(datagram)
        if isinstance(outcome, vds1.Packet):
            assert len(datagram) in (76, 220, 372, 436, 452)
        else:
            assert isinstance(outcome, vds1.Reject)
            assert str(outcome)


def vds1_receive(data: bytes) -> None:
    """A receiver of either kind, fed one datagram after another cut from the data."""
    if not data:
        return
    expects = vds1.State if data[0] & 1 else vds1.Command
    receiver = vds1.Receiver(expects, vehicle_ids=(0, 1))
    count = 0
    for count, size in enumerate((76, 220, 372, 436, 452, 76), start=1):
        receiver.receive(_sealed(data[1:].ljust(size, b"\0")[:size]), SOURCE, count / 25)
        data = data[size:] or data
    counters = receiver.counters()
    assert counters.accepted + counters.rejected_total + counters.other_vehicles == count


def vds1_newer(data: bytes) -> None:
    """A receiver that reads newer versions, fed the data with headers of known and unknown ones."""
    receiver = vds1.Receiver(vds1.State, accept_newer=True)
    count = 0
    for version in (6, 65535, 5, 1, 0):
        header = vds1.MAGIC.to_bytes(4, "little") + version.to_bytes(2, "little") + b"\2\0"
        for datagram in (data, header + data, _sealed(header + data)):
            receiver.receive(datagram, SOURCE, count / 25)
            vds1.newer_version(datagram)
            count += 1
    counters = receiver.counters()
    assert counters.accepted + counters.rejected_total + counters.other_vehicles == count
    assert counters.newer <= counters.accepted


def vds1_probe(data: bytes) -> None:
    """Any bytes as a probe or an answer, as they are and with a right CRC."""
    prober = Prober()
    for count, datagram in enumerate((data, _sealed(data[:PROBE_SIZE].ljust(PROBE_SIZE, b"\0")))):
        prober.probe(count / 25)
        probe = read_probe(datagram)
        if probe is not None:
            assert len(answer_to(probe)) == PROBE_SIZE
            prober.on_answer(probe, count / 25)
    assert not prober.round_trip_s(0.04) < 0.0


def vds1_view(data: bytes) -> None:
    """The array path agrees with the decoder on what is a STATE."""
    for datagram in (data, _sealed(data)):
        view, packet = vds1.view_state(datagram), vds1.decode(datagram)
        is_state = isinstance(packet, vds1.Packet) and isinstance(packet.body, vds1.State)
        assert isinstance(view, vds1.StateView) == is_state


def morai_decode(data: bytes) -> None:
    """Any bytes; a message that we could have sent re-encodes and decodes to the same."""
    outcome = morai.decode(data)
    if isinstance(outcome, morai.Reject):
        assert str(outcome)
        return
    try:
        again = morai.decode(morai.encode(outcome.body, outcome.generation))
    except morai.EncodeError:
        return  # a code or a number of records that we take but do not send
    assert isinstance(again, morai.Packet)
    assert again.kind is outcome.kind


def describe(data: bytes) -> None:
    """What vdsim_dump does with a datagram, copies included."""
    describer = Describer()
    for time_s in (0.0, 0.01):
        assert to_json_object(describer.describe(Datagram(time_s, data)))["protocol"]
    describer.links()


def capture(data: bytes) -> None:
    """Any bytes as a capture file."""
    try:
        for datagram in read_pcap(data):
            assert isinstance(datagram, Datagram)
    except CaptureError:
        return


def control_request(data: bytes) -> None:
    """Any bytes as a request to the relay's control port."""
    assert RelayControl(RelayPlan(_ROUTES), 0.0).answer(data, 0.0).startswith(b"{")


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        vds1_decode,
        vds1_receive,
        vds1_newer,
        vds1_probe,
        vds1_view,
        morai_decode,
        describe,
        capture,
        control_request,
    )
}
