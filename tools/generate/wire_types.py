"""The struct formats of the packet tables under the names that pages and messages use."""

TYPE_NAMES = {
    "d": "float64",
    "f": "float32",
    "i": "int32",
    "I": "uint32",
    "h": "int16",
    "H": "uint16",
    "b": "int8",
    "B": "uint8",
    "?": "bool",
}
