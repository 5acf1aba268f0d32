"""Commands of other conventions, Twist and Ackermann, as commands of the interface; no ROS."""
