"""Set-up, generated files, benchmarks: what the checkout needs and the package does not."""
