"""The only package that touches the system: reads files, runs tools, asks udev and the kernel."""
