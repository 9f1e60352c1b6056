"""Drive models: what the makers of a family say of its power-loss protection, as data (families.toml)."""

from fsadvisor.drives.families import Confidence, Family, Listing, families, find

__all__ = ["Confidence", "Family", "Listing", "families", "find"]
