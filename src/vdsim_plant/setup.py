"""Build of vdsim_plant: a pure Python library with its car files inside."""

import atexit
import re
import tempfile
from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_plant"
# colcon --symlink-install runs this file by a link in its build folder, where not all files are.
here = Path(__file__).resolve().parent


def data(*patterns: str) -> list[str]:
    """Patterns of files inside the package; setuptools itself ignores one that matches nothing."""
    for pattern in patterns:
        if not any((here / package_name).glob(pattern)):
            raise SystemExit(f"{package_name}: no {pattern}: the copy is incomplete")
    return list(patterns)


def version() -> str:
    """The one that the package itself states; setup.py must not import it."""
    text = (here / package_name / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{package_name}: no __version__")
    return found.group(1)


# A build beside the sources would give files that are no longer there to every later wheel. Where
# the builder names a folder of its own, as colcon does, that one counts.
build_folder = tempfile.TemporaryDirectory()
atexit.register(build_folder.cleanup)

setup(
    name=package_name,
    options={"build": {"build_base": build_folder.name}},
    version=version(),
    packages=find_packages(include=[package_name, f"{package_name}.*"]),
    package_data={
        package_name: data("py.typed", "data/*/*.yaml", "data/*/*.tir", "data/fmi/*.[ch]")
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["numpy>=1.24", "scipy>=1.10", "numba>=0.57", "llvmlite>=0.40", "pyyaml>=6"],
    extras_require={
        "cluster": ["distributed>=2024.1", "cryptography"],
        "crg": ["pyopencrg"],
        "mcap": ["mcap-ros2-support"],
        "mpc": ["casadi"],
        "plots": ["matplotlib"],
        "rl": ["gymnasium>=1.1", "pettingzoo"],
        "sweep": ["pyarrow"],
        "test": ["pytest", "hypothesis"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="A 7-DOF car with a real tyre model, as a library without ROS",
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    keywords=["vehicle dynamics", "tyre model", "simulation", "MPC", "FMI", "robotics"],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)),
        "Topic :: Scientific/Engineering :: Physics",
        "Typing :: Typed",
    ],
    entry_points={
        "console_scripts": [
            "vdsim_acceptance = vdsim_plant.cli.acceptance:main",
            "vdsim_fmu = vdsim_plant.cli.fmu:main",
            "vdsim_vehicle = vdsim_plant.cli.vehicle:main",
            "vdsim_manoeuvre = vdsim_plant.cli.manoeuvre:main",
            "vdsim_pedal_sweep = vdsim_plant.cli.pedal_sweep:main",
            "vdsim_identify = vdsim_plant.cli.identify:main",
            "vdsim_sweep = vdsim_plant.cli.sweep:main",
        ]
    },
)
