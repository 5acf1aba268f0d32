"""Helpers that authors of actions and substitutions use."""

from .._upstream_names import refuse_names
from .class_tools import is_a, is_a_subclass
from .entities import normalize_to_list_of_entities
from .substitutions import normalize_to_list_of_substitutions, perform_substitutions

__all__ = [
    "is_a",
    "is_a_subclass",
    "normalize_to_list_of_entities",
    "normalize_to_list_of_substitutions",
    "perform_substitutions",
]

__getattr__ = refuse_names(
    __name__,
    (
        "create_future",
        "ensure_argument_type",
        "normalize_typed_substitution",
        "perform_typed_substitution",
        "visit_all_entities_and_collect_futures",
        "SignalHandlerOptions",
        "AsyncSafeSignalManager",
    ),
    "launch",
)
