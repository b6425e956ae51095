"""What importing a part may load: the agent knows no database, the start-up nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = ("PySide6", "duckdb", "lancedb", "pyarrow", "torch", "llama_cpp", "outlines")


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.thorough
@pytest.mark.parametrize("module", ["agent", "assembly", "protocols", "documents.importing"])
def test_core_loads_no_window_no_database_no_model(module: str) -> None:
    assert loaded_by(f"import pagekeeper_core.{module}").isdisjoint(HEAVY)


def test_the_command_line_starts_without_anything_heavy() -> None:
    assert loaded_by("import pagekeeper_desktop.__main__").isdisjoint(HEAVY)


def test_the_window_is_built_without_databases_and_models() -> None:
    loaded = loaded_by("import pagekeeper_desktop.windows.main_window")
    assert "PySide6" in loaded
    assert loaded.isdisjoint(set(HEAVY) - {"PySide6"})
