"""docs/safety-case.md: hazards, goals, and what fails in which signal, parameter and process.

The arguments are written here by hand, as tables; everything that can be derived is: which signals,
parameters and processes exist, whether a named mechanism can be imported and a named test exists,
the defaults and ranges, and how long each fault takes to show its safe command.
"""
