"""Student's t: the quantile that a 95 % interval is made of."""

from __future__ import annotations

from typing import Final

_TABLE: Final = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""The 97.5 % quantile for 1 to 30 degrees of freedom, as every table of it has."""
_NORMAL: Final = 1.959964


def quantile(freedom: int) -> float:
    """The 97.5 % quantile for so many degrees of freedom, at least one.

    Above the table the first terms of its expansion about the normal distribution's (Cornish and Fisher): off by less
    than a thousandth there.
    """
    if freedom <= len(_TABLE):
        return _TABLE[freedom - 1]
    return _NORMAL + (_NORMAL**3 + _NORMAL) / (4 * freedom)
