"""The layers: which package may import which, what a core may use, where files may be.

Each test is one rule and lists everything that breaks it.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from size.plan import room_of
from size.source_tree import Module, import_circles, modules_of
from vdsim_plant.compiled import code_cache

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = {"vdsim_msgs", "autohyu_msgs"}

MAY_IMPORT: Mapping[str, set[str]] = {
    "vdsim_protocol": set(),
    "vdsim_plant": set(),
    "vdsim_interface": {"vdsim_protocol", *MESSAGES},
    "vdsim_plant_node": {"vdsim_plant", "vdsim_protocol", *MESSAGES},
    "vdsim_autoware": {
        *("vdsim_interface", "vdsim_plant", "vdsim_plant_node", "vdsim_protocol"),
        *MESSAGES,
    },
    "vdsim_can": {
        *("vdsim_interface", "vdsim_plant", "vdsim_plant_node", "vdsim_protocol"),
        *MESSAGES,
    },
    "vdsim_record": {
        *("vdsim_interface", "vdsim_plant", "vdsim_plant_node", "vdsim_protocol"),
        *MESSAGES,
    },
    "vdsim_simulate": {
        *("vdsim_can", "vdsim_interface", "vdsim_plant", "vdsim_plant_node", "vdsim_protocol"),
        *("vdsim_record", *MESSAGES),
    },
}
"""The packages of ours that each package may import."""

ADDITIONS: Mapping[str, tuple[str, set[str]]] = {
    # The name under which vendors import the contract suite.
    "vdsim_interface": ("extras", {"testing"}),
    "vdsim_plant": ("study", {"cli"}),
}
"""Package -> its folder that the rest of it does not import, and which folders may."""

OUTSIDE = {
    *("rclpy", "rospy", "socket", "select", "selectors", "asyncio", "aiohttp"),
    *("time", "threading", "subprocess", "signal", "os", "sys", "argparse", "fcntl", "print"),
}
"""Only a shell may use these: ROS, sockets, clocks, threads, processes and the command line."""

SHELL_FOLDERS = {"cli", "nodes", "ros", "ros1"}
"""A folder of a package with one of these names holds shells only; all other folders, cores."""

SHELL_MODULES = (
    "vdsim_can/bus/opening.py",
    "vdsim_interface/guard/link.py",
    "vdsim_interface/guard/local_socket.py",
    "vdsim_interface/guard/process.py",
    "vdsim_interface/guard/realtime.py",
    "vdsim_interface/guard/tape.py",
    "vdsim_interface/guard/vehicle_guard.py",
    "vdsim_interface/platforms/host_lookup.py",
    "vdsim_interface/platforms/endpoints.py",
    "vdsim_interface/extras/events/attach.py",
    "vdsim_interface/extras/events/event_file.py",
    "vdsim_interface/extras/teleop/device_io.py",
    "vdsim_plant/realtime/runner.py",
    "vdsim_plant/study/sweep/cluster.py",
    "vdsim_plant/study/sweep/pool.py",
    "vdsim_plant_node/dataport/app.py",
    "vdsim_plant_node/dataport/connections.py",
    "vdsim_plant_node/dataport/drive_socket.py",
    "vdsim_plant_node/dataport/fanout.py",
    "vdsim_plant_node/dataport/faults.py",
    "vdsim_plant_node/dataport/front.py",
    "vdsim_plant_node/dataport/restarts.py",
    "vdsim_plant_node/dataport/server_access.py",
    "vdsim_plant_node/dataport/service.py",
    "vdsim_plant_node/dataport/stream.py",
    "vdsim_plant_node/live/compile_ahead.py",
    "vdsim_plant_node/live/early_exit.py",
    "vdsim_plant_node/live/realtime_hints.py",
    "vdsim_plant_node/live/recording_session.py",
    "vdsim_plant_node/live/server.py",
    "vdsim_plant_node/live/udp_port.py",
    "vdsim_plant_node/live/udp_sockets.py",
    "vdsim_plant_node/morai/emulator.py",
    "vdsim_plant_node/replay/app.py",
    "vdsim_plant_node/runs/recording_writer.py",
    "vdsim_plant_node/scenario/state_stream.py",
    "vdsim_plant_node/settings/choices.py",
    "vdsim_plant_node/settings/options.py",
    "vdsim_record/recording.py",
    "vdsim_record/tape/attach.py",
    "vdsim_record/tape/receiving.py",
    "vdsim_record/journal/folder.py",
    "vdsim_record/journal/writer.py",
    "vdsim_record/mcap_file/finishing.py",
    "vdsim_record/mcap_file/growing_file.py",
    "vdsim_protocol/checked_node.py",
    "vdsim_protocol/contract_ports.py",
    "vdsim_protocol/data_limit.py",
    "vdsim_protocol/ending_signals.py",
    "vdsim_protocol/launch_watch.py",
    "vdsim_protocol/launching/copies.py",
    "vdsim_protocol/flood/wall.py",
    "vdsim_protocol/host_filter.py",
    "vdsim_protocol/loopback.py",
    "vdsim_protocol/shared_memory.py",
)
"""Shells in folders of cores: sockets, devices, threads of the server, its command line, the
processes and the cluster of a sweep."""

EXCEPTIONS: Mapping[str, set[str]] = {
    # The byte order of this machine decides whether values can be read in place.
    "vdsim_protocol/vds1/view.py": {"sys"},
    # A platform's folder becomes an importable package through sys.modules and sys.path.
    "vdsim_interface/platforms/discovery.py": {"sys"},
    # Compiled kernels are kept in a file, written under a temporary name and then renamed.
    "vdsim_plant/compiled/code_cache.py": {"os", "sys"},
    # The compiled kernel is linked into the process once, for all its threads, with a line
    # on stderr while the compiler runs.
    "vdsim_plant/compiled/linking.py": {"print", "sys", "threading"},
    # A file of results appears whole or not at all, whoever else writes it.
    "vdsim_plant/study/sweep/files.py": {"os"},
    # A library of somebody else may end its process: it has one of its own, which ends with ours.
    "vdsim_plant/fmu_import/library_process.py": {
        *("os", "select", "signal", "subprocess", "sys", "threading", "time"),
    },
    # What a process that died has left of unpacked libraries is removed; a library is one of Linux.
    "vdsim_plant/fmu_import/opened_fmu.py": {"os"},
    "vdsim_plant/fmu_import/library_file.py": {"sys"},
    # A pool of threads belongs to the process that made it: a fork has none of them.
    "vdsim_plant/batch/workers.py": {"os"},
}
"""Cores that need one of these modules, and why."""

ON_VIRTUAL_TIME: Mapping[str, set[str]] = {
    # The plant server takes its sockets, and in lockstep its time, from whoever makes it.
    "vdsim_simulate/car.py": {
        "vdsim_plant_node.live.server",
        "vdsim_plant_node.live.udp_sockets",
    },
}
"""Shells that a core of the simulator runs without a clock and without a socket."""

ON_USE: Mapping[str, set[str]] = {
    # Imported when a file of YAML is read, and by nothing else of the protocol.
    "vdsim_protocol/checked_file.py": {"yaml"},
}
"""Packages besides the standard library that a core of the protocol imports where it needs them."""

MAX_MODULES_IN_A_FOLDER = 20

TEST_FOLDERS = ("src/*/test", "test", "portable/test", "simulate/test")
"""The folders of test files; no two files have the same name."""

ONE_WAY_FOLDERS = ("tools/*", "portable/*")
"""Folders with packages, besides the products, whose imports make no circle either."""

KNOWN: Mapping[str, set[str]] = {}
"""Known violations. None may be added, and a line that no longer applies must be removed."""


@dataclass(frozen=True)
class House:
    """The modules of our packages, in the groups of the rules."""

    modules: tuple[Module, ...]
    others: tuple[Module, ...]

    @property
    def cores(self) -> list[Module]:
        """The modules that must not use OUTSIDE."""
        return [module for module in self.modules if not _is_shell(module)]

    @property
    def shells(self) -> list[Module]:
        """The modules that may."""
        return [module for module in self.modules if _is_shell(module)]


def _is_shell(module: Module) -> bool:
    folders = set(module.path.split("/")[1:-1])
    return bool(folders & SHELL_FOLDERS) or module.path in SHELL_MODULES


def _house() -> House:
    roots = ("src/*", "simulate")
    folders = [
        init
        for name in MAY_IMPORT
        for root in roots
        for init in ROOT.glob(f"{root}/{name}/__init__.py")
    ]
    others = [init for pattern in ONE_WAY_FOLDERS for init in ROOT.glob(f"{pattern}/__init__.py")]
    return House(
        modules=tuple(m for init in folders for m in modules_of(init.parent)),
        others=tuple(m for init in others for m in modules_of(init.parent)),
    )


# ---- The rules: each returns one line for everything that breaks it ------------------------------


def imports_point_one_way(house: House) -> list[str]:
    ours = {*MAY_IMPORT, *MESSAGES}
    broken = []
    for module in house.modules:
        foreign = module.top_level_imports & ours - {module.package} - MAY_IMPORT[module.package]
        broken += [f"{module.path} imports {name}" for name in sorted(foreign)]
    return broken


def no_imports_make_a_circle(house: House) -> list[str]:
    return import_circles([*house.modules, *house.others])


def cores_touch_nothing_outside(house: House) -> list[str]:
    """No socket, clock, thread, process or ROS in a core, or where a docstring says "pure"."""
    broken = []
    for module in house.modules:
        if not _is_shell(module) or module.claims_purity:
            outside = module.used & OUTSIDE - EXCEPTIONS.get(module.path, set())
            broken += [f"{module.path} uses {name}" for name in sorted(outside)]
    return broken


def cores_import_no_shell(house: House) -> list[str]:
    shells = {module.name for module in house.shells}
    return [
        f"{module.path} imports {name}"
        for module in house.cores
        for name in sorted(
            module.modules_imported(
                shells - ON_VIRTUAL_TIME.get(module.path, set()), at_run_time=True
            )
        )
    ]


def only_command_lines_import_command_lines(house: House) -> list[str]:
    command_lines = {module.name for module in house.modules if "/cli/" in module.path}
    return [
        f"{module.path} imports {name}"
        for module in house.modules
        if module.name not in command_lines
        for name in sorted(module.modules_imported(command_lines))
    ]


def nothing_imports_additions(house: House) -> list[str]:
    """No core room needs an extra; kernel, plant and batch of the car need no study of it."""
    broken = []
    for package, (folder, also) in ADDITIONS.items():
        ours = [module for module in house.modules if module.package == package]
        inside = {module.name for module in ours if room_of(module) == folder}
        assert inside, f"ADDITIONS: no folder {folder} in {package}"
        for module in ours:
            if room_of(module) not in {folder, *also}:
                imported = module.modules_imported(inside)
                broken += [f"{module.path} imports {name}" for name in sorted(imported)]
    return broken


def nothing_unpacks_what_it_does_not_use(house: House) -> list[str]:
    """Five underscores say that a field's place is counted by hand: use its name."""
    return [
        f"{module.path}:{node.lineno}"
        for module in house.modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Tuple)
        and sum(isinstance(item, ast.Name) and item.id == "_" for item in node.elts) >= 5
    ]


