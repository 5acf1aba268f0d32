"""Exit codes of the nodes. The launch files start a process again by them, and load no rclpy."""

USER_ERROR_EXIT = 2
"""Exit code after what a user can correct, as of other commands after a wrong argument: the launch
files do not start such a node again."""
MEMORY_EXIT = 3
"""Exit code when what arrived holds the memory; the launch files start such a node again."""
