"""`./ws colcon build` in a workspace of one's own, as docs/setup.md says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from vdsim_kit.tools import has_tool

ROOT = Path(__file__).resolve().parents[2]
NOTE = {
    "package.xml": """<package format="3"><name>my_notes</name><version>1.0.0</version>
        <description>own</description><maintainer email="a@b.invalid">a</maintainer>
        <license>none</license><buildtool_depend>ament_cmake</buildtool_depend>
        <buildtool_depend>rosidl_default_generators</buildtool_depend><depend>std_msgs</depend>
        <member_of_group>rosidl_interface_packages</member_of_group>
        <export><build_type>ament_cmake</build_type></export></package>""",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.16)
project(my_notes)
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(std_msgs REQUIRED)
rosidl_generate_interfaces(${PROJECT_NAME} "msg/Note.msg" DEPENDENCIES std_msgs)
ament_package()
""",
    "msg/Note.msg": "std_msgs/Header header\nstring text\n",
}
EXCHANGE = """
import time, rclpy
from my_notes.msg import Note
rclpy.init()
node, got = rclpy.create_node("exchange"), []
publisher = node.create_publisher(Note, "note", 1)
node.create_subscription(Note, "note", got.append, 1)
end = time.monotonic() + 60.0
while not got and time.monotonic() < end:
    publisher.publish(Note(text="seen"))
    rclpy.spin_once(node, timeout_sec=0.05)
print(got[0].text)
"""


def ws(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run `./ws` of this repository in another folder."""
    return subprocess.run(
        [str(ROOT / "ws"), *arguments],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A workspace with a package of one message that contains one of std_msgs."""
    for name, text in NOTE.items():
        file = tmp_path / "own workspace/src/my_notes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "own workspace"


if has_tool("cmake") and has_tool("make"):

    def test_a_message_of_ones_own_is_built_and_exchanged(own: Path) -> None:
        built = ws(own, "colcon", "build")
        assert built.returncode == 0, built.stdout + built.stderr
        assert built.stderr == ""
        script = 'source install/setup.bash && python3 -c "$EXCHANGE"'
        ran = ws(own, "bash", "-c", script, EXCHANGE=EXCHANGE)
        assert (ran.returncode, ran.stdout) == (0, "seen\n"), ran.stderr


def test_a_build_without_cmake_ends_with_a_line_that_names_it(own: Path, tmp_path: Path) -> None:
    path = without_cmake(tmp_path / "bin")
    built = ws(own, "colcon", "build", PATH=path)
    assert built.returncode != 0
    assert built.stderr.splitlines()[-1] == (
        "ws: missing for packages with a CMakeLists.txt: CMake, make. "
        "Install with: sudo apt-get install cmake make"
    )


def test_a_package_of_python_alone_is_built_without_cmake(tmp_path: Path) -> None:
    path = without_cmake(tmp_path / "bin")
    base = str(ROOT / "examples/my_planner")
    built = ws(tmp_path, "colcon", "build", "--base-paths", base, PATH=path)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "missing" not in built.stderr


def without_cmake(folder: Path) -> str:
    """The search path, with links to every program but CMake and make."""
    folder.mkdir()
    for entry in os.environ["PATH"].split(os.pathsep):
        for program in Path(entry).glob("*"):
            link = folder / program.name
            if program.name not in ("cmake", "make") and not os.path.lexists(link):
                link.symlink_to(program)
    return str(folder)
