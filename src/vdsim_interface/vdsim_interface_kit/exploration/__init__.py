"""Exhaustive exploration of the shipped StagedSide, a SafetySide, over a finite alphabet of inputs.

The real object runs, not a model of it. Breadth first: restore a state, apply one input, check the
properties, note the new state unless it is known. Time is counted in periods, and the time-outs are
set to a few periods each, so that every order of inputs and expiries fits in a finite graph.

    state.py       an object and what belongs to it as a value: save, restore, canonical form
    scene.py       the side, the world that a property may rely on, and the inputs
    properties.py  what must hold, as formulas over one step
    views.py       parameters and alphabets; each is explored to its end
    explore.py     the search, the path to a violation, dead ends, the check of the canonical form
    defects.py     seeded defects, one or more for each property, which the search must find

The last gate is a function, so its own search needs no restoring: gate_scene.py (the grids as data,
and a witness of what was sent), gate_properties.py, gate_explore.py, gate_defects.py.
"""
