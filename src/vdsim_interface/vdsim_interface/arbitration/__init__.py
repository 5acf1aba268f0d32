"""Command mux: which of several sources drives, and the safe stop when none can."""
