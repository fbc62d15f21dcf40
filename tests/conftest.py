"""What a run of the tests leaves out for want of optional packages, said before and after it."""

from __future__ import annotations

import importlib.metadata
import os
import re
from collections.abc import Generator
from typing import Any, TypeVar

import pytest

REQUIRE_EXTRAS = os.environ.get("SYMKIN_REQUIRE_EXTRAS") == "1"
R = TypeVar("R", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-generated",
        action="store_true",
        help="rewrite the golden C in generated/ instead of comparing it",
    )


def missing_extras() -> dict[str, list[str]]:
    """For each of symkin's extras that is not fully installed, the packages that are missing."""
    missing: dict[str, list[str]] = {}
    for requirement in importlib.metadata.requires("symkin") or ():
        package = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"](\w+)['\"]", requirement)
        if package and extra and not installed(package[0]):
            missing.setdefault(extra[1], []).append(package[0])
    return missing


def installed(package: str) -> bool:
    try:
        importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def pytest_report_header() -> list[str]:
    missing = missing_extras()
    if not missing:
        return ["extras: all installed"]
    parts = (f"{extra} ({', '.join(names)})" for extra, names in missing.items())
    return [f"extras not installed, their tests are left out: {', '.join(parts)}"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = len(terminalreporter.stats.get("skipped", []))
    missing = missing_extras()
    if skipped and missing:
        terminalreporter.section("left out")
        terminalreporter.line(
            f"{skipped} tests or files of tests were skipped; to run them: "
            f"pip install -e '.[{','.join(missing)}]'"
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _judged((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _judged((yield))


def _judged(report: R) -> R:
    """With SYMKIN_REQUIRE_EXTRAS=1 a skipped test is a failed one, whatever it lacks.

    But not one that "waits for" something which symkin itself does not have yet.
    """
    skipped = report.outcome == "skipped" and not hasattr(report, "wasxfail")
    if REQUIRE_EXTRAS and skipped and "Skipped: waits for " not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"skipped although SYMKIN_REQUIRE_EXTRAS=1: {report.longrepr}"
    return report
