"""What set-up knows of the machine: build flags, compiler, processor, display, libraries."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import setup_machine
from setup_errors import SetupError
from setup_machine import (
    check_compiler,
    check_qt_libraries,
    cmake_flags,
    has_display,
    instruction_sets,
)


@pytest.mark.parametrize(
    ("system", "machine", "without_amx"),
    [
        ("Linux", "x86_64", True),
        ("Darwin", "x86_64", True),
        ("Windows", "AMD64", False),
        ("Linux", "aarch64", False),
        ("Darwin", "arm64", False),
    ],
)
def test_amx_is_off_on_x86_with_gcc_or_clang_only(
    system: str, machine: str, *, without_amx: bool
) -> None:
    flags = cmake_flags(system, machine)
    assert ("-DCMAKE_CXX_FLAGS='-mno-amx-tile" in flags) is without_amx
    assert "-DLLAMA_BUILD_SERVER=OFF" in flags
    assert "GGML_NATIVE" not in flags
    assert "METAL" not in flags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "flags\t\t: fpu sse4_2 avx avx2 fma amx_tile\nflags\t\t: fpu",
            "amx_tile avx avx2 fma sse4_2",
        ),
        ("Features\t: fp asimd asimddp sve i8mm\n", "asimd asimddp i8mm sve"),
        ("nothing of the kind", ""),
    ],
)
def test_vector_instructions_are_read(tmp_path: Path, text: str, expected: str) -> None:
    cpu_info = tmp_path / "cpuinfo"
    cpu_info.write_text(text)
    assert instruction_sets(cpu_info) == expected
    assert instruction_sets(tmp_path / "gone") == ""


def test_no_compiler_names_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"no C\+\+ compiler") as caught:
        check_compiler({"PATH": str(tmp_path)})
    for name in ("build-essential", "xcode-select", "Visual Studio Build Tools"):
        assert name in caught.value.advice


def test_a_compiler_is_found_on_the_path_or_by_cxx(
    tmp_path: Path, write_script: Callable[[Path, str], Path]
) -> None:
    compiler = write_script(tmp_path / "g++", "exit 0")
    check_compiler({"PATH": str(tmp_path)})
    check_compiler({"PATH": "", "CXX": f"{compiler} -O2"})
    with pytest.raises(SetupError):
        check_compiler({"PATH": str(tmp_path), "CXX": "no-such-compiler"})


def test_missing_libraries_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = {"libc.so.6": "libc6", "libno-such.so.1": "libno-such1"}
    monkeypatch.setattr(setup_machine, "_QT_LIBRARIES", libraries)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(SetupError, match=r"libno-such\.so\.1") as caught:
        check_qt_libraries("Or do without.")
    assert caught.value.advice.endswith("apt-get install libno-such1. Or do without.")


def test_other_systems_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_machine, "_QT_LIBRARIES", {"libno-such.so.1": "libno-such1"})
    monkeypatch.setattr(sys, "platform", "darwin")
    check_qt_libraries("")
    assert has_display({})


def test_a_display_is_known_by_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert not has_display({"DISPLAY": ""})
    assert has_display({"DISPLAY": ":0"})
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"})
    assert has_display({"QT_QPA_PLATFORM": "offscreen"})
