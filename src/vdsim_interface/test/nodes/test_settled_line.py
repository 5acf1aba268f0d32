"""A state is logged once, when two polls agree."""

from vdsim_interface.ros.publishers.command_health import LogOnChange


def lines(*texts: str) -> list[str]:
    line = LogOnChange()
    return [line.update(text) for text in texts]


def test_it_is_logged_once_at_the_second_poll() -> None:
    assert lines("", "a, b", "a, b", "a, b") == ["", "", "a, b", ""]


def test_a_state_of_one_poll_is_not_logged() -> None:
    assert lines("a, nameless", "a, b", "a, b") == ["", "", "a, b"]
    assert lines("a, b", "", "", "a, b", "") == ["", "", "", "", ""]


def test_another_state_is_logged_and_the_same_again_after_an_end() -> None:
    assert lines("x", "x", "y", "y") == ["", "x", "", "y"]
    assert lines("x", "x", "", "", "x", "x") == ["", "x", "", "", "", "x"]
    assert lines("x", "x", "", "x", "x") == ["", "x", "", "", ""]
