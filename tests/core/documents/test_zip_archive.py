"""ZIP archives: everything in them comes out under its name, and no bomb does."""

import os
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.memory_stores import HashEmbedder, MemoryArchivalStore
from pagekeeper_core.documents.importing import DocumentImporter, ImportFinished
from pagekeeper_core.documents.reader_process import ReaderProcess
from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.documents.zip_archive import (
    ZipLimits,
    expand,
    is_archive,
    sweep_unpacked,
    unpacking_folder,
)
from pagekeeper_core.errors import Cancelled, DocumentError, DocumentLocked

GOING = threading.Event()

PLAIN_TEXT = b"The key is under the mat."


def archive(folder: Path, members: dict[str, bytes], name: str = "papers.zip") -> SourceFile:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in members.items():
            file.writestr(member, content)
    return SourceFile(path, name)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with unpacking_folder(tmp_path / "unpacked") as folder:
        yield folder


def contents(source: SourceFile, place: Path, **limits: int) -> dict[str, bytes | str]:
    """What came out, by name; for what was left out, why."""
    found: dict[str, bytes | str] = {}
    for each in expand(source, place, ZipLimits(**limits)):
        if isinstance(each, SourceFile):
            assert place in each.path.parents
            found[each.name] = each.path.read_bytes()
        else:
            found[str(each)] = each.hint
    return found


def test_members_bear_the_names_of_where_they_come_from(tmp_path: Path, place: Path) -> None:
    source = archive(tmp_path, {"a.txt": b"one", "folder/b – é.md": b"two", "folder/": b""})
    assert contents(source, place) == {
        "papers.zip › a.txt": b"one",
        "papers.zip › folder/b – é.md": b"two",
    }


def test_an_archive_in_an_archive_is_opened_once(tmp_path: Path, place: Path) -> None:
    third = archive(tmp_path, {"deep.txt": b"deep"}, "third.zip").path.read_bytes()
    second = archive(tmp_path, {"in.txt": b"in", "third.zip": third}, "second.zip")
    source = archive(tmp_path, {"second.zip": second.path.read_bytes(), "out.txt": b"out"})
    found = contents(source, place)
    assert found["papers.zip › second.zip › in.txt"] == b"in"
    assert found["papers.zip › out.txt"] == b"out"
    assert [name for name in found if "archive in an archive in an archive" in name]
    assert len(found) == 3


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\Users\\x.txt", "C:/Users/x.txt"),
        ("a/../b.txt", "a/b.txt"),
        ("..", "(no name)"),
        ("n" * 500 + ".txt", "n" * 396 + ".txt"),
    ],
)
def test_names_lead_nowhere(tmp_path: Path, place: Path, name: str, shown: str) -> None:
    source = archive(tmp_path, {name: b"x"})
    assert contents(source, place) == {f"papers.zip › {shown}": b"x"}
    assert {path.name for path in tmp_path.iterdir()} == {"papers.zip", "unpacked"}


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_names_without_a_mark_of_their_encoding_are_read(
    tmp_path: Path, place: Path, encoding: str
) -> None:
    raw = "合同/租金.txt".encode(encoding)
    source = archive(tmp_path, {"x" * len(raw): b"700"})
    source.path.write_bytes(source.path.read_bytes().replace(b"x" * len(raw), raw))
    assert contents(source, place) == {"papers.zip › 合同/租金.txt": b"700"}


def test_what_systems_leave_is_passed_over(tmp_path: Path, place: Path) -> None:
    litter = {"__MACOSX/._a.txt": b"x", ".DS_Store": b"x", "b/Thumbs.db": b"x", "a.txt": b"a"}
    assert list(contents(archive(tmp_path, litter), place)) == ["papers.zip › a.txt"]


