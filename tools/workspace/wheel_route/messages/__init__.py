"""Interface packages -> what rclpy loads of them, without CMake; for the PyPI wheels of ROS 2 only.

rosidl's own generators, of the versions that tools/requirements pins, write the code. Of their
outputs rclpy with Fast DDS loads the C types, the two C type supports, the table that finds them,
and the Python module; what is for C++ is left out. CMake would start each generator as a process
that parses every interface again, and compile some 400 files; here each is parsed once, and
one translation unit for each kind of code is compiled. An installed ROS 2 builds with colcon and
gets everything.

An interface package of your own that uses these messages needs their CMake exports: give colcon
the folders src/vdsim_msgs and so on as base paths beside yours.
"""
