"""Widgets that show rows and documents of any length: only what is seen is drawn."""
