"""How processes ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from launch.events.process import ProcessExited

from ..proc_info_handler import ProcInfoHandler
from ..process_matching import SomeProcess, resolve_processes

EXIT_OK = 0
EXIT_SIGINT = 130
EXIT_SIGQUIT = 131
EXIT_SIGKILL = 137
EXIT_SIGSEGV = 139


def assertExitCodes(  # noqa: N802 (the name is upstream's)
    proc_info: ProcInfoHandler,
    allowable_exit_codes: Iterable[int] = (EXIT_OK,),
    process: SomeProcess = None,
    cmd_args: Any = None,
    *,
    strict_proc_matching: bool = True,
) -> None:
    """Fail unless the processes ended with one of the codes.

    A process that a signal ended has the negative number of the signal as its code.
    """
    allowed = list(allowable_exit_codes)
    for item in resolve_processes(
        proc_info, process=process, cmd_args=cmd_args, strict_proc_matching=strict_proc_matching
    ):
        event = proc_info[item]
        assert isinstance(event, ProcessExited), f"Proc {event.process_name} has not exited"
        assert event.returncode in allowed, (
            f"Proc {event.process_name} exited with code {event.returncode}"
        )
