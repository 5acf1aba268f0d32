"""Driving by hand: joystick devices, gamepad mapping, keyboard, and the driver's core behind them.

device bytes --joystick--> Joy --gamepad--> intent --driver--> commands and state requests
                               keyboard --> intent --^
"""
