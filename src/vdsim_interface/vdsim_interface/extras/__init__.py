"""What not every car needs: each folder here can be absent, and nothing of the core imports one.

The core finds them by the entry points of setup.py: programs, and platforms.
"""
