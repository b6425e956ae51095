"""Every package that set-up can install has its version fixed, on every system and Python."""

import importlib.metadata
import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import bootstrap

ROOT = Path(bootstrap.__file__).parent.parent
SYSTEMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
)
PYTHONS = ("3.11", "3.12", "3.13")


def environments() -> Iterator[dict[str, str]]:
    for system, python in itertools.product(SYSTEMS, PYTHONS):
        versions = {"python_version": python, "python_full_version": f"{python}.1"}
        yield {**system, **versions, "platform_machine": "x86_64", "implementation_name": "cpython"}


def pins(environment: dict[str, str]) -> dict[str, Requirement]:
    lines = (ROOT / "packaging" / "constraints.txt").read_text().splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    applying = [r for r in requirements if r.marker is None or r.marker.evaluate(environment)]
    names = [canonicalize_name(requirement.name) for requirement in applying]
    assert len(set(names)) == len(names)
    return dict(zip(names, applying, strict=True))


def needed(environment: dict[str, str]) -> Iterator[Requirement]:
    """What the project and its tests require, and what that requires, as installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    waiting = [(Requirement(line), "") for line in lines]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({**environment, "extra": extra}):
            continue
        yield requirement
        for wanted in requirement.extras or {""}:
            if (requirement.name, wanted) not in seen:
                seen.add((requirement.name, wanted))
                waiting += [(Requirement(line), wanted) for line in requires(requirement.name)]


def requires(package: str) -> list[str]:
    try:
        return importlib.metadata.requires(package) or []
    except importlib.metadata.PackageNotFoundError:
        return []


@pytest.mark.parametrize(
    "environment", list(environments()), ids=lambda e: f"{e['sys_platform']}-{e['python_version']}"
)
def test_every_requirement_is_pinned_to_a_version_that_it_admits(
    environment: dict[str, str],
) -> None:
    fixed = pins(environment)
    for requirement in needed(environment):
        pin = fixed.get(canonicalize_name(requirement.name))
        assert pin is not None, f"{requirement} is not pinned"
        (version,) = pin.specifier
        assert version.operator == "=="
        if requirement.name != "shiboken6":  # fixed by the Qt that is installed here, see below
            assert requirement.specifier.contains(version.version, prereleases=True), requirement


def test_tests_run_with_the_pinned_versions() -> None:
    environment = next(environments())
    for name, pin in pins(environment).items():
        try:
            installed = Version(importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            continue
        (version,) = pin.specifier
        assert installed.public == version.version, name


def test_python_3_11_keeps_the_sound_qt() -> None:
    for environment in environments():
        qt, binding = (pins(environment)[name] for name in ("pyside6-essentials", "shiboken6"))
        assert qt.specifier == binding.specifier
        is_sound = environment["python_version"] != "3.11" or not qt.specifier.contains("6.12.0")
        assert is_sound
