"""How large the house is: lines, rooms, floors and arrows, measured from the sources alone."""
