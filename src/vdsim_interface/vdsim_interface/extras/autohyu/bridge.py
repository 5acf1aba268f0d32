"""The bridge between AutoHYU's topics and a VDS1 vehicle: a protocol gateway without clock or I/O.

    gripped_steer, gripped_torque --rules, torque map--> CMD      every period (`tick`)
    STATE --> vehicle_state, vehicle_state_filtered               every period, latest STATE

It takes the place of a real vehicle's CAN transmitter and parser.

Theory of operation
  Inputs      `on_steer`, `on_torque`, `on_accel` and `on_datagram` store the latest values and feed
              one watchdog each for steering, torque (`failsafe.command_timeout_s`) and STATE
              (`failsafe.state_timeout_s`). A datagram that is not a valid STATE is rejected with a
              notice and feeds nothing; so is a steering angle that is not finite, and the last
              finite one holds.
  Decision    Every `tick` applies the ordered rules (rules.py). The first that applies gives the
              command: no torque yet, or a non-finite torque -> full brake; a stale topic or stale
              STATE -> `failsafe.brake`, steering held. Without any: the torque map and the brake
              polynomial turn torque and measured speed into pedals, in gear D.
  CMD         One packet a period, in every case: the vehicle's own time-out is the last resort and
              applies only when this process ends. `stop` gives the final packet, with the brake.
  State       vehicle_state is published every period from the first STATE on. While STATE is stale
              the last values keep their old stamp, and operation_mode is FAIL, so the reader sees
              the age as well as the mode. The low pass resets after a gap, and passes the values
              unfiltered during it.
  Notices     One notice whenever the reason of the command changes.
"""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

from vdsim_protocol.link import LinkSnapshot, LinkStatistics
from vdsim_protocol.watchdog import Watchdog

from vdsim_interface.extras.autohyu.parameters import AutohyuParameters
from vdsim_interface.extras.autohyu.rules import Cause, Decision, Inputs, decide
from vdsim_interface.extras.autohyu.steering import SteeringGear, SteeringSpeed
from vdsim_interface.extras.autohyu.torque_map import TorqueMap
from vdsim_interface.extras.autohyu.vehicle_state import VehicleState, bus_state, vehicle_state
from vdsim_interface.filter.low_pass import SampleFilter, design
from vdsim_interface.filter.parameters import ChannelParameters
from vdsim_interface.pipeline.link_health import FirstReportWait
from vdsim_interface.platforms.vds1.newer import NewerVersions, hint
from vdsim_interface.platforms.vds1.round_trip import RoundTrip
from vdsim_interface.platforms.vds1.wire_version import ASK_BRAKE, WireVersion
from vdsim_interface.platforms.wire import Address, Datagram, Endpoint
from vdsim_interface.sensors.packet_rate import packet_rate_hz
from vdsim_interface.values import Notice, notice_kinds
from vdsim_protocol import vds1

ENDPOINT = "vds1"
NO_INPUT = Inputs(
    steer_deg=None,
    torque_nm=None,
    steer_rad=0.0,
    speed_mps=0.0,
    steer_stale=False,
    torque_stale=False,
    state_stale=True,
)
KINDS = {
    Cause.DRIVEN: notice_kinds.LINK_RESTORED,
    Cause.NO_TORQUE_YET: notice_kinds.MODE_CHANGED,
    Cause.STEER_NOT_FINITE: notice_kinds.NON_FINITE_COMMAND,
    Cause.TORQUE_NOT_FINITE: notice_kinds.NON_FINITE_COMMAND,
    Cause.COMMAND_STALE: notice_kinds.COMMAND_TIMEOUT,
    Cause.STATE_STALE: notice_kinds.LINK_TIMEOUT,
}
STEER_REJECTED = (
    Notice(
        notice_kinds.NON_FINITE_COMMAND, "gripped_steer is not finite: the last finite angle holds"
    ),
)
STATE_CHANNELS = ("vx", "vy", "vz", "ax", "ay", "roll_vel", "pitch_vel", "yaw_vel")
CAN_CHANNELS = ("lateral_accel", "longitudinal_accel", "yaw_rate")


@dataclass(frozen=True)
class BridgeOutput:
    """One period: CMD for the wire, and what to publish; None before the first STATE."""

    datagrams: tuple[Datagram, ...]
    decision: Decision
    state: VehicleState | None
    filtered: VehicleState | None
    notices: tuple[Notice, ...]


