"""Validates and runs the one function call of a step (paper, section 2.3).

A mistake of the model comes back to it as a sentence. An error of the environment (a full disk)
goes up to the person. A bug of ours is logged with its trace, and the model hears that it failed.
"""

import logging

from pydantic import ValidationError

from pagekeeper_core.errors import FunctionError, PagekeeperError
from pagekeeper_core.functions import FunctionSet, Turn
from pagekeeper_core.messages import FunctionCall, FunctionResult

__all__ = ["FunctionExecutor"]

log = logging.getLogger(__name__)


class FunctionExecutor:
    """Runs calls of the functions that it was given."""

    def __init__(self, functions: FunctionSet) -> None:
        self._functions = functions

    def execute(self, call: FunctionCall, turn: Turn) -> FunctionResult:
        """Run a call; a failed one is a result too.

        Raises:
            PagekeeperError: The environment failed, which the model cannot mend.
        """
        try:
            return self._run(call, turn)
        except FunctionError as error:
            return FunctionResult(str(error), ok=False)
        except PagekeeperError:
            raise
        except Exception:
            log.exception("The function %s failed", call.name)
            return FunctionResult(
                f"{call.name} failed inside the program. Do something else.", ok=False
            )

    def _run(self, call: FunctionCall, turn: Turn) -> FunctionResult:
        spec = self._functions.get(call.name)
        if spec is None:
            names = ", ".join(self._functions)
            raise FunctionError(f"There is no function '{call.name}'. There are: {names}.")
        try:
            arguments = spec.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            raise FunctionError(_sentence(call.name, error)) from error
        values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        return spec.run(turn, **values)


def _sentence(name: str, error: ValidationError) -> str:
    faults = [
        f"{'.'.join(str(part) for part in fault['loc']) or 'params'}: {fault['msg']}"
        for fault in error.errors()
    ]
    return f"{name} was not run. {'; '.join(faults)}. Write the call again with this mended."
