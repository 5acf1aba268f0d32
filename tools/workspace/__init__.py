"""The workspace tool behind `./ws`: ROS 2 found or made, packages built, commands run inside.

Flow: cli -> distro (which ROS 2) -> setup (its environment, made once) -> build (colcon, when
sources are newer) -> environment (variables of the overlay) -> the command. Standard library only:
it runs before anything is installed.
"""
