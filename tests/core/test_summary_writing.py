"""A part's sentences: each of its share of the lines, and none copied if that can be helped."""

import json
import threading
from collections.abc import Sequence
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.scripted_model import ScriptedModel
from pagekeeper_core.records import SummarySentence
from pagekeeper_core.summary_writing import Line, SummaryWriter

NAMES = ("harbour", "school", "orchard", "railway", "museum", "well", "festival", "council")

LINES = [
    Line(f"The {name} was opened by the old mayor in {1900 + n}. It was painted blue.", name, name)
    for n, name in enumerate(NAMES)
]

COPY = (
    "The engineer Rosa Tavares deepened the harbour of Faro in the spring of 1931, "
    "and forty boats lie there"
)


def write(model: ScriptedModel, lines: Sequence[Line], most: int) -> tuple[SummarySentence, ...]:
    writing = SummaryWriter(model).write((), "a.txt", lines, most, "", threading.Event())
    while True:
        try:
            next(writing)
        except StopIteration as end:
            written: tuple[SummarySentence, ...] = end.value
            return written


def points(*said: tuple[int, str]) -> str:
    return json.dumps({"points": [{"line": line, "says": says} for line, says in said]})


def bounds(schema: Any) -> list[tuple[int, int]]:
    shares = (item["properties"]["line"] for item in schema["properties"]["points"]["prefixItems"])
    return [(share["minimum"], share["maximum"]) for share in shares]


@pytest.mark.parametrize(
    ("most", "expected"),
    [(2, [(1, 4), (5, 8)]), (3, [(1, 2), (3, 5), (6, 8)]), (8, [(n, n) for n in range(1, 9)])],
)
def test_each_sentence_has_its_share_of_the_lines(
    most: int, expected: list[tuple[int, int]]
) -> None:
    model = ScriptedModel()
    said = write(model, LINES, most)
    assert bounds(model.schemas[0]) == expected
    assert [sentence.location for sentence in said] == [NAMES[first - 1] for first, _ in expected]


@given(lines=st.integers(1, 60), most=st.integers(1, 10))
@settings(deadline=None, max_examples=60)
def test_the_shares_cover_every_line_and_the_last_is_always_heard(lines: int, most: int) -> None:
    model = ScriptedModel()
    write(model, [Line(f"Boat {n} came in.", str(n), str(n)) for n in range(lines)], most)
    schema: Any = model.schemas[0]
    shares = bounds(schema)
    assert {n for first, last in shares for n in range(first, last + 1)} == set(range(1, lines + 1))
    assert shares == sorted(shares)
    assert shares[schema["properties"]["points"]["minItems"] - 1][1] == lines


def test_a_list_of_the_beginning_alone_is_no_summary() -> None:
    model = ScriptedModel()
    write(model, LINES, 2)
    beginning = points((1, "The harbour was opened."), (2, "The school was opened."))
    both = points((1, "The harbour was opened."), (6, "The well was opened."))
    schema = jsonschema.Draft202012Validator(dict(model.schemas[0]))
    assert not schema.is_valid(json.loads(beginning))
    assert not schema.is_valid(json.loads(points((1, "The harbour was opened."))))
    assert schema.is_valid(json.loads(both))


def test_a_copied_sentence_is_written_again_with_another_letter() -> None:
    lines = [Line(f"{COPY}. The mud filled the marsh.", "p", "page 1"), LINES[1]]
    model = ScriptedModel()
    model.points.append(points((1, COPY + "."), (2, "A school of 1901.")))
    model.points.append(points((1, "Rosa Tavares deepened the harbour in 1931.")))
    said = write(model, lines, 2)
    assert [sentence.text for sentence in said] == [
        "Rosa Tavares deepened the harbour in 1931.",
        "A school of 1901.",
    ]
    again: Any = model.schemas[1]
    assert bounds(again) == [(1, 1)]
    (item,) = again["properties"]["points"]["prefixItems"]
    assert item["properties"]["says"]["pattern"] == "^[^T]"
    assert "Rosa Tavares" in model.prompts[1][-2].text
    assert "school" not in model.prompts[1][-2].text


def test_a_sentence_of_another_share_is_written_again_from_its_own_lines() -> None:
    model = ScriptedModel()
    model.points.append(
        points((2, "The harbour was opened in 1900."), (6, "The orchard was opened in 1902."))
    )
    model.points.append(points((3, "The festival was opened in 1906.")))
    said = write(model, LINES, 2)
    assert [sentence.location for sentence in said] == ["harbour", "festival"]
    assert "orchard" not in model.prompts[1][-2].text


def test_what_is_copied_again_is_kept_and_not_asked_for_a_third_time() -> None:
    lines = [Line(f"{COPY}. The mud filled the marsh.", "p", "page 1")]
    model = ScriptedModel()
    model.points.extend([points((1, COPY + ".")), points((1, "Xyzzy plugh fnord."))])
    assert [sentence.text for sentence in write(model, lines, 1)] == [COPY + "."]
    assert len(model.prompts) == 2


@pytest.mark.parametrize("says", ["The harbour was opened by the old mayor in 1900.", COPY])
def test_a_short_sentence_or_all_that_a_line_says_is_no_copy(says: str) -> None:
    model = ScriptedModel()
    model.points.append(points((1, says)))
    write(model, [Line(says, "p", "page 1")], 1)
    assert len(model.prompts) == 1


def test_a_share_without_a_sentence_that_is_borne_out_is_asked_again() -> None:
    model = ScriptedModel()
    model.points.append(points((1, "The harbour cost 99 million."), (5, "The museum is blue.")))
    model.points.append(points((2, "The school was opened in 1901.")))
    said = write(model, LINES, 2)
    assert [sentence.location for sentence in said] == ["school", "museum"]


def test_what_is_said_twice_is_kept_once_and_the_rest_is_heard() -> None:
    model = ScriptedModel()
    model.points.append(
        points((1, "It was painted blue."), (4, "It was painted blue."), (7, "A festival of 1906."))
    )
    assert [sentence.text for sentence in write(model, LINES, 3)] == [
        "It was painted blue.",
        "A festival of 1906.",
    ]
