"""The faster loops of empy find what its own find, in every text."""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspace.wheel_route.messages import templates

TEXT = st.text("'\"\\[](){}$?!:@a \n", max_size=30)


def fresh_empy() -> ModuleType:
    """A module of its own, so that no other test sees what this one replaces."""
    spec = importlib.util.find_spec("em")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OWN, FAST = fresh_empy(), fresh_empy()
templates.hasten(FAST)


def outcome(call: Callable[[], int]) -> object:
    """What a scan finds, or the name of its error."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def scanner(em: Any, text: str, head: int) -> Any:
    """A scanner that has read `head` characters."""
    made = em.Scanner("@", text)
    made.advance(min(head, len(text)))
    return made


@given(
    TEXT,
    st.integers(0, 5),
    st.integers(0, 5),
    st.none() | st.integers(0, 30),
    st.sampled_from(("[]", "()", "{}")),
)
def test_brackets_end_at_the_same_place(
    text: str, head: int, start: int, end: int | None, pair: str
) -> None:
    length = len(text) - min(head, len(text))
    end = None if end is None else min(end, length)
    own, fast = (
        outcome(lambda em=em: scanner(em, text, head).complex(*pair, start, end))  # type: ignore[misc]
        for em in (OWN, FAST)
    )
    assert fast == own


@given(
    TEXT,
    st.integers(0, 5),
    st.integers(0, 5),
    st.none() | st.integers(0, 30),
    st.sampled_from("$?!:@"),
)
def test_the_next_character_is_the_same(
    text: str, head: int, start: int, end: int | None, wanted: str
) -> None:
    length = len(text) - min(head, len(text))
    end = None if end is None else min(end, length)
    own, fast = (
        outcome(lambda em=em: scanner(em, text, head).next(wanted, start, end, end is not None))  # type: ignore[misc]
        for em in (OWN, FAST)
    )
    assert fast == own


@pytest.mark.parametrize(
    "text",
    [
        "@[for i in range(3)]@[if i != 1]@(i) '@('x' if i else \"]\")' @[end if]@[end for]\n",
        "@{\nvalue = {'a': [1, 2]}\n}@\n@(value['a'][1]) @value['a'][0]\n",
        "@( 1 + 1)@(undefined ? 'x' ! 'undefined')\n",
    ],
)
def test_a_template_gives_the_same_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for change in (lambda em: None, templates.hasten):
        em = fresh_empy()
        change(em)
        output = io.StringIO()
        monkeypatch.setattr(sys, "stdout", io.StringIO())  # empy puts a proxy in its place
        interpreter = em.Interpreter(output=output, options={em.RAW_OPT: True})
        try:
            interpreter.string(text)
        except Exception as error:
            output.write(type(error).__name__)
        made.append(output.getvalue())
        interpreter.shutdown()
    assert made[0] == made[1]
    assert made[0]
