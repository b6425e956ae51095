"""`chat` with piped input: one line is one message, replies are the only output."""

import pytest

from helpers.agent_rig import AgentRig, append, reply
from helpers.terminal import Streams, interrupt_while_writing, roomy_rig, said, scripted_session
from pagekeeper_core.errors import Cancelled, ModelError
from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.records import DocumentRecord, Passage
from pagekeeper_desktop.cli.chat import answer_lines, read_messages


def talk(rig: AgentRig, streams: Streams, *messages: str, as_json: bool = False) -> int:
    with scripted_session(rig) as session:
        return answer_lines(session, messages, streams.console, as_json=as_json)


def test_each_message_gets_its_reply_and_calls_stay_off_the_output() -> None:
    rig, streams = roomy_rig(), Streams()
    rig.model.enqueue(append("Name: Ana."), reply("Hello Ana!"), reply("In two\nlines."))
    assert talk(rig, streams, "I'm Ana.", "Tell me more.") == 0
    assert streams.result == "Hello Ana!\nIn two\nlines.\n"
    assert "Noted" in streams.remarks
    assert "Ana" in rig.agent.working_context.block("human").text


def test_json_replies_are_one_object_a_line() -> None:
    rig, streams = roomy_rig(), Streams()
    rig.model.enqueue(
        append("Name: 安娜."), reply("你好\n安娜"), ModelError("Broken.", hint="Mend it.")
    )
    assert talk(rig, streams, "我叫安娜", "?", "again", as_json=True) == 1
    first, second, third = streams.objects()
    assert first["reply"] == "你好\n安娜"
    assert (first["thread"], first["message_seq"]) == (1, 1)
    assert first["calls"][0]["name"] == "core_memory_append"
    assert second["reply"] is None
    assert second["error"] == {"message": "Broken.", "hint": "Mend it."}
    assert third["reply"] == "Yes."


def test_a_reply_says_what_it_rests_on() -> None:
    rig, streams = roomy_rig(), Streams()
    vet = Passage("Bento is fine and should come back on 4 June.", "page 3")
    rig.archival.add_document(DocumentRecord("vet.pdf", "pdf", "a"), [vet])
    search = FunctionCall("archival_memory_search", {"queries": ["Bento"]}, "I look.", True)
    rig.model.enqueue(search, reply("Come back on 4 June."))
    assert talk(rig, streams, "How is Bento?") == 0
    assert streams.result == "Come back on 4 June.\n[1] vet.pdf, page 3\n"
    rig.model.forget_script()
    rig.model.enqueue(search, reply("On 4 June."))
    streams = Streams()
    assert talk(rig, streams, "When is Bento to come back?", as_json=True) == 0
    (cited,) = streams.objects()[0]["citations"]
    assert (cited["title"], cited["location"]) == ("vet.pdf", "page 3")


def test_a_failed_reply_does_not_end_the_conversation_but_shows_in_the_exit_code() -> None:
    rig, streams = roomy_rig(), Streams()
    rig.model.enqueue(ModelError("It broke.", hint="Try again."), reply("Here I am."))
    assert talk(rig, streams, "one", "two") == 1
    assert streams.result == "Here I am.\n"
    assert streams.remarks == "pagekeeper: It broke.\nTry again.\n"


def test_ctrl_c_stops_the_reply_at_once_and_keeps_what_was_said() -> None:
    rig, streams = roomy_rig(), Streams()
    rig.model.enqueue(reply("A very long reply. " * 50))
    interrupt_while_writing(rig)
    with pytest.raises(Cancelled):
        talk(rig, streams, "Tell me a story.", "never read")
    assert said(rig) == ["Tell me a story."]


def test_lines_become_messages_and_blank_ones_are_skipped() -> None:
    lines = [
        b"\xef\xbb\xbfHello\r\n",
        b"\n",
        b"   \t \n",
        "\u200b\u200e\n".encode(),
        "שלום, מה שלומך?\n".encode(),
        "  你好 😀\n".encode(),
        b"no newline at the end",
    ]
    assert list(read_messages(lines)) == [
        "Hello",
        "שלום, מה שלומך?",
        "  你好 😀",
        "no newline at the end",
    ]


def test_bytes_that_are_no_text_do_not_end_the_conversation() -> None:
    lines = [b"caf\xe9 \xff\xfe\n", b"half \xed\xa0\xbd an emoji\n", b"a\0b\n", b"\0\n"]
    messages = list(read_messages(lines))
    assert messages[0] == "caf\ufffd \ufffd\ufffd"
    assert messages[1].startswith("half \ufffd")
    assert messages[2:] == ["ab"]
    rig, streams = roomy_rig(), Streams()
    assert talk(rig, streams, *messages) == 0
    assert streams.result == "Yes.\n" * 3


@pytest.mark.thorough
def test_a_hundred_thousand_characters_in_one_line() -> None:
    rig, streams = roomy_rig(), Streams()
    text = "word and 词 " * 9_000
    (message,) = read_messages([text.encode() + b"\n"])
    assert talk(rig, streams, message) == 0
    assert said(rig) == [text]
    assert streams.result == "Yes.\n"
