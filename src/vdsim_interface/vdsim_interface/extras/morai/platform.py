"""Platform `morai`: Ego Ctrl Cmd and lamps to the simulator, Ego Vehicle Status from it."""

import math
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import replace

from vdsim_interface.extras.morai.command import LAMPS, MORAI_GEARS, CommandMaker
from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.extras.morai.pause import PauseWatch
from vdsim_interface.extras.morai.report import (
    TIME_SINCE,
    YawRate,
    gear_of,
    normalised_rad,
    report_of,
)
from vdsim_interface.extras.morai.steer_sign import SteerSign
from vdsim_interface.platforms.body_model import BodyModel
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.wire import Address, Datagram, Encoded, Endpoint, Received
from vdsim_interface.sensors.packet_rate import packet_rate_hz
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    Blinker,
    Change,
    DriverActivity,
    Gear,
    Mode,
    Notice,
    PlatformCommand,
    VehicleReport,
    WireCommand,
    notice_kinds,
)
from vdsim_protocol import morai

CONTROL, LAMP = "morai", "morai_lamps"
LAMP_PERIOD_S = 1.0
"""Lamp commands are repeated at this period, in case one is lost."""
STAMPS_N = 1000
"""More than arrive or leave in the second over which a rate is counted."""

DRIVES = 0.1
"""A pedal, an acceleration [m/s2] or a velocity [km/h] above this moves a car."""
PAUSED_TEXT = (
    "the simulator is paused: its status repeats; start it, or load a scenario without set_pause"
)
RUNS_TEXT = "the simulator runs again, as far as its status shows"
KEYBOARD_TEXT = (
    "the simulator is on its keyboard: a person has switched it, or a scenario was loaded; ask to "
    "engage to drive again"
)

__all__ = ["MORAI_GEARS", "MoraiPlatform"]


