"""How good probes are: held against long runs, against bare fio, against each other, and killed."""
