"""Short, safe measurements: what to run (job), whether it may run here (guard), how often, and what came out."""
