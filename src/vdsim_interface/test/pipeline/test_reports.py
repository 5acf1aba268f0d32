"""Every kind of notice, caused through the whole pipeline: no kind is unused."""

import math
import zlib
from collections.abc import Callable
from functools import partial

import pytest
from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.extras.morai.contract_peer import SOURCE as SIMULATOR
from vdsim_interface.extras.morai.contract_peer import status as morai_status
from vdsim_interface.filter.parameters import AccelerationFilter, FilterParameters
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import Capabilities, Datagram, Endpoint, PlatformSetup
from vdsim_interface.platforms.vds1.contract_peer import Peer
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.ros.ros_time import RosTime, clock_stepped
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.safety.rules import NOTICE_KINDS
from vdsim_interface.values import (
    AuxiliaryCommand,
    CabinState,
    Change,
    Command,
    Gear,
    HighLevelCommand,
    Mode,
    Notice,
    NoticeKind,
    RawCommand,
    Severity,
    StateCommand,
    Stop,
    Until,
    VehicleCommand,
    Wiper,
    notice_kinds,
)
from vdsim_interface.values.sentences import change_sentence
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.interface import CRUISE, Drive
from vdsim_kit.one_version_server import ADDRESS, OneVersionServer
from vdsim_protocol.vds1 import VERSIONS, encode_state
from vdsim_protocol_kit.vds1 import STATE as PLAIN_STATE

from vdsim_protocol import morai

GO = VehicleCommand(0.0, 1.0, 0.0, 0.0)


def request(drive: Drive, **fields: object) -> None:
    drive.heard(drive.pipeline.safety_side.on_state_command(StateCommand(**fields), drive.now))  # type: ignore[arg-type]


def moving(level: str = "vehicle") -> Drive:
    drive = Drive(level).engaged()
    drive.run(3.0, GO if level == "vehicle" else CRUISE)
    return drive


def non_finite_command() -> Drive:
    drive = moving()
    drive.send(VehicleCommand(drive.now, math.nan, 0.0, 0.0))
    return drive


def non_finite_report() -> Drive:
    drive = moving()
    drive.platform.altered = {"velocity_mps": math.inf}
    drive.run(0.02, GO)
    return drive


def undefined_value() -> Drive:
    drive = moving()
    drive.message(StateMessage(blinker=77))
    return drive


def wrong_level() -> Drive:
    drive = moving()
    drive.send(HighLevelCommand(drive.now))
    return drive


def engage_refused() -> Drive:
    drive = Drive()
    drive.heard(drive.pipeline.safety_side.on_change_mode(True, drive.now)[1])
    return drive


def manual_block() -> Drive:
    drive = Drive("vehicle", SafetyParameters())
    drive.run(0.1, GO)
    return drive


def cabin_unsecured() -> Drive:
    drive = moving()
    drive.pipeline.safety_side.on_cabin(CabinState(doors_closed=False), drive.now)
    drive.run(0.1, GO)
    return drive


def command_timeout() -> Drive:
    drive = moving()
    drive.run(1.0)
    return drive


EMERGENCY = Stop("emergency", 6.0, 50.0, Until.RELEASED)


def emergency() -> Drive:
    drive = moving()
    drive.pipeline.safety_side.on_emergency(EMERGENCY)
    drive.run(0.3, GO)
    return drive


def emergency_of_a_silent_interface() -> Drive:
    drive = emergency()
    drive.pipeline.safety_side.on_change_mode(False, drive.now)
    drive.run(0.3, GO)
    return drive


def blind_stop() -> Drive:
    drive = Drive(safety=SafetyParameters(auto_engage=True), fake=FakeParameters(slope_rad=0.1))
    drive.run(5.0, CRUISE)
    drive.platform.muted = True
    drive.run(0.5, CRUISE)
    return drive


def wheel_after_a_stall() -> Drive:
    drive = moving()
    turn = GO._replace(front_wheel_angle_rad=0.3)
    drive.run(0.05, turn)
    drive.now += 0.05
    drive.run(0.05, turn)
    return drive


