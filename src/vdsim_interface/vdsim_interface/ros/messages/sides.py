"""The values that the safety side and the vehicle side exchange <-> messages."""

from __future__ import annotations

from builtin_interfaces.msg import Time

from vdsim_interface.pipeline.output import command_trace
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
from vdsim_interface.ros.messages.trace import trace_message, trace_value
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    Blinker,
    BodyCommand,
    BodyState,
    DriverActivity,
    Gear,
    Headlight,
    Mode,
    Notice,
    PlatformCommand,
    SafeCommand,
    VehicleFeedback,
    Wiper,
    notice_kinds,
    state_report,
)
from vdsim_msgs.msg import (
    PlatformReport,
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
    message.sets_parking = command.sets_parking
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
    )


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
        sets_parking=message.sets_parking,
    )


# ---- from the vehicle side to the safety side ----------------------------------------------------


def feedback_message(feedback: VehicleFeedback, stamp: ToStamp = time_message) -> PlatformReport:
    """The wire form of a VehicleFeedback."""
    driver, body = feedback.driver, feedback.body
    return PlatformReport(
        odometry=odometry_message(feedback.odometry, stamp),
        body=state_report_message(
            state_report(body, Mode.MANUAL), feedback.odometry.stamp_s, stamp
        ),
        driver_pedal=driver.pedal,
        driver_wheel=driver.wheel,
        driver_gear_lever=driver.gear_lever,
        driver_switch=driver.switch,
        ready=feedback.ready,
        fault=feedback.fault,
        doubt=feedback.doubt,
        wheel_speed_mps=feedback.wheel_mps,
        hand_brake_ours=feedback.hand_brake_ours,
        park_ours=feedback.gear_before_park is not None,
        gear_before_park=int(feedback.gear_before_park or Gear.DRIVE),
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
        ),
        message.ready,
        message.fault,
        message.doubt,
        message.wheel_speed_mps,
        message.hand_brake_ours,
        Gear(message.gear_before_park) if message.park_ours else None,
    )


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
