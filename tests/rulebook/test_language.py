"""Rules speak the field's language, in sentences that are read once."""

from msgspec.structs import replace

from fsadvisor.rulebook.language import MOST_WORDS, misworded, misworded_rule, sentences
from fsadvisor.rulebook.laws import unproven
from fsadvisor.rulebook.loading import own_rulebook
from tests.cases import each

RULES = own_rulebook().rules


def test_each_text_of_a_rule_says_the_fields_words_in_short_sentences():
    assert {rule.id: wrong for rule in RULES if (wrong := list(misworded_rule(rule)))} == {}


@each(
    ("text", "term"),
    [
        ("Its folder is full.", "directory"),
        ("There is no room.", "free space"),
        ("It lies in many pieces", "extents"),
        ("The volume is made anew.", "re-created"),
        ("a leaf of the stack", "physical device"),
        ("in the cache of the kernel", "page cache"),
        ("A disk that spins", "rotational"),
        ("the names in a directory", "directory entries"),
        ("A guide says so (E13).", "guide"),
        ("seed 000 says so", "guide"),
        ("from memory: not read again", "source"),
    ],
)
def test_a_word_of_this_projects_own_is_refused_with_the_fields_term(text, term):
    (words,) = misworded(text)
    assert term in words


@each(
    "text",
    [
        "Run `chattr -C FOLDER`.",
        "See ext4-folder-limit-near.",
        "largest_folder_names is a fact.",
        "statfs is answered from memory.",
        "{filesystem.room}",
        "/srv/folder/pieces",
        " ".join(["word"] * MOST_WORDS) + ".",
        "Two. Short. " * MOST_WORDS,
    ],
)
def test_names_values_and_commands_stand_as_they_are_written(text):
    assert list(misworded(text)) == []


def test_a_sentence_of_more_than_25_words_is_refused():
    (words,) = misworded(" ".join(["word"] * (MOST_WORDS + 1)))
    assert "26 words" in words


def test_a_sentence_ends_in_a_bracket_and_before_a_small_letter_but_not_after_eg():
    assert sentences("(It is so.) noatime, e.g. relatime, is it? Yes.\n- one\n- two") == [
        "(It is so.)",
        "noatime, e.g. relatime, is it?",
        "Yes.",
        "- one",
        "- two",
    ]


def test_rule_try_says_so():
    rule = replace(RULES[0], why="There is no room in the folder.")
    assert [words for words in unproven(rule) if words.startswith("why:")] == [
        "why: 'folder' in '… There is no room in the folder. …': say directory",
        "why: 'room' in '… There is no room in the folder. …': say free space",
    ]


def test_commands_of_several_kinds_of_system_in_one_text_are_refused():
    rule = next(rule for rule in RULES if rule.id == "md-degraded")
    mixed = replace(rule, remedy=replace(rule.remedy, advice="Run `mdadm --detail /dev/NAME`, or `lvs -a`."))
    (words,) = misworded_rule(mixed)
    assert words.startswith("remedy: advice: mdadm and lvs are for different kinds of system")
