"""`vdsim_autohyu_ros1`: the AutoHYU bridge as a ROS 1 node.

    vdsim_autohyu_ros1 _link/plant_port:=7001 _reference/point:=rear_axle

Needs rospy and the Python messages of AutoHYU's own workspace. Parameters are those of the ROS 2
node, with / for each dot; _params_file:= names a file of that node's form.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from types import SimpleNamespace

from vdsim_interface.extras.autohyu.ros1.autohyu_bridge import NAME, run

USER_ERROR_EXIT = 2


def main() -> int:
    """Run the node; return 0, or 2 after one line about what is wrong."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        return 0
    try:
        rospy = import_module("rospy")
        messages = messages_of_ros1()
        run(rospy, messages, time.monotonic, time.sleep)  # type: ignore[arg-type]
    except (ImportError, OSError, ValueError) as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return USER_ERROR_EXIT
    return 0


def messages_of_ros1() -> SimpleNamespace:
    """Return the message classes; refuse those of ROS 2, which have the same names."""
    autohyu, standard = import_module("autohyu_msgs.msg"), import_module("std_msgs.msg")
    found = SimpleNamespace(
        Float32=standard.Float32,
        Reference=autohyu.Reference,
        VehicleState=autohyu.VehicleState,
    )
    for name, kind in vars(found).items():
        if not hasattr(kind, "_md5sum"):
            raise ImportError(
                f"{kind.__module__}.{name}: is no message of ROS 1; source AutoHYU's workspace"
            )
    return found


if __name__ == "__main__":
    sys.exit(main())