class MoraiPlatform:
    """The ego vehicle of a simulator."""

    def __init__(self, parameters: MoraiParameters, setup: PlatformSetup) -> None:
        self._parameters = parameters
        self._maker = CommandMaker(parameters, setup.geometry, load_pedal_map(parameters.pedal_map))
        self._body = BodyModel(
            Gear.PARK,
            1000.0 * parameters.range_km,
            frozenset({"gear"}),
            parameters.initial_fuel_percent,
        )
        self._yaw_rate = YawRate()
        self._speed_mps = 0.0
        self._sequence = 0
        self._arrivals: deque[float] = deque(maxlen=STAMPS_N)
        self._sent_s: deque[float] = deque(maxlen=STAMPS_N)
        self._accepted = 0
        self._rejected: Counter[str] = Counter()
        self._blinker: Blinker | None = None
        self._lamps_s = -math.inf
        self._commanding = False
        self._sent_rad = math.nan
        self._auto_seen = False
        self._has_driven = False
        self._sign = SteerSign(setup.geometry.wheelbase_m)
        self._pause = PauseWatch()
        self._was_wrong = self._was_paused = self._was_keyboard = False

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return a socket for the ego vehicle in both directions, and one that only sends lamps."""
        p = self._parameters
        return (
            Endpoint(CONTROL, (p.listen_host, p.status_port), ((p.sim_host, p.control_port),)),
            Endpoint(LAMP, None, ((p.sim_host, p.lamp_port),)),
        )

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Encode Ego Ctrl Cmd, and the lamps when they change or once a second."""
        if command.authority is Authority.SILENT:
            self._commanding = self._auto_seen = False
            self._sent_rad = math.nan
            self._pause.on_command(now, drives=False)
            return Encoded(())
        self._commanding = True
        self._has_driven = self._has_driven or command.mode is Mode.AUTONOMOUS
        if self._accepted:  # before the first status the body is unknown and not commanded
            self._body.apply(command.body)
        message = self._maker.make(command, self._speed_mps)
        data = morai.encode(message, self._parameters.command_generation)
        self._sent_s.append(now)
        self._pause.on_command(now, drives=_drives(message))
        pedals = message.cmd_type == morai.CmdType.PEDALS
        wire = WireCommand(
            front_wheel_angle_rad=self._maker.angle_rad(message),
            throttle=message.accel if pedals else math.nan,
            brake=message.brake if pedals else math.nan,
            long_accel_mps2=message.acceleration_mps2
            if message.cmd_type == morai.CmdType.ACCELERATION
            else math.nan,
        )
        self._sent_rad = wire.front_wheel_angle_rad
        datagrams = (Datagram(CONTROL, data), *self._lamps(command.body.blinker, now))
        effort = math.nan
        if command.raw is not None:
            effort = self._maker.effort_mps2(message, self._speed_mps)
        return Encoded(
            datagrams, changes=self._limited(command, wire), wire=wire, effort_mps2=effort
        )

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Decode Ego Vehicle Status; anything else is rejected with a reason."""
        outcome = morai.decode(datagram)
        reason = ""
        if self._parameters.only_from_sim and source[0] != self._parameters.sim_host:
            reason, text = "source", "does not come from the simulator"
        elif isinstance(outcome, morai.Reject):
            reason, text = outcome.reason.value, str(outcome)
        elif not isinstance(outcome.body, morai.EgoVehicleStatus):
            reason, text = "message", f"is {outcome.kind.title}, not Ego Vehicle Status"
        if reason:
            self._rejected[reason] += 1
            text = f"datagram from {source[0]}:{source[1]} dropped: {text}"
            return Received(None, (Notice(notice_kinds.LINK_REJECT, text),))
        assert isinstance(outcome, morai.Packet)
        report = self._report(outcome, now)
        return Received(report, self._news(report))

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Return nothing: the vehicle is in another process."""
        return ()

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Refuse: the simulator's command has no additional controls."""
        names = ", ".join(name for name, _ in command.values)
        text = f"auxiliary control {names} ignored: this platform has none"
        return (Notice(notice_kinds.PLATFORM_LIMIT, text),)

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return the statistics that need no sequence numbers."""
        arrivals = self._arrivals
        values = {
            "accepted": float(self._accepted),
            "rate_hz": packet_rate_hz(arrivals, now),
            "sent_rate_hz": packet_rate_hz(self._sent_s, now),
            "age_s": now - arrivals[-1] if arrivals else math.nan,
            "paused": float(self._pause.is_paused),
        }
        for reason, count in self._rejected.items():
            values[f"rejected_{reason}"] = float(count)
        return values

    def _report(self, packet: morai.Packet, now: float) -> VehicleReport:
        status = packet.body
        self._accepted += 1
        self._sequence += 1
        self._arrivals.append(now)
        yaw_rate = self._yaw_rate.add(normalised_rad(status.heading_deg), now)
        driver = DriverActivity(switch=self._driver_took_over(status))
        speed = status.signed_velocity_kph / 3.6
        body = replace(self._body.advance(speed, now), gear=gear_of(status))
        self._speed_mps = speed
        report = report_of(
            packet,
            self._parameters,
            body=body,
            driver=driver,
            yaw_rate_radps=yaw_rate,
            sequence=self._sequence,
            now=now,
        )
        self._pause.on_status(status, packet.generation, now)
        # The time of a pause is added to the simulator's, or each later report would look late.
        if packet.generation >= TIME_SINCE and self._pause.paused_s:
            time_s = report.vehicle_time_s + self._pause.paused_s
            report = report._replace(vehicle_time_s=time_s)
        follows = status.ctrl_mode == morai.CtrlMode.AUTO
        self._sign.add(report, self._sent_rad if follows else math.nan)
        paused, wrong = self._pause.is_paused, self._sign.is_wrong
        if not (paused or wrong):
            return report
        fault = self._sign.advice(self._parameters) if wrong else ""
        return report._replace(ready=not paused, paused=paused, fault=fault)

    def _news(self, report: VehicleReport) -> tuple[Notice, ...]:
        """Return what has changed at the simulator, each change once."""
        if not (report.fault or not report.ready or report.driver.switch):
            was_paused, self._was_paused = self._was_paused, False
            self._was_wrong = self._was_keyboard = False
            return (_news(RUNS_TEXT),) if was_paused else ()
        texts = []
        if report.fault and not self._was_wrong:
            texts.append(report.fault)
        if not report.ready and not self._was_paused:
            texts.append(PAUSED_TEXT)
        if report.driver.switch and not self._was_keyboard:
            texts.append(KEYBOARD_TEXT)
        self._was_wrong, self._was_paused = bool(report.fault), not report.ready
        self._was_keyboard = report.driver.switch
        return tuple(map(_news, texts))

    def _driver_took_over(self, status: morai.EgoVehicleStatus) -> bool:
        """True when a person has switched the simulator to the keyboard during commands.

        Before the first autonomy there is nothing to take over: a scenario that is loaded then puts
        the simulator on its keyboard, and the first command must still engage by itself.
        """
        if status.ctrl_mode == morai.CtrlMode.AUTO:
            self._auto_seen = self._commanding and self._has_driven
        return self._auto_seen and status.ctrl_mode == morai.CtrlMode.KEYBOARD

    def _lamps(self, blinker: Blinker, now: float) -> tuple[Datagram, ...]:
        if blinker is self._blinker and 0.0 <= now - self._lamps_s < LAMP_PERIOD_S:
            return ()
        self._blinker, self._lamps_s = blinker, now
        return (Datagram(LAMP, morai.encode(LAMPS[blinker])),)

    def _limited(self, command: PlatformCommand, wire: WireCommand) -> tuple[Change, ...]:
        """Return the changes when pedals or steering are saturated."""
        if command.raw is not None:
            return self._maker.raw_pedals(command.raw).changes
        changes: tuple[Change, ...] = ()
        asked_mps2 = command.vehicle.long_accel_mps2
        reachable_mps2 = self._maker.reachable_mps2(command, self._speed_mps)
        if reachable_mps2 != asked_mps2:
            channel = "long_accel_mps2"
            changes = (Change(notice_kinds.PLATFORM_LIMIT, channel, asked_mps2, reachable_mps2),)
        requested_rad = command.vehicle.front_wheel_angle_rad
        sent_rad = wire.front_wheel_angle_rad
        if abs(sent_rad - requested_rad) < 1e-6:
            return changes
        channel = "front_wheel_angle_rad"
        return (*changes, Change(notice_kinds.PLATFORM_LIMIT, channel, requested_rad, sent_rad))


def _drives(message: morai.EgoCtrlCmd) -> bool:
    """Return whether a command is to move the car."""
    forward = message.gear in (morai.Gear.DRIVE, morai.Gear.LOW, morai.Gear.REVERSE)
    push = max(message.accel - message.brake, message.acceleration_mps2, message.velocity_kph)
    return forward and push > DRIVES


def _news(text: str) -> Notice:
    return Notice(notice_kinds.VEHICLE_NEWS, text)
