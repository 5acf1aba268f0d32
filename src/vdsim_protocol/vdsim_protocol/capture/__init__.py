"""Recorded traffic: capture files, hex files, and the meaning of each datagram."""

from vdsim_protocol.capture.datagram import CaptureError, Datagram, read_hex
from vdsim_protocol.capture.describe import Describer, Description, to_json_object, to_line
from vdsim_protocol.capture.pcap import is_capture, read_pcap

__all__ = [
    "CaptureError",
    "Datagram",
    "Describer",
    "Description",
    "is_capture",
    "read_hex",
    "read_pcap",
    "to_json_object",
    "to_line",
]
