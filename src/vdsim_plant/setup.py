"""Build of vdsim_plant: a pure Python library with its car files inside."""

from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_plant"
here = Path(__file__).parent


def data(*patterns: str) -> list[str]:
    """Patterns of files inside the package; setuptools itself ignores one that matches nothing."""
    for pattern in patterns:
        if not any((here / package_name).glob(pattern)):
            raise SystemExit(f"{package_name}: no {pattern}: the copy is incomplete")
    return list(patterns)


setup(
    name=package_name,
    version="0.1.0",
    packages=find_packages(include=[package_name, f"{package_name}.*"]),
    package_data={package_name: data("py.typed", "data/*/*.yaml", "data/*/*.tir")},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["numpy", "scipy", "numba", "llvmlite", "pyyaml"],
    extras_require={
        "plots": ["matplotlib"],
        "mcap": ["mcap-ros2-support"],
        "test": ["pytest", "hypothesis"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="A 7-DOF car with a real tyre model, as a library without ROS",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_acceptance = vdsim_plant.cli.acceptance:main",
            "vdsim_vehicle = vdsim_plant.cli.vehicle:main",
            "vdsim_manoeuvre = vdsim_plant.cli.manoeuvre:main",
            "vdsim_pedal_sweep = vdsim_plant.cli.pedal_sweep:main",
            "vdsim_identify = vdsim_plant.cli.identify:main",
        ]
    },
)
