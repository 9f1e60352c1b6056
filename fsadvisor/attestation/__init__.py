"""Writes down what people say: `fsadvisor attest` and `waive`. The survey reads it back (survey/attested.py)."""
