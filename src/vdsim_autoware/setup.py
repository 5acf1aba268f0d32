"""Build of vdsim_autoware: Autoware's planning simulator with the simulated car."""

import atexit
import tempfile
from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_autoware"
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
    package_data={package_name: data("py.typed", "facts/*.yaml")},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
        *shared_files("launch"),
        *shared_files("config"),
    ],
    install_requires=[
        *("vdsim_interface", "vdsim_plant", "vdsim_plant_node", "vdsim_protocol"),
        *("numpy", "pyyaml"),
    ],
    extras_require={"test": ["pytest", "hypothesis"]},
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="Autoware's planning simulator with tyres: interface and car in one process",
    long_description=(Path(__file__).resolve().parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "planning_simulator = vdsim_autoware.cli.entry_points:planning_simulator",
            "vdsim_autoware_conformance = vdsim_autoware.conformance.cli.conformance:main",
            "vdsim_facts = vdsim_autoware.cli.facts:main",
        ],
        "vdsim_interface.doctor": [
            "autoware = vdsim_autoware.facts.seen_release:seen_release",
        ],
        "vdsim_interface.adapters": [
            "autoware = vdsim_autoware.nodes.autoware_interface:beside",
        ],
    },
)
