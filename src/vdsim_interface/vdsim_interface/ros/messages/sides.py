"""What the safety stage and the platform say to each other <-> messages."""

from __future__ import annotations

from vdsim_interface.ros.messages.conversions import (
    odometry_message,
    raw_command,
    raw_command_message,
    relayed_command,
    seconds_of,
    state_report_message,
    time_message,
    vehicle_command_message,
)
from vdsim_interface.values import (
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
    VehicleCommand,
    VehicleReport,
    Wiper,
    notice_kinds,
    state_report,
)
from vdsim_msgs.msg import (
    PlatformReport,
    SafeCommand,
    VehicleControlCommand,
    VehicleStateCommand,
    VehicleStateReport,
)


def dropped(topic: str, why: object) -> Notice:
    """What is said of a message between stages that is not taken."""
    return Notice(notice_kinds.LINK_REJECT, f"{topic} dropped: {why}")


def received_command(message: VehicleControlCommand, now: float) -> VehicleCommand:
    """A command from the stage before, as old as it says.

    One that is ahead of our clock counts as said now: the stages follow simulated time each for
    itself, and a stamp from before time jumped back would be fresh for the length of the jump.
    """
    command = relayed_command(message)
    return command if command.stamp_s <= now else command._replace(stamp_s=now)


def safe_command_message(command: PlatformCommand, now: float) -> SafeCommand:
    """A command for the platform; its trace is filled in by the stage."""
    message = SafeCommand(authority=int(command.authority), mode=int(command.mode))
    message.vehicle = vehicle_command_message(command.vehicle)
    message.body = _body_message(command.body, now)
    message.has_raw = command.raw is not None
    if command.raw is not None:
        message.raw = raw_command_message(command.raw)
    return message


def _body_message(body: BodyCommand, now: float) -> VehicleStateCommand:
    return VehicleStateCommand(
        stamp=time_message(now),
        blinker=int(body.blinker),
        headlight=int(body.headlight),
        wiper=int(body.wiper),
        gear=int(body.gear),
        hand_brake=body.hand_brake,
        horn=body.horn,
    )


def platform_command(message: SafeCommand) -> PlatformCommand:
    """The same, back as a value. Raises ValueError for an undefined or not finite number."""
    body = message.body
    vehicle = relayed_command(message.vehicle)
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
        raw_command(message.raw, seconds_of(message.raw.stamp)) if message.has_raw else None,
    )


def platform_report_message(report: VehicleReport) -> PlatformReport:
    """What the safety stage must know of a report."""
    driver = report.driver
    return PlatformReport(
        odometry=odometry_message(report.odometry()),
        body=state_report_message(state_report(report.body, Mode.MANUAL), report.stamp_s),
        driver_pedal=driver.pedal,
        driver_wheel=driver.wheel,
        driver_gear_lever=driver.gear_lever,
        driver_switch=driver.switch,
        ready=report.ready,
    )


def driver_activity(message: PlatformReport, switch: bool) -> DriverActivity:
    """What the person in the seat does. `switch`: the override topic's state."""
    return DriverActivity(
        message.driver_pedal,
        message.driver_wheel,
        message.driver_gear_lever,
        message.driver_switch or switch,
    )


def held_body(body: BodyState) -> BodyCommand:
    """The command that changes nothing."""
    return BodyCommand(
        body.gear, body.blinker, body.headlight, body.wiper, body.hand_brake, body.horn
    )


def body_state(message: VehicleStateReport) -> BodyState:
    """The body as the platform reports it. Raises ValueError for an undefined number."""
    return BodyState(
        Gear(message.gear),
        Blinker(message.blinker),
        Headlight(message.headlight),
        Wiper(message.wiper),
        message.hand_brake,
        message.horn,
        float(message.fuel),
    )
