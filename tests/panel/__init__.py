"""Servers as an expert would put them together, each with what he says of it first."""
