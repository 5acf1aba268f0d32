"""What a launch file checks before it starts anything, and what the end of a process means."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from launch.actions import LogInfo, Shutdown
from vdsim_interface.extras.teleop.ros.terminal import find_terminal
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.ros.launching import (
    ParameterFile,
    a_file,
    a_folder,
    a_host,
    a_namespace,
    a_parameter_file,
    a_prefix,
    a_switch,
    check_interface,
    check_node,
    ends_the_launch,
    fragment,
    like,
    may_end,
    namespace_of,
    number,
    optional,
    restarted,
    value_in_files,
)
from vdsim_interface.ros.launching.arguments import check_values, undeclared
from vdsim_interface.ros.launching.parameter_files import for_nodes, load, refuse_unmatched
from vdsim_interface.ros.launching.processes import DEATHS_WITHIN_S, MOST_DEATHS
from vdsim_protocol.launching.node_keys import matches

from launch import LaunchContext

NESTED = "/**:\n  ros__parameters: {vehicle: {wheelbase_m: 2.0}}\n"
DOTTED = "/car/node:\n  ros__parameters: {vehicle.wheelbase_m: 3.0}\n"
OTHER = "/**:\n  ros__parameters: {rate_hz: 50.0}\n"
NODE = "/vehicle/vehicle_interface"
VALUES: dict[str, object] = {"platform": "vds1", "platform_path": "", "rate_hz": 100.0}


def written(folder: Path, *texts: str) -> list[str]:
    files = [folder / f"{number}.yaml" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return [str(file) for file in files]


# ---- parameter files -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        ([NESTED], 2.0),
        ([NESTED, OTHER], 2.0),
        ([NESTED, DOTTED], 3.0),
        ([DOTTED, NESTED], 2.0),
        (["\ufeff" + NESTED], 2.0),
        ([OTHER], None),
        (["/**: {}\n"], None),
        ([], None),
    ],
)
def test_the_last_file_that_says_it_counts(
    tmp_path: Path, texts: list[str], value: float | None
) -> None:
    assert value_in_files(written(tmp_path, *texts), "vehicle.wheelbase_m") == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1", "line 1: not YAML: expected"),
        ("only words", "must have NODE: ros__parameters: ..."),
        ("", "must have NODE: ros__parameters: ..."),
        ("rate_hz: 50.0", "'rate_hz': must have NODE: ros__parameters: ..."),
        ("/**:\n  ros__parameters: 3\n", "/**: ros__parameters must have parameters"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, text: str, said: str) -> None:
    [file] = written(tmp_path, text)
    assert a_parameter_file(file).startswith(said)
    assert len(a_parameter_file(file).splitlines()) == 1
    with pytest.raises(RuntimeError, match=r"parameter file .*0\.yaml: "):
        value_in_files([file], "x")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"none\.yaml: No such file"):
        value_in_files([str(tmp_path / "none.yaml")], "x")
    assert a_parameter_file(str(tmp_path)) == "there is no such file"
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    assert a_parameter_file(str(binary)).startswith("is not UTF-8 text")


@pytest.mark.parametrize(
    ("pattern", "node", "is_for_it"),
    [
        ("/**", "/a", True),
        ("/**", "/x/y/a", True),
        ("/**/a", "/a", True),
        ("/**/a", "/x/a", True),
        ("/**/a", "/x/b", False),
        ("/*/a", "/x/a", True),
        ("/*/a", "/a", False),
        ("/x/a", "/x/a", True),
        ("a", "/a", True),
        ("a", "/x/a", False),
    ],
)
def test_a_section_is_for_the_nodes_that_its_pattern_names(
    pattern: str, node: str, is_for_it: bool
) -> None:
    assert matches(pattern, node) is is_for_it


def test_sections_may_be_nested_and_numbers_are_those_of_ros(tmp_path: Path) -> None:
    text = "car:\n  node:\n    ros__parameters: {a: 1e-3, b: 2.5e4, c: 'x', d: 3}\n"
    [file] = written(tmp_path, text)
    expected = {"a": 0.001, "b": 25000.0, "c": "x", "d": 3}
    assert load(file).values_for("/car/node") == expected
    assert load(file).values_for("/car/other") == {}


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (number(float), ["1e2", "-3"], {"abc": "must be a number", "nan": "must be finite"}),
        (number(int, at_least=1), ["7"], {"7.5": "must be a whole number", "0": "must be >= 1"}),
        (
            like(InterfaceParameters(), "rate_hz"),
            ["10", "1e3"],
            {"9.9": "must be >= 10 and <= 1000", "x": "must be a number"},
        ),
        (
            like(InterfaceParameters(), "control_command"),
            ["raw"],
            {"x": "must be one of raw, vehicle, high_level"},
        ),
        (optional(number(float)), ["", "1"], {"x": "must be a number"}),
        (a_switch, ["true", "False"], {"maybe": "must be true or false", "": "must be true"}),
        (a_namespace, ["", "a", "/a/b_1", "a/"], {"9bad": "must be", "a b": "must", "a__b": "m"}),
        (a_prefix, ["", "car_1/", "a"], {"/car": "must be letters", "a b": "must be letters"}),
        (a_host, ["127.0.0.1", "car-1.local"], {"": "must be", "a b": "must be an IPv4 address"}),
        (
            a_file,
            [__file__],
            {"/no/such": "there is no such file", "x" * 5000: "there is no such file"},
        ),
        (
            a_folder,
            ["/"],
            {__file__: "there is no such folder", "x" * 5000: "there is no such folder"},
        ),
    ],
)
def test_what_an_argument_allows(
    check: Callable[[str], str], right: list[str], wrong: dict[str, str]
) -> None:
    assert [check(text) for text in right] == [""] * len(right)
    for text, rule in wrong.items():
        assert check(text).startswith(rule), text


def test_a_wrong_value_is_named_with_its_argument() -> None:
    arguments = {
        "rate": ("100", "", number(float)),
        "mode": ("a", "", ["a", "b"]),
        "free": ("", ""),
    }
    check_values({"rate": "5", "mode": "a", "free": "anything"}, arguments)
    with pytest.raises(RuntimeError, match=r"^rate:=abc: must be a number$"):
        check_values({"rate": "abc", "mode": "a", "free": ""}, arguments)


CAR = "/car/vehicle_interface"


@pytest.mark.parametrize(
    ("key", "refused"),
    [
        ("vehicle_interface", ""),
        ("/vehicle_interface", ""),
        (f'"{CAR}"', ""),
        ("/**", ""),
        ("/car/*", ""),
        ("'vehicle_interface'", ""),
        ("vehicle_interfaces", "its key 'vehicle_interfaces' is for no node of this launch; write"),
        ("/other/vehicle_interface", "its key 'other/vehicle_interface' is for no node"),
    ],
)
def test_a_file_is_for_a_node_by_full_or_bare_name_or_refused(
    key: str, refused: str, tmp_path: Path
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(f"# mine\n{key}:\n  ros__parameters:\n    rate_hz: 50.0  # slow\n")
    file = ParameterFile("params_file", str(path))
    if refused:
        with pytest.raises(RuntimeError, match=f"^params_file:={path}: {refused}.*{CAR}:"):
            refuse_unmatched([file], [CAR])
        return
    refuse_unmatched([file], [CAR])
    assert load(str(path)).values_for(CAR) == {"rate_hz": 50.0}
    text = Path(for_nodes(file, [CAR])).read_text()
    assert load(for_nodes(file, [CAR])).sections[0][1] == {"rate_hz": 50.0}
    assert "rate_hz: 50.0  # slow" in text
    if "vehicle_interface" in key and "car" not in key:
        assert text.splitlines()[2] == f"{CAR}:", "ROS itself finds it, too"
    else:
        assert for_nodes(file, [CAR]) == str(path)


def test_a_bare_name_in_flow_style_says_which_key_to_write(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("{vehicle_interface: {ros__parameters: {rate_hz: 50.0}}}\n")
    with pytest.raises(RuntimeError, match=f"write {CAR}:"):
        for_nodes(ParameterFile("params_file", str(path)), [CAR])


def test_a_bare_name_in_a_file_with_other_keys_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(
        "/**:\n  ros__parameters: {rate_hz: 20.0}\n"
        "vehicle_interface:\n  ros__parameters: {rate_hz: 50.0}\n"
    )
    copy = load(for_nodes(ParameterFile("params_file", str(path)), [CAR]))
    assert [pattern for pattern, _ in copy.sections] == ["/**", CAR]
    assert load(str(path)).values_for(CAR) == {"rate_hz": 50.0}


ARGUMENTS: Any = {"composition": ("", ""), "rate": ("", ""), "vehicle": ("", "")}


@pytest.mark.parametrize(
    ("given", "is_first", "lines"),
    [
        ({"rate": "1", "launch-prefix": "x", "ros_namespace": "a"}, True, []),
        (
            {"compositon": "processes"},
            False,
            [
                "compositon:=processes: vdsim.launch.py has no such argument; "
                "did you mean composition?"
            ],
        ),
        ({"nosuch": "1"}, True, ["nosuch:=1: vdsim.launch.py has no such argument"]),
        ({"nosuch": "1"}, False, []),
        # An outer file passes both along: the right one is given, so the other is its own.
        ({"composition": "single", "compositon": "x"}, False, []),
    ],
)
def test_a_value_that_no_argument_takes_is_named(
    given: dict[str, str], is_first: bool, lines: list[str]
) -> None:
    assert undeclared(given, ARGUMENTS, "vdsim.launch.py", is_first=is_first) == lines


@pytest.mark.parametrize(
    ("outer", "own", "absolute"),
    [("", "vehicle", "/vehicle"), ("", "", ""), ("/fleet", "a/b", "/fleet/a/b"), ("x", "/y", "/y")],
)
def test_the_namespace_is_that_of_the_nodes(outer: str, own: str, absolute: str) -> None:
    context = LaunchContext()
    context.launch_configurations["ros_namespace"] = outer
    assert namespace_of({"namespace": own}, context) == absolute


# ---- nodes ---------------------------------------------------------------------------------------


def checked(folder: Path, text: str, **values: object) -> Any:
    [file] = written(folder, text)
    files = [ParameterFile("params_file", file)]
    parts = (InterfaceParameters(), Vds1Parameters())
    return check_node(parts, NODE, files, {**VALUES, **values}, {"morai", "output"})


def test_a_nodes_parameters_are_built_as_the_node_builds_them(tmp_path: Path) -> None:
    interface, vds1 = checked(
        tmp_path,
        "/**: {ros__parameters: {rate_hz: 50.0, safety: {accel_max_mps2: 2}}}\n"
        "/vehicle/vehicle_interface: {ros__parameters: {vds1: {version: 4}, planner: {a: 1}}}\n"
        "/other: {ros__parameters: {safety: {accel_max_mps2: -1.0}}}\n"
        "/**/vehicle_interface: {ros__parameters: {morai: {anything: 1}}}\n",
    )
    assert (interface.rate_hz, interface.safety.accel_max_mps2, vds1.version) == (100.0, 2.0, 4)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{safety: {accel_max_mps2: -1.0}}", "safety.accel_max_mps2=-1.0: must be >= 0.1"),
        ("{safety: {acel_max_mps2: 1.0}}", "no such parameter; did you mean safety.accel_max"),
        ("{vds1: {nosuch: 1}}", "vds1.nosuch=1: no such parameter"),
        ("{command_timeout_s: text}", "command_timeout_s=text: must be a number"),
    ],
)
def test_what_a_node_would_reject_is_named_with_its_file(
    tmp_path: Path, text: str, error: str
) -> None:
    with pytest.raises(RuntimeError) as raised:
        checked(tmp_path, f"/**: {{ros__parameters: {text}}}\n")
    assert str(raised.value).startswith(f"params_file:={tmp_path}/0.yaml: ")
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"platform": "nosuch"}, "platform:=nosuch: must be one of can, fake, morai, vds1"),
        ({"vds1.pedal_map": "/no/map.csv"}, "platform:=vds1: "),
        ({"command_timeout_s": 0.015}, "command_timeout_s=0.015: must be >= two periods"),
    ],
)
def test_an_interface_that_cannot_be_built_is_named(values: dict[str, object], error: str) -> None:
    check_interface([NODE], [], VALUES)
    with pytest.raises(RuntimeError) as raised:
        check_interface([NODE], [], {**VALUES, **values})
    assert str(raised.value).startswith(error)
    assert len(str(raised.value).splitlines()) == 1


# ---- the ends of processes -----------------------------------------------------------------------


class Launch:
    """What an exit handler sees of a launch."""

    def __init__(self) -> None:
        self.now = 100.0
        self.is_shutdown = False
        self.asyncio_loop = SimpleNamespace(time=lambda: self.now)


def ended(handler: Any, code: int, launch: Launch) -> str:
    """What the end of a process does: the type of the action, or the error."""
    try:
        actions = handler(SimpleNamespace(returncode=code), launch)
    except RuntimeError as error:
        return str(error)
    assert len(actions) <= 1
    kinds = {LogInfo: "goes on", Shutdown: "ends"}
    return kinds[type(actions[0])] if actions else "nothing"


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (
            restarted("x")["on_exit"],
            {0: "ends", 1: "goes on", 2: "x has ended: exit code 2", -signal.SIGKILL: "goes on"},
        ),
        (
            restarted("x", when_stopped=True)["on_exit"],
            {0: "goes on", 2: "x has ended: exit code 2", -signal.SIGSEGV: "goes on"},
        ),
        (
            ends_the_launch("x"),
            {0: "ends", 1: "x has ended: exit code 1", -9: "x has ended: SIGKILL", -99: "x has e"},
        ),
        (may_end("x", "run it"), {0: "goes on", 1: "goes on", 2: "x has ended: exit code 2"}),
    ],
)
def test_what_the_end_of_a_process_does(handler: Any, expected: dict[int, str]) -> None:
    launch = Launch()
    for code, text in expected.items():
        assert ended(handler, code, launch).startswith(text), code
    launch.is_shutdown = True
    assert {ended(handler, code, launch) for code in expected} == {"nothing"}


def test_a_process_that_dies_again_and_again_ends_the_launch() -> None:
    options, launch = restarted("x"), Launch()
    assert options["respawn"] is True
    for _ in range(MOST_DEATHS):
        assert ended(options["on_exit"], 1, launch) == "goes on"
        launch.now += 1.0
    assert ended(options["on_exit"], 1, launch).startswith("x has ended: exit code 1, 6 times in")
    launch.now += DEATHS_WITHIN_S
    assert ended(options["on_exit"], 1, launch) == "goes on", "the deaths are long ago"


# ---- terminals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "programs", "command"),
    [
        ({"DISPLAY": ":0"}, {"xterm", "tmux"}, "xterm -e"),
        ({"WAYLAND_DISPLAY": "w"}, {"x-terminal-emulator", "xterm"}, "x-terminal-emulator -e"),
        ({"TMUX": "/tmp/t,1,0"}, {"tmux", "xterm"}, "tmux split-window -l 16"),
        ({"DISPLAY": ":0", "TMUX": "t"}, {"tmux"}, "tmux split-window -l 16"),
        ({"DISPLAY": ":0"}, set(), ""),
        ({}, {"xterm", "tmux"}, ""),
    ],
)
def test_which_terminal_is_opened(
    environment: dict[str, str], programs: set[str], command: str
) -> None:
    def which(program: str) -> str | None:
        return f"/bin/{program}" if program in programs else None

    assert find_terminal(environment, which) == command


LAUNCH_FOLDER = Path(__file__).resolve().parents[2] / "launch"


def vdsim_launch() -> Any:
    return fragment(str(LAUNCH_FOLDER / "plant.launch.py"), "vdsim.launch.py")


@pytest.mark.parametrize(
    ("platform", "plant", "expected"),
    [
        ("vds1", "true", "single"),
        ("fake", "false", "single"),
        ("vds1", "false", "guarded"),
        ("morai", "false", "guarded"),
        ("morai", "true", "guarded"),
        ("my_car", "true", "guarded"),
    ],
)
def test_whatever_is_no_simulation_of_ours_has_a_guard_by_default(
    platform: str, plant: str, expected: str
) -> None:
    context = LaunchContext()
    context.launch_configurations.update(platform=platform, plant=plant, use_sim_time="false")
    default = vdsim_launch().OWN_ARGUMENTS["composition"][0]
    assert default.perform(context) == expected


@pytest.mark.parametrize(
    ("given", "written", "expected"),
    [
        ({}, "auto", {"process.parameter_services": "in_process"}),
        ({}, "off", {}),
        ({"plant": "false", "mux": "true"}, "auto", {"process.parameter_services": "in_process"}),
        ({"plant": "false"}, "auto", {}),
        ({"platform": "my_car"}, "auto", {}),
        ({"adapter_params_file": "x.yaml"}, "auto", {}),
    ],
)
def test_the_launch_opens_the_parameters_beside_its_own_car_alone(
    given: dict[str, str], written: str, expected: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        f'/**:\n  ros__parameters:\n    process:\n      parameter_services: "{written}"\n',
        encoding="utf-8",
    )
    arguments = {"plant": "true", "platform": "vds1", "mux": "false", **given}
    files = [ParameterFile("params_file", str(file))]
    assert vdsim_launch().parameter_services(arguments, files) == expected


def test_a_launch_loads_neither_the_middleware_nor_the_frames_of_the_guard() -> None:
    code = "import sys, vdsim_interface.ros.launching, vdsim_interface.guard.local_socket as _\n"
    code += "print(*{'rclpy', 'vdsim_interface.guard.frames'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "\n"
