"""Every file that a user names is read in one way: the walk over src/, and fuzzed files.

`./ws attack --kind files` fuzzes each reader with many more files.
"""

from __future__ import annotations

import ast
import os
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from vdsim_kit.file_readers import HOSTILE, READERS, Reader, attack, fell
from vdsim_kit.programs import ROOT

FUZZED_N = 20
PATIENCE_S = 120.0
CHECKED = {"vdsim_protocol.checked_file", "vdsim_plant.parameters.checked_file"}
THROUGH = {"vdsim_plant.parameters.input_file"}
THE_READERS = {
    "vdsim_protocol/checked_file.py",
    "vdsim_plant/parameters/checked_file.py",
    "vdsim_plant/parameters/input_file.py",
    "vdsim_plant/parameters/yaml_text.py",
}
RAW = {
    *("read_text", "read_bytes", "safe_load", "load_all", "loadtxt", "genfromtxt", "fromfile"),
    *("loadmat", "ZipFile", "CDLL", "iterparse", "unpack_archive", "memmap"),
}
"""Attributes and names that read a file, whatever they are called on."""
RAW_OF = {
    *("yaml.load", "json.load", "np.load", "pickle.load", "tarfile.open", "io.open", "os.open"),
    *("marshal.load", "gzip.open", "runpy.run_path", "ElementTree.parse", "reader.read"),
}

NOT_OF_A_USER: Mapping[str, str] = {
    # Of the kernel.
    "vdsim_protocol/data_limit.py": "/proc",
    "vdsim_protocol/loopback.py": "/proc",
    "vdsim_protocol/launch_watch.py": "/proc, and the null device",
    "vdsim_protocol/cli/closed_pipe.py": "the null device",
    "vdsim_protocol/host_filter.py": "the C library",
    "vdsim_protocol/shared_memory.py": "locks that Fast DDS left, opened and not read",
    "vdsim_interface/extras/doctor/ros/udp_ports.py": "/proc",
    "vdsim_interface/extras/explain/ros/running.py": "/proc",
    "vdsim_interface/extras/events/event_file.py": "what this program wrote; each line is checked",
    "vdsim_interface/ros/process/session_record.py": "number of this boot; the record is checked",
    "vdsim_interface/extras/teleop/device_io.py": "devices, and what the kernel says of them",
    "vdsim_interface/extras/teleop/nodes/keyboard_teleop.py": "the null device",
    "vdsim_plant/cli/console.py": "the null device",
    "vdsim_interface/guard/realtime.py": "the C library",
    "vdsim_plant_node/live/realtime_hints.py": "the C library",
    # Of our own packages, or made by the same process.
    "vdsim_plant/fmu/archive.py": "sources in the package; it writes an archive",
    "vdsim_plant/study/sweep/identity.py": "sources of the package",
    "vdsim_plant/compiled/code_cache.py": "sources of packages",
    "vdsim_plant/compiled/linking.py": "compiled code in a folder of this user, checked there",
    "vdsim_plant/study/sweep/files.py": "what it has just written",
    "vdsim_plant/cli/c_compiler.py": "what the compiler has just made",
    "vdsim_plant_node/dataport/assets.py": "the dashboard in the package",
    "vdsim_interface/extras/teleop/cli/terminal_pane.py": "pipes between processes of one command",
    # In bounds of their own, which their tests hold.
    "vdsim_plant/fmu_import/opened_fmu.py": "an archive of checked size, member by member",
    "vdsim_plant/fmu_import/binding.py": "a library, checked, in a process of its own",
    "vdsim_plant/study/identify/log_formats/mat_file.py": "scipy, of bytes that were read checked",
    "vdsim_plant/study/identify/log_formats/log_files.py": "numpy, of text that was read checked",
    "vdsim_interface/extras/autohyu/torque_points.py": "numpy, of text that was read checked",
    # Writes, locks and names of a recording that it makes; what it reads is read checked.
    "vdsim_record/journal/folder.py": "locks and folders",
    "vdsim_record/journal/writer.py": "segments that it writes",
    "vdsim_record/mcap_file/growing_file.py": "the file that it writes",
    "vdsim_record/cli/killing/recorder.py": "notes that it writes",
    "vdsim_record/cli/killing/tries.py": "notes of processes that it has started",
    "vdsim_record/cli/killing/power.py": "copies of files that it has made",
    "vdsim_plant/ground/opencrg.py": "pyopencrg, after the file was checked",
}
"""Modules that read in another way, and what: none of it is a file that a user names."""


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Every module of the products, and the launch files."""
    return [*_modules()]


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for package in sorted(ROOT.glob("src/vdsim_*/vdsim_*")):
        if package.name.endswith("_kit") or package.name != package.parent.name:
            continue
        for file in sorted(package.rglob("*.py")):
            name = f"{package.name}/{file.relative_to(package).as_posix()}"
            yield name, ast.parse(file.read_text(encoding="utf-8"))
    for file in sorted(ROOT.glob("src/*/launch/*.py")):
        yield f"launch/{file.name}", ast.parse(file.read_text(encoding="utf-8"))


def raw_reads(tree: ast.Module) -> list[str]:
    """The calls of a module that read a file without checking it."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        last = called.rpartition(".")[2]
        is_attribute = isinstance(node.func, ast.Attribute)
        if (
            called == "open"
            or called in RAW_OF
            or (last in RAW and (is_attribute or last in {"loadmat", "safe_load", "ZipFile"}))
            or (is_attribute and last == "open" and _reads(node))
        ):
            found.append(f"{node.lineno} {called}")
    return found


