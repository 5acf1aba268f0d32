"""Build of vdsim_protocol: a pure Python package, also installable with plain pip."""

from setuptools import find_packages, setup

package_name = "vdsim_protocol"

setup(
    name=package_name,
    version="0.1.0",
    packages=find_packages(include=[package_name, f"{package_name}.*"]),
    package_data={package_name: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    extras_require={"test": ["pytest", "hypothesis"]},
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="VDS1 and MORAI wire protocols without I/O, link statistics and fault model",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_chaos = vdsim_protocol.cli.chaos:main",
            "vdsim_dump = vdsim_protocol.cli.dump:main",
        ]
    },
)
