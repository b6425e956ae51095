"""Pictures of text: every format and depth, upright, and of a sensible size."""

import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from helpers.pictures import ScriptedRecognizer, picture_of, save_scan
from pagekeeper_core.documents.pictures import PictureReader
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentError


def read(path: Path, eyes: ScriptedRecognizer) -> list[PageText]:
    reader = PictureReader(eyes)
    source = SourceFile(path, path.name)
    assert reader.accepts(path.read_bytes()[:4096], source)
    return list(reader.read(source))


@pytest.mark.parametrize("end", ["png", "jpg", "webp", "tif"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_pictures_of_each_kind_are_shown_as_they_are(tmp_path: Path, end: str, mode: str) -> None:
    path = tmp_path / f"note.{end}"
    picture_of(["The rent"]).convert(mode).save(path)
    eyes = ScriptedRecognizer("The rent")
    assert read(path, eyes) == [PageText("The rent")]
    (shown,) = eyes.shown
    assert (shown.mode, shown.size) == ("RGB", (1000, 600))


@pytest.mark.parametrize("mode", ["1", "P", "LA", "RGBA", "I;16", "CMYK", "F", "I"])
def test_every_depth_becomes_black_on_white(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "note.tif"
    plain = picture_of(["The rent"], letters=60)
    if mode == "I;16":
        plain.convert("I").point(lambda value: value * 200).convert("I;16").save(path)
    else:
        plain.convert(mode).save(path)
    eyes = ScriptedRecognizer("The rent")
    read(path, eyes)
    tones = eyes.shown[0].convert("L").histogram()
    assert sum(tones[:60]) > 0
    assert sum(tones[200:]) > 0


def test_what_shows_through_is_white(tmp_path: Path) -> None:
    path = tmp_path / "logo.png"
    Image.new("RGBA", (300, 200), (0, 0, 0, 0)).save(path)
    eyes = ScriptedRecognizer("x")
    read(path, eyes)
    assert eyes.shown[0].getpixel((5, 5)) == (255, 255, 255)


def test_a_photograph_is_turned_as_the_camera_was_held(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    picture = Image.new("RGB", (400, 200), "white")
    exif = picture.getexif()
    exif[0x0112] = 6
    picture.save(path, exif=exif)
    eyes = ScriptedRecognizer("x")
    read(path, eyes)
    assert eyes.shown[0].size == (200, 400)


def test_all_pages_of_a_tiff_are_read(tmp_path: Path) -> None:
    path = tmp_path / "fax.tiff"
    save_scan(path, [picture_of(["one"]), picture_of(["two"]), picture_of(["three"])])
    assert read(path, ScriptedRecognizer("one", "", "three")) == [
        PageText("one", page=1, pages=3),
        PageText("", page=2, pages=3),
        PageText("three", page=3, pages=3),
    ]


@pytest.mark.thorough
def test_a_large_picture_is_looked_at_in_a_smaller_size(tmp_path: Path) -> None:
    path = tmp_path / "poster.jpg"
    Image.new("RGB", (9000, 6000), "white").save(path)
    eyes = ScriptedRecognizer("x")
    read(path, eyes)
    assert eyes.shown[0].size == (2400, 1600)


def bomb(width: int, height: int) -> bytes:
    """A PNG whose head says a size, with next to nothing behind it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(60_000, 60_000), (12_000, 12_000)])
def test_monstrous_pictures_are_refused(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(bomb(*size))
    with pytest.raises(DocumentError, match="million pixels") as caught:
        read(path, ScriptedRecognizer())
    assert "bomb.png" in str(caught.value)


@pytest.mark.parametrize("end", ["png", "jpg", "webp", "tif"])
def test_a_cut_off_picture_is_damaged(tmp_path: Path, end: str) -> None:
    path = tmp_path / f"note.{end}"
    picture_of(["The rent is 700 euros."] * 8).save(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(DocumentError, match="damaged"):
        read(path, ScriptedRecognizer("x"))


def test_a_picture_without_text_says_so(tmp_path: Path) -> None:
    path = tmp_path / "sea.png"
    Image.new("RGB", (200, 200), "navy").save(path)
    with pytest.raises(DocumentError, match=r"No text could be recognised in sea\.png"):
        read(path, ScriptedRecognizer())


@pytest.mark.parametrize("content", [b"RIFF\x10\0\0\0WAVEfmt ", b"GIF89a", b"BM", b"plain text"])
def test_other_files_are_not_taken(tmp_path: Path, content: bytes) -> None:
    assert not PictureReader().accepts(content, SourceFile(tmp_path / "a.png", "a.png"))
