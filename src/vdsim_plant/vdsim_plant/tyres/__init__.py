"""The force law of property files (`.tir`), PAC2002: alone, in blocks, and called from Python."""
