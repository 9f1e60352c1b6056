"""Before and after on scratch filesystems, that nobody else sees and that are gone with the process that made them."""
