"""Every error that core, models and storage raise on purpose.

    PagekeeperError
    ├── FunctionError         the model asked for something wrong; the sentence goes back to it
    ├── ModelError            the language model or the embedder failed (retryable, hint)
    │   ├── ModelFileError    the model file is missing, damaged, unknown or too large
    │   └── ContextWindowError  the window is too small for what must be in it
    ├── StoreError            a database cannot be read or written (hint)
    │   ├── StoreVersionError   the data was written by a newer Pagekeeper
    │   └── StoreBusyError      another process holds the data folder
    └── DocumentError         a file cannot be read into the archive (hint)
        └── DocumentLocked      it needs a password: none was given, or another one
    Cancelled                 the user said stop; not an error, so outside the tree

A bare PagekeeperError refuses what a person asked for, as a FunctionError does to the model.

The screen shows `str(error)` and, below it, `error.hint`: what the person can do about it.
"""

__all__ = [
    "Cancelled",
    "ContextWindowError",
    "DocumentError",
    "DocumentLocked",
    "FunctionError",
    "ModelError",
    "ModelFileError",
    "PagekeeperError",
    "StoreBusyError",
    "StoreError",
    "StoreVersionError",
    "is_refusal",
]


class PagekeeperError(Exception):
    """An error with a sentence for a person, and what they can do about it.

    Attributes:
        hint: One sentence that says what to do; empty when there is nothing to do.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def with_hint(self) -> str:
        """The sentence and what can be done about it, in one line."""
        return f"{self} {self.hint}" if self.hint else str(self)


class FunctionError(PagekeeperError):
    """The model's call cannot be carried out; the message is written for the model to act on."""


class ModelError(PagekeeperError):
    """The language model or the embedder failed.

    Attributes:
        retryable: Whether the same request may succeed when it is made again.
    """

    def __init__(self, message: str, *, hint: str = "", retryable: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.retryable = retryable


class ModelFileError(ModelError):
    """A model file is missing, damaged, of an unknown kind, or too large for this machine."""


class ContextWindowError(ModelError):
    """The context window cannot hold what must stand in it."""


class StoreError(PagekeeperError):
    """A database cannot be opened, read or written: disk full, no permission, damaged file."""


class StoreVersionError(StoreError):
    """The data was written by a newer version of the program, which this one must not touch."""


class StoreBusyError(StoreError):
    """Another process holds the data folder."""


class DocumentError(PagekeeperError):
    """One file cannot be read into the archive; the rest of the import goes on."""


class DocumentLocked(DocumentError):  # noqa: N818 - a question to the person more than a failure
    """The file needs a password.

    Attributes:
        name: What the person calls the file.
        wrong: Whether a password was given, and does not open it.
    """

    def __init__(self, name: str, *, wrong: bool = False, hint: str = "") -> None:
        """Ask for the password of the file that is called `name`."""
        reason = "the password does not open it" if wrong else "it needs a password"
        super().__init__(
            f"{name} is locked: {reason}.",
            hint=hint or "Type the password that opens it. It is used once and not kept.",
        )
        self.name = name
        self.wrong = wrong


class Cancelled(Exception):  # noqa: N818 - a decision of the user, not an error
    """The user pressed Stop. Raised inside long work, caught by the agent."""


def is_refusal(error: PagekeeperError) -> bool:
    """Whether nothing failed: what the person or the model asked for cannot be done.

    The sentence may repeat their words, so it has no place in the log.
    """
    return type(error) in {PagekeeperError, FunctionError}
