"""The real embedding model, and folders that are none."""

import math
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helpers.children import run_child
from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.documents.splitting import PassageSplitter
from pagekeeper_core.errors import ModelError, ModelFileError
from pagekeeper_models.catalogue import load_catalogue, models_dir
from pagekeeper_models.sentence_embedder import SentenceEmbedder

SAMPLES = (
    "The vet said that Bento is fine.",
    "你好，我有一只猫。今天天气很好。",
    "שלום עולם, this is mixed مرحبا",
    "def foo_bar(x: int) -> int:\n    return x ** 2  # 😀",
    "supercalifragilisticexpialidocious " * 20,
    "QUJDREVG" * 200,
)


@pytest.fixture(scope="session")
def folder() -> Path:
    return models_dir() / load_catalogue().embedder.location


@pytest.fixture(scope="session")
def embedder(folder: Path) -> SentenceEmbedder:
    return SentenceEmbedder(folder)


def similarity(first: list[float], second: list[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))


@pytest.mark.model
def test_near_in_meaning_is_near(embedder: SentenceEmbedder) -> None:
    question, near, far = embedder.embed(
        ["Where does the dog live?", "Our puppy sleeps in the kitchen.", "The tax form is due."]
    )
    assert similarity(question, near) > similarity(question, far) + 0.2


@pytest.mark.model
def test_vectors_have_unit_length_and_do_not_depend_on_the_batch(
    embedder: SentenceEmbedder,
) -> None:
    vectors = embedder.embed(list(SAMPLES))
    assert [len(vector) for vector in vectors] == [embedder.dimension] * len(SAMPLES)
    for text, vector in zip(SAMPLES, vectors, strict=True):
        assert math.isclose(similarity(vector, vector), 1.0, abs_tol=1e-5)
        (alone,) = embedder.embed([text])
        assert similarity(vector, alone) > 0.9999


@pytest.mark.model
def test_odd_texts_are_embedded(embedder: SentenceEmbedder) -> None:
    vectors = embedder.embed(["", " ", "half \ud83d an emoji", "\0", "x" * 100_000])
    assert all(math.isfinite(value) for vector in vectors for value in vector)
    assert embedder.embed([]) == []


@pytest.mark.model
def test_threads_get_their_own_vectors(embedder: SentenceEmbedder) -> None:
    expected = embedder.embed(list(SAMPLES))
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda text: embedder.embed([text])[0], SAMPLES * 3))
    for vector, right in zip(found, expected * 3, strict=True):
        assert similarity(vector, right) > 0.9999


@pytest.mark.model
def test_sizes_come_from_the_folder(embedder: SentenceEmbedder) -> None:
    assert (embedder.name, embedder.dimension, embedder.max_tokens) == (
        "all-MiniLM-L6-v2",
        384,
        256,
    )


@pytest.mark.model
def test_counts_include_the_special_pieces_and_are_never_cut(embedder: SentenceEmbedder) -> None:
    assert embedder.count("") == 2
    assert embedder.count("hello world") == 4
    assert embedder.count("hello " * 1000) == 1002
    assert embedder.count("half \ud83d an emoji\0") > 4


@pytest.mark.model
@pytest.mark.parametrize("sample", SAMPLES)
def test_passages_fit_what_the_model_reads(embedder: SentenceEmbedder, sample: str) -> None:
    splitter = PassageSplitter(embedder.count, embedder.max_tokens)
    passages = list(splitter.split([PageText(f"{sample} " * 60)]))
    assert len(passages) > 1
    assert max(embedder.count(passage.text) for passage in passages) <= embedder.max_tokens


@pytest.mark.model
def test_counting_loads_no_torch_and_loading_neither_prints_nor_collects_garbage(
    folder: Path,
) -> None:
    output = run_child(
        """
        import gc, sys
        from pathlib import Path
        from pagekeeper_models.sentence_embedder import SentenceEmbedder
        sys.stderr = sys.stdout
        full = []
        gc.callbacks.append(lambda phase, about: full.append(about["generation"] == 2))
        embedder = SentenceEmbedder(Path(sys.argv[1]))
        assert embedder.count("hello") == 3 and embedder.dimension == 384
        assert "torch" not in sys.modules
        embedder.embed(["hello"])
        import huggingface_hub.constants
        assert huggingface_hub.constants.HF_HUB_OFFLINE
        assert "torch" in sys.modules
        assert gc.isenabled() and not any(full)
        """,
        folder,
    )
    assert output == ""


def test_a_missing_folder_says_how_to_get_it(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(tmp_path / "all-MiniLM-L6-v2")
    assert embedder.name == "all-MiniLM-L6-v2"
    for use in (
        lambda: embedder.dimension,
        lambda: embedder.max_tokens,
        lambda: embedder.count("x"),
        lambda: embedder.embed(["x"]),
    ):
        with pytest.raises(ModelError, match="is not there") as caught:
            use()
        assert caught.value.hint == "Fetch it with: pagekeeper models download"


@pytest.mark.model
@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_damaged_folder_says_so(folder: Path, tmp_path: Path, file: str) -> None:
    copy = tmp_path / "broken"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("model.safetensors"))
    (copy / "model.safetensors").symlink_to(folder / "model.safetensors")
    (copy / file).unlink()
    (copy / file).write_bytes(b"damaged")
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        SentenceEmbedder(copy).embed(["x"])
    assert "download" in caught.value.hint


@pytest.mark.model
def test_weights_that_are_refused_are_not_loaded(folder: Path) -> None:
    def refuse() -> None:
        raise ModelFileError("It is not the publisher's.")

    embedder = SentenceEmbedder(folder, verify=refuse)
    for _ in range(2):
        with pytest.raises(ModelFileError, match="publisher"):
            embedder.embed(["x"])


@pytest.mark.parametrize("content", ["not json", "[]", "{}", '{"max_seq_length": "many"}'])
def test_damaged_settings_say_so(folder: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "sentence_bert_config.json").write_text(content)
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ModelError, match="cannot be loaded"):
        _ = SentenceEmbedder(tmp_path).max_tokens
    with pytest.raises(ModelError, match="cannot be loaded"):
        SentenceEmbedder(tmp_path).count("x")
