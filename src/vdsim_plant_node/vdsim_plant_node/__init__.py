"""The simulated car on the wire. Rooms, each importing only those below it:

cli  ros                    command lines, the ROS node
dataport  scenario  morai   HTTP and dashboard, replays, the emulated MORAI simulator
live                        the running server: vehicles, sockets, pacing
runs  settings              what a run leaves behind; what can be set
"""
