"""Documentation says what the code says, and its examples run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from symkin.report import catalogue

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


def test_quantities_page_is_what_the_command_prints() -> None:
    page = (ROOT / "docs" / "quantities.md").read_text(encoding="utf-8")
    assert page == catalogue().to_markdown(), "symkin list --markdown > docs/quantities.md"


def test_architecture_page_shows_the_stack_of_the_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [layer.strip("()") for layer in contract["contracts"][0]["layers"]]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    stack = re.search(r"^cli > .*? > errors$", page, re.MULTILINE | re.DOTALL)
    assert stack is not None
    shown = re.split(r"\s*>\s*", stack[0])
    assert shown == [layer.replace("symkin.", "") for layer in layers]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    for link in links:
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)
    printed = capsys.readouterr().out
    assert printed or "print(" not in "".join(blocks)
