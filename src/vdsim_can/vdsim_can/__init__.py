"""A drive-by-wire car on CAN as data: a DBC file and a page of YAML."""
