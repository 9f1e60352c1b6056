"""Pages: what is said to people, as blocks of plain dataclasses, and one renderer for each form."""
