"""A command whose output `head` or `less` reads: it ends without a word when they have enough."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")


def ends_with_its_reader(main: Callable[P, int]) -> Callable[P, int]:
    """Make an entry point return 0 when the reader of its output has closed the pipe."""

    @functools.wraps(main)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            code = main(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python would flush once more at its exit, and report that.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        return code

    return run
