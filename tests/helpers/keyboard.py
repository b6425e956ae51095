"""A person at a terminal, who types all in advance."""

from dataclasses import dataclass, field

from prompt_toolkit.input import PipeInput

from helpers.agent_rig import AgentRig
from helpers.terminal import Streams, roomy_rig, said, scripted_session
from pagekeeper_desktop.cli.terminal_chat import TerminalChat

ENTER, CTRL_C, CTRL_D, ALT_ENTER = "\r", "\x03", "\x04", "\x1b\r"
PASTE = "\x1b[200~{}\x1b[201~"


@dataclass
class Keyboard:
    """The keys that are typed, the assistant behind the terminal, what the terminal shows."""

    keys: PipeInput
    rig: AgentRig = field(default_factory=roomy_rig)
    streams: Streams = field(default_factory=Streams.of_terminal)

    def run(self, typed: str) -> int:
        self.keys.send_text(typed)
        with scripted_session(self.rig) as session:
            return TerminalChat(session, self.streams.console).run()

    @property
    def said(self) -> list[str]:
        return said(self.rig)
