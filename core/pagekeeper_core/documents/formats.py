"""The kinds of file that can be read, in the order in which they are tried."""

from pagekeeper_core.documents.delimited import DelimitedReader
from pagekeeper_core.documents.docx import DocxReader
from pagekeeper_core.documents.epub import EpubReader
from pagekeeper_core.documents.html import HtmlReader
from pagekeeper_core.documents.json_text import JsonReader
from pagekeeper_core.documents.mail import MailboxReader, MailReader
from pagekeeper_core.documents.markdown import MarkdownReader
from pagekeeper_core.documents.ocr import RapidRecognizer
from pagekeeper_core.documents.odf import OdfReader
from pagekeeper_core.documents.old_office import OldOfficeReader
from pagekeeper_core.documents.pdf import PdfReader
from pagekeeper_core.documents.pictures import PictureReader
from pagekeeper_core.documents.plain_text import PlainTextReader
from pagekeeper_core.documents.pptx import PptxReader
from pagekeeper_core.documents.reading import DocumentReader
from pagekeeper_core.documents.rtf import RtfReader
from pagekeeper_core.documents.source_code import SourceCodeReader
from pagekeeper_core.documents.subtitles import SubtitleReader
from pagekeeper_core.documents.xlsx import XlsxReader

__all__ = ["READERS"]

_EYES = RapidRecognizer()
"""One for all: the models are loaded once."""

READERS: tuple[DocumentReader, ...] = (
    PdfReader(_EYES),
    PictureReader(_EYES),
    DocxReader(),
    PptxReader(),
    XlsxReader(),
    OdfReader(),
    EpubReader(),
    OldOfficeReader(),
    RtfReader(),
    HtmlReader(),
    MailboxReader(),
    MailReader(),
    SubtitleReader(),
    MarkdownReader(),
    SourceCodeReader(),
    JsonReader(),
    DelimitedReader(),
    # Nearly any file may look like text, so the reader of text comes last.
    PlainTextReader(),
)
"""The first that accepts a file reads it."""
