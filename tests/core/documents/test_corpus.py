"""Every file of the corpus ends as passages or as a clear reason, and leaves nothing behind."""

from pathlib import Path

import pytest

from helpers.corpus_documents import documents
from helpers.corpus_texts import broken_files, formatted_texts, plain_texts
from helpers.document_corpus import imported


def test_the_corpus_is_large_and_its_names_are_unique() -> None:
    files = [*plain_texts(), *formatted_texts(), *broken_files(), *documents()]
    assert len(files) >= 120
    assert len({file.name for file in files}) == len(files)


@pytest.mark.thorough
@pytest.mark.parametrize("part", [plain_texts, formatted_texts, broken_files, documents])
def test_every_file_ends_well(tmp_path: Path, part: object, tmp_path_factory: object) -> None:
    assert callable(part)
    folder = tmp_path / "files"
    folder.mkdir()
    outcomes = list(imported(part(), folder, tmp_path / "archive"))
    assert {o.file.name: o.fault for o in outcomes if o.fault} == {}
