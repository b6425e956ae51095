"""Documents in a scripted archive, for tests and pictures of library, passage and search."""

from datetime import UTC, datetime
from pathlib import Path

from helpers.memory_stores import MemoryArchivalStore
from pagekeeper_core.records import DocumentInfo, DocumentRecord, Passage

__all__ = ["BOOKLET", "add_booklet", "add_documents"]

BOOKLET = (
    "Vaccination booklet of Bento, beagle, born in 2019. Kept by Ana Duarte, Porto.",
    "Rabies: given in May 2023 by Dr Sousa, valid for three years, so due again in May 2026.",
    "Leptospirosis: given in May 2025. It has to be renewed every year, in spring if possible.",
    "Weight: 13.9 kg in January 2025, 14.2 kg in November 2026. That is the upper end.",
    "Food: 180 g of dry food a day, in two portions. No walnuts, no grapes, no chocolate.",
)

OTHERS = (
    ("Household 2026.xlsx", "xlsx", 48_213, 0, 41),
    ("家計簿.csv", "csv", 1_204_992, 0, 730),
    ("Lease of the flat in Rua das Flores, signed and scanned.pdf", "pdf", 8_210_442, 14, 96),
    ("Letter to the insurance.docx", "docx", 31_100, 2, 6),
    ("The Sea-Wolf.epub", "epub", 712_004, 0, 1_380),
    ("Meeting notes.md", "markdown", 4_020, 0, 5),
    ("Pasted text of 3 May 2026", "paste", 0, 0, 3),
    ("רשימת קניות.txt", "text", 900, 0, 1),
)


def add_booklet(archival: MemoryArchivalStore, path: Path | None = None) -> DocumentInfo:
    """A PDF of two pages with five passages."""
    pages = (1, 1, 1, 2, 2)
    passages = [Passage(t, f"page {p}") for t, p in zip(BOOKLET, pages, strict=True)]
    place = str(path or "/home/ana/Documents/Vaccination booklet.pdf")
    record = DocumentRecord(
        "Vaccination booklet.pdf", "pdf", "b" * 64, place, 2, 212_400, datetime.now(UTC)
    )
    return archival.add_document(record, passages)


def add_documents(archival: MemoryArchivalStore, count: int = len(OTHERS)) -> None:
    """Documents of several kinds; more of them than there are names for are numbered."""
    for number in range(count):
        title, kind, size, pages, passages = OTHERS[number % len(OTHERS)]
        name = title if number < len(OTHERS) else f"{number} {title}"
        path = "" if kind == "paste" else f"/home/ana/Documents/{name}"
        record = DocumentRecord(name, kind, f"{number:064}", path, pages, size + number)
        texts = [Passage(f"{name}, part {part}") for part in range(min(passages, 3))]
        info = archival.add_document(record, texts)
        archival.infos[archival.infos.index(info)] = DocumentInfo(
            info.document_id, record, passages, info.created_at
        )
