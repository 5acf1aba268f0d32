"""Base of every stage's node: parameters, lifecycle, the tick, logging."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from vdsim_protocol.parameter_requests import AT_REST_S, WHILE_DRIVING_S, plain
from vdsim_protocol.shown import shown_plainly

from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import declarations
from vdsim_interface.parameters.frozen import check_frozen
from vdsim_interface.parameters.guard import GuardParameters
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.rounds import Rounds
from vdsim_interface.pipeline.step_clock import did_not_run
from vdsim_interface.pipeline.tick_schedule import POLLS_PER_PERIOD
from vdsim_interface.platforms.discovery import discover, platform_spec
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS, CommandConverter
from vdsim_interface.ros.messages.message_info import Info, sent_ago_s
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.parameters import (
    after_changes,
    check_overrides,
    declare,
)
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.process.limits import StageProcessParameters
from vdsim_interface.ros.ros_time import clock_stepped, ros_time_of
from vdsim_interface.ros.timers import every
from vdsim_interface.values import ControlLevel, Notice, notice_kinds
from vdsim_interface.values.notice_log import NoticeLog

NANOSECONDS = 1e-9
SIMULATED = "use_sim_time"
START_ONLY = frozenset(
    {SIMULATED, "autostart"}
    | {item.name for item in declarations(InterfaceParameters()) if item.at_start}
    | {item.name for item in declarations(OutputParameters())}
    | {item.name for item in declarations(StageProcessParameters())}
    | {item.name for item in declarations(ArbitrationParameters())}
    | {item.name for item in declarations(GuardParameters())}
)
"""Parameters that take effect at the start of a node alone, not even while it is inactive."""


class StageNode(CheckedNode, LifecycleNode):
    """Base of the interface's nodes.

    Unconfigured -> configured (parameters checked, topics there) -> active (ticks, sockets open).
    With `autostart` (the default) it goes to active by itself.
    """

    PROCESS = StageProcessParameters()
    process: StageProcessParameters

    LIVE_PARAMETERS: ClassVar[tuple[str, ...]] = ("",)
    """The live parameters that the node uses: names, or beginnings of names."""

    COUPLED_PARAMETERS: ClassVar[Mapping[str, str]] = {}
    """Parameters that must fit one of another node; this node reads its value at start only."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.is_simulated = bool(self.get_parameter(SIMULATED).value)
        self.ros_time = ros_time_of(self)
        about = ParameterDescriptor(description="go to active without a lifecycle manager")
        self._autostart = bool(self.declare_parameter("autostart", True, about).value)
        self.parameters = declare(self, InterfaceParameters())
        self.notice_log = NoticeLog(self.get_logger())
        self.rounds = self._new_rounds()
        self._tick_timer: Any = None
        self._configured: set[Any] = set()

    def seal_parameters(self) -> None:
        """All are declared: check for unknown overrides, and accept changes from now on.

        One file serves all stages and all platforms: parameters of another one are ignored.
        """
        platforms = discover(self._platform_folder())
        of_platforms = (spec.parameters.PREFIX for spec in platforms.values())
        check_overrides(self, {"output", "guard", "arbitration", *of_platforms})
        self.add_on_set_parameters_callback(self._on_parameters)

    # ---- time ----------------------------------------------------------------------------------

    def now(self) -> float:
        """Seconds of the clock of ages: monotonic, or simulated time if use_sim_time is set.

        Stamps of messages follow the system clock: `ros_time` converts.
        """
        if self.is_simulated:
            return float(self.get_clock().now().nanoseconds) * NANOSECONDS
        return time.monotonic()

    def _new_rounds(self) -> Rounds:
        p = self.parameters
        sees_stalls = not self.is_simulated
        return Rounds(self, p.period_s, p.command_timeout_s, sees_stalls=sees_stalls)

    @property
    def is_active(self) -> bool:
        """Whether the node ticks."""
        return self.rounds.is_active

    def refuses_stop(self, now: float, info: Info) -> str:
        """Why a request to stop that is delivered now is too old; empty if it acts."""
        return self.rounds.refuses_stop(now, sent_ago_s(info))

    def _on_poll(self) -> None:
        now = self.now()
        self._check_system_clock(now)
        self.rounds.poll(now)

    def _check_system_clock(self, now: float) -> None:
        """Follow a step of the system clock with the stamps; ages do not change."""
        step_s = self.ros_time.update()
        if step_s:
            self.notice_log.write((clock_stepped(step_s),), now)

    # ---- for the nodes -------------------------------------------------------------------------

    def configure_stage(self) -> None:
        """Create the core and the topics. Raises errors that the user can correct."""

    def activate_stage(self) -> None:
        """Open what is needed to run; all of it, or raise and leave nothing open."""

    def deactivate_stage(self) -> None:
        """Send the last, safe command; close what was opened."""

    def poll(self, now: float) -> None:
        """Read input that does not come through ROS; twice a period."""

    def tick(self, now: float) -> None:
        """One period."""

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time, and report it."""

    def on_stall(self, stall_s: float, now: float) -> None:
        """This process did not run for `stall_s`; what waited meanwhile is not fresh."""
        self.notice_log.write((Notice(notice_kinds.TICK_OVERRUN, did_not_run(stall_s)),), now)

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that were changed at run time."""

    def find_platform(self) -> PlatformSpec:
        """The description of the parameters' platform."""
        return platform_spec(self.parameters.platform, self._platform_folder())

    def _platform_folder(self) -> Path | None:
        path = self.parameters.platform_path
        return Path(path) if path else None

    def create_checked_subscription(
        self, kind: type, topic: str, callback: Any, qos: QoSProfile, **options: Any
    ) -> Any:
        """Subscribe; log a publisher whose QoS does not match."""

        def mismatch(event: Any) -> None:
            policy = getattr(event.last_policy_kind, "name", event.last_policy_kind)
            self.get_logger().error(
                f"{topic}: a publisher offers an incompatible QoS ({policy}); none of its messages "
                f"is received. Required: {qos.reliability.name}"
            )

        events = SubscriptionEventCallbacks(incompatible_qos=mismatch, use_default_callbacks=False)
        return self.create_subscription(
            kind, topic, callback, qos, event_callbacks=events, **options
        )

    def create_checked_publisher(self, kind: type, topic: str, qos: QoSProfile) -> Any:
        """Create a publisher; log a subscriber whose QoS does not match."""

        def mismatch(event: Any) -> None:
            policy = getattr(event.last_policy_kind, "name", event.last_policy_kind)
            self.get_logger().warning(
                f"{topic}: a subscriber requests an incompatible QoS ({policy}); it receives "
                f"nothing. Offered: {qos.reliability.name}, {qos.durability.name}"
            )

        events = PublisherEventCallbacks(incompatible_qos=mismatch, use_default_callbacks=False)
        # A plain publisher: the stage decides what is published while inactive.
        return super(LifecycleNode, self).create_publisher(kind, topic, qos, event_callbacks=events)

    def create_command_subscriptions(
        self, callback_of: Callable[[CommandConverter, ControlLevel], Callable[[Any], None]]
    ) -> None:
        """Subscribe to the stack's commands of every level; each has a callback of its own."""
        for level, (kind, topic, _, value) in COMMANDS.items():
            callback = callback_of(value, level)
            self.create_checked_subscription(kind, topic, callback, topics.COMMAND_QOS)

    # ---- lifecycle -----------------------------------------------------------------------------

    def start(self) -> None:
        """Configure and activate, unless a lifecycle manager does; raises what went wrong."""
        if not self._autostart:
            return
        self.trigger_configure()
        if self._failure is None:
            self.trigger_activate()
        if not self.is_active:
            raise self._failure or OSError("the node could not be activated")

    _failure: Exception | None = None

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle: create the topics."""
        return self._attempt(self._configure)

    def _configure(self) -> None:
        before = self._entities()
        try:
            self.configure_stage()
        except Exception:
            self._destroy(self._entities() - before)
            raise
        self._configured = self._entities() - before

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle: destroy exactly what configuring created; the node can configure again."""
        self._destroy(self._configured)
        self._configured = set()
        return TransitionCallbackReturn.SUCCESS

    def _entities(self) -> set[Any]:
        """All publishers, subscriptions, services and timers."""
        return {*self.publishers, *self.subscriptions, *self.services, *self.timers}

    def _destroy(self, made: set[Any]) -> None:
        kinds: list[tuple[Iterable[Any], Callable[[Any], bool]]] = [
            (self.publishers, self.destroy_publisher),
            (self.subscriptions, self.destroy_subscription),
            (self.services, self.destroy_service),
            (self.timers, self.destroy_timer),
        ]
        for entities, destroy in kinds:
            for entity in made.intersection(entities):
                destroy(entity)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle: start ticking; the first command out is the safe one."""
        result = self._attempt(self._start_ticking)
        if result is TransitionCallbackReturn.SUCCESS:
            super().on_activate(state)
        return result

    def _start_ticking(self) -> None:
        self.rounds = self._new_rounds()
        self.activate_stage()
        try:
            self.rounds.begin(self.now())
        except Exception:
            # Nothing stays half-started; the first error is the one reported.
            with suppress(Exception):
                self.end()
            raise
        self._tick_timer = every(self, self.parameters.period_s / POLLS_PER_PERIOD, self._on_poll)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle: the last command out is the safe one."""
        self.end()
        return super().on_deactivate(state)  # type: ignore[no-any-return]

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle: as deactivating, from any state."""
        self.end()
        return TransitionCallbackReturn.SUCCESS

    def end(self) -> None:
        """Stop ticking and leave everything safe; may be called in any state."""
        if not self.is_active:
            return
        self.rounds.end()
        if self._tick_timer is not None:
            self.destroy_timer(self._tick_timer)
            self._tick_timer = None
        self.deactivate_stage()

    def _attempt(self, action: Any) -> TransitionCallbackReturn:
        self._failure = None
        try:
            with self.own_work():  # a filter imports scipy when it is switched on
                action()
        except (ParameterError, OSError, ValueError) as error:
            self._failure = error
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            self._failure = error
            self.get_logger().error(f"{type(error).__name__}: {error}")
            raise
        return TransitionCallbackReturn.SUCCESS

    def _is_start_only(self, name: str) -> bool:
        # The topics of a stage depend on the level.
        return name in START_ONLY or (
            name == "control_command" and not name.startswith(self.LIVE_PARAMETERS)
        )

    def _check_coupled(self, changes: list[Parameter]) -> None:
        for change in changes if self.is_active else ():
            coupled = self.COUPLED_PARAMETERS.get(change.name)
            if coupled and change.value != self.get_parameter(change.name).value:
                rule = f"must fit {coupled} of another node: set both on both while inactive"
                raise ParameterError(change.name, change.value, rule)

    def frozen_because(self) -> str:
        """Why what is frozen (parameters.frozen) cannot change now; empty while it can."""
        return ""

    def time_for_parameters_s(self) -> float:
        """Longer while this node knows that no car is driven."""
        knows = type(self).frozen_because is not StageNode.frozen_because
        is_driven = self.is_active and bool(self.frozen_because())
        return AT_REST_S if knows and not is_driven else WHILE_DRIVING_S

    def _on_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        """At run time: change what is safe to change, reject the rest with the reason."""
        for change in changes:
            if not self._is_start_only(change.name):
                continue
            if change.value != self.get_parameter(change.name).value:
                reason = (
                    f"{change.name}={shown_plainly(change.value)}: is decided when the node starts"
                )
                return SetParametersResult(successful=False, reason=reason)
        try:
            self.change_parameters(changes)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def change_parameters(self, changes: list[Parameter]) -> None:
        """Check all changes, then use them; raises ParameterError and keeps none."""
        values = {change.name: plain(change.value) for change in changes}
        before = {name: plain(self.get_parameter(name).value) for name in values}
        check_frozen(before, values, self.frozen_because() if self.is_active else "")
        self._check_coupled(changes)
        parameters = after_changes(
            self.parameters, changes, active=self.is_active, used=self.LIVE_PARAMETERS
        )
        if parameters != self.parameters:
            self.parameters = parameters
            with self.own_work():
                self.reconfigure(parameters)


def finite_or_nan(value: float) -> float:
    """An infinite age (never received) as NaN, which messages carry for unknown."""
    return value if math.isfinite(value) else math.nan
