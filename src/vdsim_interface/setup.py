"""Build of the vehicle interface, with its launch files and parameters."""

import atexit
import tempfile
from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_interface"
# colcon --symlink-install runs this file by a link in its build folder, where not all files are.
here = Path(__file__).resolve().parent


def shared_files(folder: str) -> list[tuple[str, list[str]]]:
    """Each folder below `folder` with its files, as setuptools' data_files wants them."""
    by_folder: dict[str, list[str]] = {}
    for path in sorted((here / folder).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            relative = path.relative_to(here)
            by_folder.setdefault(str(relative.parent), []).append(str(relative))
    if not by_folder:
        raise SystemExit(f"{package_name}: {folder}/ has no file: the copy is incomplete")
    return [(f"share/{package_name}/{name}", files) for name, files in by_folder.items()]


def data(*patterns: str) -> list[str]:
    """Patterns of files inside the package; setuptools itself ignores one that matches nothing."""
    for pattern in patterns:
        if not any((here / package_name).glob(pattern)):
            raise SystemExit(f"{package_name}: no {pattern}: the copy is incomplete")
    return list(patterns)


# A build beside the sources would give files that are no longer there to every later wheel. Where
# the builder names a folder of its own, as colcon does, that one counts.
build_folder = tempfile.TemporaryDirectory()
atexit.register(build_folder.cleanup)

setup(
    name=package_name,
    options={"build": {"build_base": build_folder.name}},
    version="1.0.0",
    packages=find_packages(include=[package_name, f"{package_name}.*"]),
    package_data={
        package_name: data("py.typed", "platforms/maps/*.csv", "extras/autohyu/maps/*.csv")
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
        *shared_files("launch"),
        *shared_files("config"),
    ],
    install_requires=["vdsim_protocol", "numpy", "scipy", "transitions", "pyyaml"],
    extras_require={
        "plots": ["matplotlib"],
        "car": ["vdsim_plant", "vdsim_plant_node"],
        "test": ["pytest", "hypothesis"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="The vehicle interface: commands in, safe commands out, reports back",
    long_description=(Path(__file__).resolve().parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_torque_map = vdsim_interface.extras.autohyu.cli.torque_map:main",
            "vdsim_calibrate = vdsim_interface.extras.calibration.cli.calibrate:main",
            "vdsim_platform = vdsim_interface.extras.cli.platform:main",
            "vdsim_why = vdsim_interface.extras.explain.cli.explain:main",
            "vdsim_status = vdsim_interface.extras.explain.cli.explain:main",
            "vdsim_explain = vdsim_interface.extras.explain.cli.explain:main",
            "vdsim_doctor = vdsim_interface.extras.doctor.cli.doctor:main",
            "vehicle_guard = vdsim_interface.guard.vehicle_guard:main",
            "guarded_interface = vdsim_interface.nodes.entry_points:guarded_interface",
            "vehicle_interface = vdsim_interface.nodes.entry_points:vehicle_interface",
            "velocity_controller = vdsim_interface.extras.cli.entry_points:velocity_controller",
            "low_pass_filter = vdsim_interface.extras.cli.entry_points:low_pass_filter",
            "safety_state_machine = vdsim_interface.extras.cli.entry_points:safety_state_machine",
            "platform_interface = vdsim_interface.extras.cli.entry_points:platform_interface",
            "component_container = vdsim_interface.extras.cli.entry_points:component_container",
            "gamepad_teleop = vdsim_interface.extras.cli.entry_points:gamepad_teleop",
            "joy_device = vdsim_interface.extras.cli.entry_points:joy_device",
            "keyboard_teleop = vdsim_interface.extras.teleop.nodes.keyboard_teleop:main",
            "command_mux = vdsim_interface.extras.cli.entry_points:command_mux",
            "vdsim_gamepad = vdsim_interface.extras.teleop.cli.gamepad:main",
            "autohyu_bridge = vdsim_interface.extras.cli.entry_points:autohyu_bridge",
            "vdsim_autohyu_ros1 = vdsim_interface.extras.autohyu.cli.autohyu_ros1:main",
            "twist_adapter = vdsim_interface.extras.cli.entry_points:twist_adapter",
            "ackermann_adapter = vdsim_interface.extras.cli.entry_points:ackermann_adapter",
            "autoware_interface = vdsim_interface.nodes.entry_points:autoware_interface",
            "simulated_localization = vdsim_interface.nodes.entry_points:simulated_localization",
            "link_faults = vdsim_interface.extras.cli.entry_points:link_faults",
            "morai_bridge = vdsim_interface.extras.cli.entry_points:morai_bridge",
        ],
        "vdsim_interface.diagnostics": [
            "graph = vdsim_interface.extras.doctor.ros.health:GraphHealth"
        ],
        "vdsim_interface.command_mux": [
            "switcher = vdsim_interface.extras.redundancy.ros.switcher:extend"
        ],
        "vdsim_interface.tape": ["events = vdsim_interface.extras.events.attach:attach"],
        "vdsim_plant_node.replay": ["events = vdsim_interface.extras.events.cli.events:main"],
        "vdsim_interface.platforms": [
            "fake = vdsim_interface.extras.fake",
            "morai = vdsim_interface.extras.morai",
        ],
    },
)
