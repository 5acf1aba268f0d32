"""Platform `vds1`: PlatformCommand -> CMD packets, STATE packets -> VehicleReport."""

import math
from collections import deque
from collections.abc import Mapping

from vdsim_protocol.link import LinkStatistics

from vdsim_interface.platforms.auxiliary import accepted
from vdsim_interface.platforms.body_model import BodyModel
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface.platforms.raw import raw_pedals
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1.newer import NewerVersions, hint
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.report import report_of
from vdsim_interface.platforms.vds1.round_trip import RoundTrip
from vdsim_interface.platforms.vds1.wire_version import ASK_BRAKE, Link, WireVersion
from vdsim_interface.platforms.wire import Address, Datagram, Encoded, Endpoint, Received
from vdsim_interface.sensors.packet_rate import packet_rate_hz
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    BodyCommand,
    Change,
    Gear,
    Mode,
    Notice,
    PlatformCommand,
    VehicleReport,
    WireCommand,
    notice_kinds,
    travel_direction,
)
from vdsim_interface.values.records import record
from vdsim_interface.values.speeds import ROLLING_MPS
from vdsim_protocol import vds1

VDS1_GEARS: dict[Gear, int] = {
    Gear.DRIVE: vds1.Gear.DRIVE,
    Gear.LOW: vds1.Gear.DRIVE,
    Gear.REVERSE: vds1.Gear.REVERSE,
    Gear.PARK: vds1.Gear.NEUTRAL,
    Gear.NEUTRAL: vds1.Gear.NEUTRAL,
}
"""PARK is neutral with the hand brake set: VDS1 has no parking lock."""
AUXILIARY = ("aux_accel_target_mps2", "aux_speed_target_mps")
AUXILIARY_TIMEOUT_S = 0.5
NO_TARGETS = (math.nan, math.nan)
NO_TARGET = (math.nan, -math.inf)
# Plain names: an attribute of an enumeration costs as much as a call.
AUTONOMOUS, SILENT, PARK, ASKED = Mode.AUTONOMOUS, Authority.SILENT, Gear.PARK, Link.ASKED
ENDPOINT = "vds1"


