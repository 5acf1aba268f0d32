"""Composition `two_computers`: main and sub compute the same drive, a switcher selects one of them.

The shipped command mux, with the shipped file command_mux_selected.yaml, is a process of its own
between the two and the interface, which is that of composition `single`. The computers do not agree
to the last digit: sub steers and drives a little less, so that a hand-over has something to blend.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import yaml
from vdsim_interface.arbitration.mux import CommandMux, MuxOutput
from vdsim_interface.arbitration.parameters import (
    LockParameters,
    LockSpec,
    MuxParameters,
    SourceParameters,
    SourceSpec,
    named_part,
)
from vdsim_interface.extras.redundancy.selector import Selector, SelectorParameters
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.values import Command, HighLevelCommand, VehicleCommand

from vdsim_simulate.network import HOP_S
from vdsim_simulate.record import Asked, Computers
from vdsim_simulate.wiring.shipped import CONFIG
from vdsim_simulate.wiring.single import Single

MAIN, SUB = "main", "sub"
UNITS = {MAIN: 0, SUB: 1}
MAIN_VCU = 2
"""A unit that is no computer: the switcher names it, too."""
SAID_PERIOD_S = 0.1
WHEELBASE_M = 2.97
"""The mux's."""
SUBS_SHARE = 0.9
"""What sub asks for, of what main does."""


class TwoComputers(Single):
    """Two computers, a switcher and the mux before one interface process."""

    def start(self) -> None:
        """Start the interface, then what stands before it."""
        super().start()
        [self._to_interface] = self.commands
        self.mux_process = self.new_process("command mux")
        self.mux, rate_hz, selection = _shipped_mux()
        self.selector = Selector(selection, self.mux.sources)
        self.mux.selection = self.selector
        self.silent: set[str] = set()
        """The computers that are dead."""
        self.says: list[int] | None = [UNITS[MAIN], MAIN_VCU]
        """What the switcher says; None: it is dead."""
        self.heard = Computers()
        self._asked_mps = 0.0
        process = self.mux_process
        self._from_switcher = process.inbox(self.selector.on_selection, 1)
        self.commands = tuple(
            process.inbox(partial(self._on_command, name), 1) for name in (MAIN, SUB)
        )
        process.every(1.0 / rate_hz, self.phase_s(), self._on_tick)
        self.new_process("switcher").every(SAID_PERIOD_S, self.phase_s(), self._say)

    def restart_safety(self, *, hears_after_s: float, is_heard_after_s: float) -> None:
        """Start another interface process; the mux goes on."""
        before = self.commands
        super().restart_safety(hears_after_s=hears_after_s, is_heard_after_s=is_heard_after_s)
        [self._to_interface] = self.commands
        self.commands = before

    def shout(self, name: str, command: Command) -> None:
        """A computer sends what it should not; one that is selected is believed, so it does not."""
        if self.selector.selected == name:
            return
        now = self.mux_process.clock.now()
        self.heard.sent[name].append(_asked(self.agenda.now, command))
        self._pass_on(self.mux.on_command(name, command._replace(stamp_s=now), now))

    @property
    def roots(self) -> tuple[object, ...]:
        """The product's objects."""
        return (*super().roots, self.mux)

    def _say(self) -> None:
        if self.says is not None:
            self.heard.said.append((self.agenda.now, tuple(self.says)))
            self.agenda.after(HOP_S, partial(self._from_switcher.put, list(self.says)))

    def _on_command(self, name: str, command: Command) -> None:
        if name not in self.silent:
            now = self.mux_process.clock.now()
            mine = _subs(command) if name == SUB else command
            self.heard.sent[name].append(_asked(self.agenda.now, mine))
            self._pass_on(self.mux.on_command(name, mine._replace(stamp_s=now), now))

    def _on_tick(self) -> None:
        now = self.mux_process.clock.now()
        vehicle = self.stage.pipeline.vehicle
        if vehicle is not None:
            self.mux.on_odometry(vehicle.odometry()._replace(stamp_s=now), now)
        _, state = self.stage.pipeline.motion()  # while no report comes, its mode still does
        if state is not None:
            self.mux.on_state_report(state)
        self._pass_on(self.mux.tick(now))

    def _pass_on(self, output: MuxOutput) -> None:
        if output.command is None:
            return
        asked = _asked(self.agenda.now, output.command)
        if isinstance(output.command, HighLevelCommand):  # a stop counts its speed down
            speed_mps, before_mps = output.command.velocity_mps, self._asked_mps
            asked, self._asked_mps = asked._replace(drives=speed_mps > before_mps), speed_mps
        self.heard.passed.append(asked)
        self.agenda.after(HOP_S, partial(self._to_interface.put, output.command))


def _asked(now: float, command: Command) -> Asked:
    """What a command asks for, in the units of the wheels."""
    if isinstance(command, HighLevelCommand):
        speed_mps = command.velocity_mps
        return Asked(now, WHEELBASE_M * command.curvature_1pm, speed_mps > 0.0, speed_mps)
    assert isinstance(command, VehicleCommand)
    accel_mps2 = command.long_accel_mps2
    return Asked(now, command.front_wheel_angle_rad, accel_mps2 > 0.0, accel_mps2)


def _subs(command: Command) -> Command:
    """What sub makes of the same drive."""
    if isinstance(command, HighLevelCommand):
        return command._replace(
            velocity_mps=SUBS_SHARE * command.velocity_mps,
            curvature_1pm=SUBS_SHARE * command.curvature_1pm,
        )
    assert isinstance(command, VehicleCommand)
    return command._replace(
        long_accel_mps2=SUBS_SHARE * command.long_accel_mps2,
        front_wheel_angle_rad=SUBS_SHARE * command.front_wheel_angle_rad,
    )


@cache
def _file() -> dict[str, Any]:
    data = yaml.safe_load((CONFIG / "command_mux_selected.yaml").read_text(encoding="utf-8"))
    values: dict[str, Any] = data["/**"]["ros__parameters"]
    return values


def _shipped_mux() -> tuple[CommandMux, float, SelectorParameters]:
    """The mux, its rate and its selector as the shipped file makes them."""
    values = dict(_file())
    names, locks = values.pop("sources"), values.pop("locks")
    sources = [
        SourceSpec(name, named_part(SourceParameters(), name, values.pop(name))) for name in names
    ]
    specs = [LockSpec(name, named_part(LockParameters(), name, values.pop(name))) for name in locks]
    selection = named_part(SelectorParameters(), "selector", values.pop("selector"))
    parameters = from_flat(MuxParameters, values)
    mux = CommandMux(tuple(sources), tuple(specs), parameters)
    return mux, parameters.output_rate_hz, selection
