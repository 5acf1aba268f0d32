"""The shells round the plant: UDP server, data port, ROS node."""
