"""Runs an experiment of the paper: `python3 packaging/bootstrap.py eval NAME --data DIR`.

Shows every trial as it is done, then a table; writes build/eval/NAME.json, a plot beside it, and a
line a trial (JSONL) from which an interrupted run goes on. Ctrl+C ends it with the figures so far.
"""

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evals.core_memory import CoreMemory
from evals.desk import JUDGE, Desk
from evals.dmr import DeepMemoryRetrieval
from evals.doc_qa import DocumentQuestions
from evals.figures import figures, table
from evals.locomo import LongConversations
from evals.nested_kv import NestedKeyValue
from evals.opener import ConversationOpener
from evals.plots import by_depth, draw
from evals.records import Records
from evals.runs import run
from evals.trials import DEFAULT_MODEL, Experiment, Outcome, RunSettings, Trial, rows_of_part
from pagekeeper_core.config import Eviction, MemoryPolicy
from pagekeeper_core.protocols import LanguageModel
from pagekeeper_core.records import Retrieval
from pagekeeper_desktop.model_choice import checked_model, embedder_folder
from pagekeeper_desktop.options import Options
from pagekeeper_models.llama_runtime import LlamaRuntime
from pagekeeper_models.sentence_embedder import SentenceEmbedder

EXPERIMENTS: tuple[Experiment, ...] = (
    NestedKeyValue(),
    DeepMemoryRetrieval(),
    DocumentQuestions(),
    ConversationOpener(),
    CoreMemory(),
    LongConversations(),
)


def main() -> int:
    """Run one experiment; 1 if a figure missed its aim."""
    arguments = _parser().parse_args()
    experiment = next(e for e in EXPERIMENTS if e.name == arguments.name)
    settings = _settings(arguments)
    records = Records(arguments.into / f"{experiment.name}{settings.suffix()}.json")
    trials = _chosen(experiment, settings, arguments)
    if arguments.judge:
        print(f"The judge's prompt:\n{JUDGE}\n")
    done: list[tuple[Trial, Outcome]] = []
    with tempfile.TemporaryDirectory(prefix="pagekeeper-eval-") as folder:
        desk = _desk(experiment, settings, Path(folder), arguments.threads)
        with contextlib.suppress(KeyboardInterrupt), contextlib.closing(desk):
            done.extend(run(experiment, trials, desk, records, with_judge=arguments.judge))
    return _report(experiment, settings, records, done)


def _report(
    experiment: Experiment,
    settings: RunSettings,
    records: Records,
    done: Sequence[tuple[Trial, Outcome]],
) -> int:
    rows = figures(experiment, done)
    records.write(rows, done)
    drawn = by_depth(rows) if experiment.name == "doc-qa" else rows
    title = f"{experiment.name}, {settings.model}, {settings.part}"
    plot = records.path.with_suffix(".png")
    draw(plot, title, experiment.main_score, drawn, experiment.published)
    print(f"\n{table(rows)}\n\nAlso in {records.path} and {plot}")
    return 0 if rows and all(row.ok for row in rows) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="eval", description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=[e.name for e in EXPERIMENTS], help="the experiment")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data (see README)")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="a name of the catalogue, or a file")
    parser.add_argument("--n", type=int, help="rows of the half that are asked")
    parser.add_argument("--part", choices=("report", "tune"), default="report")
    parser.add_argument("--only", action="append", metavar="TEXT", help="trials named so: a way …")
    parser.add_argument("--window", type=int, default=0, help="tokens")
    parser.add_argument("--threads", type=int, help="default: the physical cores")
    parser.add_argument("--judge", action="store_true", help="let the model judge replies, too")
    parser.add_argument("--into", type=Path, default=Path("build/eval"), help="folder of results")
    ablations = parser.add_argument_group("ablations")
    ablations.add_argument("--eviction", type=Eviction, choices=list(Eviction), default="fifo")
    ablations.add_argument("--queries", type=int, default=3, help="queries a search: 1 to 3")
    ablations.add_argument("--read-ahead", choices=("on", "off"), default="on")
    ablations.add_argument("--thoughts", type=int, default=100, help="characters; 0: none")
    ablations.add_argument("--retrieval", type=Retrieval, choices=list(Retrieval), default="hybrid")
    return parser


def _settings(arguments: argparse.Namespace) -> RunSettings:
    standard = MemoryPolicy()
    thoughts = arguments.thoughts
    policy = replace(
        standard,
        eviction=arguments.eviction,
        queries=arguments.queries,
        read_ahead=arguments.read_ahead == "on",
        thoughts=thoughts,
        # After a search there is a line to quote: twice as much, as in the standard.
        thoughts_after_search=2 * thoughts,
    )
    return RunSettings(
        arguments.model, arguments.part, arguments.window, policy, arguments.retrieval
    )


def _chosen(
    experiment: Experiment, settings: RunSettings, arguments: argparse.Namespace
) -> list[Trial]:
    rows = rows_of_part(settings.part, arguments.n or experiment.rows)
    wanted = arguments.only or ["" if experiment.name != "locomo" else "search"]
    trials = experiment.trials(arguments.data, rows)
    return [trial for trial in trials if any(text in trial.name for text in wanted)]


def _desk(experiment: Experiment, settings: RunSettings, folder: Path, threads: int | None) -> Desk:
    def load_model(window: int) -> LanguageModel:
        options = Options(data_dir=folder, model=settings.model, context_window=window)
        model = checked_model(options)
        return LlamaRuntime.load(
            model.path, context_window=window, threads=threads, name=model.title
        )

    return Desk(
        settings,
        folder,
        window=settings.window or experiment.window,
        load_model=load_model,
        embedder=SentenceEmbedder(embedder_folder()),
    )


if __name__ == "__main__":
    sys.exit(main())
