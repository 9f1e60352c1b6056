"""Drive models and their attributes: what is known of a family's power-loss protection, as data (*.toml)."""

from fsadvisor.drives.tables import Attribute, Confidence, Family, Listing, attributes, families, find

__all__ = ["Attribute", "Confidence", "Family", "Listing", "attributes", "families", "find"]
