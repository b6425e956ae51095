"""Cutting ranked results into pages that count from 1."""

from collections.abc import Sequence
from typing import TypeVar

from pagekeeper_core.records import SearchPage

__all__ = ["page_offset", "page_with"]

Hit = TypeVar("Hit")


def page_offset(page: int, page_size: int) -> int:
    """How many results stand before this page; the first page is meant by 0 and below too."""
    return (max(page, 1) - 1) * page_size


def page_with(hits: Sequence[Hit], page: int, page_size: int, total: int) -> SearchPage[Hit]:
    """The page, of `total` results, that holds these hits; past the end it holds none."""
    pages = max(-(-total // page_size), 1)
    return SearchPage(tuple(hits), max(page, 1), pages, total)
