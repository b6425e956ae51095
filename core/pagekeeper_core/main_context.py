"""MainContext: all that the model sees in one inference (paper, section 2.1).

The order is fixed so that the evaluated prefix stays valid from turn to turn: instructions and
functions, the worked conversation, working context and summary, the queue. What stands before the
queue changes only at a flush; a working-context edit in between is known to the model by its
function result.
"""

from collections.abc import Sequence

from pagekeeper_core import prompts
from pagekeeper_core.config import SMALLEST_QUEUE, ContextBudget, MemoryPolicy
from pagekeeper_core.message_queue import MessageQueue, QueueEntry
from pagekeeper_core.messages import Message, MessageKind, PromptMessage, PromptRole
from pagekeeper_core.protocols import TokenCounter
from pagekeeper_core.updates import ContextUsage

__all__ = ["MainContext"]

ROLES = {
    MessageKind.USER: PromptRole.USER,
    MessageKind.ASSISTANT: PromptRole.ASSISTANT,
    MessageKind.FUNCTION: PromptRole.TOOL,
    MessageKind.SYSTEM: PromptRole.SYSTEM,
}


class MainContext:
    """The prompt and its size by region.

    Attributes:
        queue: The messages and their summary.
        working_context: The blocks as they stood at the last flush, rendered.
        budget: How the window is divided.
        policy: The thresholds.
    """

    def __init__(
        self,
        *,
        instructions: Sequence[PromptMessage],
        working_context: str,
        queue: MessageQueue,
        budget: ContextBudget,
        policy: MemoryPolicy,
        counter: TokenCounter,
    ) -> None:
        self.queue = queue
        self.working_context = working_context
        self.budget = budget
        self.policy = policy
        self._instructions = tuple(instructions)
        self._counter = counter
        self._instruction_tokens = counter.count_prompt(self._instructions)

    @property
    def instructions(self) -> tuple[PromptMessage, ...]:
        """The part that never changes: its evaluated state can be kept on disk."""
        return self._instructions

    def prompt(self) -> list[PromptMessage]:
        """The whole prompt."""
        return self.prompt_of(self.queue.entries, self.queue.summary)

    def prompt_of(self, entries: Sequence[QueueEntry], summary: str) -> list[PromptMessage]:
        """The prompt as it would be with these messages and this summary."""
        return [*self._head(summary), *(as_prompt(entry.message) for entry in entries)]

    def entry(self, message: Message) -> QueueEntry:
        """A message with the tokens that it takes in the prompt, template included."""
        tokens = self._counter.count_prompt([*self._instructions, as_prompt(message)])
        return QueueEntry(message, tokens - self._instruction_tokens)

    def usage(self) -> ContextUsage:
        """Tokens by region.

        However low the levels are set, the smallest queue has room below them.
        """
        blocks = self._counter.count_prompt(self._head("")) - self._instruction_tokens
        head = self._counter.count_prompt(self._head(self.queue.summary))
        usable = self.budget.usable
        least = min(head + SMALLEST_QUEUE, usable)
        return ContextUsage(
            instructions=self._instruction_tokens,
            working_context=blocks,
            summary=head - self._instruction_tokens - blocks,
            queue=self._counter.count_prompt(self.prompt()) - head,
            usable=usable,
            window=self.budget.window,
            warning_level=max(int(usable * self.policy.warning_level), (head + least) // 2),
            flush_level=max(int(usable * self.policy.flush_level), least),
        )

    def room_for_blocks(self) -> int:
        """Tokens that all blocks may take, so that a conversation stays possible."""
        frame = self._counter.count(prompts.memory_message("", ""))
        fixed = self._instruction_tokens + frame + self.budget.summary + SMALLEST_QUEUE
        return self.budget.usable - fixed

    def check_window(self) -> None:
        """Refuse a window that leaves no room for a conversation.

        Raises:
            ContextWindowError: It is too small; the hint says what would do.
        """
        budget = self.budget
        blocks = self._counter.count_prompt(self._head("")) - self._instruction_tokens
        self.budget.check(
            self._instruction_tokens + max(blocks, budget.human + budget.persona) + budget.summary
        )

    def _head(self, summary: str) -> list[PromptMessage]:
        text = prompts.memory_message(self.working_context, summary)
        return [*self._instructions, PromptMessage(PromptRole.SYSTEM, text)]


def as_prompt(message: Message) -> PromptMessage:
    """A message as a turn of the prompt."""
    return PromptMessage(ROLES[message.kind], message.prompt_text)
