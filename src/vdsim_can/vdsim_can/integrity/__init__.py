"""Counters and checksums of messages, as data, and their arithmetic."""

from vdsim_can.integrity.compute import checksum_of, crc_of
from vdsim_can.integrity.counting import CounterCheck, count_after, value_at
from vdsim_can.integrity.rules import Checksum, Counter, Crc, IdBytes, Sum, Xor

__all__ = [
    "Checksum",
    "Counter",
    "CounterCheck",
    "Crc",
    "IdBytes",
    "Sum",
    "Xor",
    "checksum_of",
    "count_after",
    "crc_of",
    "value_at",
]
