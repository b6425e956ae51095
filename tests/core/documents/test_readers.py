"""Files into text: encodings, and everything that is no text."""

from pathlib import Path

import pytest

from pagekeeper_core.documents.plain_text import PlainTextReader
from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.documents.text_encoding import looks_like_text
from pagekeeper_core.errors import DocumentError

CHINESE = "会议记录：今天下午三点在办公室开会。请大家准时参加，并带上你们的报告。\n"
JAPANESE = "会議は10時から始まります。カレンダーに追加してください。短い休みもあります。\n"


def source(path: Path) -> SourceFile:
    return SourceFile(path, path.name)


def read_text(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    reader = PlainTextReader()
    assert reader.accepts(content[:4096], source(path))
    return "".join(page.text for page in reader.read(source(path)))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("naïve café 你好 😀\n", "utf-8"),
        ("naïve café 你好 😀\n", "utf-8-sig"),
        ("naïve café 你好 😀\n", "utf-16"),
        ("naïve café 你好 😀\n", "utf-32"),
        ("Plain words in two bytes each.\n", "utf-16-le"),
        ("Plain words in two bytes each.\n", "utf-16-be"),
        (CHINESE + CHINESE, "utf-16-le"),
        (JAPANESE, "utf-16-be"),
        (CHINESE, "utf-32-le"),
        ("Plain words in four bytes each.\n", "utf-32-be"),
        (CHINESE, "gbk"),
        (CHINESE, "gb18030"),
        (CHINESE * 9000, "gbk"),
        ("name,city\n张伟,北京\n", "gb2312"),
        ("會議記錄：今天下午三點在辦公室開會。\n", "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        ("안녕하세요. 오늘 날씨가 좋네요.\n", "euc_kr"),
        ("Señor Muñoz está aquí\n", "latin-1"),
        ("Le café est très agréable, « naïve » – voilà.\n", "cp1252"),
        ("Zażółć gęślą jaźń. Przyszedł do domu i powiedział.\n", "cp1250"),
        ("Привет, как дела? Это тестовый файл.\n", "cp1251"),
        ("Привет, как дела? Это тестовый файл.\n", "koi8-r"),
        ("مرحبا بالعالم هذا ملف تجربة\n", "cp1256"),
    ],
)
def test_encodings_are_recognised(tmp_path: Path, text: str, encoding: str) -> None:
    assert read_text(tmp_path / "notes.txt", text.encode(encoding)) == text


def test_line_ends_become_line_feeds(tmp_path: Path) -> None:
    assert read_text(tmp_path / "a.txt", b"one\r\ntwo\rthree\n") == "one\ntwo\nthree\n"


def test_stray_and_trailing_zeros_do_not_make_a_text_binary(tmp_path: Path) -> None:
    text = "The log of a day, with one zero\0 in it, and the rest of the block never written.\n"
    assert read_text(tmp_path / "a.log", text.encode() + b"\0" * 5000).startswith(text)


def test_one_wrong_byte_does_not_cost_the_file(tmp_path: Path) -> None:
    content = (CHINESE * 20000).encode("gbk")
    damaged = content[:900_000] + b"\xff\xff" + content[900_000:]
    text = read_text(tmp_path / "a.txt", damaged)
    assert text.count("会议记录") >= 19990


def test_a_wrong_byte_leaves_the_encoding_known(tmp_path: Path) -> None:
    lines = [CHINESE.encode("gbk")] * 30
    lines.insert(25, b"\xff\xff\n")
    assert read_text(tmp_path / "a.txt", b"".join(lines)).count(CHINESE) == 30
    damaged = (CHINESE * 9).encode() + b"caf\xe9\n"
    assert read_text(tmp_path / "b.txt", damaged) == CHINESE * 9 + "caf\ufffd\n"


def test_blocks_know_their_first_line(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("\n".join(f"line {n}" for n in range(1, 20001)))
    pages = list(PlainTextReader().read(source(path)))
    assert len(pages) > 1
    for page in pages:
        assert page.text.startswith(f"line {page.first_line}\n")


def test_a_line_without_an_end_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "line.txt"
    path.write_text("word " * 100_000)
    pages = list(PlainTextReader().read(source(path)))
    assert max(len(page.text) for page in pages) <= 40_000
    assert "".join(page.text for page in pages) == "word " * 100_000


@pytest.mark.parametrize(
    "head",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"PK\x03\x04\x14\0\x06\0",
        b"\x7fELF\x02\x01\x01\0",
        bytes(range(256)) * 4,
        b"\0" * 100,
    ],
)
def test_binary_files_are_not_text(head: bytes) -> None:
    assert not looks_like_text(head)


@pytest.mark.parametrize("head", [b"{\\rtf1\\ansi", b"%!PS-Adobe-3.0\n"])
def test_markup_of_printers_is_not_read_as_text(tmp_path: Path, head: bytes) -> None:
    assert not PlainTextReader().accepts(head, source(tmp_path / "a.txt"))


def test_an_unknown_encoding_is_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagekeeper_core.documents.text_encoding.from_bytes", lambda *_, **__: ())
    path = tmp_path / "odd.txt"
    path.write_bytes(b"\xff\xfa\xfe odd \xfc")
    with pytest.raises(DocumentError, match="encoding") as caught:
        list(PlainTextReader().read(source(path)))
    assert "UTF-8" in caught.value.hint
