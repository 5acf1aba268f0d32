"""A package of somebody else with components, really installed into a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODULE = '''\
from rclpy.node import Node
from std_msgs.msg import String
from vdsim_msgs.msg import HighLevelControlCommand, VehicleControlCommand


class Good(Node):
    """Publishes the value of its parameter."""

    def __init__(self, **options):
        super().__init__("good", **options)
        self._word = self.declare_parameter("word", "hello").value
        self._publisher = self.create_publisher(String, "word", 1)
        self.create_timer(0.05, self._publish)
        self.get_logger().info(f"good says {self._word}")

    def _publish(self):
        self._publisher.publish(String(data=self._word))


class Busy(Node):
    """Has timers that are always due."""

    def __init__(self):
        super().__init__("busy")
        self._publisher = self.create_publisher(String, "busy", 1)
        for _ in range(5):
            self.create_timer(0.001, lambda: self._publisher.publish(String()))


class Controller(Node):
    """Replaces the velocity controller: every speed is an acceleration of 1 m/s2."""

    def __init__(self):
        super().__init__("controller")
        topic = "stages/controlled_command"
        self._publisher = self.create_publisher(VehicleControlCommand, topic, 1)
        self.create_subscription(HighLevelControlCommand, "high_level_command", self._on, 1)

    def _on(self, message):
        stamp = self.get_clock().now().to_msg()
        self._publisher.publish(VehicleControlCommand(stamp=stamp, long_accel_mps2=1.0))


class Plain(Node):
    """Takes no options of rclpy's Node."""

    def __init__(self):
        super().__init__("plain")


class Broken(Node):
    """Fails when half of it is there."""

    def __init__(self, **options):
        super().__init__("broken", **options)
        self._publisher = self.create_publisher(String, "word", 1)
        raise RuntimeError("no\\nluck")


def number():
    return 7


def leaves():
    raise SystemExit(3)


class Dies(Node):
    """Fails in its first callback, after 2 s."""

    def __init__(self):
        super().__init__("dies")
        self.create_timer(2.0, self._fail)

    def _fail(self):
        raise RuntimeError("in a callback")


class Scientific(Node):
    """Imports large packages when it is made."""

    def __init__(self):
        import scipy.interpolate, scipy.optimize, scipy.signal

        super().__init__("scientific")


nothing = 3
'''
NAMES = {
    "good": "Good",
    "busy": "Busy",
    "controller": "Controller",
    "plain": "Plain",
    "broken": "Broken",
    "number": "number",
    "leaves": "leaves",
    "dies": "Dies",
    "scientific": "Scientific",
    "nothing": "nothing",
    "missing": "Missing",
}


def install(folder: Path, package: str = "their-stages", names: tuple[str, ...] = ()) -> Path:
    """Build and install the package with pip, offline; the folder for the search path."""
    module = package.replace("-", "_")
    source, target = folder / "source" / package, folder / "installed"
    (source / module).mkdir(parents=True)
    (source / module / "__init__.py").write_text(MODULE, encoding="utf-8")
    lines = (f'{name} = "{module}:{NAMES[name]}"' for name in names or NAMES)
    entries = "\n".join(lines)
    (source / "pyproject.toml").write_text(
        f"""\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "{package}"
version = "1.0"

[project.entry-points."vdsim_interface.components"]
{entries}

[tool.setuptools]
packages = ["{module}"]
""",
        encoding="utf-8",
    )
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--upgrade"]
    done = subprocess.run(
        [*pip, *offline, "--target", str(target), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target
