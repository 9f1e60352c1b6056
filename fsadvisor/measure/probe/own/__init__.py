"""fsadvisor's own engine: for metadata, allocation and mixes, where it is the better one, and in place of fio."""
