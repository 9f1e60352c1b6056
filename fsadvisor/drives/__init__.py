"""Drive models and their attributes: what is known of a family's power-loss protection, as data (*.toml)."""

from fsadvisor.drives.attributes import Attribute, attributes
from fsadvisor.drives.families import Confidence, Family, Listing, families, find

__all__ = ["Attribute", "Confidence", "Family", "Listing", "attributes", "families", "find"]
