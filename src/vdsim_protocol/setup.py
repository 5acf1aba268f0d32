"""Build of vdsim_protocol: a pure Python package, also installable with plain pip."""

import atexit
import tempfile
from pathlib import Path

from setuptools import find_packages, setup

package_name = "vdsim_protocol"

# A build beside the sources would give files that are no longer there to every later wheel. Where
# the builder names a folder of its own, as colcon does, that one counts.
build_folder = tempfile.TemporaryDirectory()
atexit.register(build_folder.cleanup)

setup(
    name=package_name,
    options={"build": {"build_base": build_folder.name}},
    version="1.0.0",
    packages=find_packages(include=[package_name, f"{package_name}.*"]),
    package_data={package_name: ["py.typed", "data/*.xml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    extras_require={"yaml": ["pyyaml"], "test": ["pytest", "hypothesis"]},
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="vdsim maintainers",
    maintainer_email="maintainers@vdsim.invalid",
    description="VDS1 and MORAI wire protocols without I/O, link statistics and fault model",
    long_description=(Path(__file__).resolve().parent / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "vdsim_chaos = vdsim_protocol.cli.chaos:main",
            "vdsim_dump = vdsim_protocol.cli.dump:main",
        ]
    },
)