def compiled_code_is_kept_by_all_that_it_is_made_of(house: House) -> list[str]:
    """A module whose functions or constants become part of a loop names the cache's folder."""
    modules = {m.name: m for m in house.modules if m.package == "vdsim_plant"}
    makers = {f"vdsim_plant.compiled.{name}" for name in ("inlining", "differentiation")}
    parts = {name for name, module in modules.items() if module.modules_imported(makers)}
    constants = {
        name
        for part in parts
        for name in modules[part].modules_imported(modules.keys(), at_run_time=True)
    }
    root = Path(code_cache.__file__).parents[1]
    patterns = (*code_cache._SOURCES, *code_cache._TABLES)
    read = {file for pattern in patterns for file in root.glob(pattern)}
    assert len(parts) > 20
    return [modules[name].path for name in parts | constants if modules[name].file not in read]


def the_protocol_needs_the_standard_library_alone(house: House) -> list[str]:
    known = {*sys.stdlib_module_names, "vdsim_protocol"}
    return [
        f"{module.path} imports {name}"
        for module in house.cores
        if module.package == "vdsim_protocol"
        for name in sorted(module.top_level_imports - known - ON_USE.get(module.path, set()))
    ]


def the_tables_name_what_exists(house: House) -> list[str]:
    paths = {module.path for module in house.modules}
    folders = {folder for path in paths for folder in path.split("/")[1:-1]}
    by_path = {module.path: module for module in house.modules}
    return [
        *(f"SHELL_MODULES: {path} does not exist" for path in SHELL_MODULES if path not in paths),
        *(f"SHELL_FOLDERS: no folder {name}" for name in sorted(SHELL_FOLDERS - folders)),
        *(
            f"EXCEPTIONS: {path} does not use {name}"
            for path, names in EXCEPTIONS.items()
            for name in sorted(names)
            if path not in by_path or name not in by_path[path].used
        ),
        *(
            f"ON_VIRTUAL_TIME: {path} does not import {name}"
            for path, names in ON_VIRTUAL_TIME.items()
            for name in sorted(names)
            if path not in by_path or name not in by_path[path].modules_imported(names)
        ),
    ]


