"""How a subscription to Joy meets messages that no pad sends."""

from sensor_msgs.msg import Joy

JOY_WALL = {"largest": 4 << 20, "unreadable_is": Joy()}
"""So many bytes are decoded, in some milliseconds: the stop button stands behind the axes, however
many there are. One that cannot be read is too short for every mapping, and lets go of the car."""
