"""Assertions about processes."""

from launch._upstream_names import refuse_names

from ..process_matching import NO_CMD_ARGS
from .exit_codes import (
    EXIT_OK,
    EXIT_SIGINT,
    EXIT_SIGKILL,
    EXIT_SIGQUIT,
    EXIT_SIGSEGV,
    assertExitCodes,
)
from .output import assertInStderr, assertInStdout, assertInStream
from .sequential_output import SequentialTextChecker, assertSequentialStdout

__all__ = [
    "EXIT_OK",
    "EXIT_SIGINT",
    "EXIT_SIGKILL",
    "EXIT_SIGQUIT",
    "EXIT_SIGSEGV",
    "NO_CMD_ARGS",
    "SequentialTextChecker",
    "assertExitCodes",
    "assertInStderr",
    "assertInStdout",
    "assertInStream",
    "assertSequentialStdout",
]

__getattr__ = refuse_names(__name__, ("assertDefaultStream",), "launch_testing")
