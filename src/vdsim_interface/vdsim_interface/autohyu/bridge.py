"""The bridge between AutoHYU's topics and a VDS1 vehicle: a protocol gateway without clock or I/O.

    gripped_steer, gripped_torque -> rules and pedals -> CMD
    STATE -> vehicle_state, vehicle_state_filtered

It stands where a real vehicle's CAN transmitter and parser stand.
"""

import math
from collections import deque
from dataclasses import dataclass, replace

from vdsim_protocol.link import LinkSnapshot, LinkStatistics
from vdsim_protocol.watchdog import Watchdog

from vdsim_interface.autohyu.parameters import AutohyuParameters
from vdsim_interface.autohyu.rules import Cause, Decision, Heard, decide
from vdsim_interface.autohyu.smoothing import StateFilter
from vdsim_interface.autohyu.torque_map import TorqueMap
from vdsim_interface.autohyu.vehicle_state import VehicleState, bus_state, vehicle_state
from vdsim_interface.platforms.packet_rate import packet_rate_hz
from vdsim_interface.platforms.spec import Address, Datagram, Endpoint
from vdsim_interface.values import Notice, notice_kinds
from vdsim_protocol import vds1

ENDPOINT = "vds1"
NOTHING_HEARD = Heard(None, None, 0.0, 0.0, command_silent=False, state_silent=True)
KINDS = {
    Cause.DRIVEN: notice_kinds.LINK_RESTORED,
    Cause.NO_TORQUE_YET: notice_kinds.MODE_CHANGED,
    Cause.STEER_NOT_FINITE: notice_kinds.NON_FINITE_COMMAND,
    Cause.TORQUE_NOT_FINITE: notice_kinds.NON_FINITE_COMMAND,
    Cause.COMMAND_SILENT: notice_kinds.COMMAND_TIMEOUT,
    Cause.STATE_SILENT: notice_kinds.LINK_TIMEOUT,
}


@dataclass(frozen=True)
class BridgeOutput:
    """One period: CMD for the wire, and what to publish; None before the first STATE."""

    datagrams: tuple[Datagram, ...]
    decision: Decision
    state: VehicleState | None
    filtered: VehicleState | None
    notices: tuple[Notice, ...]


