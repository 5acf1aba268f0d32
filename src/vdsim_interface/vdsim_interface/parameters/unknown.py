"""Names of parameters that a component does not have: an error, or a warning.

A misspelt name must not go unnoticed. Within a group that the component has (`safety.`) an unknown
name is an error. Any other may be meant for another node: ROS sets a parameter for all nodes with
`SetParameter`, and a file for many nodes has `/**`.
"""

from collections.abc import Collection, Mapping

from vdsim_protocol.parameter_names import nearest, no_such_parameter
from vdsim_protocol.shown import shown_plainly

from vdsim_interface.parameters.fields import ParameterError

ROS_OWN = ("use_sim_time", "qos_overrides.", "start_type_description_service")
"""Beginnings of the names of rclpy's own parameters, which no component declares."""


def check_unknown(
    values: Mapping[str, object], known: Collection[str], others: Collection[str] = ()
) -> tuple[str, ...]:
    """Return a warning for each unknown name outside the component's groups.

    Raises ParameterError for the first one within them. `others`: groups of other components that
    share the file; their names are ignored.
    """
    groups = {name.partition(".")[0] for name in known if "." in name}
    warnings = []
    for name, value in values.items():
        if name in known or name.startswith(ROS_OWN):
            continue
        group, dot, _ = name.partition(".")
        if dot and group in groups:
            raise ParameterError(name, value, no_such_parameter(name, known))
        if group not in others:
            hint = nearest(name, known)
            warnings.append(
                f"{name}={shown_plainly(value)}: this node has no such parameter; ignored{hint}"
            )
    return tuple(warnings)
