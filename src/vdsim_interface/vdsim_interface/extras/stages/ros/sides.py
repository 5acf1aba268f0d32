"""The values that the safety side and the vehicle side exchange <-> messages."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Time

from vdsim_interface.extras.explain.ros.trace_value import trace_value
from vdsim_interface.pipeline.trace import command_trace
from vdsim_interface.pipeline.vehicle_side import NOTHING_SENT
from vdsim_interface.ros.messages.conversions import (
    ToSeconds,
    ToStamp,
    odometry_message,
    odometry_value,
    raw_command,
    raw_command_message,
    relayed_command,
    seconds_of,
    state_report_message,
    time_message,
    vehicle_command_message,
)
from vdsim_interface.ros.messages.trace import trace_message
from vdsim_interface.values import (
    NOTHING_PARKED,
    AccelMeaning,
    Authority,
    Blinker,
    BodyCommand,
    BodyState,
    DriverActivity,
    Gear,
    Headlight,
    Holder,
    Mode,
    Notice,
    Parked,
    PlatformCommand,
    SafeCommand,
    Standing,
    Stop,
    Until,
    VehicleFeedback,
    Wiper,
    notice_kinds,
    state_report,
)
from vdsim_msgs.msg import (
    PlatformReport,
    StandingStop,
    VehicleStateCommand,
    VehicleStateReport,
)
from vdsim_msgs.msg import SafeCommand as SafeCommandMsg


def rejected(topic: str, why: object) -> Notice:
    """The notice of a message between stages that is not used."""
    return Notice(notice_kinds.LINK_REJECT, f"{topic} dropped: {why}")


# ---- from the safety side to the vehicle side ----------------------------------------------------


def safe_command_message(safe: SafeCommand, stamp: ToStamp = time_message) -> SafeCommandMsg:
    """The wire form of a SafeCommand."""
    command = safe.command
    message = SafeCommandMsg(
        authority=int(command.authority), mode=int(command.mode), meaning=int(command.meaning)
    )
    message.vehicle = vehicle_command_message(command.vehicle, stamp)
    message.body = _body_message(command.body, stamp(safe.stamp_s))
    message.has_raw = command.raw is not None
    message.engage_wanted = command.engage_wanted
    standing = command.standing
    message.holder = int(standing.holder)
    message.may_release = standing.may_release
    message.takes_gear = standing.takes_gear
    message.takes_hand_brake = standing.takes_hand_brake
    message.stops = [_stop_message(stop) for stop in safe.stops]
    message.engagement, message.emergency_n = safe.engagement, safe.emergency_n
    if command.raw is not None:
        message.raw = raw_command_message(command.raw, stamp)
    trace = command_trace(safe.stamp_s, safe, NOTHING_SENT, None)
    message.trace = trace_message(trace, safe.command_id, stamp)
    return message


def safe_command_value(message: SafeCommandMsg, seconds: ToSeconds = seconds_of) -> SafeCommand:
    """The value again. Raises ValueError for an undefined number or one that is not finite."""
    trace = trace_value(message.trace, seconds)
    return SafeCommand(
        stamp_s=trace.stamp_s,
        command=_platform_command(message, seconds),
        # What the filter changed follows from `controlled` and `filtered`.
        changes=tuple(c for c in trace.changes if c.kind != notice_kinds.LOW_PASS),
        received=trace.received,
        controlled=trace.controlled,
        filtered=trace.filtered,
        blocked=trace.blocked,
        command_id=message.trace.command_id,
        stops=tuple(_stop_value(stop) for stop in message.stops),
        engagement=message.engagement,
        emergency_n=message.emergency_n,
    )


def _stop_message(stop: Stop) -> StandingStop:
    return StandingStop(
        source=stop.source,
        decel_mps2=stop.decel_mps2,
        jerk_mps3=stop.jerk_mps3,
        until=int(stop.until),
    )


def _stop_value(message: StandingStop) -> Stop:
    if not (math.isfinite(message.decel_mps2) and math.isfinite(message.jerk_mps3)):
        raise ValueError("a stop is not finite")
    return Stop(message.source, message.decel_mps2, message.jerk_mps3, Until(message.until))


def _body_message(body: BodyCommand, stamp: Time) -> VehicleStateCommand:
    return VehicleStateCommand(
        stamp=stamp,
        blinker=int(body.blinker),
        headlight=int(body.headlight),
        wiper=int(body.wiper),
        gear=int(body.gear),
        hand_brake=body.hand_brake,
        horn=body.horn,
    )


def _platform_command(message: SafeCommandMsg, seconds: ToSeconds) -> PlatformCommand:
    body = message.body
    vehicle = relayed_command(message.vehicle, seconds)
    if not vehicle.is_finite():
        raise ValueError("the command is not finite")
    return PlatformCommand(
        Authority(message.authority),
        Mode(message.mode),
        vehicle,
        BodyCommand(
            Gear(body.gear),
            Blinker(body.blinker),
            Headlight(body.headlight),
            Wiper(body.wiper),
            body.hand_brake,
            body.horn,
        ),
        raw_command(message.raw, seconds(message.raw.stamp)) if message.has_raw else None,
        AccelMeaning(message.meaning),
        engage_wanted=message.engage_wanted,
        standing=Standing(
            Holder(message.holder),
            message.may_release,
            message.takes_gear,
            message.takes_hand_brake,
        ),
    )


# ---- from the vehicle side to the safety side ----------------------------------------------------


def feedback_message(feedback: VehicleFeedback, stamp: ToStamp = time_message) -> PlatformReport:
    """The wire form of a VehicleFeedback."""
    driver, body, parked = feedback.driver, feedback.body, feedback.parked
    return PlatformReport(
        odometry=odometry_message(feedback.odometry, stamp),
        body=state_report_message(
            state_report(body, Mode.MANUAL), feedback.odometry.stamp_s, stamp
        ),
        driver_pedal=driver.pedal,
        driver_wheel=driver.wheel,
        driver_gear_lever=driver.gear_lever,
        driver_switch=driver.switch,
        driver_accelerator=driver.accelerator,
        ready=feedback.ready,
        fault=feedback.fault,
        doubt=feedback.doubt,
        wheel_speed_mps=feedback.wheel_mps,
        hand_brake_ours=parked.hand_brake,
        park_ours=parked.gear_before is not None,
        gear_before_park=int(parked.gear_before or Gear.DRIVE),
        holds_parking=parked.is_held,
    )


def feedback_value(message: PlatformReport, seconds: ToSeconds) -> VehicleFeedback:
    """The value again. Raises ValueError for an undefined number."""
    return VehicleFeedback(
        odometry_value(message.odometry, seconds(message.odometry.stamp)),
        _body_state(message.body),
        DriverActivity(
            pedal=message.driver_pedal,
            wheel=message.driver_wheel,
            gear_lever=message.driver_gear_lever,
            switch=message.driver_switch,
            accelerator=message.driver_accelerator,
        ),
        message.ready,
        message.fault,
        message.doubt,
        message.wheel_speed_mps,
        _parked(message),
    )


def _parked(message: PlatformReport) -> Parked:
    if not (message.hand_brake_ours or message.park_ours or message.holds_parking):
        return NOTHING_PARKED
    before = Gear(message.gear_before_park) if message.park_ours else None
    return Parked(message.hand_brake_ours, before, message.holds_parking)


def _body_state(message: VehicleStateReport) -> BodyState:
    return BodyState(
        Gear(message.gear),
        Blinker(message.blinker),
        Headlight(message.headlight),
        Wiper(message.wiper),
        message.hand_brake,
        message.horn,
        float(message.fuel),
    )
