"""fsadvisor: reads a Linux server's storage and gives ranked advice that it can prove."""

__version__ = "0.1.0"
