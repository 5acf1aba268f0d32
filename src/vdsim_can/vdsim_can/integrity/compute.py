"""Checksums of frames, computed by their rules: a frame, its id and its counter -> a number."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from vdsim_can.dbc.network import Message
from vdsim_can.integrity.rules import Algorithm, Checksum, Counter, Crc, Foreign, IdBytes, Sum

Compute = Callable[[bytes, int], int]
"""(frame, value of its counter) -> what the checksum signal must be."""


def crc_of(crc: Crc, data: bytes) -> int:
    """Return the CRC of bytes."""
    return _crc_by(crc, _table(crc), data)


def _crc_by(crc: Crc, table: tuple[int, ...], data: bytes) -> int:
    register = _first(crc)
    if crc.reflect_in:
        for byte in data:
            register = table[(register ^ byte) & 0xFF] ^ register >> 8
    else:
        shift, mask = max(crc.width - 8, 0), (1 << max(crc.width, 8)) - 1
        for byte in data:
            register = table[(register >> shift ^ byte) & 0xFF] ^ register << 8 & mask
        register >>= max(8 - crc.width, 0)
    if crc.reflect_in != crc.reflect_out:
        register = _reflected(register, crc.width)
    return register ^ crc.xor_out


def _first(crc: Crc) -> int:
    if crc.reflect_in:
        return _reflected(crc.init, crc.width)
    return crc.init << max(8 - crc.width, 0)


@lru_cache(maxsize=64)
def _table(crc: Crc) -> tuple[int, ...]:
    if crc.reflect_in:
        poly = _reflected(crc.poly, crc.width)
        return tuple(
            _steps(byte, lambda r: r >> 1 ^ poly if r & 1 else r >> 1) for byte in range(256)
        )
    width = max(crc.width, 8)
    poly, top, mask = crc.poly << (width - crc.width), 1 << (width - 1), (1 << width) - 1
    return tuple(
        _steps(byte << (width - 8), lambda r: (r << 1 ^ poly if r & top else r << 1) & mask)
        for byte in range(256)
    )


def _steps(register: int, step: Callable[[int], int]) -> int:
    for _ in range(8):
        register = step(register)
    return register


def _reflected(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


def value_of(algorithm: Algorithm, data: bytes) -> int:
    """Return the CRC, sum or exclusive or of bytes; a sum is not cut to any length."""
    if isinstance(algorithm, Crc):
        return crc_of(algorithm, data)
    if isinstance(algorithm, Sum):
        parts = sum(map(_nibbles, data)) if algorithm.nibbles else sum(data)
        total = algorithm.start + parts
        return -total if algorithm.negate else total
    if isinstance(algorithm, Foreign):
        return algorithm.function(data)
    result = algorithm.start
    for byte in data:
        result ^= byte
    return result


def _bound(algorithm: Algorithm) -> Callable[[bytes], int]:
    """The algorithm with its table, which is looked up once."""
    if isinstance(algorithm, Crc):
        if algorithm.width == 8 and algorithm.reflect_in == algorithm.reflect_out:
            return _crc_8(algorithm)
        return partial(_crc_by, algorithm, _table(algorithm))
    return partial(value_of, algorithm)


def _crc_8(crc: Crc) -> Callable[[bytes], int]:
    """A byte of the table is all that is left of a CRC of eight bits."""
    table, first, xor_out = bytes(_table(crc)), _first(crc), crc.xor_out

    def value(data: bytes) -> int:
        register = first
        for byte in data:
            register = table[register ^ byte]
        return register ^ xor_out

    return value


def _nibbles(byte: int) -> int:
    return (byte >> 4) + (byte & 0xF)


def checksum_of(rule: Checksum, message: Message, counter: Counter | None = None) -> Compute:
    """Return the function that computes the checksum of a message's frames.

    ValueError: the rule does not fit the message.
    """
    signal = message.signal(rule.signal)
    if signal is None:
        raise ValueError(f"{message.name} has no signal {rule.signal}")
    own = 0
    for bit in signal.bits():
        own |= 1 << bit
    whole = {byte for byte in range(message.length) if own >> 8 * byte & 0xFF == 0xFF}
    over = rule.over or tuple(range(message.length))
    taken = tuple(byte for byte in over if not (rule.skip_own and byte in whole))
    if any(byte >= message.length for byte in over):
        raise ValueError(f"{message.name} has {message.length} bytes: no byte {max(over)}")
    id_part = _id_part(rule.id_bytes, message.can_id)
    if rule.add_length:
        id_part += bytes([message.length])
    head = rule.before + (b"" if rule.id_after else id_part)
    tail = id_part if rule.id_after else b""
    data_ids = tuple(value.to_bytes(rule.data_id_bytes, "little") for value in rule.data_ids)
    flips, mask = rule.xor_out_by_counter, (1 << signal.length) - 1
    clear = tuple(0xFF & ~(own >> 8 * byte) for byte in range(message.length))
    first = counter.first if counter is not None else 0

    value, body_of = _bound(rule.algorithm), _body_of(taken, clear)

    def compute(frame: bytes, count: int) -> int:
        body = body_of(frame)
        data_id = data_ids[(count - first) % len(data_ids)] if data_ids else b""
        if rule.data_id_first:
            data = head + data_id + body + tail + rule.after
        else:
            data = head + body + tail + data_id + rule.after
        result = value(data)
        if flips:
            result ^= flips[(count - first) % len(flips)]
        return result >> rule.shift & mask

    return compute


def _body_of(taken: tuple[int, ...], clear: tuple[int, ...]) -> Callable[[bytes], bytes]:
    """What a checksum takes of a frame: bytes in a row are cut out, where no bit is cleared."""
    if all(clear[byte] == 0xFF for byte in taken) and taken:
        first, end = taken[0], taken[-1] + 1
        if taken == tuple(range(first, end)):
            return lambda frame: frame[first:end]
        gaps = [byte for byte in range(first, end) if byte not in taken]
        if len(gaps) == 1 and len(taken) == end - first - 1 and list(taken) == sorted(taken):
            gap = gaps[0]
            return lambda frame: frame[first:gap] + frame[gap + 1 : end]
    return lambda frame: bytes(frame[byte] & clear[byte] for byte in taken)


def _id_part(kind: IdBytes, can_id: int) -> bytes:
    low, high = can_id & 0xFF, can_id >> 8 & 0xFF
    return {
        IdBytes.NONE: b"",
        IdBytes.LOW: bytes([low]),
        IdBytes.LOW_HIGH: bytes([low, high]),
        IdBytes.HIGH_LOW: bytes([high, low]),
        IdBytes.ALL: can_id.to_bytes(4, "little"),
        IdBytes.NIBBLES: bytes([can_id >> 8 & 0xF, can_id >> 4 & 0xF, can_id & 0xF]),
    }[kind]
