"""Catalogue entries and wheels of a few kilobytes, for tests of downloads."""

import base64
import hashlib
import zipfile
from pathlib import Path

from pagekeeper_models.catalogue import (
    CatalogueEmbedder,
    CatalogueModel,
    HuggingFaceSource,
    ModelFile,
    Source,
)

REPOSITORY = HuggingFaceSource("owner/small", "0123abcd")
RESOLVE = "/owner/small/resolve/0123abcd/"


def model_file(path: str, content: bytes) -> ModelFile:
    """The catalogue's line for a file of this content."""
    return ModelFile(path, len(content), hashlib.sha256(content).hexdigest())


def small_model(content: bytes, *sources: Source) -> CatalogueModel:
    """A language model whose one file has this content; from REPOSITORY unless said otherwise."""
    return CatalogueModel(
        name="small-0.1b",
        title="Small 0.1B",
        location="small.gguf",
        files=(model_file("small.gguf", content),),
        sources=sources or (REPOSITORY,),
        licence="Apache-2.0",
        languages=("en",),
        tried=True,
        note="",
        context_length=1024,
        kv_bytes_per_token=1000,
        default_from_bytes=None,
    )


def small_embedder(contents: dict[str, bytes], *sources: Source) -> CatalogueEmbedder:
    """An embedder of these files."""
    return CatalogueEmbedder(
        name="small-embedder",
        title="Small embedder",
        location="small-embedder",
        files=tuple(model_file(path, content) for path, content in contents.items()),
        sources=sources or (REPOSITORY,),
        licence="Apache-2.0",
        languages=("en",),
        tried=True,
        note="",
        dimension=4,
    )


def write_wheel(folder: Path, package: str, version: str, members: dict[str, bytes]) -> Path:
    """A wheel that pip accepts, with these members."""
    name = package.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    everything = members | {
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": tags.encode(),
    }
    record = "".join(_record_line(path, data) for path, data in everything.items())
    everything[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in everything.items():
            archive.writestr(path, data)
    return wheel


def _record_line(path: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"
