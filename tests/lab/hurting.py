"""What `doctor` says of the guest now."""

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import observe
from fsadvisor.rulebook.loading import own_rulebook


def hurting():
    """The verdict of each cause that hurts."""
    return [one.verdict for one in answer(observe(8), own_rulebook().rules).found if one.hurts]


def causes():
    """Rule and subject of each cause that hurts."""
    return {(one.rule.id, one.subject.name) for one in hurting()}