def test_a_broken_member_does_not_stop_the_rest(tmp_path: Path, place: Path) -> None:
    members = {"a.txt": os.urandom(500), "b.txt": b"whole", "c.txt": b"whole too"}
    source = archive(tmp_path, members)
    content = bytearray(source.path.read_bytes())
    content[100:110] = b"\0" * 10
    source.path.write_bytes(content)
    found = contents(source, place)
    assert "papers.zip › a.txt is damaged: it cannot be taken out of the archive." in found
    assert len(found) == 3


def test_a_member_that_unpacks_to_too_much_is_left_out(tmp_path: Path, place: Path) -> None:
    source = archive(tmp_path, {"bomb.txt": b"\0" * 4_000_000, "a.txt": b"a"})
    found = contents(source, place, free_bytes=1_000_000)
    assert found["papers.zip › a.txt"] == b"a"
    assert [name for name in found if "bomb.txt was left out" in name]
    assert sum(path.stat().st_size for path in place.iterdir()) < 2


@pytest.mark.parametrize(
    ("limits", "reason"),
    [({"files": 2}, "holds over 2 files"), ({"bytes": 2_000}, "unpacks to over")],
)
def test_an_archive_that_takes_too_much_is_given_up(
    tmp_path: Path, place: Path, limits: dict[str, int], reason: str
) -> None:
    inner = archive(tmp_path, {f"{n}.txt": os.urandom(900) for n in range(2)}, "inner.zip")
    source = archive(tmp_path, {"a.txt": b"a", "inner.zip": inner.path.read_bytes()})
    with pytest.raises(DocumentError, match=reason):
        contents(source, place, **limits)


def test_a_directory_of_millions_is_not_read(tmp_path: Path, place: Path) -> None:
    source = archive(tmp_path, {"a.txt": b"a"})
    content = bytearray(source.path.read_bytes())
    end = content.rindex(b"PK\x05\x06")
    content[end + 12 : end + 16] = (900_000_000).to_bytes(4, "little")
    source.path.write_bytes(content)
    assert is_archive(source.path)
    with pytest.raises(DocumentError, match="lists more files"):
        contents(source, place)


def test_links_are_left_out(tmp_path: Path, place: Path) -> None:
    info = zipfile.ZipInfo("link.txt")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "papers.zip", "w") as file:
        file.writestr(info, "/etc/passwd")
    found = contents(SourceFile(tmp_path / "papers.zip", "papers.zip"), place)
    assert list(found) == ["papers.zip › link.txt was left out: it is a link to another file."]


def locked(folder: Path) -> Path:
    """An archive locked by the cipher of PKWARE (APPNOTE.TXT 6.1) with "open sesame"."""
    source = archive(folder, {"secret.txt": PLAIN_TEXT})
    with zipfile.ZipFile(source.path, "w", zipfile.ZIP_STORED) as file:
        file.writestr("secret.txt", PLAIN_TEXT)
        checksum = file.getinfo("secret.txt").CRC
    content = bytearray(source.path.read_bytes())
    cipher = _Cipher(b"open sesame")
    sealed = cipher.sealed(b"\0" * 11 + bytes([checksum >> 24]) + PLAIN_TEXT)
    start = content.index(PLAIN_TEXT)
    content[start : start + len(PLAIN_TEXT)] = sealed
    directory = content.index(b"PK\x01\x02")
    for flags, packed in ((6, 18), (directory + 8, directory + 20)):
        content[flags] |= 1
        content[packed : packed + 4] = len(sealed).to_bytes(4, "little")
    end = content.index(b"PK\x05\x06")
    content[end + 16 : end + 20] = directory.to_bytes(4, "little")
    source.path.write_bytes(content)
    return source.path


class _Cipher:
    def __init__(self, password: bytes) -> None:
        self._keys = [0x12345678, 0x23456789, 0x34567890]
        for byte in password:
            self._turn(byte)

    def sealed(self, plain: bytes) -> bytes:
        out = bytearray()
        for byte in plain:
            word = (self._keys[2] | 2) & 0xFFFF
            out.append(byte ^ ((word * (word ^ 1)) >> 8) & 0xFF)
            self._turn(byte)
        return bytes(out)

    def _turn(self, byte: int) -> None:
        keys = self._keys
        keys[0] = _crc(keys[0], byte)
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = _crc(keys[2], keys[1] >> 24)


