"""The table of docs/architecture.md: every time-out with its default, which comes from the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import NamedTuple

from vdsim_autoware.adapter import AutowareParameters
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_interface.arbitration.parameters import DEFAULT_SOURCES, LockParameters
from vdsim_interface.extras.autohyu.parameters import FailsafeParameters as AutohyuFailsafe
from vdsim_interface.extras.link_faults.requests import FaultParameters
from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.guard import GuardParameters
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.stall_watch import PATIENCE_PERIODS
from vdsim_interface.pipeline.vehicle_watch import TrackingParameters
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.teleop.parameters import GamepadParameters, KeyboardParameters
from vdsim_plant.realtime.failsafe import FailsafePolicy as PlantFailsafe
from vdsim_plant_node.settings.server_settings import ServerSettings

from generate.tables import table

_ENDINGS = ("timeout_s", "silence_s", "lost_s")


class Timeout(NamedTuple):
    """One row; `owner` is the class with the field `name`."""

    owner: object
    name: str
    parameter: str
    decided_in: str
    effect: str


_INTERFACE, _SAFETY = InterfaceParameters(), SafetyParameters()
TIMEOUTS = (
    Timeout(
        _INTERFACE,
        "command_timeout_s",
        "command_timeout_s",
        "`safety/safety.py` `step`",
        "the stack's command is stale: safe stop, steering held",
    ),
    Timeout(
        _SAFETY,
        "report_timeout_s",
        "safety.report_timeout_s",
        "`safety/safety.py` `step`, `pipeline/link_health.py`",
        "the vehicle's report is stale: safe stop, nothing stale is published",
    ),
    Timeout(
        _SAFETY,
        "link_lost_s",
        "safety.link_lost_s",
        "`safety/safety.py`",
        "the report is so old that autonomy ends",
    ),
    Timeout(
        _SAFETY,
        "command_lost_s",
        "safety.command_lost_s",
        "`safety/safety.py`",
        "the car stands and the command is so old that autonomy ends",
    ),
    Timeout(
        _SAFETY,
        "stop_park_after_s",
        "safety.stop_park_after_s",
        "`standstill/parking.py`",
        "a stop or a hold of ours has stood: hand brake and PARK",
    ),
    Timeout(
        _SAFETY,
        "hold_park_after_s",
        "safety.hold_park_after_s",
        "`standstill/parking.py`",
        "the stack has held the car at rest: hand brake and PARK; 0: never",
    ),
    Timeout(
        TrackingParameters(),
        "lost_s",
        "tracking.lost_s",
        "`pipeline/vehicle_watch.py`",
        "the vehicle provably does not follow: autonomy ends",
    ),
    Timeout(
        _SAFETY,
        "engage_timeout_s",
        "safety.engage_timeout_s",
        "`safety/engagement.py`",
        "the engage handshake is given up",
    ),
    Timeout(
        _SAFETY,
        "engage_hold_off_s",
        "safety.engage_hold_off_s",
        "`safety/engagement.py`",
        "`auto_engage` may try again after a try that failed; doubled by each further one, up to "
        "32 times",
    ),
    Timeout(
        Vds1Parameters(),
        "silence_s",
        "vds1.silence_s",
        "`vdsim_protocol/vds1/sequence.py`",
        "a sender of STATE may start a new session",
    ),
    Timeout(
        _INTERFACE,
        "command_timeout_s",
        "command_timeout_s of the guard",
        "`guard/session.py`",
        "the ROS shell does not send: autonomy ends, safe stop; its end does so at once",
    ),
    Timeout(
        GuardParameters(),
        "start_timeout_s",
        "guard.start_timeout_s",
        "`guard/link.py`",
        "no guard listens, or it does not activate: the shell ends with the reason",
    ),
    Timeout(
        GuardParameters(),
        "answer_timeout_s",
        "guard.answer_timeout_s",
        "`guard/link.py`",
        "the guard does not answer: the request is refused",
    ),
    Timeout(
        ServerSettings(),
        "session_release_s",
        "session_release of the plant",
        "`vdsim_protocol/vds1/ownership.py`",
        "another sender of CMD may drive, if the car stands",
    ),
    Timeout(
        DEFAULT_SOURCES["autonomy"],
        "timeout_s",
        "SOURCE.timeout_s of command_mux",
        "`arbitration/sources.py`",
        "the source is gone: the next one, or a stop",
    ),
    Timeout(
        LockParameters(),
        "timeout_s",
        "LOCK.timeout_s of command_mux",
        "`arbitration/sources.py` `Lock`",
        "a lock that is no longer repeated counts as set; 0: never",
    ),
    Timeout(
        GamepadParameters(),
        "joy_timeout_s",
        "gamepad.joy_timeout_s",
        "`teleop/gamepad.py`",
        "Joy is stale: the car stops",
    ),
    Timeout(
        KeyboardParameters(),
        "attention_s",
        "keyboard.attention_s",
        "`extras/teleop/keyboard.py`",
        "no key was pressed: the car stops",
    ),
    Timeout(
        AutohyuFailsafe(),
        "command_timeout_s",
        "failsafe.command_timeout_s of autohyu_bridge",
        "`extras/autohyu/bridge.py`",
        "steering or torque is stale: brake, steering held",
    ),
    Timeout(
        AutohyuFailsafe(),
        "state_timeout_s",
        "failsafe.state_timeout_s of autohyu_bridge",
        "`extras/autohyu/bridge.py`",
        "STATE is stale: brake, steering held",
    ),
    Timeout(
        AutowareParameters(),
        "command_timeout_s",
        "command_timeout_s of autoware_interface",
        "`vdsim_autoware/adapter/adapter.py`",
        "the manual command of a partial mode is stale: stop; a request to engage is refused",
    ),
    Timeout(
        SimulatorParameters(),
        "command_timeout_s",
        "command_timeout_s of planning_simulator",
        "`vdsim_autoware/simulator.py`, `vdsim_autoware/adapter/adapter.py`",
        "a command is stale: stop; the car stays engaged",
    ),
    Timeout(
        AutowareParameters(),
        "report_timeout_s",
        "report_timeout_s of autoware_interface",
        "`vdsim_autoware/adapter/adapter.py`",
        "the vehicle does not report: the status topics stop",
    ),
    Timeout(
        FaultParameters(),
        "answer_timeout_s",
        "answer_timeout_s of link_faults",
        "`extras/link_faults/nodes/link_faults.py`",
        "the relay does not answer: set_fault fails",
    ),
    Timeout(
        PlantFailsafe(),
        "timeout_s",
        "failsafe.timeout_s of the plant",
        "`vdsim_plant/realtime/watched_session.py` `tick`",
        "no valid CMD: throttle 0, brake, steering held, gear kept",
    ),
)


def timeout_table() -> str:
    """One row for each time-out; raises ValueError when the code has one that is not listed."""
    missing = [name for name in _declared() if name not in _listed()]
    if missing:
        raise ValueError(f"tools/generate/timeout_table.py: no row for {', '.join(missing)}")
    rows = [
        (f"`{row.parameter}`", f"{getattr(row.owner, row.name):g} s", row.effect, row.decided_in)
        for row in TIMEOUTS
    ]
    rows.append(
        (
            "none",
            f"{PATIENCE_PERIODS:g} periods",
            "the safety side is silent: the vehicle side stops the car by itself (at least "
            "`safety.report_timeout_s`, so 0.1 s at 100 Hz; at most `command_timeout_s`)",
            "`extras/stages/staged_vehicle.py` `safety_is_silent`",
        )
    )
    return table(("parameter", "default", "what it means when it expires", "decided in"), rows)


def _listed() -> set[str]:
    kinds = ((kind, row.name) for row in TIMEOUTS for kind in type(row.owner).__mro__)
    return {f"{kind.__name__}.{name}" for kind, name in kinds}


def _declared() -> Iterator[str]:
    """Every field of a parameter class that ends as a time-out does, where it is defined."""
    pending: list[type] = [Parameters]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if kind is Parameters or not kind.__module__.startswith("vdsim_"):
            continue
        own = {item.name for item in fields(kind)} & set(vars(kind).get("__annotations__", ()))
        yield from (f"{kind.__name__}.{name}" for name in sorted(own) if name.endswith(_ENDINGS))


PARTS = {"timeout table": timeout_table}
