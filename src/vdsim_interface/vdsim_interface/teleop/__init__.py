"""Driving by gamepad or keyboard: devices, mappings, and the driver that makes the commands.

device bytes --joystick--> Joy --gamepad--> intent --driver--> commands and state requests
                               keyboard --> intent --^
"""
