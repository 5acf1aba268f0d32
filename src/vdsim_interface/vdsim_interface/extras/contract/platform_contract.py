"""The contract of every platform, as checks on its spec and, if it has a wire, its peer.

Each check is one promise, stated in the first line of its docstring. A check that fails raises
ContractError with what was expected and what happened. `check_platform` runs them all;
`vdsim_platform check` does so from a command line, and a pytest of your own can parametrise
`CHECKS`.
"""

from collections.abc import Callable
from dataclasses import fields

from vdsim_interface.extras.contract.command_checks import (
    answers_auxiliary_controls,
    drives_nothing_where_no_drive_is_wanted,
    encodes_whatever_safety_gives,
    names_what_it_limits_of_a_raw_command,
    sends_raw_commands_in_the_right_sense,
    steers_its_rear_wheels_or_says_that_it_cannot,
    steers_pushes_and_brakes_in_the_right_sense,
    takes_raw_commands,
)
from vdsim_interface.extras.contract.report_checks import (
    counts_what_was_sent_by_the_time_of_now,
    holds_what_the_wire_does_not_carry,
    names_its_link_statistics,
    reports_what_the_vehicle_measures,
    survives_any_datagram,
)
from vdsim_interface.extras.contract.sensor_checks import (
    has_what_it_declares_and_nothing_else,
    reads_its_sensors,
)
from vdsim_interface.extras.contract.subject import ContractError, Subject, command, require
from vdsim_interface.parameters.flat import declarations
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.platforms.vocabulary import REPORTED, SIGNALS
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import BodyCommand, BodyState, Gear, HighLevelCommand, Mode


def describes_itself(spec: PlatformSpec) -> None:
    """Name, text, parameters, capabilities and gear map are complete."""
    require(spec.name.isidentifier(), "the name must be an identifier", spec.name)
    require(bool(spec.doc), "the spec needs a text `doc`")
    missing = ", ".join(gear.name for gear in Gear if gear not in spec.gears)
    require(not missing, "the gear map must hold every Gear", f"no {missing}")
    body = {field.name for field in fields(BodyCommand)}
    state = {field.name for field in fields(BodyState)}
    capabilities = spec.with_parameters(spec.parameters()).capabilities
    unknown = (capabilities.commands - body) | (capabilities.reports - state)
    require(not unknown, "capabilities must name fields of BodyCommand and BodyState", *unknown)
    unknown = capabilities.signals - SIGNALS
    require(not unknown, f"signals must be of {', '.join(sorted(SIGNALS))}", *unknown)
    unknown = frozenset(capabilities.reported) - REPORTED
    require(not unknown, f"reported must name some of {', '.join(sorted(REPORTED))}", *unknown)
    for item in declarations(spec.parameters()):
        prefix = f"{spec.parameters.PREFIX}."
        require(item.name.startswith(prefix), f"parameters must begin with {prefix}", item.name)
        require(bool(item.doc), "every parameter needs a description", item.name)


def names_its_endpoints(spec: PlatformSpec) -> None:
    """Endpoint names differ; every datagram goes to an endpoint that sends."""
    subject = Subject(spec)
    endpoints = {item.name: item for item in subject.platform.endpoints()}
    require(len(endpoints) == len(subject.platform.endpoints()), "endpoint names must differ")
    subject.report()
    for datagram in subject.platform.encode(command(), subject.now).datagrams:
        require(
            bool(endpoints[datagram.endpoint].send_to),
            "a datagram must name an endpoint that sends",
            datagram.endpoint,
        )
        size = len(datagram.data)
        require(0 < size <= 65507, "a datagram must fit into UDP", f"{size} bytes")


def engages_in_the_pipeline(spec: PlatformSpec) -> None:
    """The whole pipeline engages on this platform and passes its commands on.

    [VI-4.3 on every wire]
    """
    subject = Subject(spec)
    parameters = InterfaceParameters(safety=SafetyParameters(auto_engage=True))
    pipeline = Pipeline(parameters, subject.platform, subject.spec.capabilities)
    for _ in range(100):
        subject.now += 0.01
        if subject.peer is not None:
            for datagram, source in subject.peer.report(PeerMotion(0.0), subject.now):
                pipeline.on_datagram(datagram.data, source, datagram.endpoint, subject.now)
        pipeline.on_command(HighLevelCommand(subject.now, 2.0, 0.0), subject.now)
        output = pipeline.tick(subject.now)
        if subject.peer is not None:
            subject.peer.receive(output.datagrams, subject.now)
    require(
        output.mode is Mode.AUTONOMOUS,
        "the pipeline must engage within a second of commands and reports",
        output.mode.name,
        output.safe.blocked,
    )
    trace = trace_of(output)
    drives = trace.body.gear is Gear.DRIVE and trace.safe.long_accel_mps2 > 0.0
    require(drives, "the command must pass in DRIVE", trace.body.gear.name, trace.safe)
    require(output.link_fresh, "the vehicle's reports must be fresh")


CHECKS: tuple[Callable[[PlatformSpec], None], ...] = (
    describes_itself,
    names_its_endpoints,
    encodes_whatever_safety_gives,
    reports_what_the_vehicle_measures,
    holds_what_the_wire_does_not_carry,
    steers_pushes_and_brakes_in_the_right_sense,
    drives_nothing_where_no_drive_is_wanted,
    takes_raw_commands,
    sends_raw_commands_in_the_right_sense,
    names_what_it_limits_of_a_raw_command,
    reads_its_sensors,
    has_what_it_declares_and_nothing_else,
    survives_any_datagram,
    answers_auxiliary_controls,
    names_its_link_statistics,
    counts_what_was_sent_by_the_time_of_now,
    engages_in_the_pipeline,
    steers_its_rear_wheels_or_says_that_it_cannot,
)


def check_platform(spec: PlatformSpec) -> None:
    """Run the whole contract; raises ContractError that names every broken promise."""
    broken = []
    for check in CHECKS:
        try:
            check(spec)
        except ContractError as error:
            broken.append(f"{check.__name__}: {error}")
    if broken:
        raise ContractError("; ".join(broken))
