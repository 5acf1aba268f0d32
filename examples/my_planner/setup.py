"""Build of the planner with its launch file."""

from setuptools import setup

setup(
    name="my_planner",
    version="0.1.0",
    packages=["my_planner"],
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/my_planner"]),
        ("share/my_planner", ["package.xml"]),
        ("share/my_planner/launch", ["launch/my_planner.launch.py"]),
    ],
    zip_safe=False,
    description="A planner in a package of its own, to copy from",
    license="Apache-2.0",
    entry_points={
        "console_scripts": ["planner = my_planner.planner:main"],
        "vdsim_interface.components": ["my_planner = my_planner.planner:Planner"],
    },
)
