"""A short month: no overflow, nobody left waiting; `tests/evals` runs a whole one."""

from pathlib import Path

import pytest

from helpers.simulated_month import SimulatedMonth
from pagekeeper_core.config import Eviction, MemoryPolicy
from pagekeeper_core.errors import ContextWindowError


@pytest.mark.thorough
@pytest.mark.parametrize("eviction", list(Eviction))
def test_two_days_in_a_small_window(tmp_path: Path, eviction: Eviction) -> None:
    life = SimulatedMonth(tmp_path / "memory", 2048, MemoryPolicy(eviction=eviction))
    month = life.live(100)
    life.close()
    assert (month.messages, month.overflows, month.stalls, month.failures) == (100, 0, 0, 0)
    assert month.flushes > 10
    assert month.warnings > 10
    assert month.recalled > 200
    assert month.passages > 10


def test_a_window_too_small_for_the_instructions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ContextWindowError, match="is too small") as refused:
        SimulatedMonth(tmp_path / "memory", 1024)
    assert "Choose a context window of" in refused.value.hint
