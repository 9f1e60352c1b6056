"""Captures of the explorer in a real terminal (tmux), as text and as pictures."""
