"""Netlist file formats: BLIF and ISCAS bench."""
