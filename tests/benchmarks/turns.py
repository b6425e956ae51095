"""A chat of forty turns with a real model: what is evaluated against what is new.

The user speaks forty times and edits a memory block by hand six times. All tokens that llama.cpp
computed, prompt and reply, are set against those by which the prompt grew: at 1, none is computed
twice. A turn in which the queue was flushed is apart, as the rest of the prompt must be evaluated
anyway. Decisions that are taken again (a repeated call, a reply in the user's own words) count.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.figures import Figure, at_most, reported
from helpers.assistants import SMALL, assistant, folder, runtime_of
from pagekeeper_core.events import Event, MemoryEdited, UserMessage
from pagekeeper_core.updates import CallFinished, QueueFlushed, ReplyFinished, StepFinished
from pagekeeper_desktop.composition import Assistant

WINDOW = 8192
EDIT_EVERY = 6

MESSAGES = """\
Hello! My name is Ines and I live in Coimbra.
I teach chemistry at a secondary school.
What is the chemical symbol of gold?
My daughter Rita turns nine on 3 March.
She wants a telescope for her birthday.
How far away is the Moon?
I am allergic to peanuts.
Can you suggest a quick dinner for two?
We have a cat called Miso.
What is 15 percent of 240?
My husband Paulo is a carpenter.
He broke his left arm last week.
What should I write in a card for him?
Thank you, that helps.
I start my holiday on 12 July.
We want to walk in the Azores.
What should I pack for a week of walking?
What is the capital of Iceland?
Rita has changed her mind: she wants a microscope now.
How does a microscope work?
I read a book by Saramago this month.
Who wrote Pride and Prejudice?
Do you remember what my daughter wants for her birthday?
When does my holiday start?
What am I allergic to?
What is my cat called?
Which arm did Paulo break?
我也会说一点中文。
Tell me something about the Azores.
What do you know about me?
My school has a new laboratory.
It has twelve benches and two fume hoods.
What is a fume hood good for?
My mother lives in Braga.
She grows roses and camellias.
When do camellias flower?
Paulo can work again from Monday.
What does a carpenter need first after such a break?
Which of us likes flowers?
Good night!
""".splitlines()

EDITS = (
    "Keeps a garden diary.",
    "Drinks coffee without sugar.",
    "Has a bicycle called Vento.",
    "Sings in a choir on Thursdays.",
    "Is learning to sail.",
    "Wants short answers.",
)


@dataclass
class Tally:
    """What some turns cost."""

    turns: int = 0
    steps: int = 0
    computed: int = 0
    grown: int = 0
    prompt: int = 0
    flushes: int = 0
    failed_calls: int = 0
    invalid: int = 0
    unanswered: int = 0


def measure() -> Iterator[Figure]:
    """The chat, about three minutes."""
    tally = Tally()
    with folder() as data, assistant(data, model=SMALL, window=WINDOW) as loaded:
        for number, message in enumerate(MESSAGES):
            if number % EDIT_EVERY == EDIT_EVERY - 1:
                _edit(loaded, EDITS[number // EDIT_EVERY])
            _turn(loaded, UserMessage(message), tally)
    yield at_most(
        "tokens computed in a turn / tokens new in it (40 turns, 6 edits)",
        tally.computed / tally.grown,
        1.05,
    )
    yield reported("steps of 40 turns", tally.steps, "steps")
    yield reported("prompt tokens of 40 turns, replies apart", tally.prompt, "tokens")
    yield reported("turns with a flush, left out", tally.flushes, "turns")
    yield at_most("turns without a reply", tally.unanswered, 0, "turns")
    yield at_most("steps whose JSON was cut off", tally.invalid, 0, "steps")
    yield reported("calls that failed", tally.failed_calls, "calls")


def _edit(loaded: Assistant, line: str) -> None:
    block = loaded.agent.working_context.block("human")
    edited = MemoryEdited("human", f"{block.text}\n{line}".strip())
    list(loaded.agent.handle(edited, threading.Event()))


def _turn(loaded: Assistant, event: Event, tally: Tally) -> None:
    """Answer a message and count it; what an edit before it added is new in this turn."""
    runtime = runtime_of(loaded)
    held, computed, flushed, answered = len(runtime._cache.tokens), 0, False, False
    for update in loaded.agent.handle(event, threading.Event()):
        match update:
            case StepFinished(usage):
                # What was generated last is computed only when something follows it.
                written = len(runtime._cache.tokens) - usage.prompt_tokens
                computed += usage.evaluated_tokens + written
                tally.prompt += usage.evaluated_tokens
                tally.steps += 1
                tally.invalid += not usage.complete
            case QueueFlushed():
                flushed = True
            case CallFinished(_, call_result):
                tally.failed_calls += not call_result.ok
            case ReplyFinished():
                answered = True
    tally.turns += 1
    tally.unanswered += not answered
    tally.flushes += flushed
    if not flushed:
        tally.computed += computed
        tally.grown += len(runtime._cache.tokens) - held
