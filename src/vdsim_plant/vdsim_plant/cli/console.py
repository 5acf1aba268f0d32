"""How the plant's commands end: 0, or one line about what is wrong and 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from vdsim_plant.parameters.errors import ParameterError


def finish(program: str, action: Callable[[], None]) -> int:
    """Do the work of a command and return its exit code."""
    try:
        action()
        sys.stdout.flush()
    except ParameterError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe. Python would report it once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