class StateFilter:
    """One low pass a channel; position and attitude pass unchanged."""

    def __init__(self, channel: ChannelParameters, period_s: float) -> None:
        sections = design(channel, period_s)
        self._filters = {name: SampleFilter(sections) for name in (*STATE_CHANNELS, *CAN_CHANNELS)}
        self._settled = False

    def reset(self) -> None:
        """Restart from the next value, without a jump."""
        self._settled = False

    def step(self, values: VehicleState) -> VehicleState:
        """Filter one period's values."""
        state, can = dict(values.state), dict(values.can)
        for content, names in ((state, STATE_CHANNELS), (can, CAN_CHANNELS)):
            for name in names:
                if not self._settled:
                    self._filters[name].reset(content[name])
                content[name] = self._filters[name].step(content[name])
        self._settled = True
        return replace(values, state=state, can=can)


class AutohyuBridge:
    """One vehicle."""

    def __init__(self, parameters: AutohyuParameters, torque_map: TorqueMap) -> None:
        self._parameters = parameters
        self._map = torque_map
        link, failsafe = parameters.link, parameters.failsafe
        self._version = WireVersion(link.version, link.vehicle_id, "link.version")
        self._sender = vds1.Sender(self._version.current, link.vehicle_id)
        self._receiver = vds1.Receiver(
            vds1.State,
            allowed_sources=link.state_sources,
            vehicle_ids=(link.vehicle_id,),
            accept_newer=link.accept_newer,
        )
        self._newer = NewerVersions()
        self._round_trip = RoundTrip(link, ENDPOINT)
        self._statistics = LinkStatistics()
        self._sent_s: deque[float] = deque(maxlen=1000)
        self._steer_watchdog = Watchdog(failsafe.command_timeout_s)
        self._torque_watchdog = Watchdog(failsafe.command_timeout_s)
        self._state_watchdog = Watchdog(failsafe.state_timeout_s)
        self._filter: StateFilter | None = None
        if parameters.filtered.type != "off":
            self._filter = StateFilter(parameters.filtered, parameters.period_s)
        gear = SteeringGear(parameters.steering_ratio, parameters.steering_cubic)
        self._steering = SteeringSpeed(gear, parameters.steering_speed_most_degps)
        self._inputs = NO_INPUT
        self._accel_mps2 = math.nan
        self._packet: vds1.Packet[vds1.State] | None = None
        self._packet_s = -math.inf
        self._steering_rate_radps = 0.0
        self._cause: Cause | None = None
        self._rejected: tuple[Notice, ...] = ()
        self._first_report = FirstReportWait()

    def endpoints(self) -> tuple[Endpoint, ...]:
        """One socket: STATE comes in, CMD goes out."""
        link = self._parameters.link
        return (
            Endpoint(
                ENDPOINT,
                (link.listen_host, link.listen_port),
                ((link.plant_host, link.plant_port),),
                peers=self._receiver.peers,
            ),
        )

    # ---- inputs --------------------------------------------------------------------------------

    def on_steer(self, steer_deg: float, now: float) -> None:
        """Receive `gripped_steer`: tyre angle [deg], positive to the left.

        A value that is not finite is no command: the last finite one holds until it is stale.
        """
        if not math.isfinite(steer_deg):
            self._rejected = STEER_REJECTED
            self._inputs = replace(self._inputs, steer_deg=steer_deg)
            return
        self._steer_watchdog.fed(now)
        steer_rad = math.radians(steer_deg)
        self._inputs = replace(self._inputs, steer_deg=steer_deg, steer_rad=steer_rad)

    def on_torque(self, torque_nm: float, now: float) -> None:
        """Receive `gripped_torque`: all wheels together [N m]."""
        self._torque_watchdog.fed(now)
        self._inputs = replace(self._inputs, torque_nm=torque_nm)

    def on_accel(self, accel_mps2: float) -> None:
        """Receive `gripped_accel` [m/s2]: sent as the advisory target of CMD."""
        self._accel_mps2 = accel_mps2

    def on_datagram(self, data: bytes, source: Address, now: float) -> tuple[Notice, ...]:
        """Receive a datagram; never raises on wire input."""
        if self._round_trip.takes(data, source, now):
            return ()
        outcome = self._receiver.receive(data, source, now)
        self._statistics.observe(outcome, now)
        if isinstance(outcome, vds1.Reject):
            if outcome.is_other_vehicle:
                return ()
            text = f"datagram from {source[0]}:{source[1]} dropped: {outcome}"
            text += hint(data, "link.accept_newer", accepts=self._parameters.link.accept_newer)
            return (Notice(notice_kinds.LINK_REJECT, text),)
        self._state_watchdog.fed(now)
        if self._packet is not None:
            self._update_steering_rate(self._packet, outcome.packet)
        self._packet, self._packet_s = outcome.packet, now
        self._inputs = replace(self._inputs, speed_mps=outcome.packet.body.vx_mps)
        return self._version.on_state(outcome.packet[0]) + self._newer.notice(outcome.packet)

    def _update_steering_rate(
        self, before: vds1.Packet[vds1.State], after: vds1.Packet[vds1.State]
    ) -> None:
        """Compute the rate of the tyre angle between two packets, by the vehicle's clock."""
        elapsed_s = after.timestamp_s - before.timestamp_s
        if not 0.0 < elapsed_s < 1.0:
            self._steering_rate_radps = 0.0
            return
        moved_rad = (
            after.body.steering_tire_angle_applied_rad - before.body.steering_tire_angle_applied_rad
        )
        self._steering_rate_radps = moved_rad / elapsed_s

    # ---- outputs -------------------------------------------------------------------------------

    def tick(self, now: float) -> BridgeOutput:
        """Run one period."""
        inputs = self._inputs
        state_stale = self._state_watchdog.expired(now)
        inputs = replace(
            inputs,
            steer_stale=inputs.steer_deg is not None and self._steer_watchdog.expired(now),
            torque_stale=self._torque_watchdog.expired(now),
            state_stale=state_stale or not self._version.is_settled,
        )
        decision = decide(inputs, self._map, self._parameters)
        steer_rad = self._steering.step(
            decision.steer_rad, self._parameters.period_s, active=decision.cause is Cause.DRIVEN
        )
        decision = replace(decision, steer_rad=steer_rad)
        version_notices = self._follow_version(inputs, decision, now)
        state = self._state(decision, state_stale)
        return BridgeOutput(
            datagrams=self._round_trip.with_probe(self._next_command(decision, now), now),
            decision=decision,
            state=state,
            filtered=self._filtered(state, state_stale),
            notices=version_notices + self._notices(decision.cause, now),
        )

    def stop(self, now: float) -> tuple[Datagram, ...]:
        """Return the final CMD: brake, steering held."""
        brake = self._parameters.failsafe.brake
        decision = Decision(self._inputs.steer_rad, 0.0, brake, Cause.COMMAND_STALE)
        return (self._command(decision, now),)

    def link(self, now: float) -> LinkSnapshot:
        """Return the statistics of STATE."""
        return self._statistics.snapshot(now)

    def round_trip(self, now: float) -> Mapping[str, float]:
        """Return the measured round trip by name; {} while it is not known."""
        return self._round_trip.figures(now)

    def sent_rate_hz(self, now: float) -> float:
        """Return the number of CMD packets in the last second."""
        return packet_rate_hz(self._sent_s, now)

    def _follow_version(self, inputs: Inputs, decision: Decision, now: float) -> tuple[Notice, ...]:
        """Torque that arrives is the wish to drive."""
        wanted = inputs.torque_nm is not None and not inputs.torque_stale
        driven = decision.cause is Cause.DRIVEN
        notices = self._version.update(now, wanted=wanted, autonomous=driven, silent=False)
        self._sender.version = self._version.current
        return notices

    def _next_command(self, decision: Decision, now: float) -> Datagram:
        """The decision's command, or the one that asks an unknown vehicle for STATE."""
        if self._version.is_asking:
            decision = replace(decision, throttle=0.0, brake=ASK_BRAKE)
        return self._command(decision, now)

    def _command(self, decision: Decision, now: float) -> Datagram:
        self._sent_s.append(now)
        advisory = decision.cause is Cause.DRIVEN and math.isfinite(self._accel_mps2)
        command = vds1.Command(
            steering_tire_angle_rad=decision.steer_rad,
            throttle=decision.throttle,
            brake=decision.brake,
            gear=vds1.Gear.DRIVE,
            handbrake=False,
            aux_accel_target_mps2=self._accel_mps2 if advisory else math.nan,
        )
        return Datagram(ENDPOINT, self._sender.command(command, now))

    def _state(self, decision: Decision, stale: bool) -> VehicleState | None:
        if self._packet is None:
            return None
        commanded = self._inputs.torque_nm is not None
        bus = bus_state(decision, commanded=commanded, state_stale=stale)
        return vehicle_state(
            self._packet.body,
            stamp_s=self._packet_s,
            steering_rate_radps=self._steering_rate_radps,
            parameters=self._parameters,
            decision=decision,
            bus=bus,
        )

    def _filtered(self, state: VehicleState | None, stale: bool) -> VehicleState | None:
        if self._filter is None or state is None:
            return None
        if stale:
            self._filter.reset()
            return state
        return self._filter.step(state)

    def _notices(self, cause: Cause, now: float) -> tuple[Notice, ...]:
        """Return a notice when the reason of the command changes or a value was rejected."""
        waits = self._packet is None
        notices = (*self._rejected, *(self._first_report.update(now) if waits else ()))
        self._rejected = ()
        if cause is self._cause:
            return notices
        self._cause = cause
        if waits and cause is Cause.STATE_STALE:  # not stale: the vehicle may be starting
            return notices
        return (*notices, Notice(KINDS[cause], cause.value))
