"""Why does nothing arrive? The checks of a snapshot of the ROS graph; no ROS in here."""
