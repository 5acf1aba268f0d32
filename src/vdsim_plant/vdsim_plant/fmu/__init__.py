"""FMUs: a car as C sources and as a shared library that needs no Python.

kernel (Python) -> kernel_source -> C text          vehicle -> car_data -> constants in C
data/fmi/*.c, the interface of FMI by hand          variables -> description -> XML
all of it -> archive -> CAR.fmu
"""
