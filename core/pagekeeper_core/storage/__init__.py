"""The databases: DuckDB holds recall and state, LanceDB the archive."""

import os

# LanceDB writes its own log lines past Python's, to where the command line's words stand.
os.environ.setdefault("LANCEDB_LOG", "error")
