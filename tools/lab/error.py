"""What keeps the lab from running."""


class LabError(Exception):
    """Why the lab cannot go on, as a sentence for the person who typed the command."""
