"""What is done with cars and needs none of it to drive one: manoeuvres, fits, sweeps, tasks.

The car itself (everything beside this folder) imports nothing of it; only command lines do.
"""
