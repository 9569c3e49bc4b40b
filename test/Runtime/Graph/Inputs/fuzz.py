# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damage graph files at random, and load them: an error that is the same on all processes, or a graph that is sound.

fuzz.py SCRATCH COUNT SEED COMMAND ...: COMMAND is mpirun with cases.cpp, which checks that.
"""

from __future__ import annotations

import gzip
import random
import struct
import subprocess
import sys
from pathlib import Path

FLAGS = (0, 0, 0, 1, 2, 8, 16, 32, 1 | 8 | 16, 2 | 4 | 8 | 32)
NUMBERS = (b"-1", b"0", b"4294967295", b"4294967296", b"99999999999999999999", b"1e400", b"nan", b"-inf", b"0x10", b"")


def originals(draw: random.Random) -> dict[str, bytes]:
    count, edges = 40, 150
    pairs = sorted({(a, b) for a, b in ((draw.randrange(count), draw.randrange(count)) for _ in range(edges)) if a < b})
    both = sorted(pairs + [(b, a) for a, b in pairs])
    rows: list[list[int]] = [[b for a, b in both if a == v] for v in range(count)]
    offsets = [0]
    for row in rows:
        offsets.append(offsets[-1] + len(row))
    head = struct.pack(f"<?qq{count + 1}q", False, len(both), count, *offsets)
    listed = "".join(f"{a} {b} {a + b}\n" for a, b in pairs).encode()
    ones = "".join(f"{a + 1} {b + 1} {a + b}\n" for a, b in pairs)
    return {
        "el": listed,
        "el.gz": gzip.compress(listed, mtime=0),
        "mtx": f"%%MatrixMarket matrix coordinate real symmetric\n{count} {count} {len(pairs)}\n{ones}".encode(),
        "metis": f"{count} {len(pairs)}\n{''.join(' '.join(str(b + 1) for b in row) + chr(10) for row in rows)}".encode(),
        "gr": f"p sp {count} {len(pairs)}\n{''.join('a ' + line + chr(10) for line in ones.splitlines())}".encode(),
        "sg": head + struct.pack(f"<{len(both)}i", *(b for row in rows for b in row)),
        "wsg": head + b"".join(struct.pack("<ii", b, b) for row in rows for b in row),
    }


def damaged(data: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.randint(0, 2)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(8)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + draw.randbytes(draw.randint(1, 9)) + data[at:]
        elif kind == 2 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
        elif kind == 3:
            data = data[:at] + draw.choice((b"\n", b"\r", b"\0", b" ", b"%", b"#")) + data[at:]
        elif kind == 4:
            data = data[:at] + struct.pack("<q", draw.choice((-1, 0, 1, 1 << 31, 1 << 40, -(1 << 63)))) + data[at + 8 :]
        elif kind == 5:
            words = data.split(b" ")
            words[draw.randrange(len(words))] = draw.choice(NUMBERS)
            data = b" ".join(words)
        elif kind == 6:
            data = data[:at] + data[at + draw.randint(1, 40) :]
        else:
            data = data[:at] + data[draw.randrange(len(data) + 1) :][: draw.randint(1, 200)] + data[at:]
    return data


def main() -> None:
    scratch, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    scratch.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    files = originals(draw)
    lines = []
    for number in range(count):
        ending = draw.choice(list(files))
        path = scratch / f"{number}.{ending}"
        data = draw.randbytes(draw.randint(0, 400)) if draw.randrange(12) == 0 else damaged(files[ending], draw)
        path.write_bytes(data)
        lines.append(f"{path} {draw.choice(FLAGS)} 0 0 1 0 0\n")
    (scratch / "list").write_text("".join(lines), encoding="utf-8")
    result = subprocess.run([*sys.argv[4:], str(scratch / "list")], capture_output=True, timeout=200)
    output = result.stdout.decode(errors="replace")
    heads = [line[3:] for line in output.splitlines() if line.startswith("== ")]
    if result.returncode or len(heads) != count or not output.endswith("end\n"):
        last = lines[min(len(heads), count - 1)]
        sys.exit(f"ended with {result.returncode} at or after {last}{output[-300:]}{result.stderr.decode()[-2000:]}")
    loaded = sum(head.startswith("0 ") for head in heads)
    without_place = [head for head in heads if not head.startswith("0 ") and "error: " not in head]
    if without_place:
        sys.exit(f"errors without a place: {without_place[:3]}")
    print(f"{count} files, {loaded} loaded, {count - loaded} refused")


main()
