"""A log line can neither end a program nor delay it."""

from __future__ import annotations

import os

from vdsim_protocol.cli.log_lines import LogLines


def test_lines_come_in_their_order() -> None:
    reading, writing = os.pipe()
    log = LogLines("program", writing)
    for number in range(500):
        log(f"line {number}")
    log.close()
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "".join(f"program: line {number}\n" for number in range(500))


def test_a_reader_that_is_gone_ends_nothing() -> None:
    reading, writing = os.pipe()
    log = LogLines("program", writing)
    os.close(reading)
    for number in range(10):
        log(f"line {number}")
    log.close()
    os.close(writing)
    assert not log._thread.is_alive()


def test_a_full_disk_ends_nothing() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    log = LogLines("program", full)
    log("line")
    log.close()
    os.close(full)
    assert not log._thread.is_alive()


def test_a_reader_that_does_not_read_delays_nothing() -> None:
    """The pipe is full: to write to it would wait for ever."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writing, True)
    log = LogLines("program", writing)
    for number in range(5000):
        log(f"line {number}")
    log.close()
    assert log._thread.is_alive(), "it waits, and nobody waits for it"
    assert len(log._pending) <= 1000
    os.close(reading)  # the write fails: the thread ends
    log._thread.join(60.0)
    assert not log._thread.is_alive()
    os.close(writing)
