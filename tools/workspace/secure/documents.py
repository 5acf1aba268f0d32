"""Rights -> the two documents of DDS Security 1.1, governance and permissions, as XML; pure.

The elements and their order are those that `ros2 security` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

from workspace.secure.policy import Rights

LAST_DOMAIN = 230
"""The largest that the schema of DDS Security, and Cyclone DDS, accept."""
_SCHEMA = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_{}.xsd"
_TIME = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True)
class Validity:
    """From when to when [UTC] certificates and permissions hold."""

    begin: datetime
    end: datetime


def governance(domains: Sequence[int]) -> str:
    """No participant without a certificate; everything encrypted, every topic by permission."""
    rule = f"""\
    <domain_rule>
      {_domains(domains)}
      <allow_unauthenticated_participants>false</allow_unauthenticated_participants>
      <enable_join_access_control>true</enable_join_access_control>
      <discovery_protection_kind>ENCRYPT</discovery_protection_kind>
      <liveliness_protection_kind>ENCRYPT</liveliness_protection_kind>
      <rtps_protection_kind>SIGN</rtps_protection_kind>
      <topic_access_rules>
        <topic_rule>
          <topic_expression>*</topic_expression>
          <enable_discovery_protection>true</enable_discovery_protection>
          <enable_liveliness_protection>true</enable_liveliness_protection>
          <enable_read_access_control>true</enable_read_access_control>
          <enable_write_access_control>true</enable_write_access_control>
          <metadata_protection_kind>ENCRYPT</metadata_protection_kind>
          <data_protection_kind>ENCRYPT</data_protection_kind>
        </topic_rule>
      </topic_access_rules>
    </domain_rule>"""
    return _document("governance", f"  <domain_access_rules>\n{rule}\n  </domain_access_rules>")


def permissions(enclave: str, rights: Rights, domains: Sequence[int], validity: Validity) -> str:
    """What the participant whose certificate has this name may do; all else is denied."""
    name = escape(enclave)
    body = f"""\
  <permissions>
    <grant name="{name}">
      <subject_name>CN={name}</subject_name>
      <validity>
        <not_before>{validity.begin.strftime(_TIME)}</not_before>
        <not_after>{validity.end.strftime(_TIME)}</not_after>
      </validity>
      <allow_rule>
        {_domains(domains)}
        <publish>
          {_topics(rights.publish)}
        </publish>
        <subscribe>
          {_topics(rights.subscribe)}
        </subscribe>
      </allow_rule>
      <default>DENY</default>
    </grant>
  </permissions>"""
    return _document("permissions", body)


def _document(kind: str, body: str) -> str:
    schema = f'xsi:noNamespaceSchemaLocation="{_SCHEMA.format(kind)}"'
    space = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<dds {space}\n  {schema}>\n{body}\n</dds>\n'


def _domains(domains: Sequence[int]) -> str:
    """These domains; every one for none."""
    inside = "".join(f"<id>{domain}</id>" for domain in domains)
    every = f"<id_range><min>0</min><max>{LAST_DOMAIN}</max></id_range>"
    return f"<domains>{inside or every}</domains>"


def _topics(names: Iterable[str]) -> str:
    lines = "\n".join(f"            <topic>{escape(name)}</topic>" for name in sorted(names))
    return f"<topics>\n{lines}\n          </topics>"
