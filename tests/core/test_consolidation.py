"""Consolidation over test doubles and the scripted model."""

import threading

import pytest

from helpers.agent_rig import AgentRig, append
from helpers.memory_stores import MemoryProposalStore
from pagekeeper_core.config import Consolidation, MemoryPolicy
from pagekeeper_core.errors import Cancelled, ModelError
from pagekeeper_core.events import ChangeUndone, Forgotten, MemoryEdited, ProposalDecided
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.proposing import Proposer
from pagekeeper_core.records import (
    ChangeAction,
    MemoryChange,
    Proposal,
    ProposalState,
    Target,
    TargetKind,
)
from pagekeeper_core.updates import ProposalsChanged, Update

CHAT = ("Hello there!", "What is 2 + 2?", "Thank you.", "How are you?", "Tell me a joke.", "Nice!")
HUMAN = Target(TargetKind.BLOCK, "human")


def hear(rig: AgentRig, *texts: str) -> None:
    """Let the user have said this, without a chain for each."""
    for text in texts:
        now = rig.clock.now()
        rig.recall.append(Message(MessageKind.USER, text, text, now))


def hear_with_chat(rig: AgentRig, *texts: str) -> None:
    """As `hear`, with enough small talk around it for a pass."""
    hear(rig, *texts, *CHAT)


def pairs(rig: AgentRig) -> list[tuple[str, str]]:
    return [(p.before, p.after) for p in rig.proposals.proposals()]


def block(rig: AgentRig) -> list[str]:
    return rig.agent.working_context.block("human").text.splitlines()


def note(rig: AgentRig, **notes: str) -> None:
    """Let these notes stand in the history, caused by the messages 1, 2, 3 …"""
    for cause, (name, text) in enumerate(notes.items(), 1):
        target = Target(TargetKind.PASSAGE, name)
        now = rig.clock.now()
        rig.state.append_change(
            MemoryChange(target, ChangeAction.INSERT, "", text, now, "assistant", cause)
        )
    rig.restart()


def questions(rig: AgentRig) -> list[str]:
    asked = [prompt[-1].text for prompt in rig.model.prompts]
    return [text for text in asked if text.startswith("The user said: ")]


@pytest.fixture
def rig() -> AgentRig:
    return AgentRig()


class TestWhenItRuns:
    def test_a_few_messages_are_not_worth_a_pass(self, rig: AgentRig) -> None:
        hear(rig, "I play the cello.", "My brother Jan lives in Oslo.")
        rig.idle()
        assert (rig.model.prompts, rig.proposals.read_until()) == ([], 0)

    def test_what_was_read_is_not_read_again(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "I'm learning Swedish.")
        rig.idle()
        rig.idle()
        hear(rig, "I'm learning to dance.")
        rig.idle()
        assert questions(rig) == ["The user said: I'm learning Swedish."]
        assert rig.proposals.read_until() == 7

    def test_the_person_can_switch_it_off(self) -> None:
        rig = AgentRig(policy=MemoryPolicy(consolidation=Consolidation.OFF))
        hear_with_chat(rig, "I play the cello.")
        rig.idle()
        assert (rig.model.prompts, rig.proposals.read_until()) == ([], 0)

    def test_small_talk_questions_and_documents_never_reach_the_model(self, rig: AgentRig) -> None:
        hear_with_chat(
            rig,
            "Here is the letter:\nI moved my office to Porto and I live there now.",
            'She wrote: "I am leaving my job and moving to Hamburg."',
            "If I won the lottery I would buy a boat.",
            "I'm a bit tired today.",
            "如果我有很多钱，我想环游世界。",
            "```\nmy = I(1)\n```",
            "Where do I live?",
        )
        rig.idle()
        assert pairs(rig) == []
        assert questions(rig) == ["The user said: She wrote:"] or questions(rig) == []

    def test_only_the_question_stands_behind_the_present_prompt(self, rig: AgentRig) -> None:
        rig.say("Good morning")
        hear_with_chat(rig, "I'm learning Swedish.", "I take the tram to town.")
        before = rig.agent._context.prompt()
        rig.idle()
        first, second = [p for p in rig.model.prompts if p[-1].text.startswith("The user said")]
        assert first[: len(before)] == before
        assert first[:-1] == second[:-1]

    def test_nothing_is_added_to_many_that_wait(self, rig: AgentRig) -> None:
        instruments = "cello violin flute harp drums piano tuba organ horn lute lyre oboe zither"
        hear(rig, *(f"I play the {name} at home." for name in instruments.split()), *CHAT)
        rig.idle()
        assert len(pairs(rig)) == 12
        rig.proposals.decide(1, ProposalState.DISMISSED, rig.clock.now())
        rig.idle()
        assert pairs(rig)[-1] == ("", "Plays the zither at home")

    def test_it_goes_on_when_the_person_has_decided(self, rig: AgentRig) -> None:
        now = rig.clock.now()
        for number in range(12):
            rig.proposals.add(Proposal(HUMAN, "", f"Fact {number}", "", (1,), now))
        hear_with_chat(rig, "I play the cello.")
        rig.idle()
        assert questions(rig) == []
        rig.proposals.decide(1, ProposalState.DISMISSED, now)
        rig.idle()
        assert pairs(rig)[-1] == ("", "Plays the cello")