def park_where_its_rule_is_off() -> Drive:
    off = SafetyParameters(auto_engage=True, disabled_rules="gear_park_moving")
    drive = Drive("vehicle", off)
    drive.run(2.0, GO)
    request(drive, gear=Gear.PARK)
    drive.run(0.1, GO)
    return drive


def link_timeout() -> Drive:
    drive = moving()
    drive.platform.muted = True
    drive.run(0.3, GO)
    return drive


def never_reported(wait_s: float) -> Drive:
    drive = Drive("vehicle")
    drive.platform.muted = True
    drive.run(wait_s, GO)
    return drive


def link_restored() -> Drive:
    drive = link_timeout()
    drive.platform.muted = False
    drive.run(0.1, GO)
    return drive


def too_much() -> Drive:
    drive = moving()
    drive.run(0.1, VehicleCommand(0.0, 9.0, 0.0, 0.0))
    return drive


def too_sharp() -> Drive:
    drive = moving()
    drive.run(8.0, VehicleCommand(0.0, 2.0, 0.0, 0.0))
    drive.run(1.0, VehicleCommand(0.0, 0.0, 0.5, 0.0))
    return drive


def shaking() -> Drive:
    drive = moving()
    for n in range(150):
        drive.run(0.01, VehicleCommand(0.0, 1.0 if n % 10 < 5 else -1.0, 0.0, 0.0))
    return drive


def steering_stuck() -> Drive:
    drive = moving()
    drive.platform.altered = {"front_wheel_angle_rad": 0.0}
    drive.run(3.0, VehicleCommand(0.0, -0.5, 0.5, 0.0))
    return drive


def hand_brake_set() -> Drive:
    drive = Drive("vehicle").engaged()
    request(drive, hand_brake=True)
    drive.run(1.0, GO)
    return drive


def hand_brake_moving() -> Drive:
    drive = moving()
    request(drive, hand_brake=True)
    return drive


def park_moving() -> Drive:
    drive = moving()
    request(drive, gear=Gear.PARK)
    return drive


def reverse_moving() -> Drive:
    drive = moving()
    request(drive, gear=Gear.REVERSE)
    return drive


def speed_unknown() -> Drive:
    drive = link_timeout()
    request(drive, gear=Gear.PARK)
    return drive


def gear_wait() -> Drive:
    drive = Drive("vehicle").engaged()
    drive.run(0.02, GO)
    request(drive, gear=Gear.REVERSE)
    drive.run(0.1, GO)
    return drive


def neutral_throttle() -> Drive:
    drive = moving()
    request(drive, gear=Gear.NEUTRAL)
    drive.run(0.1, GO)
    return drive


def wipers() -> Drive:
    drive = moving()
    request(drive, wiper=Wiper.HIGH)
    drive.run(0.1, GO)
    return drive


def low_pass() -> Drive:
    smooth = FilterParameters(AccelerationFilter(type="butterworth", cutoff_frequency_hz=1.0))
    drive = Drive("vehicle", filter=smooth).engaged()
    drive.run(1.0, GO)
    return drive


def beyond_the_pedals() -> Drive:
    drive = Drive("vehicle").engaged()
    drive.heard(
        drive.pipeline.vehicle_side.on_auxiliary(
            AuxiliaryCommand(0.0, (("torque", 1.0),)), drive.now
        )
    )
    return drive


def stray_datagram() -> Drive:
    drive = Drive("vehicle").engaged()
    drive.heard(drive.pipeline.on_datagram(b"?", ("127.0.0.1", 1), "none", drive.now).notices)
    return drive


