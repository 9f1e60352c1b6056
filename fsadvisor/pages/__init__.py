"""Pages: what is said to people, as blocks of plain values, and one renderer for each form."""
