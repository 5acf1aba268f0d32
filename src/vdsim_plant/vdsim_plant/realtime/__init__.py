"""A session against the clock: pacing of its ticks, watchdog on its commands, fail-safe.

pacing, failsafe, watched_session    cores: the time is an argument
runner                               the shell: one thread and the clock
"""