class TestAdd:
    def test_a_fact_is_proposed_with_the_messages_that_say_it(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "My brother Jan lives in Oslo.", "My brother Jan, he lives in Oslo.")
        updates = rig.idle()
        (proposal,) = rig.proposals.proposals()
        assert (proposal.target, proposal.before) == (HUMAN, "")
        assert (proposal.after, proposal.sources) == ("Brother Jan lives in Oslo", (1, 2))
        assert proposal.reason == ('You said on 29 November 2026: "My brother Jan lives in Oslo."')
        assert changes_in(updates) == [(proposal,)]

    def test_nothing_is_changed_without_the_person(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "I play the cello.")
        rig.idle()
        assert pairs(rig) == [("", "Plays the cello")]
        assert rig.agent.working_context.block("human").text == ""
        assert rig.state.history == []

    @pytest.mark.parametrize(
        "answer", ["Lives in Lyon with Marta", "Learning the cello at 7", "Not learning the cello"]
    )
    def test_what_the_model_makes_up_is_dropped(self, rig: AgentRig, answer: str) -> None:
        rig.model.facts.append(answer)
        hear_with_chat(rig, "I'm learning the cello.")
        rig.idle()
        assert (len(questions(rig)), pairs(rig)) == (1, [])

    @pytest.mark.parametrize("answer", ["Moved to白班", "Works days"])
    def test_a_line_is_in_the_users_language(self, rig: AgentRig, answer: str) -> None:
        rig.model.facts.append(answer)
        hear_with_chat(rig, "我从夜班换到白班了。")
        rig.idle()
        assert pairs(rig) == [("", "从夜班换到白班了")]

    def test_where_it_is_open_the_models_no_counts(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "I love this weather.")
        rig.idle()
        assert len(questions(rig)) == 1
        assert pairs(rig) == []

    def test_relative_time_gets_its_date(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "我下个月做膝盖手术。")
        rig.idle()
        assert pairs(rig) == [("", "下个月做膝盖手术 (said 2026-11-29)")]

    @pytest.mark.parametrize("state", [ProposalState.DISMISSED, ProposalState.OPEN])
    def test_what_was_proposed_is_not_proposed_again(
        self, rig: AgentRig, state: ProposalState
    ) -> None:
        hear_with_chat(rig, "I play the cello.")
        rig.idle()
        if state is not ProposalState.OPEN:
            rig.proposals.decide(1, state, rig.clock.now())
        hear_with_chat(rig, "I play the cello, you see.")
        rig.idle()
        assert len(rig.proposals.all) == 1

    def test_what_the_block_says_is_not_asked_about(self, rig: AgentRig) -> None:
        rig.handle(MemoryEdited("human", "Has a cat called Miso"))
        hear_with_chat(rig, "We have a cat called Miso.")
        rig.idle()
        assert (questions(rig), pairs(rig)) == ([], [])

    def test_what_the_person_took_out_does_not_come_back(self, rig: AgentRig) -> None:
        hear(rig, "I play the cello.")
        rig.handle(MemoryEdited("human", "Plays the cello"))
        rig.handle(MemoryEdited("human", ""))
        hear(rig, *CHAT)
        rig.idle()
        assert pairs(rig) == []
        hear_with_chat(rig, "I play the cello.")
        rig.idle()
        assert pairs(rig) == [("", "Plays the cello")]

    def test_a_forgotten_message_is_not_read(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "I play the cello.")
        rig.handle(Forgotten(Target(TargetKind.MESSAGE, "1")))
        rig.idle()
        assert pairs(rig) == []

    def test_what_does_not_fit_the_block_is_not_proposed(self, rig: AgentRig) -> None:
        limit = rig.agent.working_context.block("human").limit
        rig.handle(MemoryEdited("human", " ".join(f"w{n}" for n in range(limit))))
        hear_with_chat(rig, "I play the cello.")
        rig.idle()
        assert pairs(rig) == []


