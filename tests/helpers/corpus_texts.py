"""The plain formats of the corpus, and what is wrong with files."""

import json
import os
import struct
from email.message import EmailMessage
from pathlib import Path

from helpers.document_corpus import CorpusFile

__all__ = ["broken_files", "formatted_texts", "plain_texts"]

_CHINESE = "会议记录：今天下午三点在办公室开会。请大家准时参加，并带上你们的报告。\n"
_TRADITIONAL = "會議記錄：今天下午三點在辦公室開會。請大家準時參加，並帶上你們的報告。\n"
_JAPANESE = "会議は10時から始まります。カレンダーに追加してください。短い休みもあります。\n"
_KOREAN = "안녕하세요. 오늘 날씨가 좋네요. 회의는 열 시에 시작합니다.\n"
_RUSSIAN = "Привет, как дела? Это тестовый файл. Встреча начнётся в десять часов.\n"
_FRENCH = "Le café est très agréable, « naïve » – voilà. Le loyer est de 700 €.\n"
_POLISH = "Zażółć gęślą jaźń. Przyszedł do domu i powiedział, że nie może.\n"
_ARABIC = "مرحبا بالعالم هذا ملف تجربة والاجتماع في الساعة العاشرة\n"

_ENCODED = (
    (_FRENCH, "agréable", "utf-8 utf-8-sig utf-16 utf-32 utf-16-le utf-16-be utf-32-le cp1252"),
    (_CHINESE, "办公室", "utf-8 utf-16-le utf-16-be utf-32-be gbk gb18030 gb2312"),
    (_TRADITIONAL, "辦公室", "big5 utf-16"),
    (_JAPANESE, "カレンダー", "shift_jis euc_jp utf-16-be"),
    (_KOREAN, "날씨가", "euc_kr utf-8"),
    (_RUSSIAN, "тестовый", "cp1251 koi8_r utf-8"),
    (_POLISH, "powiedział", "cp1250"),
    (_ARABIC, "بالعالم", "cp1256 utf-8"),
)

_SCRIPTS = {
    "hebrew": "הפגישה תתחיל בשעה עשר. נא להביא את הדוח.",
    "thai": "การประชุมจะเริ่มเวลาสิบนาฬิกา กรุณานำรายงานมาด้วย",
    "hindi": "बैठक दस बजे शुरू होगी। कृपया रिपोर्ट साथ लाएँ।",
    "greek": "Η συνάντηση αρχίζει στις δέκα. Φέρτε την αναφορά.",
    "emoji": "Party 🎉 at ten 🕙, bring 👨‍👩‍👧 and 🇵🇹 flags.",
    "mixed": "The word שלום stands in English, and مرحبا too.",
}


def plain_texts() -> list[CorpusFile]:
    """Text in encodings and scripts, and in forms that trip programs up."""
    encoded = [
        CorpusFile(f"{says}-{encoding}.txt", (text * 3).encode(encoding), says, kind="encoding")
        for text, says, encodings in _ENCODED
        for encoding in encodings.split()
    ]
    scripts = [
        CorpusFile(f"{name}.txt", text.encode(), text, kind="script")
        for name, text in _SCRIPTS.items()
    ]
    odd = [
        CorpusFile("line-ends.txt", b"one\r\ntwo\rthree\nfour", "one two three four"),
        CorpusFile(
            "zeros.log", b"A line of the log\n" * 9 + b"one \0zero\n" + b"\0" * 4096, "one zero"
        ),
        CorpusFile("one-line.txt", b"word " * 60_000, "word word"),
        CorpusFile("base64.txt", b"QUJD" * 20_000, "QUJDQUJD"),
        CorpusFile("wrong-byte.txt", (_CHINESE * 40).encode("gbk") + b"\xff\xff\n", "办公室"),
        CorpusFile("damaged-utf-8.txt", "é".encode() * 40 + b" caf\xe9 \xff here", "here"),
        CorpusFile("no-end.txt", b"The last line has no end", "has no end"),
        CorpusFile("surrogates.txt", "half \ud83d emoji".encode(errors="surrogatepass"), "emoji"),
        CorpusFile("no-extension", b"A note without an extension.", "without an extension"),
        CorpusFile(".hidden", b"A note that is hidden.", "hidden"),
        CorpusFile("🎉 party – été.txt", b"Balloons for the party.", "Balloons"),
        CorpusFile("n" * 240 + ".txt", b"A name of 244 characters.", "244"),
        CorpusFile(os.fsdecode(b"caf\xe9.txt"), b"A name that is not UTF-8.", "not UTF-8"),
    ]
    return [*encoded, *scripts, *(_of_kind(file, "text") for file in odd)]