def newer_state() -> Drive:
    """A STATE of a version above the known ones: rejected with the parameter, then read."""
    content = encode_state(PLAIN_STATE, seq=0, timestamp_s=0.0, version=VERSIONS[-1])[:-4]
    content = content[:4] + b"\x09\0" + content[6:] + bytes(32)
    datagram = content + zlib.crc32(content).to_bytes(4, "little")
    setup = PlatformSetup(VehicleGeometry(), 0.01)
    strict = Vds1Platform(Vds1Parameters(), setup)
    [reject] = strict.receive(datagram, ("127.0.0.1", 7001), "vds1", 0.0).notices
    assert reject.text.endswith("vds1.accept_newer: true reads a STATE of version 9")
    platform = Vds1Platform(Vds1Parameters(accept_newer=True, version=5), setup)
    drive = Drive("vehicle")
    for seq in range(3):
        content = content[:8] + seq.to_bytes(4, "little") + content[12:]
        datagram = content + zlib.crc32(content).to_bytes(4, "little")
        received = platform.receive(datagram, ("127.0.0.1", 7001), "vds1", 0.01 * seq)
        assert received.report is not None
        drive.heard(received.notices)
    assert drive.kinds() == ["newer_version"], "once"
    assert platform.link_statistics(0.1)["newer_version"] == 3.0
    return drive


def one_version(configured: int | str, wait_s: float, *, answers_all: bool = True) -> Drive:
    """A vehicle that speaks version 5 alone, which may answer only whom it accepted."""
    drive, server = Drive("vehicle"), OneVersionServer(5, answers_all=answers_all)
    safety = SafetyParameters(auto_engage=True)
    parameters = InterfaceParameters(control_command="vehicle", safety=safety)
    setup = PlatformSetup(VehicleGeometry(), 0.01)
    platform = Vds1Platform(Vds1Parameters(version=configured), setup)
    pipeline = Pipeline(parameters, platform)
    for n in range(round(wait_s / 0.01)):
        now = 0.01 * n
        for datagram in server.step(now, 0.01):
            drive.heard(pipeline.on_datagram(datagram, ADDRESS, "vds1", now).notices)
        pipeline.on_command(GO._replace(stamp_s=now), now)
        drive.heard(pipeline.tick(now).notices)
    return drive


def datagram_too_long() -> Drive:
    drive = Drive("vehicle").engaged()
    sockets = Endpoints((Endpoint("car", None, (("127.0.0.1", 9),)),))
    sockets.send((Datagram("car", bytes(70_000)),))
    drive.heard(sockets.take_notices())
    sockets.close()
    return drive


def rear_wheels() -> Drive:
    drive = Drive("vehicle", capabilities=Capabilities()).engaged()
    drive.run(0.1, VehicleCommand(0.0, 1.0, 0.0, 0.1))
    return drive


def input_lost() -> Drive:
    safety = SafetyParameters(auto_engage=True, driver_switch_required=True)
    drive = Drive("vehicle", safety=safety)
    drive.pipeline.safety_side.on_input_publishers(0, 1)
    drive.heard(drive.pipeline.safety_side.on_driver_override(False, drive.now))
    drive.engaged()
    drive.run(1.0, GO)
    drive.pipeline.safety_side.on_input_publishers(0, 0)
    drive.run(0.1, GO)
    return drive


def driver_ignored() -> Drive:
    safety = SafetyParameters(auto_engage=True, rig="driverless", driver_override="ignored")
    drive = Drive("vehicle", safety=safety).engaged()
    drive.run(1.0, GO)
    drive.heard(drive.pipeline.safety_side.on_driver_override(True, drive.now))
    drive.run(1.0, GO)
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    return drive


def time_jump() -> Drive:
    drive = moving()
    drive.now = 0.0
    drive.heard(drive.pipeline.restart())
    return drive


def clock_step() -> Drive:
    drive = moving()
    ahead_ns = [1_700_000_000_000_000_000]
    stamps = RosTime(lambda: 0, lambda: ahead_ns[0])
    ahead_ns[0] -= 20_000_000
    drive.heard((clock_stepped(stamps.update()),))
    return drive


def did_not_run() -> Drive:
    drive = moving()
    drive.heard(drive.pipeline.safety_side.on_stall(0.2))
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    drive.heard(drive.pipeline.safety_side.on_stall(2.0))
    assert drive.pipeline.mode is Mode.DISENGAGED
    assert "this process did not run for 2.00 s" in drive.text("mode_changed")
    return drive


