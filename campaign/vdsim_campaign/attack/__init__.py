"""`./ws attack`: what may arrive at the doors of a driving stack, on this machine alone.

Each kind is a module with a function that attacks a Rig until its time is over and returns a Row.
`fell` counts what must not be: a process that ended, a car that could not be driven again in time,
a file that made a traceback. Every run is by seed; the processes are those that a user starts.
"""
