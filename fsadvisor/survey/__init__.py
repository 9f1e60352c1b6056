"""From a machine's answers to its storage: the stack graph and every derived fact."""
