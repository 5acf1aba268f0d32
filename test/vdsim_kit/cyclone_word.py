"""std_msgs/msg/String as a type of Cyclone DDS."""

# No future annotations: Cyclone reads the types of the fields themselves.

from dataclasses import dataclass

from cyclonedds.idl import IdlStruct


@dataclass
class Word(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    """A word."""

    data: str = ""
