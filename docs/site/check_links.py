#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that each link inside of a folder of HTML pages leads to a file that is there, and to an id that it has.

check_links.py FOLDER
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links, and what can be linked in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {name for key in ("id", "name") if (name := values.get(key))}
        self.links += [link for key in ("href", "src") if (link := values.get(key))]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    broken, links = 0, 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            links += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            # What scripts fill in, and the anchor of the top.
            fragment = unquote(parts.fragment)
            if not target.is_relative_to(folder) or not target.exists():
                problem = "leads nowhere"
            elif fragment and target in pages and fragment not in pages[target].ids:
                problem = "leads to a place that the page does not have"
            else:
                continue
            broken += 1
            print(f"{path.relative_to(folder)}: the link to {link} {problem}")
    print(f"{len(pages)} pages, {links} links inside, {broken} of them broken")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
