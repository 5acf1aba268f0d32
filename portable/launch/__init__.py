"""Start, watch and end the processes of a robot: a stand-in for ROS 2's package ``launch``.

It is for environments that have rclpy but not ROS 2's own launch; see ../README.md.
"""

from . import (
    actions,
    conditions,
    event_handlers,
    events,
    launch_description_sources,
    logging,
    substitutions,
    utilities,
)
from ._upstream_names import provide_paths, refuse_names
from ._upstream_paths import PATHS
from .base import (
    Action,
    BaseEventHandler,
    Condition,
    Event,
    LaunchContext,
    LaunchDescriptionEntity,
    Substitution,
)
from .event_handlers import EventHandler
from .launch_description import LaunchDescription
from .launch_description_sources import LaunchDescriptionSource
from .launch_introspector import LaunchIntrospector
from .launch_service import LaunchService
from .some_substitutions_type import (
    SomeActionsType,
    SomeActionsType_types_tuple,
    SomeEntitiesType,
    SomeEntitiesType_types_tuple,
    SomeSubstitutionsType,
    SomeSubstitutionsType_types_tuple,
)

__all__ = [
    "Action",
    "BaseEventHandler",
    "Condition",
    "Event",
    "EventHandler",
    "LaunchContext",
    "LaunchDescription",
    "LaunchDescriptionEntity",
    "LaunchDescriptionSource",
    "LaunchIntrospector",
    "LaunchService",
    "SomeActionsType",
    "SomeActionsType_types_tuple",
    "SomeEntitiesType",
    "SomeEntitiesType_types_tuple",
    "SomeSubstitutionsType",
    "SomeSubstitutionsType_types_tuple",
    "Substitution",
    "actions",
    "conditions",
    "event_handlers",
    "events",
    "launch_description_sources",
    "logging",
    "substitutions",
    "utilities",
]

provide_paths(__name__, PATHS)

__getattr__ = refuse_names(__name__, ("descriptions", "frontend", "markers"), "launch")
