"""A real browser for tests: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@contextmanager
def started() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs chromium, which is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page in the browser that remembers what went wrong on it."""

    def __init__(self, browser: Any, **options: Any) -> None:
        options = {"viewport": DESKTOP, **options}
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", self._said)
        self.page.on("requestfailed", self._failed)

    def _failed(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # as by whoever goes on to the next page
            self.wrong.append(f"failed: {request.url}")

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def open(self, address: str) -> Any:
        """Go to an address, and be there when all is loaded."""
        answer = self.page.goto(address, wait_until="load")
        assert answer is None or answer.status == 200, f"{address}: {answer.status}"
        return self.page

    def overflows(self) -> bool:
        """Whether the page is wider than the window."""
        return bool(
            self.page.evaluate(
                "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            )
        )

    def close(self) -> None:
        """End with it."""
        self.context.close()