class AutohyuBridge:
    """One vehicle."""

    def __init__(self, parameters: AutohyuParameters, torque_map: TorqueMap) -> None:
        self._parameters = parameters
        self._map = torque_map
        link, failsafe = parameters.link, parameters.failsafe
        self._sender = vds1.Sender(link.version, link.vehicle_id)
        allowed = (link.plant_host,) if link.only_from_plant else None
        self._receiver = vds1.Receiver(
            vds1.State, allowed_sources=allowed, vehicle_ids=(link.vehicle_id,)
        )
        self._statistics = LinkStatistics()
        self._sent_s: deque[float] = deque(maxlen=1000)
        self._steer_watchdog = Watchdog(failsafe.command_timeout_s)
        self._torque_watchdog = Watchdog(failsafe.command_timeout_s)
        self._state_watchdog = Watchdog(failsafe.state_timeout_s)
        self._filter: StateFilter | None = None
        if parameters.filtered.type != "off":
            self._filter = StateFilter(parameters.filtered, parameters.period_s)
        self._heard = NOTHING_HEARD
        self._accel_mps2 = math.nan
        self._packet: vds1.Packet[vds1.State] | None = None
        self._packet_s = -math.inf
        self._steering_rate_radps = 0.0
        self._cause: Cause | None = None

    def endpoints(self) -> tuple[Endpoint, ...]:
        """One socket: STATE comes in, CMD goes out."""
        link = self._parameters.link
        return (
            Endpoint(
                ENDPOINT,
                (link.listen_host, link.listen_port),
                ((link.plant_host, link.plant_port),),
            ),
        )

    # ---- what comes in -------------------------------------------------------------------------

    def on_steer(self, steer_deg: float, now: float) -> None:
        """Take `gripped_steer`: tyre angle [deg], positive to the left."""
        self._steer_watchdog.fed(now)
        finite = math.isfinite(steer_deg)
        kept = math.radians(steer_deg) if finite else self._heard.steer_rad
        self._heard = replace(self._heard, steer_deg=steer_deg, steer_rad=kept)

    def on_torque(self, torque_nm: float, now: float) -> None:
        """Take `gripped_torque`: all wheels together [N m]."""
        self._torque_watchdog.fed(now)
        self._heard = replace(self._heard, torque_nm=torque_nm)

    def on_accel(self, accel_mps2: float) -> None:
        """Take `gripped_accel` [m/s2]: goes on as the advisory target of CMD."""
        self._accel_mps2 = accel_mps2

    def on_datagram(self, data: bytes, source: Address, now: float) -> tuple[Notice, ...]:
        """Take a STATE packet; never raises on what a wire can bring."""
        outcome = self._receiver.receive(data, source, now)
        self._statistics.observe(outcome, now)
        if isinstance(outcome, vds1.Reject):
            text = f"datagram from {source[0]}:{source[1]} dropped: {outcome}"
            return (Notice(notice_kinds.LINK_REJECT, text),)
        self._state_watchdog.fed(now)
        if self._packet is not None:
            self._turn(self._packet, outcome.packet)
        self._packet, self._packet_s = outcome.packet, now
        self._heard = replace(self._heard, speed_mps=outcome.packet.body.vx_mps)
        return ()

    def _turn(self, before: vds1.Packet[vds1.State], after: vds1.Packet[vds1.State]) -> None:
        """The rate of the tyre angle between two packets, by the vehicle's own clock."""
        elapsed_s = after.timestamp_s - before.timestamp_s
        if not 0.0 < elapsed_s < 1.0:
            self._steering_rate_radps = 0.0
            return
        moved_rad = (
            after.body.steering_tire_angle_applied_rad - before.body.steering_tire_angle_applied_rad
        )
        self._steering_rate_radps = moved_rad / elapsed_s

    # ---- what goes out -------------------------------------------------------------------------

    def tick(self, now: float) -> BridgeOutput:
        """One period."""
        heard = self._heard
        silent = heard.torque_nm is not None and (
            self._torque_watchdog.expired(now)
            or (heard.steer_deg is not None and self._steer_watchdog.expired(now))
        )
        state_silent = self._state_watchdog.expired(now)
        heard = replace(heard, command_silent=silent, state_silent=state_silent)
        decision = decide(heard, self._map, self._parameters)
        state = self._state(decision, state_silent)
        return BridgeOutput(
            (self._command(decision, now),),
            decision,
            state,
            self._filtered(state, state_silent),
            self._news(decision.cause),
        )

    def stop(self, now: float) -> tuple[Datagram, ...]:
        """The last word on the wire: brake, steering held."""
        brake = self._parameters.failsafe.brake
        decision = Decision(self._heard.steer_rad, 0.0, brake, Cause.COMMAND_SILENT)
        return (self._command(decision, now),)

    def link(self, now: float) -> LinkSnapshot:
        """How STATE arrives."""
        return self._statistics.snapshot(now)

    def sent_rate_hz(self, now: float) -> float:
        """CMD packets in the last second."""
        return packet_rate_hz(self._sent_s, now)

    def _command(self, decision: Decision, now: float) -> Datagram:
        self._sent_s.append(now)
        driven = decision.cause is Cause.DRIVEN
        command = vds1.Command(
            decision.steer_rad,
            decision.throttle,
            decision.brake,
            vds1.Gear.DRIVE,
            False,
            self._accel_mps2 if driven and math.isfinite(self._accel_mps2) else math.nan,
        )
        return Datagram(ENDPOINT, self._sender.command(command, now))

    def _state(self, decision: Decision, silent: bool) -> VehicleState | None:
        if self._packet is None:
            return None
        p = self._parameters
        origin = p.reference.ref_lat_deg, p.reference.ref_lon_deg, p.reference.ref_alt_m
        commanded = self._heard.torque_nm is not None
        bus = bus_state(decision, commanded=commanded, state_silent=silent)
        return vehicle_state(
            self._packet.body,
            self._packet_s,
            self._steering_rate_radps,
            p.steering_ratio,
            decision,
            bus,
            origin,
        )

    def _filtered(self, state: VehicleState | None, silent: bool) -> VehicleState | None:
        if self._filter is None or state is None:
            return None
        if silent:
            self._filter.reset()
            return state
        return self._filter.step(state)

    def _news(self, cause: Cause) -> tuple[Notice, ...]:
        """Say once why the vehicle is driven as it is, and again when that changes."""
        if cause is self._cause:
            return ()
        self._cause = cause
        return (Notice(KINDS[cause], cause.value),)
