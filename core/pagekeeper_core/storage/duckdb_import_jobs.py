"""The queue of imports and its history, on DuckDB."""

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC
from typing import Any

from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import OPEN_STATES, ImportJob, JobState
from pagekeeper_core.storage.duckdb_database import Database, next_number

__all__ = ["DuckDBImportJobs"]

_COLUMNS = [field.name for field in fields(ImportJob)]
_NAMES = ", ".join(_COLUMNS)
_OPEN = [state.value for state in OPEN_STATES]


class DuckDBImportJobs:
    """A row a job, which says how far it is; stands in the same file as the conversation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, jobs: Sequence[ImportJob]) -> list[ImportJob]:
        """Store jobs durably; gives them back with their numbers, and one batch for them all.

        Raises:
            StoreError: They could not be written; none was.
        """
        if not jobs:
            return []
        with self._database.transaction() as connection:
            batch = next_number(connection, "import_jobs", "batch")
            first = next_number(connection, "import_jobs", "job_id")
            stored = [
                replace(_storable(job), job_id=number, batch=batch)
                for number, job in enumerate(jobs, start=first)
            ]
            # One statement for all: a folder has thousands of files.
            connection.execute(
                f"INSERT INTO import_jobs ({_NAMES}) SELECT * FROM (SELECT "  # noqa: S608
                + ", ".join("unnest(?)" for _ in _COLUMNS)
                + ")",
                [[_value(job, name) for job in stored] for name in _COLUMNS],
            )
        return stored

    def change(self, job: ImportJob) -> None:
        """Store how far a job is.

        Raises:
            StoreError: It could not be written.
        """
        changed = _storable(job)
        names = [name for name in _COLUMNS if name != "job_id"]
        with self._database.transaction() as connection:
            connection.execute(
                f"UPDATE import_jobs SET {', '.join(f'{name} = ?' for name in names)} "  # noqa: S608
                "WHERE job_id = ?",
                [*(_value(changed, name) for name in names), job.job_id],
            )

    def open_jobs(self) -> list[ImportJob]:
        """Those that may still be read, in the order in which they were asked for."""
        query = f"SELECT {_NAMES} FROM import_jobs WHERE state IN (SELECT unnest(?))"  # noqa: S608
        return [_job(row) for row in self._database.rows(f"{query} ORDER BY job_id", [_OPEN])]

    def newest(self, count: int) -> list[ImportJob]:
        """The newest jobs, newest first."""
        query = f"SELECT {_NAMES} FROM import_jobs ORDER BY job_id DESC LIMIT ?"  # noqa: S608
        return [_job(row) for row in self._database.rows(query, [count])]

    def newest_by_path(self) -> dict[str, ImportJob]:
        """The newest job of each file; pasted texts are left out."""
        query = (
            f"SELECT {_NAMES} FROM import_jobs WHERE NOT pasted "  # noqa: S608
            "QUALIFY row_number() OVER (PARTITION BY path ORDER BY job_id DESC) = 1"
        )
        jobs = map(_job, self._database.rows(query))
        return {job.path: job for job in jobs}


def _value(job: ImportJob, name: str) -> object:
    value = getattr(job, name)
    if name == "path":
        # The name of a file is bytes, which may be no text.
        return os.fsencode(value)
    return value.value if isinstance(value, JobState) else value


def _storable(job: ImportJob) -> ImportJob:
    return replace(
        job,
        title=storable_text(job.title),
        note=storable_text(job.note),
        hint=storable_text(job.hint),
        added_at=job.added_at.astimezone(UTC),
        modified=job.modified.astimezone(UTC) if job.modified else None,
    )


def _job(row: tuple[Any, ...]) -> ImportJob:
    job = ImportJob(**dict(zip(_COLUMNS, row, strict=True)))
    return replace(
        job,
        path=os.fsdecode(job.path),
        state=JobState(job.state),
        added_at=job.added_at.astimezone(UTC),
        modified=job.modified.astimezone(UTC) if job.modified else None,
    )
