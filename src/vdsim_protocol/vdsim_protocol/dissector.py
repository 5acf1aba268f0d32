"""Writes the Wireshark dissector of VDS1 and MORAI from the packet tables.

The Lua program consists of the packet tables as Lua tables and a page of code that walks them; no
layout is written down twice.
"""

from __future__ import annotations

import enum
import json
from typing import Any

from vdsim_protocol.morai.catalogue import MESSAGES
from vdsim_protocol.morai.codec import IMU_STAMP_SIZE
from vdsim_protocol.morai.envelope import ENVELOPE_SIZE, TAIL
from vdsim_protocol.vds1.messages import (
    DEFAULT_CMD_PORT,
    DEFAULT_STATE_PORT,
    HEADER_LAYOUT,
    LAYOUTS,
    MAGIC,
    datagram_size,
)
from vdsim_protocol.wire import WHEELS, Field, Layout, record_layout

_TYPES = {
    "d": "double",
    "f": "float",
    "i": "int32",
    "I": "uint32",
    "h": "int16",
    "H": "uint16",
    "b": "int8",
    "B": "uint8",
    "?": "uint8",
}
"""ProtoField constructor by struct format."""


def _lua(value: Any, indent: str = "") -> str:
    """A Lua literal of numbers, texts, lists and mappings."""
    if isinstance(value, str):
        return json.dumps(value)  # JSON's escapes of printable ASCII are Lua's too
    if isinstance(value, list):
        deeper = indent + "  "
        return "{\n" + "".join(f"{deeper}{_lua(v, deeper)},\n" for v in value) + indent + "}"
    if isinstance(value, dict):
        pairs = (f"{_key(k)}={_lua(v, indent)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    return str(int(value))


def _key(key: str | int) -> str:
    return key if isinstance(key, str) and key.isidentifier() else f"[{_lua(key)}]"


def _rows(prefix: str, layout: Layout) -> list[dict[str, Any]]:
    """The layout as rows with offsets from its start; wheels and records keep their structure."""
    return [row for field in layout.fields for row in _rows_of_field(prefix, field, layout.start)]


def _rows_of_field(prefix: str, field: Field, start: int) -> list[dict[str, Any]]:
    wire = field.wire
    name = f"{prefix}.{field.name}"
    offset = wire.offset - start
    if wire.record is not None:
        rows = _rows(name, record_layout(wire.record, wire.version))
        stride = field.element_size
        return [{"name": field.name, "offset": offset, "stride": stride, "rows": rows}]
    suffixes = [f"_{wheel}" for wheel in WHEELS] if wire.count > 1 else [""]
    return [
        {
            "abbr": name + suffix,
            "label": field.name + suffix + (f" [{wire.unit}]" if wire.unit != "-" else ""),
            "offset": offset + index * field.element_size,
            "size": field.element_size,
            "type": "string" if wire.format.endswith("s") else _TYPES[wire.format],
            **_codes(wire.codes),
        }
        for index, suffix in enumerate(suffixes)
    ]


def _codes(codes: type[enum.IntEnum] | type[enum.IntFlag] | None) -> dict[str, Any]:
    if codes is None or issubclass(codes, enum.IntFlag):
        return {}
    return {"codes": {int(code): code.name for code in codes}}


def _vds1_tables() -> list[dict[str, Any]]:
    return [
        {
            "name": message.name,
            "msg_type": int(message),
            "version": version,
            "size": datagram_size(message, version),
            "start": layout.start,
            "rows": _rows("vds1", layout),
        }
        for message, layouts in LAYOUTS.items()
        for version, layout in layouts.items()
    ]


def _morai_tables() -> list[dict[str, Any]]:
    return [
        {
            "name": message.title,
            "identifier": message.identifier,
            "generation": generation,
            "data_size": message.layout(generation).size,
            "repeats": message.repeats,
            "start": message.data_start,
            "rows": _rows(f"morai.{message.table.__name__.lower()}", message.layout(generation)),
        }
        for message in MESSAGES
        for generation in message.sizes
    ]


_CODE = """\
local registered = { vds1 = {}, morai = {} }

-- One ProtoField for each abbreviation, however many tables use it.
local function register(kind, rows)
  for _, row in ipairs(rows) do
    if row.rows then
      register(kind, row.rows)
    elseif not registered[kind][row.abbr] then
      local make = ProtoField[row.type]
      if row.type == "string" or row.type == "double" or row.type == "float" then
        registered[kind][row.abbr] = make(row.abbr, row.label)
      else
        registered[kind][row.abbr] = make(row.abbr, row.label, base.DEC, row.codes)
      end
    end
  end
end

local function add_rows(kind, tree, buffer, rows, from, till)
  for _, row in ipairs(rows) do
    local at = from + row.offset
    if row.rows then
      local number = 0
      while at + row.stride <= till do
        local part = tree:add(buffer(at, row.stride), row.name .. " " .. number)
        add_rows(kind, part, buffer, row.rows, at, at + row.stride)
        at = at + row.stride
        number = number + 1
      end
    elseif row.type == "string" then
      tree:add(registered[kind][row.abbr], buffer(at, row.size))
    else
      tree:add_le(registered[kind][row.abbr], buffer(at, row.size))
    end
  end
end

local crc_table = {}
for byte = 0, 255 do
  local value = byte
  for _ = 1, 8 do
    local low = bit.band(value, 1)
    value = bit.rshift(value, 1)
    if low == 1 then value = bit.bxor(value, 0xEDB88320) end
  end
  crc_table[byte] = value
end

local function crc32(bytes, size)
  local value = bit.bnot(0)
  for index = 0, size - 1 do
    local place = bit.band(bit.bxor(value, bytes:get_index(index)), 0xFF)
    value = bit.bxor(bit.rshift(value, 8), crc_table[place])
  end
  return bit.bnot(value)
end

local function field_list(kind, own)
  local list = {}
  for _, field in pairs(registered[kind]) do list[#list + 1] = field end
  for _, field in ipairs(own) do list[#list + 1] = field end
  return list
end

local vds1 = Proto("vds1", "VDS1 vehicle dynamics simulator link")
local crc_ok = ProtoField.bool("vds1.crc_ok", "CRC is right")
local crc = ProtoField.uint32("vds1.crc", "CRC-32", base.HEX)
local vds1_reject = ProtoField.string("vds1.reject", "Rejected because of")
register("vds1", vds1_header)
for _, packet in ipairs(vds1_packets) do register("vds1", packet.rows) end
vds1.fields = field_list("vds1", { crc_ok, crc, vds1_reject })

local function vds1_packet(version, msg_type)
  for _, packet in ipairs(vds1_packets) do
    if packet.version == version and packet.msg_type == msg_type then return packet end
  end
end

function vds1.dissector(buffer, info, root)
  if buffer:len() < header_size or buffer(0, 4):le_uint() ~= magic then return 0 end
  info.cols.protocol = "VDS1"
  local tree = root:add(vds1, buffer())
  add_rows("vds1", tree, buffer, vds1_header, 0, header_size)
  local packet = vds1_packet(buffer(4, 2):le_uint(), buffer(6, 2):le_uint())
  if packet == nil then
    tree:add(vds1_reject, "version or type")
    return buffer:len()
  end
  info.cols.info = packet.name .. " v" .. packet.version .. " seq " .. buffer(8, 4):le_uint()
  if buffer:len() ~= packet.size then
    tree:add(vds1_reject, "length")
    return buffer:len()
  end
  add_rows("vds1", tree, buffer, packet.rows, packet.start, packet.size - 4)
  tree:add_le(crc, buffer(packet.size - 4, 4))
  local right = bit.tobit(buffer(packet.size - 4, 4):le_uint())
    == bit.tobit(crc32(buffer(0, packet.size - 4):bytes(), packet.size - 4))
  tree:add(crc_ok, right)
  if not right then tree:add(vds1_reject, "crc") end
  return buffer:len()
end

local morai = Proto("morai", "MORAI SIM: Drive")
local identifier = ProtoField.string("morai.identifier", "Identifier")
local data_length = ProtoField.int32("morai.data_length", "Data length")
local morai_reject = ProtoField.string("morai.reject", "Rejected because of")
for _, message in ipairs(morai_messages) do register("morai", message.rows) end
morai.fields = field_list("morai", { identifier, data_length, morai_reject })

local function morai_message(name, size)
  local found
  for _, message in ipairs(morai_messages) do
    if message.identifier == name then
      found = found or message
      if message.data_size == size then return message, true end
      local last = message.rows[#message.rows]
      local records_size = message.repeats == 1 and size - last.offset or -1
      if records_size >= 0 and records_size % last.stride == 0 then return message, true end
    end
  end
  return found, false
end

local function morai_identifier(buffer)
  local text = buffer(0, math.min(buffer:len(), 32)):raw()
  return string.match(text, "^#%a+%$")
end

function morai.dissector(buffer, info, root)
  local name = morai_identifier(buffer)
  if name == nil or buffer:len() < #name + 4 then return 0 end
  local size = buffer(#name, 4):le_int()
  if name == "#IMUData$" and buffer:len() == #name + envelope_size + size + imu_stamp_size then
    size = size + imu_stamp_size -- a release that does not count the time stamp
  end
  local message, known_size = morai_message(name, size)
  if message == nil then return 0 end
  info.cols.protocol = "MORAI"
  local tree = root:add(morai, buffer())
  tree:add(identifier, buffer(0, #name))
  tree:add_le(data_length, buffer(#name, 4))
  if not known_size then
    tree:add(morai_reject, "data_length")
    return buffer:len()
  end
  info.cols.info = message.name
  local total = #name + envelope_size + size
  local tailless = message.name == "Ego Vehicle Status" and message.generation == 1
    and buffer:len() == total - tail_size
  if buffer:len() ~= total and not tailless then
    tree:add(morai_reject, "size")
    return buffer:len()
  end
  add_rows("morai", tree, buffer, message.rows, message.start, message.start + size)
  if not tailless and buffer(total - tail_size, tail_size):uint() ~= tail then
    tree:add(morai_reject, "tail")
  end
  return buffer:len()
end

local ports = DissectorTable.get("udp.port")
for _, port in ipairs(vds1_ports) do ports:add(port, vds1) end
for _, protocol in ipairs({ vds1, morai }) do
  protocol:register_heuristic("udp", function(buffer, info, root)
    return protocol.dissector(buffer, info, root) > 0
  end)
end
"""


def dissector() -> str:
    """The whole Lua program."""
    constants = {
        "magic": MAGIC,
        "header_size": HEADER_LAYOUT.size,
        "envelope_size": ENVELOPE_SIZE,
        "tail": int.from_bytes(TAIL, "big"),
        "tail_size": len(TAIL),
        "imu_stamp_size": IMU_STAMP_SIZE,
        "vds1_ports": [DEFAULT_CMD_PORT, DEFAULT_STATE_PORT],
        "vds1_header": _rows("vds1", HEADER_LAYOUT),
        "vds1_packets": _vds1_tables(),
        "morai_messages": _morai_tables(),
    }
    lines = [
        "-- Wireshark dissector for VDS1 and MORAI SIM: Drive, generated from the packet tables.",
        "-- Put it into Wireshark's plugin folder, or: tshark -X lua_script:vdsim.lua",
        "",
        *(f"local {name} = {_lua(value)}" for name, value in constants.items()),
        "",
    ]
    return "\n".join(lines) + "\n" + _CODE
