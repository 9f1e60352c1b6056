"""Seed 001's measurements again, on a kernel of today, in a guest of the lab."""
