"""What `fsadvisor --json` said, made easy to ask."""


class Unknown:
    """A fact that the report calls unknown."""

    def __init__(self, cause):
        self.cause = cause

    def __repr__(self):
        return f"Unknown({self.cause})"

    def __eq__(self, other):
        return isinstance(other, Unknown) and other.cause == self.cause

    __hash__ = None


class Report:
    """Facts and verdicts by subject."""

    def __init__(self, whole):
        self.whole = whole
        passed = (
            {"rule": one["rule"], "subject": subject, "verdict": one["verdict"]}
            for one in whole["passed"]
            for subject in one["subjects"]
        )
        self.verdicts = [*whole["verdicts"], *passed]
        self.subjects = {subject["id"]: subject for subject in whole["subjects"]}

    def fact(self, subject, name):
        """A value, or an Unknown with its cause; KeyError where the report does not list the fact."""
        known, unknown = self.subjects[subject]["facts"], self.subjects[subject]["unknown"]
        return known[name] if name in known else Unknown(self.whole["unknown"][unknown[name]]["cause"])

    def facts(self, subject):
        """All facts of a subject, by name."""
        said = self.subjects[subject]
        return {name: self.fact(subject, name) for name in (*said["facts"], *said["unknown"])}

    def verdict(self, rule, subject=None):
        """The verdict of a rule, of the subject where one is named; None where the report has none."""
        found = [
            verdict for verdict in self.verdicts if verdict["rule"] == rule and subject in (None, verdict["subject"])
        ]
        assert len(found) < 2, f"{rule} has verdicts on {[verdict['subject'] for verdict in found]}: name the subject"
        return found[0] if found else None

    def outcome(self, rule, subject=None):
        """advise, withheld, …; None where the report has no such verdict (not put, or its ask said ok)."""
        verdict = self.verdict(rule, subject)
        return verdict and verdict["verdict"]

    def advice(self):
        """(rule, subject) of all that is advised."""
        return {(v["rule"], v["subject"]) for v in self.verdicts if v["verdict"] == "advise"}
