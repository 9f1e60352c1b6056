"""Reports: what was found, for people as text and for programs as JSON."""
