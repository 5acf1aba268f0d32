"""The ROS shell of the guard: topics, services, parameters, lifecycle, controller and filter.

The process `vehicle_guard` holds the safety stage and the platform, and needs no ROS. This node has
the name, the topics and the parameters of `vehicle_interface`; it sends the guard the results of
controller and filter every period, and publishes what comes back. When it ends, freezes or sends
garbage, the guard stops the car.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

from vdsim_interface.guard import frames
from vdsim_interface.guard.link import GuardLink
from vdsim_interface.guard.local_socket import default_path
from vdsim_interface.guard.mirror import GUARD_GONE, RemoteSafetySide, RemoteVehicleSide
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.guard.shell import Shell
from vdsim_interface.nodes.interface_node import InterfaceNode
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.frozen import frozen_because
from vdsim_interface.parameters.guard import GuardParameters
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.host_lookup import with_addresses
from vdsim_interface.ros.messages.status import diagnostic
from vdsim_interface.ros.node_main import end_if_asked, run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.timers import uses_simulated_time
from vdsim_interface.values import AuxiliaryCommand, Command, ControlLevel


class GuardedInterface(InterfaceNode):
    """Receives commands, runs controller and filter, publishes what the guard sends."""

    is_closed = False  # the vehicle's side is in vehicle_guard

    def __init__(self) -> None:
        super().__init__()
        if uses_simulated_time(self):
            rule = "the guard keeps real time; use composition:=single"
            raise ParameterError("use_sim_time", True, rule)
        self.guard: GuardParameters = declare(self, GuardParameters())
        self.seal_parameters()
        given = self.guard.socket
        path = Path(given) if given else default_path(self.get_namespace())
        self.link = GuardLink(path, self.guard.answer_timeout_s, self.now)
        self._keeps_guard = True
        endpoints = self.make_platform().endpoints()
        self.shell = Shell(self.parameters, endpoints, self.link.send, self.link.ask, self.now())
        self._is_lost = self._guard_ends = self._has_ticked = False

    @property
    def safety_side(self) -> RemoteSafetySide:
        """The guard's safety side, as of its latest frames."""
        return self.shell.safety_side

    @property
    def vehicle_side(self) -> RemoteVehicleSide:
        """The guard's vehicle side, as of its latest frames."""
        return self.shell.vehicle_side

    # ---- lifecycle -------------------------------------------------------------------------------

    def configure_stage(self) -> None:
        """Create the topics and services."""
        side, shell = self.safety_side, self.shell
        self.open_ports(side, side, shell.motion, shell.deliver, shell.override)

    def activate_stage(self) -> None:
        """Send the guard its parameters; it opens the vehicle's sockets and begins to send."""
        self.link.open_within(self.guard.start_timeout_s, end_if_asked)
        self.shell.reset(self.parameters)
        self._activate_guard(with_addresses(self.platform_parameters))
        level, platform = self.parameters.control_command, self.parameters.platform
        self.get_logger().info(f"active: platform {platform}, control_command: {level}")

    def _activate_guard(self, platform_parameters: Any) -> None:
        p = self.parameters
        answer = self.link.ask_again(
            frames.Activate(
                platform=p.platform,
                platform_path=p.platform_path,
                interface=flat_values(p),
                platform_values=flat_values(platform_parameters),
                lock_memory=self.guard.lock_memory,
                fifo_priority=self.guard.fifo_priority,
                session=self.safety_side.session(),
            ),
            self.guard.start_timeout_s,
            end_if_asked,
        )
        if not answer.success:
            self.link.close()
            raise OSError(answer.text)
        self.shell.activated(self.now())

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle: the guard sends its last, safe command and closes the vehicle's sockets."""
        self._keeps_guard = False
        try:
            return super().on_deactivate(state)
        finally:
            self._keeps_guard = True

    def deactivate_stage(self) -> None:
        """Deactivate the guard with the node; one that only ends leaves it to hold the car."""
        if not self._keeps_guard:
            self.link.ask(frames.Deactivate())
            self.poll(self.now())
        self.link.close()
        self.safety_port.end_session()

    def change_parameters(self, changes: list[Parameter]) -> None:
        """Check all changes here, then let the guard use them; neither keeps one alone."""
        before = self.parameters, self.platform_parameters
        super().change_parameters(changes)
        if not self.is_active or self.parameters == before[0]:
            return
        answer = self.link.ask(frames.Configure(flat_values(self.parameters)))
        if not answer.success:
            self.parameters, self.platform_parameters = before
            self.shell.configure(self.parameters)
            names = ", ".join(change.name for change in changes)
            values = ", ".join(str(change.value) for change in changes)
            raise ParameterError(names, values, answer.text)

    def frozen_because(self) -> str:
        """Why frozen parameters cannot change, as far as is known here; the guard decides."""
        side = self.vehicle_side
        standing_mps = self.parameters.safety.standstill_speed_mps
        moving = side.report is not None and abs(side.report.velocity_mps) > standing_mps
        return frozen_because(self.safety_side.mode, side.authority, moving=moving)

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Use changed parameters in controller and filter."""
        self.shell.configure(parameters)

    # ---- input -----------------------------------------------------------------------------------

    def use_command(self, command: Command, level: ControlLevel, now: float) -> None:
        """Pass a command of the stack to controller and filter, or to the guard."""
        if self.shell.on_command(command, now):
            self.intake.latest = command
            if level is self.parameters.level:
                self.rounds.arrived(now)
            self.shell.flush()

    def use_auxiliary(self, command: AuxiliaryCommand, now: float) -> None:
        """Pass additional control values to the guard."""
        self.safety_side.on_auxiliary(command)

    # ---- the guard -------------------------------------------------------------------------------

    def poll(self, now: float) -> None:
        """Process the guard's frames; connect again to one that has ended."""
        side = self.vehicle_side
        for frame in self.link.received():
            payload = frame.payload
            if isinstance(payload, frames.Report):
                self._on_report(payload)
            elif isinstance(payload, frames.Output):
                self._on_output(payload, now)
            elif isinstance(payload, frames.Status):
                self.safety_side.on_status(payload, frame.sent_s)
            elif isinstance(payload, frames.Health):
                side.on_health(payload)
            elif isinstance(payload, frames.Ending):
                self._guard_ends = True
        self._watch_guard()
        self._publish(now)

    def _on_report(self, frame: frames.Report) -> None:
        self.vehicle_port.publish_report(self.shell.on_report(frame), frame.datagram)

    def _on_output(self, output: frames.Output, now: float) -> None:
        safe = self.shell.on_output(output, now)
        self.safety_port.report(output.notices, now)
        self.vehicle_port.use_sent(self.vehicle_side, safe, safe.stamp_s)

    def _watch_guard(self) -> None:
        silent = not self.link.is_open or self.shell.guard_is_silent(self.now())
        if silent is not self._is_lost:
            self._is_lost = silent
            if not silent:
                self.get_logger().warning("the guard sends again")
            elif self._guard_ends:
                self.get_logger().info("the guard has ended")
            else:
                self.get_logger().error(GUARD_GONE)
        if silent:
            self.shell.on_guard_lost()
        if self.link.reopened():
            self._guard_ends = False
            try:
                self._activate_guard(with_addresses(self.platform_parameters))
            except (OSError, ValueError) as error:
                self.get_logger().error(f"the guard refuses: {error}")

    # ---- output ----------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """One period: run controller and filter, send their results to the guard."""
        if self.intake.watches:
            self.intake_port.desk.tick(now)
        self.shell.tick(now, traced=self.vehicle_port.is_traced)
        self._has_ticked = True

    def _publish(self, now: float) -> None:
        """Publish once a tick, at the poll after it: until then the guard needs the processor."""
        if self._has_ticked:
            self._has_ticked = False
            self.vehicle_port.publish_vehicle(self.vehicle_side, now)
            self.safety_port.publish_status(now)
            self.intake_port.after_tick(now)

    def _on_slow(self) -> None:
        """At about 1 Hz: diagnostics, link status, who subscribes."""
        if not self.is_active:
            self.vehicle_port.publish_health(self.vehicle_side, [], self.now())
            return
        self.link.send(frames.AskHealth())
        now = self.now()
        counts = {**self.vehicle_side.shell_counts(), "guard_rejected": float(self.link.rejected_n)}
        text = GUARD_GONE if self._is_lost else "sends"
        line = diagnostic("guard", b"\x02" if self._is_lost else b"\x00", text, counts)
        self.vehicle_port.publish_health(
            self.vehicle_side,
            [*self.safety_port.health(now), *self.intake_port.lines(now), line],
            now,
        )


def make() -> list[GuardedInterface]:
    """Create and start the node."""
    node = GuardedInterface()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("guarded_interface", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
