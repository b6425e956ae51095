"""Memory under random use: thousands of operations, and what must hold after each of them.

    python tests/evals/memory_machine.py --operations 10000

Fails at the first broken invariant with the shortest operations that break it. Half of the
operations are the agent's over real databases, half the stores' alone. Figures go to `build/`.
"""

import argparse
import json
import logging
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.memory_machine import OPERATIONS, MemoryMachine, StoreMachine

STEPS = 50
EXAMPLES = 10


def run(machine: type[RuleBasedStateMachine], operations: int, first_seed: int) -> dict[str, int]:
    """Run one machine until it has carried out so many operations; gives them by name."""
    OPERATIONS.clear()
    number = first_seed
    while OPERATIONS.total() < operations:
        run_state_machine_as_test(
            seed(number)(type(machine.__name__, (machine,), {})),
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        number += 1
        print(f"{machine.__name__}: {OPERATIONS.total()} operations", flush=True)
    return dict(OPERATIONS.most_common())


def main() -> None:
    """Run both machines and print what they did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/memory_machine.json"))
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)  # the operations that are made to fail would fill the screen
    begun = time.monotonic()
    done = {
        machine.__name__: run(machine, (options.operations + 1) // 2, options.seed)
        for machine in (MemoryMachine, StoreMachine)
    }
    for name, counts in done.items():
        print(f"\n{name}: {sum(counts.values())} operations, no invariant broken")
        for operation, times in counts.items():
            print(f"  {operation:<34} {times:>6}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    report = {"seed": options.seed, "seconds": round(time.monotonic() - begun), "operations": done}
    options.out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
