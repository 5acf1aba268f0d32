"""Build of vdsim_record: recordings in MCAP, with the layouts that show them."""

import atexit
import tempfile
from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_record"
# colcon --symlink-install runs this file by a link in its build folder, where not all files are.
here = Path(__file__).resolve().parent


def data(*patterns: str) -> list[str]:
    """Patterns of files inside the package; setuptools itself ignores one that matches nothing."""
    for pattern in patterns:
        if not any((here / package_name).glob(pattern)):
            raise SystemExit(f"{package_name}: no {pattern}: the copy is incomplete")
    return list(patterns)


def layouts() -> list[str]:
    """What shows a recording in the tools of others."""
    found = sorted(str(path.relative_to(here)) for path in (here / "layouts").iterdir())
    if not found:
        raise SystemExit(f"{package_name}: layouts/ has no file: the copy is incomplete")
    return found


# A build beside the sources would give files that are no longer there to every later wheel. Where
# the builder names a folder of its own, as colcon does, that one counts.
build_folder = tempfile.TemporaryDirectory()
atexit.register(build_folder.cleanup)

setup(
    name=package_name,
    options={"build": {"build_base": build_folder.name}},
    version="1.0.0",
    packages=find_packages(include=[package_name, f"{package_name}.*"]),
    package_data={package_name: data("py.typed")},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
        (f"share/{package_name}/layouts", layouts()),
    ],
    install_requires=["vdsim_protocol", "mcap", "zstandard", "pyyaml"],
    extras_require={
        "interface": ["vdsim_interface"],
        "plant": ["vdsim_plant_node"],
        "foreign": ["mcap-ros2-support"],
        "test": ["pytest", "hypothesis", "mcap-ros2-support", "rosbags"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="Recordings in MCAP that survive kill -9, and replay through the interface",
    long_description=(Path(__file__).resolve().parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_record = vdsim_record.cli.record:main",
            "vdsim_record_kills = vdsim_record.cli.kills:main",
        ],
        "vdsim_plant_node.replay": [
            "finish = vdsim_record.cli.finish:main",
            "mcap = vdsim_record.cli.play:main",
            "convert = vdsim_record.cli.convert:main",
        ],
        "vdsim_interface.why": ["mcap = vdsim_record.ros.why:tell"],
        "vdsim_interface.tape": ["tape = vdsim_record.tape.attach:attach"],
    },
)
