"""The virtual context of Pagekeeper: a small model's window, backed by storage that remembers.

Start reading at `agent` (the loop), then `main_context` and `queue_manager`. The terms are those
of the MemGPT paper (arXiv 2310.08560); core/README.md maps each to its module.
"""
