"""FMUs that are made to do harm: each is one line that names it, and nothing stays behind."""

from __future__ import annotations

import io
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.fmu.archive import archived, fmu_files
from vdsim_plant.fmu.libraries import library_name
from vdsim_plant.fmu_import import library_process
from vdsim_plant.fmu_import.library_file import fault_of_library
from vdsim_plant.fmu_import.library_process import LibraryProcess
from vdsim_plant.fmu_import.opened_fmu import open_fmu
from vdsim_plant.parameters import ParameterError
from vdsim_plant.vehicle import Vehicle

LIBRARY = library_name("3.0", "vdsim_ioniq5_awd")
FILES = {**fmu_files(Vehicle(), "3.0"), LIBRARY: b"no program"}
GOOD = archived(FILES)


def own_library() -> bytes:
    """Some whole shared library of this machine, which is no FMU."""
    import _ctypes

    return Path(_ctypes.__file__).read_bytes()


def changed(offset_in_entry: int, form: str, value: int) -> bytes:
    """The archive with a field of each entry of its directory changed."""
    content, place = bytearray(GOOD), 0
    while (place := content.find(b"PK\1\2", place)) >= 0:
        struct.pack_into(form, content, place + offset_in_entry, value)
        place += 4
    return bytes(content)


def many_members() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
        for k in range(10_001):
            archive.writestr(f"r/{k}", b"")
    return made.getvalue()


def zeros() -> bytes:
    """A description of 3 GB by its directory; a reader that believes it reads on and on."""
    return changed(24, "<I", 3_000_000_000)


def broken_inside() -> bytes:
    content = bytearray(GOOD)
    place = content.find(b"modelDescription.xml") + 40
    content[place : place + 40] = bytes(40)
    return bytes(content)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "encrypted": (lambda: changed(8, "<H", 1), " is encrypted"),
    "other compression": (lambda: changed(10, "<H", 14), "has compression method 14: must be 0"),
    "unknown compression": (lambda: changed(10, "<H", 99), "has compression method 99: must be 0"),
    "another version": (lambda: changed(6, "<H", 99), "is no FMU"),
    "gigabytes of zeros": (zeros, "holds more than 2 GB"),
    "members": (many_members, "holds more than 10000 files"),
    "damaged": (broken_inside, "fmu="),
    "cut off": (lambda: GOOD[: len(GOOD) // 2], "is no FMU: not a zip archive"),
    "empty": (lambda: b"", "is no FMU: not a zip archive"),
}


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("vdsim-fmu-*"))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_fmu_is_one_line_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    make, expected = HOSTILE[name]
    path, before = tmp_path / "car.fmu", folders()
    path.write_bytes(make())
    with pytest.raises(ParameterError) as refused:
        open_fmu(path)
    text = str(refused.value)
    assert text.startswith(f"fmu={path}: ")
    assert expected in text
    assert "\n" not in text
    assert folders() <= before


def test_an_archive_that_breaks_while_it_is_unpacked_leaves_nothing(tmp_path: Path) -> None:
    content = bytearray(archived({**FILES, "resources/large": bytes(range(256)) * 4096}))
    place = content.find(b"resources/large") + 500
    content[place : place + 200] = bytes(200)
    path, before = tmp_path / "car.fmu", folders()
    path.write_bytes(bytes(content))
    with pytest.raises(ParameterError, match="is no FMU"):
        open_fmu(path)
    assert folders() <= before


def test_what_a_process_that_was_killed_left_is_removed_by_the_next(tmp_path: Path) -> None:
    code = "import sys, os, pathlib\nfrom vdsim_plant.fmu_import.opened_fmu import open_fmu\n"
    code += "kept = open_fmu(pathlib.Path(sys.argv[1]))\nprint(kept.library, flush=True)\n"
    code += "os.kill(os.getpid(), 9)"
    path = tmp_path / "car.fmu"
    path.write_bytes(GOOD)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    left = Path(done.stdout.strip()).parents[2]
    assert left.is_dir(), done.stderr
    kept = open_fmu(path)
    assert not left.exists()
    assert kept.library.is_file()


# ---- libraries -----------------------------------------------------------------------------------


def test_a_truncated_library_is_named_before_it_is_loaded(tmp_path: Path) -> None:
    whole = own_library()
    path = tmp_path / "library.so"
    path.write_bytes(whole)
    assert fault_of_library(path) == ""
    for size in (0, 3, 63, 64, 200, len(whole) // 2):
        path.write_bytes(whole[:size])
        fault = fault_of_library(path)
        assert "is truncated" in fault or "is no library" in fault, size
    fmu = tmp_path / "car.fmu"
    fmu.write_bytes(archived({**FILES, LIBRARY: whole[: len(whole) // 2]}))
    with pytest.raises(ParameterError, match=r"cannot be loaded: \S+ is truncated: has \d+ bytes"):
        LibraryProcess(open_fmu(fmu))


def test_a_fault_of_the_library_crosses_from_its_process(tmp_path: Path) -> None:
    fmu = tmp_path / "car.fmu"
    fmu.write_bytes(archived({**FILES, LIBRARY: own_library()}))
    with pytest.raises(ParameterError, match="has no function fmi3InstantiateCoSimulation"):
        LibraryProcess(open_fmu(fmu))


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import os; os._exit(3)", "exit code 3"),
        ("print('this is no answer', flush=True); input()", "exit code"),
    ],
)
def test_a_library_that_ends_its_process_ends_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, how: str
) -> None:
    monkeypatch.setattr(library_process, "_COMMAND", code)
    fmu = tmp_path / "car.fmu"
    fmu.write_bytes(archived({**FILES, LIBRARY: own_library()}))
    with pytest.raises(ParameterError, match=f"its library has ended its process: {how}"):
        LibraryProcess(open_fmu(fmu))


SLEEPS = "import time; time.sleep(1e6)"
ANSWERS_ONCE = f"print('[null, null]', flush=True); {SLEEPS}"
BEGINS_AN_ANSWER = f"print('[null, ', end='', flush=True); {SLEEPS}"


@pytest.mark.parametrize("code", [SLEEPS, BEGINS_AN_ANSWER])
def test_a_library_that_does_not_return_is_ended_with_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(library_process, "_COMMAND", code)
    started = subprocess.Popen
    processes: list[subprocess.Popen[bytes]] = []

    def start(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        processes.append(started(*words, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    fmu = tmp_path / "car.fmu"
    fmu.write_bytes(archived({**FILES, LIBRARY: own_library()}))
    expected = r"its library has not returned from 'open' within 0\.2 s; its process was ended$"
    with pytest.raises(ParameterError, match=expected):
        LibraryProcess(open_fmu(fmu), open_s=0.2)
    assert [each.returncode for each in processes] == [-signal.SIGKILL]


def test_a_call_has_a_time_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_process, "_COMMAND", ANSWERS_ONCE)
    fmu = tmp_path / "car.fmu"
    fmu.write_bytes(archived({**FILES, LIBRARY: own_library()}))
    process = LibraryProcess(open_fmu(fmu), call_s=0.2)
    with pytest.raises(ParameterError, match=r"has not returned from 'step' within 0\.2 s"):
        process.step(0.0, 0.01)
    with pytest.raises(ParameterError, match="its library has ended its process: SIGKILL"):
        process.step(0.0, 0.01)
