"""A state is logged once, when it stands."""

from vdsim_interface.ros.log_on_change import SettledLine


def lines(*texts: str) -> list[str]:
    line = SettledLine()
    return [line.look(text) for text in texts]


def test_it_is_said_at_the_second_look_and_once() -> None:
    assert lines("", "a, b", "a, b", "a, b") == ["", "", "a, b", ""]


def test_what_stands_for_one_look_is_not_said() -> None:
    assert lines("a, nameless", "a, b", "a, b") == ["", "", "a, b"]
    assert lines("a, b", "", "", "a, b", "") == ["", "", "", "", ""]


def test_another_state_is_said_and_the_same_again_after_an_end() -> None:
    assert lines("x", "x", "y", "y") == ["", "x", "", "y"]
    assert lines("x", "x", "", "", "x", "x") == ["", "x", "", "", "", "x"]
    assert lines("x", "x", "", "x", "x") == ["", "x", "", "", ""]
