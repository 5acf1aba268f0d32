from __future__ import annotations

import pytest
from ros2cli.arguments import CliError
from ros2cli.topic import compile_filter
from std_msgs.msg import String


def test_filter_sees_the_message() -> None:
    accepts = compile_filter("m.data.startswith('a') and len(m.data) > 1")
    assert [accepts(String(data=text)) for text in ("a", "ab", "b")] == [False, True, False]


def test_filter_that_is_no_expression() -> None:
    with pytest.raises(CliError, match=r"^Invalid filter expression 'm ='"):
        compile_filter("m =")


def test_filter_that_fails_on_a_message() -> None:
    accepts = compile_filter("m.speed > 3")
    with pytest.raises(CliError, match=r"^Filter expression 'm.speed > 3' failed: "):
        accepts(String())
