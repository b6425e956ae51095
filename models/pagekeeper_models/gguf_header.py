"""Reads the header of a GGUF file: its metadata and where its tensors lie, not the tensors.

The package `gguf` has a reader too, but it makes an array of every token and merge of the
vocabulary: two to seven seconds for a model of 49,000 to 152,000 tokens. This one passes over
arrays, which takes a twentieth of a second. The format is that of the GGUF specification
(ggml, docs/gguf.md), versions 2 and 3; sizes of quantised types come from the package.
"""

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

__all__ = ["ArrayLength", "GgufFormatError", "RawHeader", "Tensor", "read_header"]

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_DEFAULT_ALIGNMENT = 32
_MOST_ENTRIES = 1_000_000
_MOST_DIMENSIONS = 8
_LARGEST_STRING = 64 * 1024 * 1024

_SCALARS = {
    GGUFValueType.UINT8: struct.Struct("<B"),
    GGUFValueType.INT8: struct.Struct("<b"),
    GGUFValueType.UINT16: struct.Struct("<H"),
    GGUFValueType.INT16: struct.Struct("<h"),
    GGUFValueType.UINT32: struct.Struct("<I"),
    GGUFValueType.INT32: struct.Struct("<i"),
    GGUFValueType.FLOAT32: struct.Struct("<f"),
    GGUFValueType.BOOL: struct.Struct("<?"),
    GGUFValueType.UINT64: struct.Struct("<Q"),
    GGUFValueType.INT64: struct.Struct("<q"),
    GGUFValueType.FLOAT64: struct.Struct("<d"),
}
_U32 = _SCALARS[GGUFValueType.UINT32]
_U64 = _SCALARS[GGUFValueType.UINT64]


class GgufFormatError(ValueError):
    """The file is not a GGUF file that can be read; the text goes on after “The file …”."""


class ArrayLength(int):
    """Stands for an array in the metadata: its length. The elements were passed over."""


Value = int | float | bool | str | ArrayLength


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor's place in the file. `end` is in bytes from the start of the file."""

    name: str
    shape: tuple[int, ...]
    end: int


@dataclass(frozen=True, slots=True)
class RawHeader:
    """What stands in front of the tensors."""

    version: int
    metadata: dict[str, Value]
    tensors: tuple[Tensor, ...]


def read_header(path: Path) -> RawHeader:
    """Read metadata and tensor table of a GGUF file.

    Raises:
        GgufFormatError: It is no GGUF file, of another version or byte order, or is cut off.
        OSError: The file cannot be opened.
    """
    with path.open("rb") as stream:
        start = stream.read(8)
        _check_start(start)
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as view:
            return _Parser(view).header()


def _check_start(start: bytes) -> None:
    if not start:
        raise GgufFormatError("is empty.")
    if start[:4] != _MAGIC:
        raise GgufFormatError("is not a GGUF file.")
    if len(start) < 8:
        raise GgufFormatError("ends within its header.")
    (version,) = _U32.unpack(start[4:])
    if version & 0xFFFF == 0:
        raise GgufFormatError("is in big-endian byte order, which this program does not read.")
    if version not in _VERSIONS:
        raise GgufFormatError(f"is of GGUF version {version}; versions 2 and 3 can be read.")


class _Parser:
    """Goes through the header from front to back.

    Attributes:
        _position: Offset in bytes of what comes next.
    """

    def __init__(self, view: mmap.mmap) -> None:
        self._view = view
        self._position = len(_MAGIC)

    def header(self) -> RawHeader:
        try:
            version = self._number(_U32)
            tensor_count, value_count = self._count(), self._count()
            metadata = {self._string(): self._value() for _ in range(value_count)}
            table = [self._tensor_entry() for _ in range(tensor_count)]
        except (struct.error, OverflowError):
            # The latter: a damaged length leads further than an address can.
            raise GgufFormatError("ends within its header.") from None
        return RawHeader(version, metadata, self._tensors(table, metadata))

    def _number(self, form: struct.Struct) -> int:
        (value,) = form.unpack_from(self._view, self._position)
        self._position += form.size
        return int(value)

    def _count(self) -> int:
        count = self._number(_U64)
        if count > _MOST_ENTRIES:
            raise GgufFormatError("has a damaged header.")
        return count

    def _string(self) -> str:
        length = self._number(_U64)
        if length > _LARGEST_STRING:
            raise GgufFormatError("has a damaged header.")
        start = self._position
        self._skip(length)
        return self._view[start : start + length].decode("utf-8", errors="replace")

    def _skip(self, length: int) -> None:
        self._position += length
        if self._position > len(self._view):
            raise GgufFormatError("ends within its header.")

    def _kind(self) -> GGUFValueType:
        number = self._number(_U32)
        try:
            return GGUFValueType(number)
        except ValueError:
            raise GgufFormatError("has a damaged header.") from None

    def _value(self) -> Value:
        kind = self._kind()
        if kind is GGUFValueType.STRING:
            return self._string()
        if kind is GGUFValueType.ARRAY:
            return self._pass_array()
        form = _SCALARS[kind]
        (value,) = form.unpack_from(self._view, self._position)
        self._position += form.size
        number: Value = value
        return number

    def _pass_array(self) -> ArrayLength:
        kind = self._kind()
        length = self._number(_U64)
        if kind is GGUFValueType.ARRAY:
            raise GgufFormatError("has nested arrays in its header, which no known model has.")
        if kind is not GGUFValueType.STRING:
            self._skip(length * _SCALARS[kind].size)
            return ArrayLength(length)
        # A loop over 150,000 strings: attributes are looked up once, outside of it.
        view, position, unpack = self._view, self._position, _U64.unpack_from
        for _ in range(length):
            position += 8 + unpack(view, position)[0]
        self._position = position
        self._skip(0)
        return ArrayLength(length)

    def _tensor_entry(self) -> tuple[str, tuple[int, ...], int, int]:
        """Name, shape, number of the type, offset from where the tensors begin."""
        name = self._string()
        dimensions = self._number(_U32)
        if dimensions > _MOST_DIMENSIONS:
            raise GgufFormatError("has a damaged header.")
        shape = tuple(self._number(_U64) for _ in range(dimensions))
        return name, shape, self._number(_U32), self._number(_U64)

    def _tensors(
        self, table: list[tuple[str, tuple[int, ...], int, int]], metadata: dict[str, Value]
    ) -> tuple[Tensor, ...]:
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or alignment < 1:
            raise GgufFormatError("has a damaged header.")
        start = -(-self._position // alignment) * alignment
        return tuple(
            Tensor(name, shape, start + offset + _size_in_bytes(name, shape, kind))
            for name, shape, kind, offset in table
        )


def _size_in_bytes(name: str, shape: tuple[int, ...], kind: int) -> int:
    try:
        block_elements, block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
    except ValueError:
        raise GgufFormatError(f"holds a tensor ({name}) of an unknown type, {kind}.") from None
    return math.prod(shape) // int(block_elements) * int(block_bytes)
