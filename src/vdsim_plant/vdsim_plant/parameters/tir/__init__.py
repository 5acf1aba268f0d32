"""The constants of a property file: their order, and how they are made of its coefficients."""
