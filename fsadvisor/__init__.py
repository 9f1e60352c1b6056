"""fsadvisor: reads a Linux server's storage and gives ranked advice that it can prove."""
