"""E-mail: headers, bodies, attachments, mailboxes, and what is broken."""

import logging
import os
from email.message import EmailMessage
from pathlib import Path

import pytest

from helpers.reading import chosen, pages_of
from pagekeeper_core.documents.reading import PageText


def message(text: str = "The rent is 700.\n", subject: str = "Olá 你好") -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "Ána Pérez <ana@example.org>"
    mail["To"] = "bento@example.org"
    mail["Date"] = "Sun, 03 May 2026 10:00:00 +0100"
    mail["Subject"] = subject
    mail.set_content(text)
    return mail


def test_headers_and_text(tmp_path: Path) -> None:
    mail = message()
    mail.add_alternative("<p>The rent is <b>700</b></p>", subtype="html")
    assert pages_of(tmp_path / "a.eml", bytes(mail)) == [
        PageText(
            "From: Ána Pérez <ana@example.org>\nTo: bento@example.org\n"
            "Date: Sun, 03 May 2026 10:00:00 +0100\nSubject: Olá 你好\n\nThe rent is 700.\n",
            place="e-mail from Ána Pérez, 3 May 2026",
        )
    ]


def test_attachments_are_named_and_read(tmp_path: Path) -> None:
    mail = message()
    table = b"what,price\nrent,700\n"
    mail.add_attachment(table, maintype="text", subtype="csv", filename="costs é.csv")
    mail.add_attachment(b"\x7fELF\1\0\0", maintype="application", subtype="x", filename="tool")
    body, costs = pages_of(tmp_path / "a.eml", bytes(mail))
    assert "Attachments: costs é.csv, tool\n" in body.text
    assert costs.text == "what | price\nrent | 700\n"
    assert costs.place == "e-mail from Ána Pérez, 3 May 2026, attachment costs é.csv, rows 1 to 2"


def test_an_attachment_that_cannot_be_read_does_not_cost_the_mail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mail = message()
    mail.add_attachment(b"%PDF-1.4 none", maintype="application", subtype="pdf", filename="a.pdf")
    with caplog.at_level(logging.WARNING):
        (body,) = pages_of(tmp_path / "a.eml", bytes(mail))
    assert "a.pdf" in body.text


def test_what_a_killed_process_left_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, used = tmp_path / "pagekeeper-mail-left", tmp_path / "pagekeeper-mail-used"
    for folder in (left, used):
        folder.mkdir()
        (folder / "attachment").write_text("private")
    os.utime(left, (1, 1))
    mail = message()
    mail.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="a.csv")
    pages_of(tmp_path / "a.eml", bytes(mail))
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [used.name]


def test_a_forwarded_message_is_read_once(tmp_path: Path) -> None:
    core, middle, top = message("Core.\n"), message("Middle.\n"), message("Top.\n")
    middle.add_attachment(core)
    top.add_attachment(middle)
    pages = pages_of(tmp_path / "a.eml", bytes(top))
    assert [page.text.rpartition("\n\n")[2] for page in pages] == ["Top.\n", "Middle.\n", "Core.\n"]


def test_only_html(tmp_path: Path) -> None:
    mail = message()
    mail.set_content("<p>The rent is <b>700</b> &euro;</p>", subtype="html")
    (page,) = pages_of(tmp_path / "a.eml", bytes(mail))
    assert "The rent is" in page.text
    assert "700" in page.text


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (b"Content-Type: text/plain; charset=klingon\n\nh\xe9llo, my friend, all is well\n", "hél"),
        ("\n会议记录：今天下午三点在办公室开会。请大家准时参加。\n".encode("gbk"), "会议记录"),
        (b"Content-Type: multipart/mixed; boundary=x\n\nno parts\n", "Subject: s"),
        (b"Content-Transfer-Encoding: base64\n\n!!! no base64\n", "Subject: s"),
        (b"Date: yesterday, or so\n\nwords\n", "Date: yesterday"),
        (b'Cc: "<<>>@@ ,;\n\nwords\n', "words"),
        (b"Date: Sun, 99 May 99999 99:99:99 +9999\n\nwords\n", "words"),
    ],
)
def test_broken_mails_are_read_as_far_as_they_go(tmp_path: Path, more: bytes, text: str) -> None:
    pages = pages_of(tmp_path / "a.eml", b"From: a@b\nTo: c@d\nSubject: s\n" + more)
    assert text in pages[0].text


def test_encoded_headers(tmp_path: Path) -> None:
    content = b"From: =?gb2312?B?xOO6ww==?= <a@b>\nSubject: x\n\nHi\n"
    (page,) = pages_of(tmp_path / "a.eml", content)
    assert page.place == "e-mail from 你好"


def test_a_mailbox_is_read_message_by_message(tmp_path: Path) -> None:
    line = b"From ana@example.org Sun May  3 10:00:00 2026\n"
    second = b"From: b@example.org\nSubject: two\n\n>From here\nFrom there to here, 10:30\n"
    content = line + bytes(message()) + b"\n" + line + second
    first, other = pages_of(tmp_path / "inbox", content)
    assert first.place == "e-mail from Ána Pérez, 3 May 2026"
    assert other.text.endswith("\n\nFrom here\nFrom there to here, 10:30\n")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"From: a@b\nTo: c@d\nSubject: x\n\nHi\n", "e-mail"),
        (b"Received: by x;\n\tSun\nReturn-Path: <a@b>\nMIME-Version: 1.0\n\nHi\n", "e-mail"),
        (b"From Ana I heard at 10:30\nthat all is well\n", "text"),
        (b"From: Ana\nA letter about this and that.\n", "text"),
    ],
)
def test_mail_is_told_by_its_headers(tmp_path: Path, content: bytes, kind: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    assert chosen(tmp_path / "a.txt").kind == kind
