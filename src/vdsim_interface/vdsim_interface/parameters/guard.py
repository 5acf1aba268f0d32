"""Parameters of the guard; the shell declares them and sends them at activation."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, flag, real, text, whole


@dataclass(frozen=True)
class GuardParameters(Parameters):
    """The socket between guard and shell, and the scheduling of the guard."""

    PREFIX: ClassVar[str] = "guard"
    AT_START: ClassVar[bool] = True

    socket: str = text("", "path of the guard's socket; empty: by ROS domain and namespace")
    start_timeout_s: float = real(
        10.0, "how long the shell waits for its guard when it starts [s]", at_least=0.01, at_most=60
    )
    answer_timeout_s: float = real(
        0.5, "how long the shell waits for an answer of the guard [s]", at_least=0.01, at_most=5
    )
    lock_memory: bool = flag(False, "keep the guard's memory resident (mlockall)")
    fifo_priority: int = whole(
        0, "real-time priority of the guard (SCHED_FIFO); 0: none", at_least=0, at_most=99
    )
