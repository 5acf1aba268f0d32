"""Plausibility: do the vehicle's reports agree with physics and with each other?"""
