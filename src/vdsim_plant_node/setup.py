"""Build of vdsim_plant_node: the simulated car on the wire."""

import atexit
import tempfile
from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_plant_node"
# colcon --symlink-install runs this file by a link in its build folder, where not all files are.
here = Path(__file__).resolve().parent


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
        package_name: data(
            "py.typed",
            *("dataport/web/*.html", "dataport/web/*.css"),
            *("dataport/web/*.js", "dataport/web/*.svg"),
            *("dataport/web/view3d/*.js", "dataport/web/vendor/*"),
        )
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["vdsim_plant", "vdsim_protocol", "numpy"],
    extras_require={
        "plots": ["matplotlib"],
        "dashboard": ["aiohttp"],
        "test": ["pytest", "hypothesis"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description=(
        "The simulated car on the wire: UDP server, ROS node, dashboard, scenarios, recordings"
    ),
    long_description=(Path(__file__).resolve().parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_realtime = vdsim_plant_node.cli.entry_points:realtime",
            "vdsim_replay = vdsim_plant_node.cli.entry_points:replay",
            "vdsim_plot = vdsim_plant_node.cli.entry_points:plot",
            "morai_emulator = vdsim_plant_node.cli.entry_points:morai_emulator",
            "plant = vdsim_plant_node.cli.entry_points:plant",
        ],
        "vdsim_plant.log_readers": ["vds = vdsim_plant_node.runs.recording_log:read_recording"],
    },
)
