"""Chat templates: what a model's template refuses is folded into what it takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import chat_templates
from helpers.generation import messages
from pagekeeper_core.errors import ModelError
from pagekeeper_core.messages import PromptMessage, PromptRole
from pagekeeper_models.chat_template import CHATML, ChatTemplate, Piece, Quirk

CONVERSATION = messages(
    ("system", "Be brief."),
    ("user", "Hello"),
    ("assistant", "{call}"),
    ("tool", "Saved."),
    ("assistant", "{reply}"),
    ("system", "It is late."),
    ("user", "Bye"),
)

TEMPLATES = {
    "chatml": CHATML,
    "llama3": chat_templates.LLAMA3,
    "gemma": chat_templates.GEMMA,
    "mistral": chat_templates.MISTRAL,
    "qwen3": chat_templates.QWEN3,
    "default system": chat_templates.DEFAULT_SYSTEM,
}


def template(name: str) -> ChatTemplate:
    return ChatTemplate(TEMPLATES[name], bos_token="<bos>", eos_token="<eos>")


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def test_chatml_takes_every_role_and_ends_with_the_assistants_opening() -> None:
    rendered = ChatTemplate(CHATML)
    assert rendered.quirks == frozenset()
    assert text_of(rendered.render(messages(("system", "S"), ("tool", "T")))) == (
        "<|im_start|>system\nS<|im_end|>\n<|im_start|>tool\nT<|im_end|>\n<|im_start|>assistant\n"
    )


def test_texts_and_template_are_separate_pieces() -> None:
    pieces = ChatTemplate(CHATML).render(messages(("user", "<|im_end|>")))
    assert pieces == [
        Piece("<|im_start|>user\n", is_content=False),
        Piece("<|im_end|>", is_content=True),
        Piece("<|im_end|>\n<|im_start|>assistant\n", is_content=False),
    ]


def test_a_template_does_not_touch_the_texts() -> None:
    text = "  \ue0000\ue001 {{ 1 + 1 }} {% raise %} </think> \n\n"
    for name in TEMPLATES:
        pieces = template(name).render(messages(("user", text), ("assistant", text), ("user", "x")))
        assert [piece.text for piece in pieces if piece.is_content] == [text, text, "x"]


def test_llama3_takes_all_roles_and_no_date() -> None:
    llama3 = template("llama3")
    rendered = text_of(llama3.render(CONVERSATION))
    assert llama3.quirks == frozenset()
    assert rendered.startswith("<bos><|start_header_id|>system")
    assert "Today Date: given in the messages" in rendered
    assert rendered.endswith("<|start_header_id|>assistant<|end_header_id|>\n\n")


def test_gemma_gets_system_and_results_from_the_user_in_alternation() -> None:
    gemma = template("gemma")
    assert gemma.quirks == {Quirk.SYSTEM, Quirk.LATER_SYSTEM, Quirk.TOOL, Quirk.REPEAT}
    assert text_of(gemma.render(CONVERSATION)) == (
        "<bos><start_of_turn>user\n[system] Be brief.\n\nHello<end_of_turn>\n"
        "<start_of_turn>model\n{call}<end_of_turn>\n"
        "<start_of_turn>user\n[result] Saved.<end_of_turn>\n"
        "<start_of_turn>model\n{reply}<end_of_turn>\n"
        "<start_of_turn>user\n[system] It is late.\n\nBye<end_of_turn>\n"
        "<start_of_turn>model\n"
    )


def test_mistral_would_move_the_system_message_behind_the_conversation_and_may_not() -> None:
    mistral = template("mistral")
    assert Quirk.SYSTEM in mistral.quirks
    assert text_of(mistral.render(CONVERSATION)) == (
        "<bos>[INST] [system] Be brief.\n\nHello[/INST] {call}<eos>[INST] [result] Saved.[/INST]"
        " {reply}<eos>[INST] [system] It is late.\n\nBye[/INST]"
    )


@pytest.mark.parametrize("name", ["gemma", "mistral"])
def test_a_conversation_that_the_assistant_begins_gets_a_first_turn_of_the_user(name: str) -> None:
    pieces = template(name).render(messages(("assistant", "Hi"), ("assistant", "Are you there?")))
    assert [piece.text for piece in pieces if piece.is_content] == ["Hi", "Are you there?"]


def test_a_default_system_prompt_does_not_come_and_go() -> None:
    rendered = text_of(template("default system").render(CONVERSATION))
    assert "You are a model." not in rendered


@pytest.mark.parametrize(
    "source",
    [
        "",
        "{% if %}",
        "{{ raise_exception('never') }}",
        "{% for message in messages %}{{ message.role }}{% endfor %}",
        "{{ messages | undefined_filter }}",
        "{{ messages[0].content.no.such.thing }}",
        "{{ messages[99].content + 1 }}",
    ],
)
def test_chatml_stands_in_for_a_template_that_is_missing_or_fails(source: str) -> None:
    fallback = ChatTemplate(source)
    assert fallback.fallback
    assert fallback.render(CONVERSATION) == ChatTemplate(CHATML).render(CONVERSATION)


def test_a_template_cannot_reach_into_python() -> None:
    assert ChatTemplate("{{ messages.__class__.__mro__ }}" + CHATML).fallback


def test_a_template_that_fails_later_is_an_error_with_a_hint() -> None:
    moody = ChatTemplate(
        "{% if messages|length > 6 %}{{ raise_exception('too long') }}{% endif %}" + CHATML
    )
    assert not moody.fallback
    with pytest.raises(ModelError, match="too long") as caught:
        moody.render(CONVERSATION)
    assert caught.value.hint


roles = st.sampled_from(list(PromptRole))
prompts = st.lists(roles, min_size=1, max_size=12).map(
    lambda drawn: [PromptMessage(role, f"<{index}>") for index, role in enumerate(drawn)]
)


@pytest.mark.parametrize("name", TEMPLATES)
@given(prompt=prompts, data=st.data())
def test_what_was_rendered_once_is_not_rendered_anew(
    name: str, prompt: list[PromptMessage], data: st.DataObject
) -> None:
    """The model is asked after any message that is not its own; what comes later only adds."""
    asked = [i + 1 for i, m in enumerate(prompt) if m.role is not PromptRole.ASSISTANT]
    if not asked:
        return
    until = data.draw(st.sampled_from(asked))
    chat_template = template(name)
    before = chat_template.render(prompt[:until], opening=False)
    contents = [index for index, piece in enumerate(before) if piece.is_content]
    after = chat_template.render(prompt)
    assert [piece.text for piece in after if piece.is_content] == [m.text for m in prompt]
    assert after[: contents[-1] + 1] == before[: contents[-1] + 1]
