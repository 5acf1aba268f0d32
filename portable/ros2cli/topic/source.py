"""The topic that echo, hz, bw and delay listen to: its type, and waiting until it is there."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from ros2cli.errors import CliError
from ros2cli.graph import find_topic, topic_types
from ros2cli.interface_class import message_class
from ros2cli.session import Session

Predicate = Callable[[Any], bool]


def await_message_class(session: Session, topic_name: str, limit_s: float | None = None) -> Any:
    """Return the class of a topic's messages, waiting for the topic to appear.

    After a few seconds a warning says what is waited for; `limit_s` ends it with a CliError.
    """
    types = find_topic(session, topic_name)
    if types is None:
        print(f"WARNING: topic [{topic_name}] does not appear to be published yet", file=sys.stderr)
        limit_s = math.inf if limit_s is None else limit_s
        types = session.wait_for(lambda: topic_types(session.node, topic_name), limit_s)
    if types is None:
        raise CliError("Could not determine the type for the passed topic")
    if len(types) > 1:
        raise CliError(
            f"Cannot echo topic '{topic_name}', as it contains more than one type: "
            f"[{', '.join(types)}]"
        )
    return message_class(types[0])


def compile_filter(expression: str) -> Predicate:
    """Return the user's Python expression on a message `m` as a function."""
    try:
        code = compile(expression, "<filter>", "eval")
    except SyntaxError as error:
        raise CliError(f"Invalid filter expression '{expression}': {error.msg}") from error

    def accepts(msg: Any) -> bool:
        try:
            return bool(eval(code, {"m": msg}))
        except Exception as error:  # whatever the user's expression may raise
            raise CliError(f"Filter expression '{expression}' failed: {error}") from error

    return accepts
