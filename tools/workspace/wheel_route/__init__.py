"""Where ROS 2 comes from the wheels: what is installed when, and the build without colcon."""