def command_that_waited() -> Drive:
    drive = moving()
    drive.run(0.6)
    drive.send(GO._replace(stamp_s=drive.now - 0.55))
    assert drive.run(0.01).safe.command.vehicle.long_accel_mps2 < 0.0
    return drive


def late_reports() -> Drive:
    """The reports of half a second ago arrive; when they are in time again the car drives on."""
    drive = moving()
    drive.run(5.0, GO)
    drive.platform.muted = True
    drive.run(0.5, GO)
    drive.platform.muted = False
    for _ in range(50):
        drive.platform.altered = {"vehicle_time_s": drive.now - 0.49}
        output = drive.run(0.01, GO)
    assert output.safe.command.vehicle.long_accel_mps2 < 0.0
    assert drive.pipeline.vehicle_side.state_report() is None
    assert drive.text("late_report").startswith("the vehicle's reports arrive 0.4")
    drive.platform.altered = {}
    drive.run(1.0, GO)
    assert drive.pipeline.vehicle is not None
    return drive


def slow_clock() -> Drive:
    drive = moving()
    for _ in range(1500):
        drive.platform.altered = {"vehicle_time_s": 0.94 * drive.now}
        drive.run(0.01, GO)
    return drive


def slow_reports() -> Drive:
    """One report in 0.2 s: one notice, no flapping of link and mode, and a drive once they come."""
    drive = Drive("vehicle", SafetyParameters(auto_engage=True, rig="driverless"))
    for _ in range(50):
        drive.platform.muted = False
        drive.run(0.01, GO)
        drive.platform.muted = True
        drive.run(0.19, GO)
    assert drive.text("slow_reports") == (
        "reports of the vehicle (STATE) come at 5 Hz, safety.report_timeout_s is 0.1: each is "
        "stale before the next; raise their rate above 10 Hz, or safety.report_timeout_s above "
        "0.2 s"
    )
    assert drive.kinds().count("slow_reports") == 1
    assert drive.kinds().count("link_timeout") == 4, "until it is known"
    assert sum("-> NOT_READY" in notice.text for notice in drive.notices) == 4, "in 10 s"
    drive.run(1.0, GO)
    assert drive.text("link_timeout").startswith("no report from the vehicle for 0.")
    drive.platform.muted = False
    drive.run(20.0, GO)
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    assert drive.speed > 1.0
    return drive


def start_refused() -> Drive:
    drive = Drive().engaged()
    drive.run(1.0, CRUISE._replace(velocity_mps=0.0))
    for _ in range(2):
        drive.run(0.9, CRUISE)
        drive.platform.altered = {"velocity_mps": -0.2}
        drive.run(0.1, CRUISE)
        drive.platform.altered = {"velocity_mps": 0.0}
        drive.run(0.1, CRUISE)
    return drive


def stood() -> Drive:
    drive = moving()
    drive.run(8.0)
    return drive


def other_curvature() -> Drive:
    drive = moving("high_level")
    drive.platform.altered = {"yaw_rate_radps": 0.2}
    drive.run(2.0, HighLevelCommand(0.0, 5.0, 0.05))
    return drive


def implausible_report() -> Drive:
    drive = moving()
    drive.platform.altered = {"velocity_mps": 9.0}
    drive.run(0.1, GO)
    return drive


def not_slowing() -> Drive:
    drive = moving()
    drive.platform.altered = {"velocity_mps": 5.0}
    drive.run(4.0)
    return drive


def simulator_that_repeats_itself() -> Drive:
    drive = moving()
    spec = platform_spec("morai")
    platform = spec.create(spec.parameters(), PlatformSetup(VehicleGeometry(), 0.01))
    status = morai_status(PeerMotion(5.0))
    for step in range(40):
        received = platform.receive(morai.encode(status), SIMULATOR, "morai", 0.02 * step)
        drive.heard(received.notices)
    return drive


