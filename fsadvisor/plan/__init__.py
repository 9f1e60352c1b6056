"""From findings to a plan that people review and run themselves: scripts, diff, files, undo. It runs nothing."""
