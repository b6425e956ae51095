"""The names of the files in a ZIP archive: as they were meant, and as they may lie on the disk."""

import re
import zipfile

__all__ = ["disk_suffix", "is_litter", "shown_name"]

_LONGEST_NAME = 400
_UTF8_FLAG = 0x800

# What systems put beside the files of an archive, and nobody wants to search.
_LITTER = re.compile(r"(^|/)(__MACOSX/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)", re.IGNORECASE)
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}$")
_CHINESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")


def shown_name(info: zipfile.ZipInfo) -> str:
    """The member's name with its folders, for people alone: nothing is ever written under it."""
    name = info.filename if info.flag_bits & _UTF8_FLAG else _meant(info.filename)
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(parts)[-_LONGEST_NAME:] or "(no name)"


def is_litter(name: str) -> bool:
    """Whether a system left this in the archive for itself."""
    return _LITTER.search(name) is not None


def disk_suffix(name: str) -> str:
    """The end of the name by which readers know its kind, if it is a plain one."""
    found = _SUFFIX.search(name)
    return found.group().lower() if found else ""


def _meant(name: str) -> str:
    """A name without a mark of its encoding, which the library takes for that of old DOS.

    Programs of today write UTF-8 all the same, and those of Chinese systems their own encoding.
    """
    try:
        raw = name.encode("cp437")
    except UnicodeEncodeError:
        return name
    if raw.isascii():
        return name
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        chinese = raw.decode("gb18030")
    except UnicodeDecodeError:
        return name
    return chinese if _CHINESE.search(chinese) else name
