"""The version, as a literal so that `--version` need not import anything else."""

__version__ = "0.1.0"
