"""Composed machines other than databases: each with much that is to be found."""

from tests.machines import lab, nas, raid_server, small, troubled

MACHINES = {**raid_server.MACHINES, **nas.MACHINES, **small.MACHINES, **troubled.MACHINES, **lab.MACHINES}
