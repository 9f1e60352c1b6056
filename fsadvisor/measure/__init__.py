"""Measuring as a user sees it: a session for each command, its worker process, and the messages between processes."""
