"""`command_mux`: several sources of commands, merged by a node of its own before the interface."""
