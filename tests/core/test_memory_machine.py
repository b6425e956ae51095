"""Memory under random use, a little of it; `tests/evals/memory_machine.py` runs the rest."""

import pytest
from hypothesis import HealthCheck, settings

from helpers.memory_machine import MemoryMachine, StoreMachine

pytestmark = pytest.mark.thorough

QUICK = settings(
    max_examples=3,
    stateful_step_count=16,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

TestMemory = MemoryMachine.TestCase
TestMemory.settings = QUICK

TestStores = StoreMachine.TestCase
TestStores.settings = QUICK
