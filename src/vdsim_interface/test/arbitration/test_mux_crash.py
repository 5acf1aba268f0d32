"""A mux that is killed leaves its emergency stop to the next one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from std_msgs.msg import Bool
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import ControlSource

MUX = "from vdsim_interface.extras.mux.nodes.command_mux import main; main()"


@contextmanager
def mux(file: Path) -> Iterator[subprocess.Popen[bytes]]:
    arguments = ["--ros-args", "-p", f"session_file:={file}", "-p", "interface_node:=''"]
    with subprocess.Popen([sys.executable, "-c", MUX, *arguments]) as process:
        try:
            yield process
        finally:
            process.kill()


def test_an_emergency_stop_outlives_a_killed_mux_and_no_normal_end(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    lab = Lab()
    try:
        lab.listen(ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS)
        stop = lab.probe.create_publisher(Bool, topics.EMERGENCY_STOP, topics.RELIABLE_QOS)
        status = lab.heard[topics.CONTROL_SOURCE]

        def is_stopped() -> bool:
            return bool(status and "emergency stop" in status[-1].reason)

        def is_recorded() -> bool:
            return file.exists() and bool(json.loads(file.read_text())["emergency_stop"])

        def stopped_by_topic() -> bool:
            stop.publish(Bool(data=True))
            return is_stopped()

        with mux(file) as process:
            lab.until(stopped_by_topic, "an emergency stop")
            lab.until(is_recorded, "the record of it")
            process.kill()
        status.clear()
        with mux(file) as process:
            lab.until(is_stopped, "the same emergency stop")
            process.terminate()
            assert process.wait(60.0) == 0
        assert not file.exists()
        status.clear()
        with mux(file):
            # What its predecessor published last may still arrive; a latch that is restored stays.
            lab.until(lambda: status and not is_stopped(), "a status without it")
    finally:
        lab.close()
