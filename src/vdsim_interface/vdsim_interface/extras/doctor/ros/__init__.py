"""The running ROS graph as the snapshot that vdsim_interface.extras.doctor examines."""
