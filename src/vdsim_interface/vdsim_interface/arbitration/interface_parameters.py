"""Parameters of the arbitration within the vehicle interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.arbitration.parameters import (
    DEFAULT_LOCKS,
    DEFAULT_SOURCES,
    LockSpec,
    MuxParameters,
    RecoveryParameters,
    SourceParameters,
    SourceSpec,
    check_names,
)
from vdsim_interface.parameters.fields import ParameterError, flag, text

STACK = "autonomy"
"""The source whose topics are those of the interface itself."""
DASHBOARD = "dashboard"
"""The source that sends sensor_msgs/Joy; the interface turns it into commands."""
_STACK_PRIORITY = 10
_PRIORITY_STEP = 10
_SOURCES_MAX = 20


class _WithinTheInterface(MuxParameters):
    """Of an arbiter whose emergency stop bypasses the controller."""

    direct_emergency = True


@dataclass(frozen=True)
class ArbitrationParameters(RecoveryParameters):
    """Who drives when a person commands beside the stack."""

    PREFIX: ClassVar[str] = "arbitration"
    AT_START: ClassVar[bool] = True

    enabled: bool = flag(
        True,
        "arbitrate between the stack and other sources; false: command_mux does, or nobody",
    )
    sources: str = text(
        "gamepad,keyboard,dashboard,remote",
        "the sources beside the stack, by falling priority; each publishes NAME/..._command",
    )
    give_back: bool = flag(
        True,
        "after a person or a lock had control, the stack drives only after give_back",
    )

    def check_together(self) -> None:
        """Every name must be usable as a part of a topic."""
        names = self.names
        try:
            check_names("sources", names)
        except ParameterError as error:
            self.refuse("sources", error.rule)
        if STACK in names:
            self.refuse("sources", f"must not have {STACK}: that is the stack itself")
        if len(names) > _SOURCES_MAX:
            self.refuse("sources", f"must be at most {_SOURCES_MAX} names")

    @property
    def names(self) -> tuple[str, ...]:
        """The sources beside the stack, by falling priority."""
        words = (name.strip() for name in self.sources.split(","))
        return tuple(name for name in words if name)

    def source_specs(self) -> tuple[SourceSpec, ...]:
        """The stack and the other sources; their time-outs are the shipped ones."""
        stack = SourceParameters(_STACK_PRIORITY, 0.5, "next", needs_give_back=self.give_back)
        specs = [SourceSpec(STACK, stack)]
        for n, name in enumerate(reversed(self.names), start=1):
            timeout_s = DEFAULT_SOURCES.get(name, SourceParameters()).timeout_s
            priority = _STACK_PRIORITY + n * _PRIORITY_STEP
            specs.append(SourceSpec(name, SourceParameters(priority, timeout_s, "stop")))
        return tuple(specs)

    def lock_specs(self) -> tuple[LockSpec, ...]:
        """The shipped locks."""
        return tuple(LockSpec(name, lock) for name, lock in DEFAULT_LOCKS.items())

    def mux_parameters(self, wheelbase_m: float) -> MuxParameters:
        """The parameters of the arbiter."""
        return _WithinTheInterface(
            wheelbase_m=wheelbase_m, recover_s=self.recover_s, standstill_s=self.standstill_s
        )
