"""Whatever is cut off or damaged, what was written whole before it is read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from vdsim_record.journal.frames import all_framed, content_of, record_of, scan

RECORDS = st.lists(st.binary(max_size=40).map(lambda data: record_of(5, data)), max_size=6)


@given(RECORDS, st.integers(0, 10**6))
def test_a_file_that_ends_anywhere_gives_what_was_written_whole(
    records: list[bytes], cut: int
) -> None:
    data = all_framed(records)
    found = scan(data[: cut % (len(data) + 1)])
    assert list(found.records) == records[: len(found.records)]
    whole = len(all_framed(records[: len(found.records) + 1]))
    assert cut % (len(data) + 1) < whole or len(found.records) == len(records)


@given(RECORDS.filter(bool), st.integers(0, 10**6), st.integers(1, 255))
def test_a_damaged_byte_ends_the_file_there(records: list[bytes], at: int, change: int) -> None:
    data = bytearray(all_framed(records))
    at %= len(data)
    data[at] ^= change
    found = scan(bytes(data))
    assert found.end <= at
    assert list(found.records) == records[: len(found.records)]


def test_the_content_of_a_record() -> None:
    assert content_of(record_of(5, b"abc")) == b"abc"
