# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code on disk.

There is one file per program, named by the hash of everything that the code depends on: a line of JSON, then the object
file. Several processes may write the same program at the same time, so each writes a file of its own and renames it.
Damaged files, and files that another user could have written, are ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["MOST_BYTES", "clear", "folder", "key", "load", "store"]

# Size limit of the folder, beyond which the least recently used programs are deleted.
MOST_BYTES = 512 << 20
_FORMAT = 1


def folder() -> Path:
    """Returns the folder of compiled programs: COMM_CACHE_DIR, or comm-mlir in the user's cache folder."""
    given = os.environ.get("COMM_CACHE_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "comm-mlir"


def key(*parts: str | bytes) -> str:
    """Returns the name of a file that depends on these parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _is_ours(path: Path) -> bool:
    """Returns True if no other user can have put code there."""
    status = path.stat()
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022


def load(name: str) -> tuple[dict[str, Any], bytes] | None:
    """Returns the entry of that name, or None if there is no usable one."""
    path = folder() / f"{name}.comm"
    try:
        if not _is_ours(path) or not _is_ours(path.parent):
            return None
        head, _, content = path.read_bytes().partition(b"\n")
        found = json.loads(head)
        if found["format"] != _FORMAT or found["digest"] != key(json.dumps(found["data"], sort_keys=True), content):
            return None
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found["data"], content


def store(name: str, data: dict[str, Any], content: bytes) -> None:
    """Stores an entry. Does nothing if the file cannot be written."""
    where = folder()
    head = json.dumps({"format": _FORMAT, "digest": key(json.dumps(data, sort_keys=True), content), "data": data})
    with contextlib.suppress(OSError):
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(where):
            return
        descriptor, temporary = tempfile.mkstemp(prefix=".new-", dir=where)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(head.encode() + b"\n" + content)
            os.replace(temporary, where / f"{name}.comm")
        except OSError:
            os.unlink(temporary)
            raise
        _prune(where)


def _prune(where: Path) -> None:
    entries = []
    for path in where.glob("*.comm"):
        with contextlib.suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries, key=lambda entry: entry[0]):
        if total <= MOST_BYTES:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def clear() -> None:
    """Deletes all stored programs."""
    for path in folder().glob("*.comm"):
        with contextlib.suppress(OSError):
            path.unlink()
