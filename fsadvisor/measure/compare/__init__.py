"""The same work on several sides: mounted paths, the device below, and filesystems in images; what may be ranked."""
