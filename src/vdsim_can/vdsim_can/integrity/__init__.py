"""Counters and checksums of messages, as data."""

from vdsim_can.integrity.rules import Checksum, Counter, Crc, IdBytes, Sum, Xor

__all__ = ["Checksum", "Counter", "Crc", "IdBytes", "Sum", "Xor"]
