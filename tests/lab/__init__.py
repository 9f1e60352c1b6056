"""Tests that run inside the lab's guests: `make lab`."""
