"""What the explorer shows, as rows and documents of plain values: no terminal, no Textual."""
