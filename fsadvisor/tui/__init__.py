"""The explorer: the screens of a terminal. Only this package knows Textual."""
