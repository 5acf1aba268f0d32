"""What a subscription of bytes passes on, and what it discards."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from vdsim_protocol.message_wall import LARGEST, Discarded, MessageWall, is_of_the_middleware


def decode(data: bytes) -> str:
    """A type of one text: b"<length>:<text>", and anything behind it."""
    length, text = data.split(b":", 1)
    if len(text) < int(length):
        raise MemoryError
    return text[: int(length)].decode()


class Received:
    """A wall, what passed it and what did not."""

    def __init__(self, **options: Any) -> None:
        self.messages: list[str] = []
        self.why: list[str] = []
        self.wall = MessageWall(decode, self.messages.append, self.why.append, **options)


def test_a_message_passes_decoded() -> None:
    received = Received()
    received.wall(b"2:ab")
    assert (received.messages, received.why) == (["ab"], [])


@pytest.mark.parametrize("data", [b"", b"x", b"9:ab", b"1:\xff"])
def test_what_cannot_be_read_is_discarded_with_its_size(data: bytes) -> None:
    received = Received()
    received.wall(data)
    assert received.messages == []
    assert received.why == [f"a message of {len(data)} bytes that cannot be read as its type"]


def test_a_list_beyond_the_limit_is_not_decoded() -> None:
    seen: list[int] = []

    def counting(data: bytes) -> str:
        seen.append(len(data))
        return decode(data)

    why: list[str] = []
    MessageWall(counting, why.append, why.append)(b"%d:" % (50 << 20) + bytes(50 << 20))
    assert seen == [LARGEST]
    assert why == [f"a message of {(50 << 20) + 9} bytes: must have at most {LARGEST}"]


def test_a_small_message_counts_whatever_follows_it() -> None:
    received = Received()
    received.wall(b"4:stop" + bytes(LARGEST))
    assert (received.messages, received.why) == (["stop"], [])


def test_a_callback_that_must_know_receives_what_stands_for_the_unreadable() -> None:
    received = Received(unreadable_is="short")
    received.wall(b"9:ab")
    assert received.messages == ["short"]
    assert len(received.why) == 1


def test_an_exception_of_the_callback_is_a_defect_and_passes() -> None:
    def callback(message: str) -> None:
        raise KeyError(message)

    with pytest.raises(KeyError):
        MessageWall(decode, callback, lambda why: None)(b"1:x")


def test_what_is_known_of_a_message_passes_both_ways_that_rclpy_has() -> None:
    received = []

    def callback(message: str, info: int) -> None:
        received.append((message, info))

    wall = MessageWall(decode, callback, lambda why: None)
    wall(b"1:a", 1)
    wall((b"1:b", 2))
    assert received == [("a", 1), ("b", 2)]
    assert len(inspect.signature(wall).parameters) == 2


def test_the_first_the_tenth_and_the_hundredth_are_logged() -> None:
    discarded = Discarded()
    lines = [line for _ in range(1000) if (line := discarded.add("joy", "it"))]
    assert lines == [f"joy: discarded it ({n} so far)" for n in (1, 10, 100, 1000)]


def test_diagnostics_have_the_last_and_the_sum() -> None:
    discarded = Discarded()
    assert (discarded.text(), discarded.total) == ("", 0)
    for topic in "aab":
        discarded.add(topic, "it")
    assert discarded.text() == "b: discarded it (3 messages in all)"


def raised_in(module: str) -> MemoryError:
    """What a function of a module raised, called from here."""
    names: dict[str, Any] = {"__name__": module}
    exec("def take():\n    raise MemoryError", names)
    with pytest.raises(MemoryError) as caught:
        names["take"]()
    return caught.value


def test_only_an_executor_without_memory_is_of_the_middleware() -> None:
    assert is_of_the_middleware(raised_in("rclpy.executors"), "spins")
    assert is_of_the_middleware(raised_in("spins"), "spins"), (
        "raised by compiled code that it calls"
    )
    assert not is_of_the_middleware(raised_in("vdsim_interface.gate"), "spins")
    assert not is_of_the_middleware(raised_in("rclpyish"), "spins")