SCENES: dict[NoticeKind, Callable[[], Drive]] = {
    "non_finite_command": non_finite_command,
    "non_finite_report": non_finite_report,
    "implausible_report": implausible_report,
    "undefined_value": undefined_value,
    "wrong_level": wrong_level,
    "mode_changed": moving,
    "engage_refused": engage_refused,
    "manual_block": manual_block,
    "cabin_unsecured": cabin_unsecured,
    "emergency": emergency,
    "gate_stop": blind_stop,
    "gate_emergency": emergency_of_a_silent_interface,
    "gate_steer": wheel_after_a_stall,
    "gate_body": park_where_its_rule_is_off,
    "command_timeout": command_timeout,
    "link_timeout": link_timeout,
    "link_awaited": partial(never_reported, 1.1),
    "link_absent": partial(never_reported, 30.1),
    "input_lost": input_lost,
    "driver_ignored": driver_ignored,
    "link_restored": link_restored,
    "range": too_much,
    "lateral_accel": too_sharp,
    "low_pass": low_pass,
    "high_frequency": shaking,
    "rate": moving,
    "steer_lead": steering_stuck,
    "hand_brake_set": hand_brake_set,
    "hand_brake_moving": hand_brake_moving,
    "gear_park_moving": park_moving,
    "gear_direction_moving": reverse_moving,
    "gear_speed_unknown": speed_unknown,
    "gear_wait": gear_wait,
    "gear_automatic": moving,
    "gear_no_drive": neutral_throttle,
    "shift_hold": moving,
    "standstill_hold": moving,
    "wiper_headlight": wipers,
    "hazard_priority": command_timeout,
    "link_reject": stray_datagram,
    "link_error": datagram_too_long,
    "acceleration_loop": lambda: moving("high_level"),
    "hand_brake_stop": stood,
    "gear_stop": stood,
    "curvature_trim": other_curvature,
    "not_slowing": not_slowing,
    "start_refused": start_refused,
    "platform_limit": beyond_the_pedals,
    "no_rear_steering": rear_wheels,
    "time_jump": time_jump,
    "clock_step": clock_step,
    "tick_overrun": did_not_run,
    "stale_command": command_that_waited,
    "slow_vehicle": slow_clock,
    "late_report": late_reports,
    "slow_reports": slow_reports,
    "newer_version": newer_state,
    "version_adopted": partial(one_version, "auto", 0.5),
    "version_differs": partial(one_version, 3, 0.5),
    "vehicle_news": simulator_that_repeats_itself,
    "version_asked": partial(one_version, "auto", 1.5, answers_all=False),
}


def test_there_is_a_scene_for_every_kind() -> None:
    assert set(SCENES) == set(NOTICE_KINDS)


@pytest.mark.parametrize("kind", NOTICE_KINDS)
def test_every_kind_is_issued(kind: NoticeKind) -> None:
    drive = SCENES[kind]()
    changes = {change.kind for output in drive.outputs for change in trace_of(output).changes}
    assert kind in set(drive.kinds()) | changes
    for report in drive.notices:
        assert report.text
        assert "\n" not in report.text


def test_every_change_has_a_reason_in_words() -> None:
    for scene in (too_sharp, shaking, command_timeout, low_pass, wipers, neutral_throttle):
        for output in scene().outputs:
            for change in trace_of(output).changes:
                assert change.kind.why
                assert change_sentence(change).endswith(change.kind.why)
    unknown = Change(NoticeKind("range"), "new_channel", 1.0, 2.0)
    assert change_sentence(unknown).startswith("new_channel 1 -> 2: ")


def test_figures_that_do_not_differ_are_one() -> None:
    change = Change(NoticeKind("range"), "front_wheel_angle_rad", 0.55000001, 0.55)
    assert change_sentence(change).startswith("front wheel angle held at 0.55 rad: ")


def test_the_end_of_a_hold_is_not_told_by_the_reason_of_the_hold() -> None:
    begins = Change(notice_kinds.GEAR_STOP, "gear", Gear.DRIVE, Gear.PARK)
    ends = Change(notice_kinds.GEAR_STOP, "gear", Gear.PARK, Gear.DRIVE)
    let_go = Change(notice_kinds.HAND_BRAKE_STOP, "hand_brake", True, False)
    assert change_sentence(begins).startswith("gear DRIVE -> PARK: the car is held at rest")
    assert change_sentence(ends) == "gear PARK -> DRIVE: a request to drive ends the hold at rest"
    assert change_sentence(let_go) == "hand_brake 1 -> 0: a request to drive ends the hold at rest"


