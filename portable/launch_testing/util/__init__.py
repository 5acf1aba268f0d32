"""Helpers for launch tests."""

from ..process_matching import NO_CMD_ARGS, NoMatchingProcessException
from ..process_matching import resolve_processes as resolveProcesses  # noqa: N812
from .keep_alive_proc import KeepAliveProc

__all__ = ["NO_CMD_ARGS", "KeepAliveProc", "NoMatchingProcessException", "resolveProcesses"]