def _reads(node: ast.Call) -> bool:
    """Whether a method `open` is that of a path, for reading."""
    words = {word.arg for word in node.keywords}
    modes = [each.value for each in node.args if isinstance(each, ast.Constant)]
    modes += [each.value.value for each in node.keywords if isinstance(each.value, ast.Constant)]
    texts = [mode for mode in modes if isinstance(mode, str) and mode.strip("rwxabt+") == ""]
    writes = any(set(text) & set("wxa") for text in texts)
    return not writes and (bool(texts) or bool(words & {"encoding", "newline", "errors"}))


def uses_checked(tree: ast.Module) -> bool:
    """Whether a module calls the checked reader itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in CHECKED | THROUGH:
            names = {alias.name for alias in node.names}
            if names & {"read_text", "read_bytes", "read_yaml", "read_json", "open_checked"}:
                return True
    return False


def test_no_module_reads_a_file_of_a_user_in_another_way() -> None:
    found = {name: raw_reads(tree) for name, tree in modules() if name not in THE_READERS}
    found = {name: calls for name, calls in found.items() if calls}
    assert not found.keys() - NOT_OF_A_USER.keys(), {
        name: calls for name, calls in found.items() if name not in NOT_OF_A_USER
    }
    gone = NOT_OF_A_USER.keys() - found.keys()
    assert not gone, f"read nothing raw any more: {sorted(gone)}"


def test_the_walk_sees_each_way_to_read() -> None:
    ways = [
        *("open('x')", "path.open()", "path.open('rb')", "path.read_text()", "yaml.safe_load(f)"),
        *("json.load(f)", "np.loadtxt(f)", "zipfile.ZipFile(f)", "path.open(encoding='utf-8')"),
    ]
    blind = [way for way in ways if not raw_reads(ast.parse(way))]
    assert blind == ["path.open()"], "which the methods `open` of sockets look like"
    for way in ("path.open('w')", "read_text(path)", "sockets.open(endpoints)", "json.loads(x)"):
        assert not raw_reads(ast.parse(way))


def test_every_module_that_reads_is_in_the_table() -> None:
    known = {module for reader in READERS for module in reader.modules}
    users = {name for name, tree in modules() if uses_checked(tree)} - THE_READERS
    elsewhere = {
        "vdsim_autoware/facts/peer_facts.py",  # the package's own files
        "launch/nav2.launch.py",  # a model for robot_state_publisher, passed on as it is
        "launch/autoware_simulator.launch.py",  # an installed launch file, searched for one word
        "launch/autoware.launch.py",  # parameter files that load() has read before
        "vdsim_interface/extras/explain/ros/running.py",  # the same, for its first line
        "vdsim_plant/fmu_import/library_file.py",  # a library that we have unpacked
        "vdsim_record/cli/kills.py",  # figures that it has stored
        "vdsim_record/cli/killing/figures.py",  # a recording that it has made
        "vdsim_record/cli/killing/power.py",  # notes of processes that it has started
        "vdsim_record/cli/killing/tries.py",  # /proc
        "vdsim_record/cli/killing/drives.py",  # the log of a launch that it has started
        "vdsim_record/ros/recorder.py",  # parameter files that load() has read before
        "vdsim_record/ros/type_texts.py",  # installed definitions of messages
    }
    assert users - known == elsewhere
    assert len(READERS) >= 26


def test_a_good_file_is_read(tmp_path: Path) -> None:
    """Else fuzzing would never come further than the first line."""
    unread = {}
    # A table of a run, a trace and a session are refused further in: their good files are short.
    short = {"table of a run", "command trace", "bends", "samples", "torque points", "recording"}
    for n, reader in enumerate(READERS):
        folder = tmp_path / str(n)
        folder.mkdir()
        path = folder / f"file{reader.suffix}"
        path.write_bytes(reader.good())
        try:
            said = reader.read(path)
        except ValueError as error:
            said = str(error)
            unread[reader.name] = said
        if reader.says_fault and said:
            unread[reader.name] = said
    assert not unread.keys() - short, unread


@pytest.mark.parametrize("reader", READERS, ids=[f"{r.name}{r.suffix}" for r in READERS])
def test_no_file_makes_a_traceback(reader: Reader, tmp_path: Path) -> None:
    assert attack(reader, tmp_path, seed=1, count=FUZZED_N) == []


@pytest.mark.parametrize("reader", READERS, ids=[f"{r.name}{r.suffix}" for r in READERS])
def test_what_never_ends_is_refused_at_once(reader: Reader, tmp_path: Path) -> None:
    """A pipe that nobody writes into: a reader that opened it would wait for ever."""
    path = tmp_path / f"fifo{reader.suffix}"
    os.mkfifo(path)
    done: list[str] = []
    thread = threading.Thread(target=lambda: done.append(fell(reader, path)), daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert done == [""], "it waits"


def test_the_files_are_hostile() -> None:
    assert len(HOSTILE) > 12
