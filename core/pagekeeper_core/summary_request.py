"""Does a message ask for a summary of a document, and of which?

Decided in code. Each function that is offered costs a small model some of its judgement about the
others: with three more of them it saved no facts at all until its examples were changed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath

from pagekeeper_core.records import DocumentInfo
from pagekeeper_core.wording import folded, words_of

__all__ = ["accepts_offer", "named_in", "wanted"]

MOST_WORDS = 14
"""Words beside a document's name: a longer message asks for more than a summary."""

SHORTEST_NAME = 3
"""Characters of a name without its ending that are looked for in a message."""

_ORDER = re.compile(
    r"\b(summari[sz]e|summary|sum\s+(it\s+|this\s+|that\s+)?up|tl;?dr|main points"
    r"|fass?e?\b.*\bzusammen|zusammenfass\w*|zusammenzufassen"
    r"|résum(e|é|er|ez)|resum(e|en|a|o|ir|irme|elo|ela)|resúme\w*|riassu\w+|sintetizza"
    r"|vat\b.*\bsamen|samenvat\w*|резюм\w+|кратко\s+(изложи|перескажи)\w*)"
    r"|总结|總結|概括|概述|摘要|要点|要約|まとめ|요약",
    re.IGNORECASE,
)

_DOCUMENT = re.compile(
    r"\b(documents?|files?|pdfs?|papers?|reports?|texts?|letters?|articles?|books?|attachments?"
    r"|dokument\w*|dateien?|datei|brief|bericht|anhang"
    r"|fichiers?|documento?s?|archivo|fichero|arquivo|ficheiro|bestand|документ\w*|файл\w*)\b"
    r"|文件|文档|文檔|文章|报告|報告|附件|文書|ファイル|資料|ドキュメント|문서|파일",
    re.IGNORECASE,
)

_POINTING = re.compile(
    r"^\W*((can|could|would|will) you\s+|please\s+|bitte\s+|请|請|帮我|幫我)*"
    r"(summari[sz]e|sum)\s*(it|this|that|them)(\s+up)?(\s*,?\s*please)?\W*$"
    r"|^\W*(summary|summari[sz]e|tl;?dr|zusammenfassung|résumé|resumen|resumo|riassunto)"
    r"(,?\s*(please|bitte))?\W*$"
    r"|^\W*(请|請|帮我|幫我)*(总结|總結|概括)(一下)?(它|这个|這個)?\W*$",
    re.IGNORECASE,
)
"""Orders that name nothing: what was spoken of last is meant, if that was a document."""

_YES = re.compile(
    r"^\W*(yes|yeah|yep|sure|ok|okay|please|please do|do it|go ahead|go on|ja|gerne|bitte|oui|"
    r"d'accord|sí|si|claro|vale|sim|va bene|graag|да|давай|"
    r"好|好的|好啊|可以|是|是的|行|嗯|要|要的|麻烦了|はい|お願いします|네|응)"
    r"(\W+(please|do|thanks|thank you|bitte|gerne|danke|merci|gracias|谢谢))*\W*$",
    re.IGNORECASE,
)

_ALL = re.compile(
    r"^\W*(all|both|all of (them|it)|alle|beide|tous|todos|tutti|全部|都要)\W*$", re.IGNORECASE
)


def wanted(
    text: str, list_documents: Callable[[], Sequence[DocumentInfo]], spoken_of: Iterable[str]
) -> DocumentInfo | None:
    """The document of which a message wants a summary; None if it wants none.

    Args:
        text: The message.
        list_documents: Gives all that there are, newest first; asked only where there is an order.
        spoken_of: What was said lately, newest first: a document named there is "this document".
    """
    documents = list_documents() if _ORDER.search(text) else ()
    if not documents:
        return None
    named = named_in(text, documents)
    beside = len(words_of(text)) - (len(words_of(named.record.title)) if named else 0)
    if beside > MOST_WORDS:
        return None
    if named is not None:
        return named
    latest = next(filter(None, (named_in(said, documents) for said in spoken_of)), None)
    if _DOCUMENT.search(text):
        return latest or documents[0]
    return latest if _POINTING.match(text) else None


def accepts_offer(text: str, offered: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """The documents that an answer to an offer chooses: the only one, those named, or all."""
    if len(offered) == 1 and _YES.match(text):
        return list(offered)
    if _ALL.match(text):
        return list(offered)
    named = named_in(text, offered)
    is_short = named is not None and (
        len(words_of(text)) - len(words_of(named.record.title)) <= MOST_WORDS // 3
    )
    return [named] if named is not None and is_short and "?" not in text else []


def named_in(text: str, documents: Sequence[DocumentInfo]) -> DocumentInfo | None:
    """The document whose name stands in a text, the longest name first; with or without its end."""
    said = folded(text)
    by_length = sorted(documents, key=lambda document: -len(document.record.title))
    for name_of in (_whole_name, _stem):
        for document in by_length:
            name = name_of(document)
            if len(name) >= SHORTEST_NAME and _stands_in(name, said):
                return document
    return None


def _whole_name(document: DocumentInfo) -> str:
    return folded(document.record.title)


def _stem(document: DocumentInfo) -> str:
    """The name without its ending, unless that is a common word for documents."""
    name = folded(PurePath(document.record.title).stem)
    return "" if _DOCUMENT.fullmatch(name) or _ORDER.fullmatch(name) else name


def _stands_in(name: str, said: str) -> bool:
    """Whether a name stands in a text by itself; in scripts without spaces anywhere."""
    border = (r"(?<![\w])", r"(?![\w])") if name.isascii() else ("", "")
    return re.search(border[0] + re.escape(name) + border[1], said) is not None
