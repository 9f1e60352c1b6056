"""The rule language: what it says, what it refuses, and Kleene's logic against a second evaluator."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import FALSE, NOT_APPLICABLE, TRUE, UNKNOWN
from fsadvisor.rulebook import gate
from fsadvisor.rulebook.expr import compile_expression
from fsadvisor.rulebook.mistakes import RuleTextError
from fsadvisor.version import Version
from tests.cases import each, tries
from tests.counted import calls
from tests.rulebook.imagine import scope

KNOWN = {
    "disk.removable": False,
    "disk.writes": 7,
    "disk.written_bytes": 7,
    "disk.plp": "absent",
    "disk.scheduler": "none",
    "disk.schedulers": ("none", "bfq"),
    "host.kernel": Version(6, 9),
    "host.io_full_avg60_percent": 2.5,
}


@each(
    ("text", "truth"),
    [
        ("disk.removable", FALSE),
        ("not disk.removable", TRUE),
        ("disk.removable == False", TRUE),
        ("disk.writes == 7", TRUE),
        ("disk.writes > -1", TRUE),
        ("disk.writes < 7.5", TRUE),
        ("disk.writes == disk.written_bytes", TRUE),
        ("disk.writes >= host.io_full_avg60_percent", TRUE),
        ("disk.plp != 'proven'", TRUE),
        ("disk.plp in ['proven', 'claimed']", FALSE),
        ("disk.plp not in ['proven', 'claimed']", TRUE),
        ("'bfq' in disk.schedulers", TRUE),
        ("'kyber' not in disk.schedulers", TRUE),
        ("disk.scheduler in disk.schedulers", TRUE),
        ("disk.schedulers == ['none', 'bfq']", TRUE),
        ("disk.schedulers == []", FALSE),
        ("host.kernel < '6.10'", TRUE),
        ("host.kernel >= '6.9'", TRUE),
        ("  disk.writes > 1 and (disk.removable or disk.scheduler == 'none')  ", TRUE),
        ("disk.fua", UNKNOWN),
        ("disk.fua and disk.removable", FALSE),
        ("disk.fua or not disk.removable", TRUE),
        ("disk.requests == disk.writes", UNKNOWN),
        ("disk.writes == disk.requests", UNKNOWN),
        ("disk.plp != disk.scheduler", TRUE),
        ("disk.plp == disk.scheduler", FALSE),
        ("disk.plp == 'absent'", TRUE),
        ("disk.model == 'a~b'", UNKNOWN),
        ("disk.writes > -1.5", TRUE),
        ("host.io_full_avg60_percent > 2", TRUE),
        ("host.io_full_avg60_percent > 2.5", FALSE),
    ],
)
def test_an_expression_is_answered_from_the_facts(text, truth):
    assert compile_expression(text, "disk").evaluate(scope("disk", KNOWN)) is truth


@each(
    ("text", "column", "message"),
    [
        ("disk.plpp == 'proven'", 0, "unknown fact 'disk.plpp'; did you mean 'disk.plp'?"),
        ("disk.removable and disk.wirtes > 1", 19, "unknown fact 'disk.wirtes'; did you mean 'disk.writes'?"),
        ("  disk.plp == 'provn'", 14, "did you mean 'proven'?"),
        ("disk.model == 'é' and disk.xyz", 22, "unknown fact 'disk.xyz'"),
        ("below.any_thin", 0, "a rule on a disk can't ask 'below.any_thin', only facts of: disk, host"),
        ("disk.plp", 0, "compare it with something"),
        ("~disk.fua", 0, "not part of the rule language"),
        ("disk == 'x'", 0, "unknown fact 'disk'"),
        ("disk.fua ) and", 9, "not understood"),
        ("disk.plp == 'prov'", 12, "'prov' is none of the values of 'disk.plp': 'proven', 'claimed', 'partial'"),
        ("disk.model <= 'x'", 14, "which has no order"),
        ("disk.model > 'x'", 13, "which has no order"),
        ("disk.model >= 'x'", 14, "which has no order"),
        ("'x' in ['x']", 0, "a comparison starts with a fact"),
        ("disk.writes in disk.schedulers", 15, "two facts that can't be compared so"),
        ("disk.model in disk.vendor", 14, "two facts that can't be compared so"),
        ("host.kernel <= '6.1'", 15, "compare a version by < or >="),
        ("host.kernel < '6.1x'", 14, "'6.1x' is no version such as '4.19'"),
        ("disk.writes == len(3)", 15, "a literal is needed here"),
        ("disk.writes == -len(3)", 15, "a literal is needed here"),
        ("disk.writes == +3", 15, "a literal is needed here"),
        ("disk.writes == -'x'", 15, "a literal is needed here"),
        ("disk.writes == '7'", 15, "'disk.writes' is a whole number, not '7'"),
        ("disk.writes == True", 15, "'disk.writes' is a whole number, not True"),
        ("disk.removable == 1", 18, "'disk.removable' is a yes/no, not 1"),
        ("disk.model < 'x'", 13, "which has no order"),
        ("disk.removable < True", 17, "which has no order"),
        ("1 < disk.writes", 0, "a comparison starts with a fact"),
        ("1 < disk.writes < 3", 0, "one comparison at a time"),
        ("'proven' == disk.plp", 0, "a comparison starts with a fact"),
        ("'x' in disk.model", 7, "'disk.model' is a text, not a list"),
        ("disk.model in 'x'", 14, "'in' needs a list"),
        ("disk.model == ['x']", 14, "is no list: use 'in'"),
        ("disk.model in []", 14, "nothing is in an empty list"),
        ("disk.schedulers in ['none']", 19, "ask whether a text is in it"),
        ("disk.plp in ['proven', 'prooven']", 23, "did you mean 'proven'?"),
        ("disk.removable == disk.writes", 18, "two facts that can't be compared so"),
        ("disk.model < disk.vendor", 13, "two facts that can't be compared so"),
        ("host.kernel == '6.1'", 15, "compare a version by < or >="),
        ("host.kernel > '6.1'", 14, "compare a version by < or >="),
        ("host.kernel < '6'", 14, "'6' is no version such as '4.19'"),
        ("host.kernel < 6.1", 14, "'host.kernel' is a version, not 6.1"),
        ("disk.removable is True", 0, "use =="),
        ("len(disk.model) > 3", 0, "a comparison starts with a fact"),
        ("disk.plp()", 0, "not part of the rule language"),
        ("disk.schedulers[0] == 'x'", 0, "a comparison starts with a fact"),
        ("disk.writes + 1 > 2", 0, "a comparison starts with a fact"),
        ("disk.writes == 1 + 1", 15, "a literal is needed here"),
        ("disk.writes == -True", 15, "a literal is needed here"),
        ("disk.removable == None", 18, "a literal is needed here"),
        ("True", 0, "not part of the rule language"),
        ("lambda: disk.removable", 0, "not part of the rule language"),
        ("__import__('os').system('true')", 0, "not part of the rule language"),
        ("disk", 0, "unknown fact 'disk'"),
        ("disk.removable and", 18, "not understood"),
        ("", 0, "not understood"),
        ("disk.removable # and more", 15, "'#' has no place"),
        ("disk.removable\nand disk.fua", 14, "has no place"),
        ("disk.model == '\\d'", 15, "has no place"),
        ("x" * 501, 0, "longer than 500 characters"),
    ],
)
def test_what_is_not_of_the_language_is_refused_with_its_column(text, column, message):
    with pytest.raises(RuleTextError) as caught:
        compile_expression(text, "disk")
    assert message in caught.value.message
    assert caught.value.column == column


@tries(300)
@given(
    text=st.text(max_size=80)
    | st.text(alphabet="disk.plpfuahost ()[]'\"=!<>-0179,andortni", max_size=80)
    | st.lists(
        st.sampled_from(["disk.plp", "disk.fua", "and", "or", "not", "(", ")", "==", "in", "[", "]", "'x'", "1", ","])
    ).map(" ".join)
)
@example(text="(" * 400)
@example(text="not " * 120 + "disk.fua")
@example(text="-" * 499)
@example(text="\0")
@example(text="\ud800")
@example(text="1if disk.fua else 2")
@example(text="disk.failing")
@example(text="disk.writes == 1e999")
@example(text="disk.writes == " + "9" * 480)
def test_any_text_compiles_or_is_refused(text):
    compiled, refused = compiled_or_refused(text)
    if refused:
        assert refused.message
        assert 0 <= refused.column <= len(text)
    else:
        assert compiled.evaluate(scope("disk", {})) is UNKNOWN or not gate.OPEN.keys().isdisjoint(compiled.names)
        compiled.evaluate(scope("disk", KNOWN))


def test_an_expression_may_have_500_characters():
    text = "disk.fua" + " " * 484 + "or not x"
    assert "unknown fact 'x'" in compiled_or_refused(text)[1].message
    assert len(text) == 500


def compiled_or_refused(text):
    try:
        return compile_expression(text, "disk"), None
    except RuleTextError as error:
        return None, error


def test_the_names_are_the_facts_in_the_order_asked_once_each():
    text = "disk.fua or disk.writes < 1 or disk.scheduler in disk.schedulers or not disk.fua"
    assert compile_expression(text, "disk").names == (
        "disk.fua",
        "disk.writes",
        "disk.scheduler",
        "disk.schedulers",
    )


def test_a_subject_without_a_part_of_its_scope_has_none_of_its_facts():
    unmounted = {"mount": scope("mount", {})["mount"]}
    assert compile_expression("filesystem.journal", "mount").evaluate(unmounted) is UNKNOWN


def test_a_fact_that_does_not_apply_is_unknown():
    plain = scope("disk", {})
    without = {**plain, "disk": replace(plain["disk"], critical_warning=NOT_APPLICABLE)}
    assert compile_expression("disk.critical_warning == 0", "disk").evaluate(without) is UNKNOWN


# The second evaluator: expressions as trees of tuples, truth as 0, 1/2 and 1.

FACTS = {
    "disk.fua": st.booleans(),
    "disk.removable": st.booleans(),
    "disk.writes": st.integers(-2, 2),
    "disk.requests": st.integers(-2, 2),
    "disk.plp": st.sampled_from(["proven", "claimed", "absent"]),
    "disk.scheduler": st.sampled_from(["none", "bfq"]),
    "disk.schedulers": st.lists(st.sampled_from(["none", "bfq"]), max_size=2).map(tuple),
}
LEAVES = {
    "disk.fua": (("disk.fua",), lambda fua: fua),
    "disk.removable == False": (("disk.removable",), lambda removable: not removable),
    "disk.writes > 0": (("disk.writes",), lambda writes: writes > 0),
    "disk.writes != -1": (("disk.writes",), lambda writes: writes != -1),
    "disk.writes <= disk.requests": (("disk.writes", "disk.requests"), lambda one, two: one <= two),
    "disk.plp in ['proven', 'claimed']": (("disk.plp",), lambda plp: plp != "absent"),
    "'bfq' not in disk.schedulers": (("disk.schedulers",), lambda schedulers: "bfq" not in schedulers),
    "disk.scheduler in disk.schedulers": (("disk.scheduler", "disk.schedulers"), lambda one, many: one in many),
}
TREES = st.recursive(
    st.sampled_from(sorted(LEAVES)),
    lambda inner: (
        st.tuples(st.just("not"), inner)
        | st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3))
    ),
    max_leaves=8,
).filter(lambda tree: len(text_of(tree)) <= 500)
ASSIGNMENTS = st.fixed_dictionaries({}, optional=FACTS)
NUMBER = {FALSE: 0.0, UNKNOWN: 0.5, TRUE: 1.0}


def text_of(tree):
    if isinstance(tree, str):
        return tree
    if tree[0] == "not":
        return f"not ({text_of(tree[1])})"
    return f" {tree[0]} ".join(f"({text_of(part)})" for part in tree[1])


def number_of(tree, facts):
    if isinstance(tree, str):
        names, test = LEAVES[tree]
        return 0.5 if any(name not in facts for name in names) else float(test(*(facts[name] for name in names)))
    if tree[0] == "not":
        return 1 - number_of(tree[1], facts)
    return (min if tree[0] == "and" else max)(number_of(part, facts) for part in tree[1])


def answer(tree, facts):
    return compile_expression(text_of(tree), "disk").evaluate(scope("disk", facts))


@given(tree=TREES, facts=ASSIGNMENTS)
def test_the_logic_is_kleenes(tree, facts):
    assert NUMBER[answer(tree, facts)] == number_of(tree, facts)


@given(tree=TREES, facts=ASSIGNMENTS, learnt=st.fixed_dictionaries(FACTS))
def test_learning_facts_never_takes_back_an_answer(tree, facts, learnt):
    before = answer(tree, facts)
    if before is not UNKNOWN:
        assert answer(tree, {**learnt, **facts}) is before


def test_an_answer_costs_a_few_calls():
    compiled = compile_expression("disk.plp == 'absent' and disk.writes > 1 and not disk.removable", "disk")
    facts = scope("disk", KNOWN)
    assert calls(lambda: compiled.evaluate(facts)) < 54
