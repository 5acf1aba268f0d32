"""The workspace tool behind `./ws`: finds or sets up ROS 2, builds packages, runs commands.

Flow: cli -> distro (which ROS 2) -> setup (its environment, created once) -> build (colcon, when
sources are newer) -> environment (variables of the overlay) -> the command. Standard library only:
it runs before anything is installed.
"""