class Vds1Platform:
    """One vehicle at the other end of a VDS1 link, for example a simulator ([VI-4.3.1])."""

    def __init__(self, parameters: Vds1Parameters, setup: PlatformSetup) -> None:
        self._parameters = parameters
        self._geometry = setup.geometry
        self._pedal_map = load_pedal_map(parameters.pedal_map)
        self._version = WireVersion(parameters.version, parameters.vehicle_id, "vds1.version")
        self._sender = vds1.Sender(self._version.current, parameters.vehicle_id)
        self._receiver = vds1.Receiver(
            vds1.State,
            allowed_sources=parameters.state_sources,
            vehicle_ids=(parameters.vehicle_id,),
            silence_s=parameters.silence_s,
            accept_newer=parameters.accept_newer,
        )
        self._newer = NewerVersions()
        self._round_trip = RoundTrip(parameters, ENDPOINT)
        self._statistics = LinkStatistics()
        self._body = BodyModel(
            Gear[parameters.initial_gear],
            1000.0 * parameters.range_km,
            frozenset(),
            parameters.initial_fuel_percent,
        )
        self._sent_s: deque[float] = deque(maxlen=1000)
        self._has_reported = False
        self._commanded: BodyCommand | None = None
        self._pedal_ends = self._pedal_map.pedals[0], self._pedal_map.pedals[-1]
        self._speed_mps = 0.0
        self._steer_rad = 0.0
        self._auxiliary: dict[str, tuple[float, float]] = {}

    def endpoints(self) -> tuple[Endpoint, ...]:
        """One socket: STATE comes in, CMD goes out."""
        parameters = self._parameters
        return (
            Endpoint(
                ENDPOINT,
                listen=(parameters.listen_host, parameters.listen_port),
                send_to=((parameters.plant_host, parameters.plant_port),),
                peers=self._receiver.peers,
            ),
        )

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Encode a command as one CMD packet."""
        version = self._version
        authority, mode, vehicle, body, raw, _, hold_mps2, past_map, no_drive, wanted, _ = command
        silent = authority is SILENT
        notices = version.update(now, wanted, mode is AUTONOMOUS, silent)
        self._sender.version = version.current
        if version.state is ASKED:
            return self._ask(command, now)._replace(notices=notices)
        if silent:
            if version.keeps and abs(self._speed_mps) <= ROLLING_MPS:
                return self._ask(command, now)
            return Encoded(())
        if self._has_reported:
            self._commanded = body
        selected = body.gear
        gear = VDS1_GEARS[selected]
        changes: tuple[Change, ...] = ()
        effort = math.nan
        if raw is not None:
            pedals = raw_pedals(
                raw, self._parameters, self._geometry.front_wheel_angle_max_rad, 0.0
            )
            throttle, brake, steer, _, changes = pedals
            effort = self._pedal_map.effort(throttle, brake, self._speed_mps)
        else:
            _, accel, steer, _ = vehicle
            speed, pedal_map = self._speed_mps, self._pedal_map
            sense = gear or travel_direction(selected, speed)
            effort = sense * accel
            pedal = pedal_map.pedal(effort, speed)
            if no_drive and pedal > 0.0:
                pedal = 0.0
                effort = pedal_map.accel(pedal, speed)
            throttle, brake = (pedal, 0.0) if pedal > 0.0 else (0.0, -pedal)
            least, most = self._pedal_ends
            if past_map and pedal <= least:
                brake = pedal_map.brake(-effort, speed)
                effort = pedal_map.effort(0.0, brake, speed)
            elif not least < pedal < most:
                changes = self._limited(effort, pedal, sense)
                effort = pedal_map.accel(pedal, speed)
            if hold_mps2:
                brake = max(brake, pedal_map.brake(hold_mps2, speed))
        locked = body.hand_brake or selected is PARK
        accel_target, speed_target = NO_TARGETS
        if self._auxiliary and authority is Authority.COMMAND:
            accel_target, speed_target = self._targets(now)
        wire = record(
            vds1.CommandValues,
            (steer, throttle, brake, gear, locked, accel_target, speed_target),
        )
        sent = record(WireCommand, (steer, throttle, brake, math.nan))
        return self._send(wire, sent, changes, now, effort)

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Decode a STATE packet, or the answer to a probe."""
        if self._round_trip.takes(datagram, source, now):
            return Received(None)
        outcome = self._receiver.receive(datagram, source, now)
        self._statistics.observe(outcome, now)
        if isinstance(outcome, vds1.Reject):
            if outcome.is_other_vehicle:
                return Received(None)
            text = f"datagram from {source[0]}:{source[1]} dropped: {outcome}"
            text += hint(datagram, "vds1.accept_newer", accepts=self._parameters.accept_newer)
            return Received(None, (Notice(notice_kinds.LINK_REJECT, text),))
        state = outcome.packet.body
        self._speed_mps = state.vx_mps
        self._steer_rad = state.steering_tire_angle_applied_rad
        body = self._present_body()
        if not self._has_reported:
            self._has_reported = True
            if abs(state.vx_mps) > ROLLING_MPS:
                body.assume_gear(Gear.DRIVE if state.vx_mps > 0.0 else Gear.REVERSE)
        effort = self._applied_effort(state)
        notices = self._version.on_state(outcome.packet[0]) + self._newer.notice(outcome.packet)
        report = report_of(outcome.packet, body.advance(state.vx_mps, now), effort, now)
        if not self._version.is_settled:
            report = report._replace(ready=False)
        return Received(report, notices)

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Return nothing: the vehicle is at the other end of a wire."""
        return ()

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Use the advisory targets of CMD; each is sent until it is half a second old."""
        values, notices = accepted(command, AUXILIARY)
        for name, value in values:
            self._auxiliary[name] = value, now
        return notices

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return link statistics by name."""
        link = self._statistics.snapshot(now)
        clock, counters = link.clock, self._receiver.counters()
        values = {
            "accepted": float(link.accepted),
            "lost": float(link.lost),
            "loss_ratio": link.loss_ratio,
            "reordered": float(link.reordered),
            "duplicates": float(link.duplicates),
            "clamped": float(counters.clamped),
            "newer_version": float(counters.newer),
            "other_vehicles": float(link.other_vehicles),
            "sessions": float(link.sessions),
            "rate_hz": link.rate_hz,
            "sent_rate_hz": packet_rate_hz(self._sent_s, now),
            "age_s": math.nan if link.age_s is None else link.age_s,
            "jitter_s": link.jitter_s,
            "clock_offset_s": math.nan if clock is None else -clock.offset_s,
            "clock_skew_ppm": math.nan if clock is None else -clock.skew_ppm,
        }
        values |= self._round_trip.figures(now) | self._version.figures()
        for reason, count in link.rejected.items():
            values[f"rejected_{reason.value}"] = float(count)
        return values

    def _ask(self, command: PlatformCommand, now: float) -> Encoded:
        """Send the fail-safe command in the version whose turn it is, whoever drives."""
        steer = command.vehicle.front_wheel_angle_rad
        wire = vds1.CommandValues(
            steering_tire_angle_rad=steer,
            throttle=0.0,
            brake=ASK_BRAKE,
            gear=VDS1_GEARS[command.body.gear],
            handbrake=command.body.hand_brake,
            aux_accel_target_mps2=math.nan,
            aux_speed_target_mps=math.nan,
        )
        return self._send(wire, WireCommand(steer, 0.0, ASK_BRAKE), (), now)

    def _send(
        self,
        packet: vds1.CommandValues,
        sent: WireCommand,
        changes: tuple[Change, ...],
        now: float,
        effort_mps2: float = math.nan,
    ) -> Encoded:
        sender = self._sender
        sequence = sender.next_seq
        self._sent_s.append(now)
        command = record(Datagram, (ENDPOINT, sender.command(packet, now)))
        probes = self._round_trip.is_asked
        datagrams = self._round_trip.with_probe(command, now) if probes else (command,)
        return record(Encoded, (datagrams, sequence, changes, sent, effort_mps2, (), True))

    def _applied_effort(self, state: vds1.State) -> float:
        """Return what the applied pedals give on level ground [m/s2]; nan below wire version 5."""
        throttle, brake = state.throttle_applied, state.brake_applied
        if not math.isfinite(throttle + brake):
            return math.nan
        return self._pedal_map.effort(throttle, brake, state.vx_mps)

    def _present_body(self) -> BodyModel:
        """Return the body model after applying the last command (only when needed)."""
        if self._commanded is not None:
            self._body.apply(self._commanded)
        return self._body

    def _targets(self, now: float) -> tuple[float, ...]:
        """Return the targets in the order of AUXILIARY; NaN for one that is missing or too old."""
        targets = [self._auxiliary.get(name, NO_TARGET) for name in AUXILIARY]
        return tuple(
            value if 0.0 <= now - stamp_s <= AUXILIARY_TIMEOUT_S else math.nan
            for value, stamp_s in targets
        )

    def _limited(self, drive_mps2: float, pedal: float, sense: int) -> tuple[Change, ...]:
        """Return the change when the pedals cannot give the commanded acceleration."""
        possible = self._pedal_map.accel(pedal, self._speed_mps)
        if abs(possible - drive_mps2) < 1e-6:
            return ()
        channel = "long_accel_mps2"
        return (Change(notice_kinds.PLATFORM_LIMIT, channel, sense * drive_mps2, sense * possible),)
