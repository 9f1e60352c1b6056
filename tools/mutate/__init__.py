"""Small changes of the code that decides, each put into a running process, to see whether a test notices."""
