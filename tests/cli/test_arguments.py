"""The command line: what it accepts, and how it answers what it does not."""

import re
from pathlib import Path

import pytest

from pagekeeper_desktop.cli.arguments import HelpWantedError, parse
from pagekeeper_desktop.cli.command_table import COMMANDS
from pagekeeper_desktop.cli.commands import find_command
from pagekeeper_desktop.cli.help_text import program_help
from pagekeeper_desktop.cli.invocation import UsageError
from pagekeeper_desktop.options import default_data_dir

OPERANDS = {
    "ask": ["hello"],
    "documents reimport": ["1a2b3c4d"],
    "documents remove": ["1a2b3c4d"],
    "documents unwatch": ["inbox"],
    "documents watch": ["inbox"],
    "import": ["letter.pdf"],
    "memory add-block": ["work", "--about", "projects", "--limit", "100"],
    "memory forget": ["hello"],
    "memory proposals accept": ["3"],
    "memory proposals dismiss": ["3"],
    "memory restore": ["m3"],
    "memory search": ["hello"],
    "memory undo": ["c3"],
    "memory why": ["hello"],
    "reminders add": ["tomorrow", "hello"],
    "reminders cancel": ["3"],
    "summarise": ["1a2b3c4d"],
    "threads archive": ["3"],
    "threads rename": ["3", "Porto"],
    "threads restore": ["3"],
}


MEMORY = dict.fromkeys(command.words[1] for command in COMMANDS if command.words[0] == "memory")


def help_for(*words: str) -> str:
    with pytest.raises(HelpWantedError) as wanted:
        parse(words)
    return str(wanted.value)


def refusal_of(*words: str) -> UsageError:
    with pytest.raises(UsageError) as refused:
        parse(words)
    return refused.value


def test_no_command_opens_the_window_with_defaults() -> None:
    invocation = parse([])
    assert invocation.words == ()
    assert invocation.options.data_dir == default_data_dir()
    assert invocation.options.model is None
    assert invocation.options.context_window is None
    assert invocation.options.n_gpu_layers == 0


@pytest.mark.parametrize(
    "words",
    [
        "--data-dir D --model M --context-window 3072 --gpu-layers -1 --json --verbose ask hi",
        "ask --data-dir D --model M --context-window 3072 --gpu-layers -1 --json --verbose hi",
        "ask hi --data-dir=D --model=M --context-window=3072 --gpu-layers=-1 --json --verbose",
        "--data-dir D --json ask --model M --verbose hi --context-window 3072 --gpu-layers -1",
    ],
)
def test_options_may_stand_before_or_after_the_command(words: str) -> None:
    invocation = parse(words.split())
    options = invocation.options
    assert (invocation.words, invocation.arguments.text) == (("ask",), ["hi"])
    assert options.data_dir == Path("D").absolute()
    assert (options.model, options.context_window, options.n_gpu_layers) == ("M", 3072, -1)
    assert (invocation.json, invocation.verbose) == (True, True)


def test_an_option_of_a_command_may_stand_on_either_side_of_its_text() -> None:
    for words in (["--page", "2", "vet"], ["vet", "--page", "2"]):
        assert parse(["memory", "search", *words]).arguments.page == 2


def test_a_text_that_looks_like_an_option_follows_two_dashes() -> None:
    assert parse(["ask", "--", "--help", "--json"]).arguments.text == ["--help", "--json"]
    assert parse(["ask", "what does --help do?"]).arguments.text == ["what does --help do?"]
    assert parse(["ask", "-"]).arguments.text == ["-"]


def test_a_group_without_a_verb_lists() -> None:
    assert parse(["threads"]).words == ("threads", "list")
    listed = parse(["threads", "--all", "--json"])
    assert (listed.words, listed.arguments.all, listed.json) == (("threads", "list"), True, True)


def test_a_conversation_is_named_by_its_number_or_as_new() -> None:
    assert parse(["chat"]).arguments.thread is None
    assert parse(["chat", "--thread", "3"]).arguments.thread == 3
    assert parse(["ask", "hi", "--thread", "new"]).arguments.thread == 0


def test_a_home_folder_is_understood_where_the_shell_leaves_it() -> None:
    assert parse(["--data-dir=~/keeper"]).options.data_dir == Path.home() / "keeper"
    nobody = "~nobody-we-know/keeper"
    assert parse(["--data-dir", nobody]).options.data_dir == Path(nobody).absolute()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("chta", "there is no command 'chta'; did you mean 'chat'?"),
        ("memory shwo", "there is no command 'memory shwo'; did you mean 'show'?"),
        ("model list", "there is no command 'model'; did you mean 'models'?"),
        ("threads archve 3", "there is no command 'threads archve'; did you mean 'archive'?"),
        ("xyzzy", "there is no command 'xyzzy'"),
        ("memory", f"`pagekeeper memory` wants one of: {', '.join(MEMORY)}"),
        (
            "memory proposals acept 3",
            "there is no command 'memory proposals acept'; did you mean 'accept'?",
        ),
        ("--fast", "there is no option --fast"),
        ("models download --json", "`pagekeeper models download` has no --json"),
        ("--json", "the window has no --json"),
    ],
)
def test_a_wrong_command_is_answered_with_the_nearest(words: str, message: str) -> None:
    assert str(refusal_of(*words.split())) == message


@pytest.mark.parametrize(
    "words",
    [
        ["ask"],
        ["ask", "--fast", "hi"],
        ["chat", "hello"],
        ["memory", "search", "--page", "0", "vet"],
        ["memory", "search", "--page", "٣", "vet"],
        ["--context-window", "8k", "chat"],
        ["--gpu-layers", "-2", "chat"],
        ["--data-dir", "", "chat"],
        ["chat", "--thread", "0"],
        ["threads", "archive", "first"],
        ["threads", "rename", "3"],
        ["--model"],
        ["--verb", "chat"],
    ],
)
def test_nonsense_is_refused_with_a_pointer_to_help(words: list[str]) -> None:
    assert refusal_of(*words).help_command.endswith("--help")


def test_the_programs_help_names_every_command_and_every_option_of_all() -> None:
    text = help_for("--help")
    assert text == program_help(str(default_data_dir()))
    for command in COMMANDS:
        *group, verb = (re.escape(word) for word in command.words)
        by_itself = rf"^  {' '.join([*group, verb])} "
        in_its_group = rf"^  {' '.join(group)} .*: .*\b{verb}\b"
        assert re.search(f"{by_itself}|{in_its_group}", text, re.MULTILINE), command.name
    one_command = help_for("import", "--help")
    assert set(re.findall(r"--[a-z-]+", one_command)) - {"--json"} <= set(
        re.findall(r"--[a-z-]+", text)
    )


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself_with_examples_that_work(command: object) -> None:
    assert isinstance(command, type(COMMANDS[0]))
    text = help_for(*command.words, "--help")
    assert text.startswith(f"Usage: pagekeeper {command.name}")
    assert max(map(len, text.splitlines())) <= 88
    for example in command.examples:
        assert f"  {example}\n" in text
    assert parse([*command.words, *OPERANDS.get(command.name, [])]).words == command.words
    assert callable(find_command(command.words))


def test_help_of_a_group_is_that_of_its_commands() -> None:
    text = help_for("models", "--help")
    assert "pagekeeper models list" in text
    assert "pagekeeper models download" in text


def test_version() -> None:
    assert re.fullmatch(r"pagekeeper \d+\.\d+\.\d+\n", help_for("--version"))