def formatted_texts() -> list[CorpusFile]:
    """Markdown, tables, JSON, e-mail, code and subtitles."""
    return [*_markdown(), *_tables(), *_json(), *_mail(), *_code(), *_subtitles()]


def broken_files() -> list[CorpusFile]:
    """What cannot be read, each for its own reason."""
    faults = [
        CorpusFile("empty.txt", b"", reason="is empty"),
        CorpusFile("blank.md", b" \n\t\n" * 50, reason="no text"),
        CorpusFile("folder.txt", lambda path: path.mkdir(), reason="is a folder"),
        CorpusFile("gone.txt", lambda _: None, reason="not there any more"),
        CorpusFile("dangling", lambda path: path.symlink_to("nowhere"), reason="not there"),
        CorpusFile("loop", lambda path: path.symlink_to("loop"), reason="leads to itself"),
        CorpusFile("device", lambda path: path.symlink_to(os.devnull), reason="not a file"),
        CorpusFile("tool", b"\x7fELF\x02\x01\x01\0" + bytes(range(256)), reason="a program"),
        CorpusFile("tool.exe", b"MZ\x90\0\x03" + bytes(500), reason="a program"),
        CorpusFile("song.mp3", b"ID3\x04\0\0\0\0\x02" + bytes(900), reason="a sound"),
        CorpusFile("data.db", b"SQLite format 3\0\x10\0\1\1" + bytes(90), reason="a database"),
        CorpusFile("model.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 0), reason="language model"),
        CorpusFile("all.gz", b"\x1f\x8b\x08\0\0\0\0\0" + os.urandom(99), reason="compressed"),
        CorpusFile("figure.ps", b"%!PS-Adobe-3.0\n%%Pages: 1\n", reason="PostScript"),
        CorpusFile("noise.txt", bytes(range(256)) * 40, reason="not a text"),
        CorpusFile("cut.json", b'{"name": "Ana", "orders": [1, 2', reason="damaged"),
        CorpusFile("wrong.json", b'{"name" "Ana"}', reason="damaged"),
    ]
    return [_of_kind(file, "fault") for file in faults]


def _of_kind(file: CorpusFile, kind: str) -> CorpusFile:
    return CorpusFile(file.name, file.content, file.says, file.reason, kind, file.password)


def _markdown() -> list[CorpusFile]:
    table = "| what | price |\n|---|--:|\n" + "".join(f"| item {n} | {n} |\n" for n in range(90))
    texts = {
        "sections.md": ("# Costs\n\n## Rent\n\n700 euros a month.\n", "700 euros a month."),
        "front.md": ("---\ntitle: The lease\n---\n# One\n\nText.\n", "title: The lease"),
        "table.md": (f"# Costs\n\n{table}\nEnd.\n", "| item 77 | 77 |"),
        "code.md": ("# Run\n```sh\n# no heading\nmake all\n```\n", "make all"),
        "underlined.markdown": ("Top\n===\n\nBody text here.\n", "Body text here."),
    }
    return [CorpusFile(n, t.encode(), says, kind="Markdown") for n, (t, says) in texts.items()]


def _tables() -> list[CorpusFile]:
    tables = {
        "comma.csv": (b"name,city\nAna,Porto\n", "Ana | Porto"),
        "semicolon.csv": (b"name;price\nrent;7,50\n", "rent | 7,50"),
        "tabs.tsv": (b"name\tcity\nAna\tPorto\n", "Ana | Porto"),
        "gbk.csv": ("姓名,城市\n张伟,北京\n王芳,上海\n".encode("gbk"), "张伟 | 北京"),
        "quoted.csv": (b'name,note\nAna,"two\nlines, ""so"""\n', 'Ana | two lines, "so"'),
        "unclosed.csv": (b'what,size\npipe,"5\nrod,6\n' * 100, "rod | 6"),
        "header.csv": (b"name,city\n", "name | city"),
        "ragged.csv": (b"a,b,c\n1\n1,2,3,4,5\n", "1 | 2 | 3 | 4 | 5"),
        "utf16.csv": ("name,city\nAna,Évora\n".encode("utf-16"), "Ana | Évora"),
        "export": (b"id|name|city\n" + b"1|Ana|Porto\n" * 9, "1 | Ana | Porto"),
        "long.csv": (
            b"id,name\n" + b"".join(b"%d,person %d\n" % (n, n) for n in range(3000)),
            "42 | person 42",
        ),
    }
    return [CorpusFile(name, c, says, kind="CSV") for name, (c, says) in tables.items()]


def _json() -> list[CorpusFile]:
    orders = json.dumps({"shop": "Corner", "orders": [{"id": n} for n in range(99)]})
    texts: dict[str, tuple[str | bytes, str]] = {
        "object.json": ('{"name": "Ana", "at": {"city": "Porto"}}', "at.city: Porto"),
        "orders.json": (orders, "id: 42"),
        "lines.jsonl": ('{"who": "Ana"}\n{"who": "Bento"}\n' * 40, "who: Bento"),
        "deep.json": ("[" * 50_000 + '"core"' + "]" * 50_000, "core"),
        "numbers.json": ("[NaN, 1e999, 1234567890123456789012345]", "1234567890123456789012345"),
        "twice.json": ('{"a": "first", "a": "second"}', "a: first a: second"),
        "wide.json": ('{"城市": "北京"}'.encode("utf-16"), "城市: 北京"),
        "config.jsonc": ('{\n// a remark\n"port": 80,\n}', "port: 80"),
    }
    return [
        CorpusFile(n, t if isinstance(t, bytes) else t.encode(), says, kind="JSON")
        for n, (t, says) in texts.items()
    ]


def _message(text: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "Ána <ana@example.org>"
    mail["To"] = "bento@example.org"
    mail["Date"] = "Sun, 03 May 2026 10:00:00 +0100"
    mail["Subject"] = "Olá 你好"
    mail.set_content(text)
    return mail


def _mail() -> list[CorpusFile]:
    attached, forwarded, html = _message("See it."), _message("See below."), _message("")
    attached.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="costs é.csv")
    forwarded.add_attachment(_message("The inner words."))
    html.set_content("<p>The rent is <b>700</b> euros.</p>", subtype="html")
    head = b"From: a@example.org\nTo: b@example.org\nSubject: s\n"
    line = b"From a@example.org Sun May  3 10:00:00 2026\n"
    mails = {
        "plain.eml": (bytes(_message("The rent is 700.")), "Subject: Olá 你好"),
        "attached.eml": (bytes(attached), "Attachments: costs é.csv"),
        "forwarded.eml": (bytes(forwarded), "The inner words."),
        "html.eml": (bytes(html), "700"),
        "charset.eml": (head + b"Content-Type: text/plain; charset=klingon\n\nfine\n", "fine"),
        "parts.eml": (head + b"Content-Type: multipart/mixed; boundary=x\n\nno parts\n", "s"),
        "date.eml": (head + b"Date: Sun, 99 May 99999 99:99:99\n\nwords\n", "words"),
        "inbox.mbox": ((line + bytes(_message("One more.")) + b"\n") * 30, "One more."),
    }
    return [CorpusFile(name, c, says, kind="e-mail") for name, (c, says) in mails.items()]


def _code() -> list[CorpusFile]:
    installed = [
        CorpusFile(f"stdlib_{module.__name__}.py", Path(str(module.__file__)).read_bytes(), says)
        for module, says in ((json, "JSON"), (struct, "pack"), (os, "path"))
    ]
    written = [
        CorpusFile("old.py", b"print 'old Python'\n", "old Python"),
        CorpusFile("main.go", b"package main\n\nfunc main() {}\n", "package main"),
        CorpusFile("lib.rs", b"fn add(a: i32) -> i32 { a + 1 }\n", "fn add"),
        CorpusFile("app.js", b"const x = () => 1;\n", "const x"),
        CorpusFile("run", b"#!/bin/sh\necho done\n", "echo done"),
        CorpusFile("Makefile", b"all:\n\tcc main.c\n", "cc main.c"),
        CorpusFile("settings.yaml", b"port: 80\nhost: keeper\n", "host: keeper"),
        CorpusFile("schema.sql", b"SELECT name FROM people;\n", "FROM people"),
    ]
    return [_of_kind(file, "code") for file in (*installed, *written)]


def _subtitles() -> list[CorpusFile]:
    cue = "1\n00:00:01,000 --> 00:00:02,000\n<i>{}</i>\n\n"
    film = cue.format("Hello there,") + cue.format("my friend.")
    texts = {
        "film.srt": (film.encode(), "Hello there, my friend."),
        "film.txt": (film.replace("Hello", "Goodbye").encode(), "Goodbye there, my friend."),
        "talk.vtt": (b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>Welcome\n", "Ana: Welcome"),
        "chinese.srt": (cue.format("今天天气很好。").encode("gb18030"), "今天天气很好。"),
    }
    return [CorpusFile(n, content, says, kind="subtitles") for n, (content, says) in texts.items()]
