"""The guard: safety side and vehicle side in a process without ROS, and its link to the shell."""
