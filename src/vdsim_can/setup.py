"""Build of vdsim_can: a pure Python package with its example network inside."""

import atexit
import tempfile
from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_can"
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
    package_data={package_name: data("py.typed", "data/*.dbc", "data/*.yaml")},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["vdsim_protocol", "numpy", "pyyaml"],
    extras_require={
        "platform": ["vdsim_interface"],
        "car": ["vdsim_interface", "vdsim_plant"],
        "bus": ["python-can", "msgpack"],
        "mf4": ["asammdf"],
        "test": ["pytest", "hypothesis", "cantools", "crccheck", "opendbc"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="A drive-by-wire car on CAN as data: a DBC file and a page of YAML",
    long_description=(Path(__file__).resolve().parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_can = vdsim_can.cli.main:main",
            "vdsim_can_car = vdsim_can.cli.car:main",
        ],
        "vdsim_interface.platforms": ["can = vdsim_can.platform"],
        "vdsim_plant.bus_log_readers": ["can = vdsim_can.learn.drive_log:read_drive"],
        "vdsim_protocol.bus_dumps": ["can = vdsim_can.learn.frame_texts:frame_lines"],
    },
)
