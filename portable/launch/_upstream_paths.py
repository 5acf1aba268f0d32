"""Upstream's import paths of what is here: it has a file for each class.

``from launch.actions.execute_process import ExecuteProcess`` and
``from launch.launch_context import LaunchContext`` work here because of this table.
"""

from __future__ import annotations

from . import (
    actions,
    base,
    conditions,
    event_handlers,
    events,
    launch_arguments,
    launch_description_sources,
    some_substitutions_type,
    substitutions,
)

PATHS = (
    (base, "", "action condition event launch_context launch_description_entity substitution"),
    (event_handlers, "", "event_handler"),
    (launch_description_sources, "", "launch_description_source"),
    (some_substitutions_type, "", "some_actions_type some_entities_type"),
    (launch_arguments, "actions.", "declare_launch_argument"),
    (
        actions,
        "actions.",
        "append_environment_variable emit_event log_info opaque_function register_event_handler "
        "set_environment_variable set_launch_configuration shutdown_action "
        "unregister_event_handler unset_environment_variable unset_launch_configuration",
    ),
    (
        conditions,
        "conditions.",
        "evaluate_condition_expression_impl if_condition launch_configuration_equals "
        "launch_configuration_not_equals unless_condition",
    ),
    (
        event_handlers,
        "event_handlers.",
        "on_execution_complete on_process_exit on_process_io on_process_start on_shutdown",
    ),
    (events, "events.", "execution_complete matchers shutdown timer_event"),
    (
        events.process,
        "events.process.",
        "process_exited process_io process_started process_stderr process_stdout "
        "process_targeted_event running_process_event shutdown_process signal_process",
    ),
    (
        launch_description_sources,
        "launch_description_sources.",
        "any_launch_description_source python_launch_description_source "
        "python_launch_file_utilities",
    ),
    (
        substitutions,
        "substitutions.",
        "anon_name boolean_substitution command environment_variable equals_substitution "
        "file_content find_executable if_else_substitution launch_configuration launch_log_dir "
        "local_substitution not_equals_substitution path_join_substitution python_expression "
        "substitution_failure text_substitution this_launch_file this_launch_file_dir",
    ),
)
