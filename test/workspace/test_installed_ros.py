"""`./ws` on a machine that has ROS 2: a prefix such as /opt/ros/jazzy, made of the wheels here.

The workspace is a copy with one package, so that no message is compiled.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = (str(ROOT / ".ros"), str(ROOT / "portable"))
ROS_VARIABLES = (
    *("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV"),
    *("ROS_DISTRO", "ROS_VERSION", "ROS_PYTHON_VERSION", "_ROS_WHEELS_BOOTSTRAP_COMPLETE"),
    *("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"),
)
# `./ws` of the copy, with another folder in place of /opt/ros.
WS = """
import sys
from pathlib import Path
root, opt_ros = map(Path, sys.argv[1:3])
sys.path.insert(0, str(root / "tools"))
from workspace import cli
cli.OPT_ROS = opt_ros
sys.exit(cli.main(sys.argv[3:]))
"""


class Machine:
    """A machine with ROS 2 under `opt_ros` and a workspace that was just cloned."""

    def __init__(self, folder: Path, wheels: Path) -> None:
        self.opt_ros = folder / "opt ros"
        self.prefix = self.opt_ros / os.environ["ROS_DISTRO"]
        self.clone = folder / "a clone"
        self._make_prefix(wheels)
        for name in ("tools", "portable"):
            ignored = shutil.ignore_patterns("interfaces", "__pycache__")
            shutil.copytree(ROOT / name, self.clone / name, ignore=ignored)
        for name in ("ws", "colcon.meta", "src/vdsim_protocol"):
            (self.clone / name).parent.mkdir(exist_ok=True)
            (self.clone / name).symlink_to(ROOT / name)

    def _make_prefix(self, wheels: Path) -> None:
        self.prefix.mkdir(parents=True)
        for name in ("include", "lib", "share"):
            (self.prefix / name).symlink_to(wheels / name)
        (packages,) = wheels.glob("lib/python3*/site-packages")
        paths = {
            "AMENT_PREFIX_PATH": str(self.prefix),
            "CMAKE_PREFIX_PATH": str(self.prefix),
            "LD_LIBRARY_PATH": str(self.prefix / "lib"),
            # An installed ROS 2 has its own launch and ros2; these stand for them.
            "PATH": str(ROOT / "portable" / "bin"),
            "PYTHONPATH": f"{ROOT / 'portable'}:{self.prefix / packages.relative_to(wheels)}",
        }
        self._write_setup("setup.bash", paths)
        # The same prefix as a venv whose modules are importable by its own interpreter alone.
        (self.prefix / "bin").mkdir()
        (self.prefix / "bin" / "python3").symlink_to(_base_python())
        (self.prefix / "pyvenv.cfg").write_text(f"home = {Path(_base_python()).parent}\n")
        self._write_setup("venv.bash", {**paths, "PYTHONPATH": str(ROOT / "portable")})

    def _write_setup(self, name: str, paths: dict[str, str]) -> None:
        lines = [f'export {name}="{path}:${name}"' for name, path in paths.items()]
        lines += [f"export ROS_DISTRO={self.prefix.name} ROS_VERSION=2 ROS_PYTHON_VERSION=3"]
        lines += ["export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1"]
        (self.prefix / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def ws(
        self, *arguments: str, sourced: str = "", folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `./ws`, in a shell in which this setup file of ROS 2 is sourced."""
        environ = {k: v for k, v in os.environ.items() if k not in ROS_VARIABLES}
        path = [p for p in environ["PATH"].split(os.pathsep) if not p.startswith(OURS)]
        environ["PATH"] = os.pathsep.join(path)
        command = [_base_python(), "-c", WS, str(self.clone)]
        command += [str(self.clone / "none" if sourced else self.opt_ros), *arguments]
        if sourced:
            setup = self.prefix / sourced
            command = ["bash", "-c", f'. "{setup}" && exec "$@"', "ws", *command]
        return subprocess.run(
            command, env=environ, cwd=folder, capture_output=True, text=True, check=False
        )


def _base_python() -> str:
    """The interpreter below the private environment that these tests run in."""
    return str(Path(sys.executable).resolve())


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    wheels = Path(sys.prefix)
    if not (wheels / "share" / "ament_index").is_dir():
        pytest.skip("this ROS 2 is an installed one: every other test proves what this one would")
    return Machine(tmp_path_factory.mktemp("machine"), wheels)


@pytest.mark.parametrize(
    "sourced", ["", "setup.bash", "venv.bash"], ids=["installed", "sourced", "venv"]
)
def test_the_ros_2_that_is_there_is_used(machine: Machine, sourced: str) -> None:
    shutil.rmtree(machine.clone / ".ros", ignore_errors=True)
    built = machine.ws("build", sourced=sourced)
    assert built.returncode == 0, built.stdout + built.stderr
    (state,) = (machine.clone / ".ros").glob("*/")
    assert state.name == f"system-{machine.prefix.name}"
    assert not (state / "log" / "setup.log").exists(), "it has everything: nothing is installed"
    report = machine.ws("doctor", sourced=sourced).stdout
    where = "sourced in this shell" if sourced else f"installed, {machine.prefix}"
    assert f"{machine.prefix.name}, {where}" in report
    assert "ROS 2's own" in report
    code = (
        "import rclpy, launch, vdsim_protocol as p; print(rclpy.__file__, p.__file__, sep=chr(10))"
    )
    ran = machine.ws("python", "-c", code, sourced=sourced)
    rclpy_file, protocol_file = ran.stdout.splitlines()
    assert rclpy_file.startswith(str(machine.prefix)), ran.stderr
    assert protocol_file.startswith(str(machine.clone))
    listed = machine.ws("ros2", "pkg", "executables", "vdsim_protocol", sourced=sourced)
    assert "vdsim_protocol vdsim_chaos" in listed.stdout, listed.stderr


OWN_PACKAGE = {
    "package.xml": """<package format="3"><name>my_tool</name><version>1.0.0</version>
        <description>own</description><maintainer email="a@b.invalid">a</maintainer>
        <license>none</license><export><build_type>ament_python</build_type></export></package>""",
    "setup.cfg": "[develop]\nscript_dir=$base/lib/my_tool\n[install]\n"
    "install_scripts=$base/lib/my_tool\n",
    "setup.py": """from setuptools import setup
setup(name="my_tool", version="1.0.0", py_modules=["my_tool"],
      data_files=[("share/ament_index/resource_index/packages", ["resource/my_tool"]),
                  ("share/my_tool", ["package.xml"])],
      entry_points={"console_scripts": ["tool = my_tool:main"]})
""",
    "resource/my_tool": "",
    "my_tool.py": "def main():\n    import vdsim_protocol\n    print(vdsim_protocol.__file__)\n",
}


@pytest.mark.parametrize(
    "options",
    [[], ["--symlink-install"], ["--merge-install", "--install-base=my install"]],
    ids=["copied", "linked", "merged"],
)
def test_an_own_workspace_is_built_beside_a_clone_whose_path_has_a_space(
    options: list[str], machine: Machine, tmp_path: Path
) -> None:
    own = tmp_path / "own workspace"
    for name, text in OWN_PACKAGE.items():
        file = own / "src" / "my_tool" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    built = machine.ws("colcon", "build", *options, folder=own)
    assert built.returncode == 0, built.stdout + built.stderr
    setup = "my install/setup.bash" if "--merge-install" in options else "install/setup.bash"
    ran = machine.ws("bash", "-c", f"source '{setup}' && ros2 run my_tool tool", folder=own)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith(str(machine.clone)), "the clone is below the workspace"
    assert ran.stderr == ""
