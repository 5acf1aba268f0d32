"""Build of the plant: `vdsim_plant` (library) and `vdsim_plant_node` (its shells)."""

from setuptools import find_packages, setup

package_name = "vdsim_plant_node"

setup(
    name=package_name,
    version="0.1.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={
        "vdsim_plant": [
            "py.typed",
            *("vehicles/*.yaml", "tyres_data/*.yaml", "tyres_data/*.tir"),
            *("actuators_data/*.yaml", "sensors_data/*.yaml", "grounds_data/*.yaml"),
        ],
        package_name: [
            "py.typed",
            *("dataport/web/*.html", "dataport/web/*.css"),
            *("dataport/web/*.js", "dataport/web/*.svg"),
        ],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["numpy", "scipy", "numba", "pyyaml"],
    extras_require={
        "plots": ["matplotlib"],
        "dashboard": ["aiohttp"],
        "test": ["pytest", "hypothesis"],
    },
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="A 7-DOF car with a real tyre model: a library, a UDP server, a ROS node, lockstep",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_vehicle = vdsim_plant.vehicle_command:main",
            "vdsim_manoeuvre = vdsim_plant.manoeuvre_command:main",
            "vdsim_realtime = vdsim_plant_node.realtime_cli:main",
            "vdsim_replay = vdsim_plant_node.replay_cli:main",
            "vdsim_plot = vdsim_plant_node.plot_cli:main",
            "plant = vdsim_plant_node.ros_node:main",
            "vdsim_pedal_sweep = vdsim_plant_node.pedal_sweep:main",
            "vdsim_torque_map = vdsim_plant_node.torque_sweep:main",
            "morai_emulator = vdsim_plant_node.morai.emulator_cli:main",
        ]
    },
)
