"""The databases: DuckDB holds recall and state, LanceDB the archive."""
