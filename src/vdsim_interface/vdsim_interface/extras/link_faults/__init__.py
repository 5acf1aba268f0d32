"""Faults of the link by a ROS service: requests to the relay `vdsim_chaos`."""
