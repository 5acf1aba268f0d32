"""Many manoeuvres: over parameters and seeds, on all cores."""
