"""What a rule's examples prove of it: the laws, small changes of its questions, and the examples that are missing."""
