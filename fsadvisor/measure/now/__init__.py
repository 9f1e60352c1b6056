"""One look at what hurts now: the window that is kept, its facts, and the answer."""