def no_folder_is_crowded(house: House) -> list[str]:
    files = [m.path.rpartition("/") for m in house.modules if not m.path.endswith("__init__.py")]
    counts = Counter(folder for folder, _, _ in files)
    return [
        f"{folder} holds {count} modules, more than {MAX_MODULES_IN_A_FOLDER}"
        for folder, count in counts.items()
        if count > MAX_MODULES_IN_A_FOLDER
    ]


def names_of_test_files_are_unique(_house: House) -> list[str]:
    files = [
        file
        for pattern in TEST_FOLDERS
        for folder in ROOT.glob(pattern)
        for file in sorted(folder.rglob("test_*.py"))
    ]
    counts = Counter(file.name for file in files)
    return [str(file.relative_to(ROOT)) for file in files if counts[file.name] > 1]


def links_stay_inside_their_package(_house: House) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} -> {path.readlink()}"
        for package in sorted((ROOT / "src").iterdir())
        for path in sorted(package.rglob("*"))
        if path.is_symlink() and not path.resolve().is_relative_to(package)
    ]


RULES: tuple[Callable[[House], list[str]], ...] = (
    imports_point_one_way,
    no_imports_make_a_circle,
    cores_touch_nothing_outside,
    cores_import_no_shell,
    only_command_lines_import_command_lines,
    nothing_imports_additions,
    nothing_unpacks_what_it_does_not_use,
    compiled_code_is_kept_by_all_that_it_is_made_of,
    the_protocol_needs_the_standard_library_alone,
    the_tables_name_what_exists,
    no_folder_is_crowded,
    names_of_test_files_are_unique,
    links_stay_inside_their_package,
)


@pytest.fixture(scope="module")
def house() -> House:
    return _house()


@pytest.mark.parametrize("rule", RULES, ids=[rule.__name__ for rule in RULES])
def test_rule(rule: Callable[[House], list[str]], house: House) -> None:
    broken, known = set(rule(house)), KNOWN.get(rule.__name__, set())
    title = rule.__name__.replace("_", " ")
    assert not broken - known, "\n".join([f"{title}; broken by:", *sorted(broken - known)])
    assert not known - broken, "\n".join(
        [f"{title}; KNOWN is out of date:", *sorted(known - broken)]
    )
