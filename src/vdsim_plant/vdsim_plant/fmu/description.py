"""modelDescription.xml and buildDescription.xml of an FMU, of FMI 3.0 and 2.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from vdsim_plant import __version__
from vdsim_plant.fmu.c_types import number
from vdsim_plant.fmu.variables import LARGEST, Variable

# Exponents of the SI base units; a unit that is not here is named and nothing more.
_BASE_UNITS: Mapping[str, Mapping[str, int]] = {
    "m": {"m": 1},
    "s": {"s": 1},
    "kg": {"kg": 1},
    "rad": {"rad": 1},
    "m/s": {"m": 1, "s": -1},
    "rad/s": {"rad": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
}
_TYPES_3 = {"d": "Float64", "i": "Int32", "b": "Boolean"}
_TYPES_2 = {"d": "Real", "i": "Integer", "b": "Boolean"}


@dataclass(frozen=True, kw_only=True)
class About:
    """What the description says about the model as a whole."""

    name: str
    identifier: str  # a name in C: of the shared library
    token: str
    doc: str
    substep_s: float


def model_description(version: str, about: About, variables: Sequence[Variable]) -> bytes:
    """Return modelDescription.xml of FMI `version`, "3.0" or "2.0"."""
    root = Element("fmiModelDescription", _head(version, about))
    simulation = SubElement(root, "CoSimulation", _abilities(version, about))
    if version == "2.0":
        files = SubElement(simulation, "SourceFiles")
        for name in source_files(version):
            SubElement(files, "File", name=name)
    _add_units(root, variables)
    experiment = {"startTime": "0.0", "stopTime": "10.0", "stepSize": "0.01"}
    if version == "3.0":
        SubElement(root, "DefaultExperiment", experiment)
    else:
        SubElement(root, "LogCategories").append(Element("Category", name="logStatusError"))
        SubElement(root, "DefaultExperiment", experiment)
    listed = SubElement(root, "ModelVariables")
    described = _variable_3 if version == "3.0" else _variable_2
    listed.extend(described(reference, item) for reference, item in enumerate(variables))
    _add_structure(SubElement(root, "ModelStructure"), version, variables)
    return _bytes(root)


def build_description(about: About) -> bytes:
    """Return sources/buildDescription.xml of FMI 3.0."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = SubElement(root, "BuildConfiguration", modelIdentifier=about.identifier)
    files = SubElement(configuration, "SourceFileSet", language="C99")
    for name in source_files("3.0"):
        SubElement(files, "SourceFile", name=name)
    SubElement(files, "IncludeDirectory", name=".")
    return _bytes(root)


def source_files(version: str) -> tuple[str, ...]:
    """Return the C files to compile."""
    return ("vdsim_kernel.c", "vdsim_car.c", "vdsim_tables.c", f"fmi{version[0]}.c")


def _head(version: str, about: About) -> dict[str, str]:
    token = "instantiationToken" if version == "3.0" else "guid"
    head = {
        "fmiVersion": version,
        "modelName": about.name,
        token: about.token,
        "description": about.doc,
        "generationTool": f"vdsim_fmu {__version__}",
        "variableNamingConvention": "structured",
    }
    if version == "2.0":
        head["numberOfEventIndicators"] = "0"
    return head


def _abilities(version: str, about: About) -> dict[str, str]:
    common = {
        "modelIdentifier": about.identifier,
        "canHandleVariableCommunicationStepSize": "true",
    }
    if version == "3.0":
        return common | {
            "canGetAndSetFMUState": "true",
            "canSerializeFMUState": "true",
            "fixedInternalStepSize": number(about.substep_s),
        }
    return common | {
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": "true",
        "canNotUseMemoryManagementFunctions": "true",
    }


def _add_units(root: Element, variables: Sequence[Variable]) -> None:
    units = SubElement(root, "UnitDefinitions")
    for name in sorted({item.unit for item in variables if item.unit}):
        unit = SubElement(units, "Unit", name=name)
        if name in _BASE_UNITS:
            powers = {base: str(power) for base, power in _BASE_UNITS[name].items()}
            SubElement(unit, "BaseUnit", powers)


def _limits(item: Variable) -> dict[str, str]:
    whole = item.type == "i"
    limits = {}
    if item.type != "b" and item.least > -LARGEST:
        limits["min"] = str(int(item.least)) if whole else number(float(item.least))
    if item.type != "b" and item.most < LARGEST:
        limits["max"] = str(int(item.most)) if whole else number(float(item.most))
    return limits


def _start(item: Variable) -> dict[str, str]:
    if item.start is None:
        return {}
    if item.type == "i":
        return {"start": str(int(item.start))}
    return {"start": number(bool(item.start) if item.type == "b" else item.start)}


def _common(reference: int, item: Variable) -> dict[str, str]:
    return {
        "name": item.name,
        "valueReference": str(reference),
        "description": item.doc,
        "causality": item.causality,
        "variability": item.variability,
    }


def _variable_3(reference: int, item: Variable) -> Element:
    unit = {"unit": item.unit} if item.unit else {}
    attributes = _common(reference, item) | unit | _limits(item) | _start(item)
    return Element(_TYPES_3[item.type], attributes)


def _variable_2(reference: int, item: Variable) -> Element:
    variable = Element("ScalarVariable", _common(reference, item))
    unit = {"unit": item.unit} if item.unit else {}
    SubElement(variable, _TYPES_2[item.type], unit | _limits(item) | _start(item))
    return variable


def _add_structure(structure: Element, version: str, variables: Sequence[Variable]) -> None:
    """Every output follows from the state alone, which the inputs move with the next step."""
    outputs = [k for k, item in enumerate(variables) if item.causality == "output"]
    if version == "3.0":
        for reference in outputs:
            SubElement(structure, "Output", valueReference=str(reference), dependencies="")
        for reference in outputs:
            SubElement(structure, "InitialUnknown", valueReference=str(reference))
        return
    listed = SubElement(structure, "Outputs")
    for reference in outputs:
        SubElement(listed, "Unknown", index=str(reference + 1), dependencies="")
    first = SubElement(structure, "InitialUnknowns")
    for reference in outputs:
        SubElement(first, "Unknown", index=str(reference + 1))


def _bytes(root: Element) -> bytes:
    ElementTree.indent(root)
    body: str = ElementTree.tostring(root, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()