class TestSupersede:
    def test_a_line_that_was_ended_is_replaced_with_the_dates_of_both(self, rig: AgentRig) -> None:
        rig.model.enqueue(append("Lives in Coimbra"))
        rig.say("I live in Coimbra")
        rig.clock.advance(days=40)
        hear_with_chat(rig, "We moved to Aveiro.", "We live in Aveiro now.")
        rig.idle()
        assert pairs(rig) == [("Lives in Coimbra", "Moved to Aveiro")]
        (proposal,) = rig.proposals.proposals()
        assert proposal.sources[0] == 1
        assert proposal.reason == (
            'You said on 8 January 2027: "We moved to Aveiro." (noted on 29 November 2026)'
        )

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("Works at a bookshop", "I quit the bookshop."),
            ("Drives an old Volvo", "I sold the Volvo and bought a bike."),
            ("Vegetarian", "I'm not vegetarian any more."),
            ("住在北京", "我上个月搬到杭州了。"),
            ("在银行上班", "我从银行辞职了，现在在中学教英语。"),
        ],
    )
    def test_the_words_that_end_a_line(self, rig: AgentRig, line: str, said: str) -> None:
        rig.handle(MemoryEdited("human", line))
        hear_with_chat(rig, said)
        rig.idle()
        assert [before for before, _ in pairs(rig)] == [line]

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("Has a cat called Miso", "We have a second cat now, Tofu."),
            ("Brother Jan lives in Oslo", "We moved to Aveiro."),
            ("Sister Ana is a nurse", "My sister Ana quit smoking."),
            ("Works at a bookshop", "My holiday was moved to May."),
        ],
    )
    def test_a_line_that_still_holds_stays(self, rig: AgentRig, line: str, said: str) -> None:
        rig.handle(MemoryEdited("human", line))
        hear_with_chat(rig, said)
        rig.idle()
        assert [before for before, _ in pairs(rig) if before] == []

    def test_an_older_statement_does_not_end_a_newer_line(self, rig: AgentRig) -> None:
        hear(rig, "We moved to Coimbra.")
        rig.model.enqueue(append("Lives in Aveiro"))
        rig.say("I live in Aveiro")
        hear(rig, *CHAT)
        rig.idle()
        assert [before for before, _ in pairs(rig) if before] == []

    def test_a_waiting_proposal_gives_way_to_what_was_said_later(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "I live in Coimbra.")
        rig.idle()
        hear_with_chat(rig, "We moved to Aveiro.")
        rig.idle()
        assert pairs(rig) == [("", "Moved to Aveiro")]
        assert rig.proposals.all[0].state is ProposalState.WITHDRAWN

    def test_what_was_withdrawn_is_proposed_when_it_is_said_again(self, rig: AgentRig) -> None:
        for said in ("I live in Coimbra.", "We moved to Aveiro.", "I live in Coimbra again."):
            hear_with_chat(rig, said)
            rig.idle()
        assert pairs(rig)[-1][1].startswith("Lives in Coimbra")

    def test_lines_are_compared_as_they_are_replaced(self, rig: AgentRig) -> None:
        rig.handle(MemoryEdited("human", "Name: Ines\n  Lives in Coimbra  "))
        hear_with_chat(rig, "We moved to Aveiro.")
        rig.idle()
        assert pairs(rig) == [("Lives in Coimbra", "Moved to Aveiro")]
        rig.handle(ProposalDecided(1, accepted=True))
        assert block(rig) == ["Name: Ines", "Moved to Aveiro"]

    def test_a_proposal_whose_line_the_model_replaced_is_taken_back(self, rig: AgentRig) -> None:
        rig.handle(MemoryEdited("human", "Lives in Coimbra"))
        hear_with_chat(rig, "We moved to Aveiro.")
        rig.idle()
        rig.agent.working_context.replace_text("human", "Coimbra", "Faro", actor="assistant")
        rig.idle()
        assert pairs(rig) == []


