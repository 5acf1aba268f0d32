"""Names of rclpy that its releases annotate only in part, as values of type Any.

How much of rclpy is annotated grows from release to release; what is used through these names
type-checks alike against each of them, and without rclpy too.
"""

from __future__ import annotations

from typing import Any

import rclpy
import rclpy.parameter
import rclpy.qos

_rclpy: Any = rclpy
_parameter: Any = rclpy.parameter
_qos: Any = rclpy.qos

Parameter: Any = _parameter.Parameter
QoSPresetProfiles: Any = _qos.QoSPresetProfiles
get_parameter_value = _parameter.get_parameter_value
get_rmw_implementation_identifier = _rclpy.get_rmw_implementation_identifier
try_shutdown = _rclpy.try_shutdown
