"""ROS messages <-> plain values: all conversions are here."""