class TestMerge:
    def test_a_line_that_another_one_says_is_proposed_to_go(self, rig: AgentRig) -> None:
        rig.handle(MemoryEdited("human", "Likes tea\nLikes tea with milk"))
        hear(rig, *CHAT)
        rig.idle()
        (proposal,) = rig.proposals.proposals()
        assert (proposal.before, proposal.after) == ("Likes tea", "")
        assert proposal.reason.startswith('This says the same: "Likes tea with milk"')
        rig.proposals.decide(1, ProposalState.DISMISSED, rig.clock.now())
        hear(rig, *CHAT)
        rig.idle()
        assert len(rig.proposals.all) == 1

    def test_notes_name_the_one_that_stays(self, rig: AgentRig) -> None:
        note(rig, a1="Bento is a dog", b2="Bento is a dog")
        hear(rig, *CHAT)
        rig.idle()
        (proposal,) = rig.proposals.proposals()
        assert (proposal.target.name, proposal.successor) == ("a1", "b2")
        assert (proposal.before, proposal.after, proposal.sources) == ("Bento is a dog", "", (1, 2))

    def test_a_newer_note_takes_the_place_of_one_that_it_contradicts(self, rig: AgentRig) -> None:
        note(rig, a1="Lives in Lyon", b2="Likes tea", c3="Lives in Porto")
        hear(rig, *CHAT)
        rig.idle()
        (proposal,) = rig.proposals.proposals()
        assert (proposal.before, proposal.successor) == ("Lives in Lyon", "c3")
        assert proposal.reason == (
            'This was noted later: "Lives in Porto" (noted on 29 November 2026)'
        )

    def test_a_note_that_the_user_ended_is_proposed_to_go(self, rig: AgentRig) -> None:
        note(rig, a1="Drives an old Volvo")
        hear(rig, "I like red.", *CHAT, "I sold the Volvo.")
        rig.idle()
        gone = next(p for p in rig.proposals.proposals() if p.before)
        assert (gone.target, gone.after) == (Target(TargetKind.PASSAGE, "a1"), "")
        assert gone.sources == (1, 8)

    def test_a_forgotten_note_is_left_alone(self, rig: AgentRig) -> None:
        note(rig, a1="Bento is a dog", b2="Bento is a dog")
        forget = MemoryChange(
            Target(TargetKind.PASSAGE, "b2"),
            ChangeAction.FORGET,
            "Bento is a dog",
            "",
            rig.clock.now(),
            "user",
        )
        rig.state.append_change(forget)
        rig.restart()
        hear(rig, *CHAT)
        rig.idle()
        assert pairs(rig) == []