def test_severities() -> None:
    assert Notice(notice_kinds.COMMAND_TIMEOUT, "x").severity is Severity.ERROR
    assert {kind.severity.name for kind in NOTICE_KINDS} == {"INFO", "WARN", "ERROR"}


def test_a_pedal_limit_appears_in_the_trace() -> None:
    """PLATFORM_LIMIT as a change: the brakes of the real map cannot do what safety would allow."""
    spec = platform_spec("vds1")
    parameters = InterfaceParameters(
        control_command="vehicle",
        safety=SafetyParameters(auto_engage=True, decel_max_mps2=12.0, brake_jerk_max_mps3=1000.0),
    )
    platform = spec.create(spec.parameters(), PlatformSetup(parameters.vehicle, 0.01))
    pipeline = Pipeline(parameters, platform)
    peer, now, kinds = Peer(), 0.0, set()
    for _ in range(50):
        now += 0.01
        for datagram, source in peer.report(PeerMotion(20.0), now):
            pipeline.on_datagram(datagram.data, source, datagram.endpoint, now)
        pipeline.on_command(VehicleCommand(now, -11.0, 0.0, 0.0), now)
        kinds |= {change.kind for change in trace_of(pipeline.tick(now)).changes}
    assert "platform_limit" in kinds


@pytest.mark.parametrize("name", ["vds1", "morai"])
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize(
    ("level", "rear_max_rad"),
    [("high_level", 0.2), ("vehicle", 0.0), ("vehicle", 0.2), ("raw", 0.0), ("raw", 0.2)],
)
def test_a_rear_wheel_angle_that_the_platform_cannot_steer_is_named(
    name: str, rear_max_rad: float, enabled: bool, level: str
) -> None:
    """Whatever level asks for it, and whether or not the safety functions are on."""
    commands: dict[str, Command] = {
        "high_level": HighLevelCommand(0.0, 3.0, 0.1),
        "vehicle": VehicleCommand(0.0, 0.0, 0.0, 0.1),
        "raw": RawCommand(0.0, 0, 0, 0, 100),
    }
    drive = Drive(
        level,
        SafetyParameters(auto_engage=True, enabled=enabled),
        platform=name,
        vehicle=VehicleGeometry(rear_wheel_angle_max_rad=rear_max_rad),
        controller=ControllerParameters(rear_steer_share=0.3 if rear_max_rad else 0.0),
        capabilities=platform_spec(name).capabilities,
    ).engaged()
    assert "no_rear_steering" not in drive.kinds()
    output = drive.run(1.0, commands[level])
    changes = [c for c in trace_of(output).changes if c.kind == "no_rear_steering"]
    assert changes
    assert all(change.after == 0.0 for change in changes)
    assert "this platform has no rear steering" in drive.text("no_rear_steering")
    assert "no_rear_steering" in drive.pipeline.safety_side.status(drive.now).active


def test_rear_wheels_that_are_steered_are_not_complained_of() -> None:
    geometry = VehicleGeometry(rear_wheel_angle_max_rad=0.2)
    drive = Drive("vehicle", vehicle=geometry).engaged()
    output = drive.run(1.0, VehicleCommand(0.0, 0.5, 0.0, 0.1))
    assert trace_of(output).safe.rear_wheel_angle_rad == pytest.approx(0.1)
    assert "no_rear_steering" not in drive.kinds()


def test_a_share_for_rear_wheels_that_are_not_steered_is_refused() -> None:
    with pytest.raises(
        ParameterError,
        match=r"controller\.rear_steer_share=0\.3: needs vehicle\.rear_wheel_angle_max_rad > 0",
    ):
        InterfaceParameters(controller=ControllerParameters(rear_steer_share=0.3))
