"""Small PDF files, written by hand: pages of text, pages without any, and locked ones."""

import hashlib
from collections.abc import Sequence

# PDF 32000-1:2008, 7.6.3.3: what fills a password up to 32 bytes.
_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_PERMISSIONS = -44
_FILE_ID = b"0123456789abcdef"


def pdf_bytes(pages: Sequence[str], *, password: str = "") -> bytes:
    """A PDF with one page a text (lines by line feeds); an empty text is a page without text."""
    key = _key(password) if password else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(pages))), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, text in enumerate(pages):
        content = _content(text)
        if key:
            content = _rc4(_object_key(key, 5 + 2 * number), content)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    if key:
        objects.append(
            b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P %d >>"
            % (_owner(password).hex().encode(), _rc4(key, _PADDING).hex().encode(), _PERMISSIONS)
        )
    return _file(objects, encrypted=bool(key))


def _content(text: str) -> bytes:
    shown = []
    for line in text.splitlines():
        escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        shown.append(b"(%s) Tj T*" % escaped.encode("cp1252"))
    return b"BT /F1 12 Tf 14 TL 72 720 Td " + b" ".join(shown) + b" ET" if shown else b""


def _file(objects: Sequence[bytes], *, encrypted: bool) -> bytes:
    out = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    locked = b"/Encrypt %d 0 R " % len(objects) if encrypted else b""
    identifier = _FILE_ID.hex().encode()
    out += b"trailer\n<< /Size %d /Root 1 0 R %s/ID [<%s> <%s>] >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        locked,
        identifier,
        identifier,
        start,
    )
    return out


def _padded(password: str) -> bytes:
    return (password.encode() + _PADDING)[:32]


def _owner(password: str) -> bytes:
    return _rc4(hashlib.md5(_padded(password)).digest()[:5], _padded(password))


def _key(password: str) -> bytes:
    permissions = _PERMISSIONS.to_bytes(4, "little", signed=True)
    digest = hashlib.md5(_padded(password) + _owner(password) + permissions + _FILE_ID)
    return digest.digest()[:5]


def _object_key(key: bytes, number: int) -> bytes:
    return hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
