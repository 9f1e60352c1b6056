"""Rules as data: the language, the shape of a rule file, finding and loading them."""
