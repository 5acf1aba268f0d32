"""Level l3: roll, pitch and heave of the body on springs, dampers and anti-roll bars."""
