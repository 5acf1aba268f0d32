"""Repairs of the wheels."""

import subprocess
from pathlib import Path

import pytest
from workspace import quirks

EXPORT = (
    'INTERFACE_INCLUDE_DIRECTORIES "/opt/python/cp311-cp311/include/python3.11;'
    '/opt/python/cp311-cp311/lib/python3.11/site-packages/numpy/_core/include"'
)


def test_foreign_include_folders_are_replaced_once(tmp_path: Path) -> None:
    file = tmp_path / "std_msgs" / "cmake" / "export.cmake"
    file.parent.mkdir(parents=True)
    file.write_text(EXPORT)
    assert quirks.repair_cmake_exports(tmp_path, "/here/python", "/here/numpy") == 1
    assert file.read_text() == 'INTERFACE_INCLUDE_DIRECTORIES "/here/python;/here/numpy"'
    assert quirks.repair_cmake_exports(tmp_path, "/here/python", "/here/numpy") == 0


def test_local_setup_can_be_sourced_twice_from_a_path_with_a_space(tmp_path: Path) -> None:
    prefix = tmp_path / "with space"
    prefix.mkdir()
    quirks.write_local_setup(prefix, "jazzy")
    script = (
        f'. "{prefix}/setup.sh"; . "{prefix}/local_setup.sh"; echo "$AMENT_PREFIX_PATH $ROS_DISTRO"'
    )
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "AMENT_PREFIX_PATH": "/other"},
    )
    assert done.stdout == f"{prefix}:/other jazzy\n"


def test_local_setup_of_a_prefix_of_ours_leads_to_its_modules(tmp_path: Path) -> None:
    quirks.write_local_setup(tmp_path, "jazzy", "lib/python3.11/site-packages")
    script = f'. "{tmp_path}/local_setup.sh"; echo "$PYTHONPATH"'
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": "/other"},
    )
    assert done.stdout == f"{tmp_path}/lib/python3.11/site-packages:/other\n"


def test_private_libraries_are_reachable_from_lib_and_linked_once(tmp_path: Path) -> None:
    private = tmp_path / "lib" / "python3.11" / "site-packages" / "ros_rcl.libs"
    private.mkdir(parents=True)
    (private / "libx-1234.so.6").write_text("x")
    assert quirks.link_private_libraries(tmp_path) == 1
    assert (tmp_path / "lib" / "libx-1234.so.6").read_text() == "x"
    assert quirks.link_private_libraries(tmp_path) == 0


def test_scripts_below_a_path_with_a_space_start(tmp_path: Path) -> None:
    install = tmp_path / "with space" / "install"
    script = install / "package" / "lib" / "package" / "tool"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!{install.parent}/venv/bin/python\nprint("started")\n')
    script.chmod(0o755)
    assert quirks.repair_interpreter_lines(install) == 1
    assert quirks.repair_interpreter_lines(install) == 0
    done = subprocess.run([str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "started\n"


@pytest.mark.parametrize("layout", ["package/lib/package", "lib/package"])
def test_scripts_of_another_workspace_start_too(layout: str, tmp_path: Path) -> None:
    venv = tmp_path / "a clone" / "venv"
    ours, others = (tmp_path / "own" / layout / name for name in ("ours", "others"))
    ours.parent.mkdir(parents=True)
    ours.write_text(f"#!{venv}/bin/python\n")
    others.write_text("#!/opt/other python\n")
    assert quirks.repair_interpreter_lines(tmp_path / "own", venv) == 1
    assert ours.read_text() == "#!/usr/bin/env python3\n"
    assert others.read_text() == "#!/opt/other python\n"
