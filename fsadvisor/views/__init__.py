"""What the explorer shows, as rows and documents of plain dataclasses: no terminal, no Textual."""
