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
from ._upstream_names import refuse_names
from .action import Action
from .condition import Condition
from .event import Event
from .event_handler import BaseEventHandler, EventHandler
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity
from .launch_description_source import LaunchDescriptionSource
from .launch_introspector import LaunchIntrospector
from .launch_service import LaunchService
from .some_entities_type import (
    SomeActionsType,
    SomeActionsType_types_tuple,
    SomeEntitiesType,
    SomeEntitiesType_types_tuple,
)
from .some_substitutions_type import SomeSubstitutionsType, SomeSubstitutionsType_types_tuple
from .substitution import Substitution

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

__getattr__ = refuse_names(__name__, ("descriptions", "frontend", "markers"), "launch")
