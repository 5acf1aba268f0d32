"""Under which keys the scope of a launch holds what belongs to ROS."""

NAMESPACE = "ros_namespace"  # a launch configuration, as users may ask for it
GLOBAL_PARAMETERS = "ros_global_parameters"  # arguments, a list of strings each
GLOBAL_REMAPS = "ros_global_remaps"  # pairs of names