def _crc(value: int, byte: int) -> int:
    value ^= byte
    for _ in range(8):
        value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
    return value


def test_a_locked_archive_asks_for_its_password(tmp_path: Path, place: Path) -> None:
    path = locked(tmp_path)
    with pytest.raises(DocumentLocked) as missing:
        contents(SourceFile(path, "papers.zip"), place)
    with pytest.raises(DocumentLocked) as wrong:
        contents(SourceFile(path, "papers.zip", "open barley"), place)
    assert (missing.value.wrong, wrong.value.wrong) == (False, True)
    found = contents(SourceFile(path, "papers.zip", "open sesame"), place)
    assert found == {"papers.zip › secret.txt": PLAIN_TEXT}


@pytest.mark.parametrize("content", [b"PK\x03\x04 and then nothing", b"PK\x05\x06"])
def test_a_damaged_archive_says_so(tmp_path: Path, place: Path, content: bytes) -> None:
    path = tmp_path / "papers.zip"
    path.write_bytes(content)
    assert is_archive(path)
    with pytest.raises(DocumentError, match=r"papers\.zip is damaged"):
        contents(SourceFile(path, path.name), place)


@pytest.mark.parametrize(
    ("member", "answer"),
    [("[Content_Types].xml", False), ("mimetype", False), ("a.txt", True)],
)
def test_documents_that_are_archives_are_documents(
    tmp_path: Path, member: str, *, answer: bool
) -> None:
    assert is_archive(archive(tmp_path, {member: b"x"}).path) == answer


def test_other_files_are_no_archives(tmp_path: Path) -> None:
    path = tmp_path / "papers.zip"
    path.write_bytes(b"plain text")
    assert not is_archive(path)


def test_folders_of_a_killed_program_are_swept(tmp_path: Path) -> None:
    with unpacking_folder(tmp_path) as folder:
        (folder / "left.txt").write_text("x")
        (tmp_path / "other.txt").write_text("kept")
        sweep_unpacked(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


def test_members_are_taken_out_one_at_a_time_by_the_reader_process(
    tmp_path: Path, place: Path
) -> None:
    files = ReaderProcess()
    source = archive(tmp_path, {f"{n}.txt": b"%d" % n for n in range(50)})
    for number, member in enumerate(files.expand(source, place, GOING)):
        assert isinstance(member, SourceFile)
        assert member.path.read_bytes() == b"%d" % number
        assert len(list(place.iterdir())) == 1
    assert number == 49
    assert not list(place.iterdir())
    files.close()


def test_expansion_can_be_stopped(tmp_path: Path, place: Path) -> None:
    cancel = threading.Event()
    source = archive(tmp_path, {f"{n}.txt": b"%d" % n for n in range(50)})
    members = ReaderProcess().expand(source, place, cancel)
    next(members)
    cancel.set()
    with pytest.raises(Cancelled):
        next(members)


def test_members_are_imported_under_their_names(tmp_path: Path, place: Path) -> None:
    store = MemoryArchivalStore()
    importer = DocumentImporter(store, HashEmbedder())
    source = archive(tmp_path, {"lease.txt": b"The rent is 700 euros.", "b.bin": bytes(256)})
    told = []
    for member in importer.expand(source.path, place, GOING):
        assert isinstance(member, SourceFile)
        try:
            *_, last = importer.import_file(member.path, GOING, name=member.name)
        except DocumentError as error:
            told.append(str(error))
        else:
            assert isinstance(last, ImportFinished)
    assert [info.record.title for info in store.documents()] == ["papers.zip › lease.txt"]
    assert told == ["papers.zip › b.bin is not a text: it holds binary data."]
