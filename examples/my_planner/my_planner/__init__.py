"""A planner in a package of its own."""
