"""What `make dist` makes: things to copy to a server."""