class TestDecision:
    def test_what_is_accepted_is_done_and_can_be_undone(self, rig: AgentRig) -> None:
        rig.handle(MemoryEdited("human", "Lives in Coimbra\nLikes tea"))
        hear_with_chat(rig, "We moved to Aveiro.", "I play the cello.")
        rig.idle()
        for proposal in rig.proposals.proposals():
            rig.handle(ProposalDecided(proposal.proposal_id, accepted=True))
        assert block(rig) == ["Moved to Aveiro", "Likes tea", "Plays the cello"]
        rig.handle(ChangeUndone(rig.state.history[-2].change_id))
        assert block(rig) == ["Lives in Coimbra", "Likes tea", "Plays the cello"]
        hear(rig, *CHAT)
        rig.idle()
        assert pairs(rig) == []

    def test_what_is_dismissed_changes_nothing(self, rig: AgentRig) -> None:
        rig.handle(MemoryEdited("human", "Likes tea\nLikes tea with milk"))
        hear(rig, *CHAT)
        rig.idle()
        rig.handle(ProposalDecided(1, accepted=False))
        assert block(rig) == ["Likes tea", "Likes tea with milk"]
        assert pairs(rig) == []


class TestStop:
    def test_it_stops_at_once_keeps_what_is_done_and_goes_on(self, rig: AgentRig) -> None:
        hear_with_chat(rig, "I play the cello.", "I collect old stamps.")
        with pytest.raises(Cancelled):
            work_until_the_first_proposal(rig)
        assert pairs(rig) == [("", "Plays the cello")]
        rig.cancel.clear()
        rig.idle()
        assert [after for _, after in pairs(rig)] == ["Plays the cello", "Collects old stamps"]

    def test_a_kill_between_proposal_and_mark_repeats_nothing(self) -> None:
        store = KilledStore()
        rig = AgentRig()
        rig.proposals = store
        rig.restart()
        hear_with_chat(rig, "I play the cello.", "I collect old stamps.")
        with pytest.raises(KeyboardInterrupt):
            rig.idle()
        assert (len(store.all), store.read_until()) == (1, 0)
        rig.restart()
        rig.idle()
        assert [p.after for p in store.all] == ["Plays the cello", "Collects old stamps"]
        assert store.read_until() == 8

    def test_a_pass_that_was_cut_short_goes_on_reading(
        self, rig: AgentRig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun: list[Proposer] = []

        def repeated(proposer: Proposer, _: threading.Event) -> list[Proposal]:
            begun.append(proposer)
            return []

        monkeypatch.setattr(Proposer, "repeated", repeated)
        hear_with_chat(rig, "I play the cello.", "I collect old stamps.")
        with pytest.raises(Cancelled):
            work_until_the_first_proposal(rig)
        rig.cancel.clear()
        rig.idle()
        assert (len(begun), len(pairs(rig))) == (1, 2)

    def test_a_models_error_is_logged_and_tried_once_more(
        self, rig: AgentRig, caplog: pytest.LogCaptureFixture
    ) -> None:
        rig.model.facts.extend([ModelError("broken"), ModelError("broken"), "Learning to dance"])
        hear_with_chat(rig, "I'm learning Swedish.", "I'm learning to dance.")
        rig.idle()
        assert (pairs(rig), rig.proposals.read_until()) == ([], 0)
        rig.idle()
        assert pairs(rig) == [("", "Learning to dance")]
        assert "Consolidation failed at message 1" in caplog.text

    def test_without_room_in_the_window_it_waits(self, rig: AgentRig) -> None:
        rig.model.context_window = 1200
        rig.model.facts.append("Learning Swedish")
        hear_with_chat(rig, "I'm learning Swedish.")
        job = rig.agent._idle_jobs[-1]
        assert list(job.work(threading.Event())) == []
        assert rig.proposals.read_until() == 0
        rig.model.context_window = 8192
        rig.idle()
        assert pairs(rig) == [("", "Learning Swedish")]


class KilledStore(MemoryProposalStore):
    """Ends the program the first time that something is to be marked as read."""

    killed = False

    def mark_read(self, seq: int, at: object) -> None:
        if not self.killed:
            self.killed = True
            raise KeyboardInterrupt
        super().mark_read(seq, at)  # type: ignore[arg-type]


def work_until_the_first_proposal(rig: AgentRig) -> None:
    for update in rig.agent._idle_jobs[-1].work(rig.cancel):
        if isinstance(update, ProposalsChanged):
            rig.cancel.set()


def changes_in(updates: list[Update]) -> list[tuple[Proposal, ...]]:
    return [update.proposals for update in updates if isinstance(update, ProposalsChanged)]
