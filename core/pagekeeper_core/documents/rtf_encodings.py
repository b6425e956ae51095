"""Which bytes are which characters in RTF: by the code page of the file and those of its fonts."""

import codecs

__all__ = ["SYMBOLS", "charset_encoding", "page_encoding"]

SYMBOLS = "symbols"
"""What is written in a font of signs: its bytes are no letters."""

_CHARSETS = {
    2: SYMBOLS,
    77: "mac_roman",
    78: "shift_jis",
    79: "big5",
    80: "euc_kr",
    81: "mac_arabic",
    83: "mac_greek",
    84: "mac_cyrillic",
    88: "cp874",
    89: "mac_latin2",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
_PAGES = {936: "gb18030", 10000: "mac_roman", 65001: "utf-8", 20936: "gb18030", 54936: "gb18030"}


def charset_encoding(charset: int) -> str:
    """The encoding of a font's character set; empty where it is that of the file."""
    return _CHARSETS.get(charset, "")


def page_encoding(page: int) -> str:
    """The encoding of a Windows code page; that of Western Europe where it is not known."""
    name = _PAGES.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
