# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The repository's pages as the source of a Sphinx site: same paths, so that links between pages hold.

What differs from the pages is little: flowcharts become pictures, pages of TableGen get a title and lose the table of
contents (the site has one), and the front page gets the navigation.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from flowcharts import to_svg
from navigation import FRONT, GROUPS

_FLOWCHART = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_TITLE = re.compile(r"^# (.*)$", re.MULTILINE)
_TITLES = {page: title for _, entries in GROUPS for title, page in entries}
# Files of tests that look like pages.
_NO_PAGES = ("test/",)


class StageError(Exception):
    """What keeps a page from being part of the site."""


def find_pages(root: Path) -> list[Path]:
    """The pages and notebooks of a working tree, relative to it."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "*.md", "*.ipynb"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = sorted({Path(line) for line in done.stdout.splitlines() if not line.startswith(_NO_PAGES)})
    return [path for path in found if (root / path).is_file()]


def _linked_files(root: Path, page: Path, text: str) -> set[Path]:
    """The files of the repository that a page links and that are no pages: pictures, sources."""
    found = set()
    prose = _INLINE_CODE.sub("", _FENCED.sub("", text))
    for target in _LINK.findall(prose):
        if "://" in target or target.startswith("mailto:"):
            continue
        path = (root / page.parent / target).resolve()
        if not path.is_relative_to(root) or not path.exists():
            raise StageError(f"{page}: the link to {target} leads nowhere")
        if path.suffix not in (".md", ".ipynb"):
            if path.is_dir():
                raise StageError(f"{page}: {target} is a folder, which the site does not have: link a page or a file")
            found.add(path.relative_to(root))
    return found


def _draw_flowcharts(page: Path, text: str, out: Path) -> str:
    """The page with pictures in the place of its flowcharts."""
    count = 0

    def draw(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        name = f"{page.stem}-flowchart-{count}.svg"
        (out / page.parent / name).write_text(to_svg(match[1]), encoding="utf-8")
        return f"![flowchart]({name})"

    return _FLOWCHART.sub(draw, text)


def _prepare(page: Path, text: str, out: Path) -> str:
    text = _draw_flowcharts(page, text, out).replace("\n[TOC]\n", "\n")
    if not _TITLE.search(text):
        # TableGen gives pages of passes none.
        title = _TITLES.get(str(page.with_suffix("")))
        if not title:
            raise StageError(f"{page}: a page has a title")
        text = f"# {title}\n\n{text}"
    if page.parts[:2] == ("docs", "reference"):
        # Operations, but not the tables of each.
        text = "---\ntocdepth: 3\n---\n\n" + text
    return text


def _navigation(pages: set[str]) -> str:
    """The navigation as directives. StageError if a group names what is not there."""
    out: list[str] = []
    named = {page for _, entries in GROUPS for _, page in entries}
    missing = sorted(named - pages)
    if missing:
        raise StageError(f"docs/site/navigation.py names what is not there: {', '.join(missing)}")
    rest = sorted(pages - named - {FRONT})
    groups = [*GROUPS, ("More", [("", page) for page in rest])] if rest else GROUPS
    for caption, entries in groups:
        out += ["", "```{toctree}", ":hidden:", f":caption: {caption}", ""]
        out += [f"{title} </{page}>" if title else f"/{page}" for title, page in entries]
        out.append("```")
    return "\n".join(out) + "\n"


def stage(root: Path, out: Path, generated: set[str]) -> None:
    """Writes the source of the site into a folder. `generated` are the pages that are there already, without suffix."""
    root = root.resolve()
    pages = find_pages(root)
    for page in pages:
        (out / page).parent.mkdir(parents=True, exist_ok=True)
        text = (root / page).read_text(encoding="utf-8")
        if page.suffix == ".md":
            for file in _linked_files(root, page, text):
                (out / file).parent.mkdir(parents=True, exist_ok=True)
                (out / file).write_bytes((root / file).read_bytes())
            text = _prepare(page, text, out)
            if str(page.with_suffix("")) == FRONT:
                text += _navigation({*(str(p.with_suffix("")) for p in pages), *generated})
        (out / page).write_text(text, encoding="utf-8")
