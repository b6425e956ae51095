"""torch takes seconds and half a gigabyte: it is loaded when something is embedded, not before."""

from pathlib import Path

from helpers.children import run_child


def test_start_and_words_and_a_chat_load_no_embedding_library(tmp_path: Path) -> None:
    output = run_child(
        """
        import sys, threading
        from pathlib import Path
        from helpers.scripted_model import ScriptedModel
        from pagekeeper_core.assembly import AgentStores, assemble_agent
        from pagekeeper_core.clock import SystemClock
        from pagekeeper_core.events import Login, UserMessage
        from pagekeeper_desktop.composition import open_memory
        from pagekeeper_desktop.options import Options

        memory = open_memory(Options(Path(sys.argv[1])))
        agent = assemble_agent(
            model=ScriptedModel(),
            stores=AgentStores(
                recall=memory.recall, state=memory.state, archival=memory.archival,
                threads=memory.threads, reminders=memory.reminders, proposals=memory.proposals,
                summaries=memory.summaries, news=memory.news,
            ),
            clock=SystemClock(), archive_text=lambda text, cancel: None,
        )
        for event in (Login(), UserMessage("The dog sleeps."), UserMessage("Where is the dog?")):
            list(agent.handle(event, threading.Event()))
        memory.recall.tidy(threading.Event())
        print(memory.recall.search(["dog"]).total, memory.archival.documents())
        memory.close()
        print(sorted({"torch", "sentence_transformers", "transformers"} & set(sys.modules)))
        """,
        tmp_path,
    )
    assert output == "2 []\n[]\n"
