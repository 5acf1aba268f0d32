"""The car in a browser: the plant's exported C as WebAssembly, in one HTML file.

vdsim_plant.fmu -> C sources -> modules.py (Zig's C compiler) -> one module a car, tyre and road
web/*.js and the dashboard's own views -> page.py -> CAR.html, which needs no server
"""
