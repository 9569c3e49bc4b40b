# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write graphs in all formats, load them with cases.cpp, and compare with the written edges.

formats.py SCRATCH COMMAND ...: COMMAND is mpirun with the program. Everything is one start of it.
"""

from __future__ import annotations

import gzip
import random
import struct
import subprocess
import sys
from pathlib import Path

SYMMETRIZE, DEDUPLICATE, DROP_LOOPS, IN_EDGES, WEIGHTS, REAL, PRINTS = 1, 2, 4, 8, 16, 32, 1 << 20

Edges = list[tuple[int, int, float]]


class Case:
    def __init__(self, name: str, expected: Edges | str, vertices: int = 0, symmetric: bool = False, **options: int):
        self.name, self.expected, self.vertices, self.symmetric = name, expected, vertices, symmetric
        self.flags = options.get("flags", 0)
        self.options = [options.get(key, 0) for key in ("format", "least", "seed", "low", "high")]

    def line(self) -> str:
        return f"{self.name} {self.flags | PRINTS} {' '.join(map(str, self.options))}\n"


def transformed(edges: Edges, flags: int) -> Edges:
    if not flags & (WEIGHTS | REAL):
        edges = [(a, b, 0) for a, b, _ in edges]
    if flags & SYMMETRIZE:
        edges = edges + [(b, a, w) for a, b, w in edges]
    if flags & (SYMMETRIZE | DEDUPLICATE):
        least: dict[tuple[int, int], float] = {}
        for a, b, w in edges:
            least[a, b] = min(w, least.get((a, b), w))
        edges = [(a, b, w) for (a, b), w in least.items()]
    if flags & DROP_LOOPS:
        edges = [edge for edge in edges if edge[0] != edge[1]]
    return edges


def csr(vertices: int, edges: Edges, weighted: bool) -> bytes:
    ordered = sorted(edges)
    offsets = [0] * (vertices + 1)
    for a, _, _ in ordered:
        offsets[a + 1] += 1
    for v in range(vertices):
        offsets[v + 1] += offsets[v]
    body = b"".join(struct.pack("<ii", b, int(w)) if weighted else struct.pack("<i", b) for _, b, w in ordered)
    return struct.pack(f"<{vertices + 1}q", *offsets) + body


def gap(vertices: int, edges: Edges, directed: bool, weighted: bool) -> bytes:
    data = struct.pack("<?qq", directed, len(edges), vertices) + csr(vertices, edges, weighted)
    return data + (csr(vertices, [(b, a, w) for a, b, w in edges], weighted) if directed else b"")


def metis(vertices: int, edges: Edges, weighted: bool, extra: str = "") -> str:
    lines: list[list[str]] = [extra.split() for _ in range(vertices)]
    for a, b, w in sorted(edges):
        lines[a] += [str(b + 1)] + ([str(int(w))] if weighted else [])
    kind = f"{1 if extra else 0}{1 if weighted else 0}"
    return f"% a comment\n{vertices} {len(edges) // 2} {kind}\n" + "".join(" ".join(line) + "\n" for line in lines)


def make(scratch: Path) -> list[Case]:
    draw = random.Random(3)
    vertices = 97
    directed: Edges = [(draw.randrange(97), draw.randrange(97), draw.randint(-9, 99)) for _ in range(700)] + [
        (96, 0, 5)
    ]
    pairs = {(min(a, b), max(a, b)): w for a, b, w in directed if a != b}
    both: Edges = [(a, b, w) for (a, b), w in pairs.items()] + [(b, a, w) for (a, b), w in pairs.items()]
    cases: list[Case] = []
    banner = "%%MatrixMarket matrix coordinate"

    def write(name: str, data: str | bytes) -> str:
        path = scratch / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    def add(name: str, data: str | bytes, edges: Edges | str, *flags: int, **options: int) -> None:
        path = write(name, data)
        for flag in flags or (0,):
            expected = edges if isinstance(edges, str) else transformed(edges, flag)
            symmetric = bool(options.get("symmetric")) or bool(flag & SYMMETRIZE)
            rest = {key: value for key, value in options.items() if key not in ("symmetric", "count")}
            cases.append(Case(path, expected, options.get("count", vertices), symmetric, flags=flag, **rest))

    plain = "# comment\n\n" + "".join(f"{a} {b}\n" for a, b, _ in directed)
    weighted = "".join(f"{a}\t{b},{w}\r\n" for a, b, w in directed)
    all_flags = (0, SYMMETRIZE, DEDUPLICATE, DROP_LOOPS | DEDUPLICATE, IN_EDGES, SYMMETRIZE | IN_EDGES | DROP_LOOPS)
    with_weights = (WEIGHTS, WEIGHTS | SYMMETRIZE, WEIGHTS | IN_EDGES, REAL | DEDUPLICATE | IN_EDGES)
    add("plain.el", plain, directed, *all_flags)
    add("weighted.wel", weighted.rstrip("\r\n"), directed, *all_flags[:2], *with_weights)
    add("packed.el.gz", gzip.compress(plain.encode()), directed, 0, IN_EDGES)
    # Spreadsheets begin files with a byte order mark.
    mark = "\ufeff"
    add("marked.csv", mark + weighted, directed, 0, WEIGHTS)
    add("marked.csv.gz", gzip.compress((mark + weighted).encode()), directed, 0)
    half = plain.index("\n", len(plain) // 2) + 1
    add("two.el.gz", gzip.compress(plain[:half].encode()) + gzip.compress(plain[half:].encode()), directed)
    # Several parcels of lines: comments that fill one, no end of the last line, a line that is longer than one.
    large = [(i % 997, i * 7 % 1009, 0) for i in range(90000)]
    lines = "".join(f"{a} {b}\n" for a, b, _ in large)
    add("large.el.gz", gzip.compress(("# nothing here\n" * 30000 + lines).rstrip().encode()), large, 0, count=1009)
    lines = "".join(f"{a + 1} {b + 1}\n" for a, b, _ in large)
    header = f"{banner} pattern general\n" + "% nothing here\n" * 30000 + f"1009 1009 {len(large)}\n"
    add("large.mtx.gz", gzip.compress((header + lines).encode()), large, 0, count=1009)
    hub = [(0, v, 0) for v in range(1, 60000)] + [(v, 0, 0) for v in range(1, 60000)]
    add("hub.graph.gz", gzip.compress(metis(60000, hub, False).encode()), hub, 0, count=60000, symmetric=1)
    add("least.el", "0 1\n", [(0, 1, 0)], 0, DEDUPLICATE, least=5, count=5)
    add("empty.el", "", [], 0, count=0)
    add("none.el", "# nothing\n", [], 0, SYMMETRIZE | IN_EDGES, least=3, count=3)
    # Sparse ids: ghosts are found by sorting.
    add("sparse.el", "0 4000000\n4000000 17\n17 0\n", [(0, 4000000, 0), (4000000, 17, 0), (17, 0, 0)], 0, count=4000001)
    arcs = "".join(f"a {a + 1} {b + 1} {w}\n" for a, b, w in directed)
    add("dimacs.gr", f"c roads\np sp {vertices} {len(directed)}\n{arcs}", directed, 0, *with_weights)
    add("dimacs2.gr.gz", gzip.compress(f"p sp {vertices} {len(directed)}\n{arcs}".encode()), directed, WEIGHTS)
    entries = "".join(f"{a + 1} {b + 1} {w}.5\n" for a, b, w in both if a > b)
    halves: Edges = [(a, b, w + 0.5 if w >= 0 else w - 0.5) for a, b, w in both]
    halves = [(a, b, -0.5 if str(w) == "-0.5" else w) for a, b, w in halves]
    sizes = f"{vertices} {vertices} {len(both) // 2}\n"
    add("real.mtx", f"{banner} real symmetric\n% c\n{sizes}{entries}", halves, 0, REAL, REAL | IN_EDGES, symmetric=1)
    pattern = "".join(f"{a + 1} {b + 1}\n" for a, b, _ in directed)
    add(
        "pattern.mtx",
        f"{banner} pattern general\n{vertices} {vertices} {len(directed)}\n{pattern}",
        directed,
        *all_flags,
    )
    add("plain.metis", metis(vertices, both, False), both, 0, IN_EDGES, symmetric=1)
    add("weighted.graph", metis(vertices, both, True, "7"), both, 0, WEIGHTS, REAL, symmetric=1)
    add("packed.graph.gz", gzip.compress(metis(vertices, both, True).encode()), both, WEIGHTS, symmetric=1)
    add("both.sg", gap(vertices, both, False, False), both, 0, SYMMETRIZE, DEDUPLICATE, IN_EDGES, symmetric=1)
    add("both.wsg", gap(vertices, both, False, True), both, 0, WEIGHTS, REAL | IN_EDGES, symmetric=1)
    add("one.sg", gap(vertices, directed, True, False), directed, *all_flags)
    add("one.wsg", gap(vertices, directed, True, True), directed, *all_flags, *with_weights)
    add("empty.sg", gap(0, [], False, False), [], 0, symmetric=1, count=0)

    # Errors, with their places.
    def wrong(name: str, data: str | bytes, message: str, *flags: int, **options: int) -> None:
        add(name, data, message, *flags, **options)

    filler = "1 2\n" * 3000
    wrong("letters.el", filler + "3 x\n" + filler, "letters.el:3001: error: 'x' is not the id of a vertex")
    wrong("later.csv", "1,2\n\ufeff1,2\n", "later.csv:2: error: '???1' is not the id of a vertex")
    wrong("negative.el", "1 2\n-1 2\n", "negative.el:2: error: vertex -1: ids are 0 to 4294967294 here")
    wrong("sparse2.el", "0 4294967294\n", "sparse2.el: error: 4294967295 vertices, but 1 edges: number vertices from 0")
    wrong("sparse.mtx", f"{banner} pattern general\n90000000 90000000 1\n1 1\n", "sparse.mtx: error: 90000000 vertices")
    wrong("huge.el", "1 99999999999\n", "huge.el:1: error: vertex 99999999999")
    wrong("huger.el", "1 99999999999999999999999\n", "huger.el:1: error: '99999999999999999999999' is not the id")
    wrong("short.el", filler + "5", "short.el:3001: error: the line ends where the id of a vertex is expected")
    wrong("long.el", "1 2 3 4\n", "long.el:1: error: '4' after the end of the edge")
    wrong("nan.wel", "1 2 3\n1 2 nan\n", "nan.wel:2: error: a weight that is not a finite number", WEIGHTS, REAL)
    wrong("inf.wel", "1 2 1e999\n", "inf.wel:1: error: '1e999' is not a weight", REAL)
    wrong("large.wel", "1 2 1e300\n", "large.wel:1: error: a weight that is too large", REAL)
    wrong("half.wel", "1 2 0.5\n", "half.wel:1: error: a weight that is not a 32-bit integer", WEIGHTS)
    wrong("word.wel", "1 2 heavy\n", "word.wel:1: error: 'heavy' is not a weight", WEIGHTS)
    wrong("without.el", "1 2\n", "without.el:1: error: this edge has no weight", WEIGHTS)
    wrong("endless.el", "7" * (3 << 20), "endless.el:1: error: a line is longer than any of this format")
    wrong("binary.el", bytes(range(128, 256)) * 20, "binary.el:1: error: '????????????????????????...' is not the id")
    packed = gzip.compress((plain * 50).encode())
    wrong("cut.el.gz", packed[: len(packed) // 2], "cut.el.gz:")
    wrong("bad.el.gz", packed[:200] + b"xxxx" + packed[204:], "bad.el.gz:")
    wrong("sum.el.gz", packed[:-8] + bytes(8), ": error: cannot be unpacked: incorrect data check")
    # One of several parts has a damaged start: its edges must not be missing silently.
    wrong("part.el.gz", packed + b"x" + packed[1:], ": error: the compressed data is followed by data that is not")
    wrong("lines.el.gz", gzip.compress((filler * 90 + "3 x\n" + filler).encode()), "lines.el.gz:270001: error: 'x' is not")
    wrong("endless.el.gz", gzip.compress(b"7" * (3 << 20)), ": error: a line is longer than any of this format")
    wrong("short.graph.gz", gzip.compress(b"3 1\n2\n1\n"), "short.graph.gz: error: has lines for 2 vertices, but its header")
    wrong("more.graph.gz", gzip.compress(b"% c\n2 1\n2\n1\n1\n"), "more.graph.gz:5: error: a line after the last")
    wrong("count.gr.gz", gzip.compress(b"p sp 3 2\na 1 2 3\n"), "count.gr.gz: error: has 1 entries, but its header says 2")
    wrong("banner.mtx", "%%MatrixMarket vector\n", "banner.mtx:1: error: a Matrix Market file begins with")
    wrong("empty.mtx", "", "empty.mtx:1: error: the file is empty")
    wrong("array.mtx", "%%MatrixMarket matrix array real general\n", "array.mtx:1: error: only coordinate matrices")
    wrong("complex.mtx", f"{banner} complex general\n1 1 0\n", "complex.mtx:1: error: the field 'complex' is not one")
    wrong("skew.mtx", f"{banner} real skew-symmetric\n1 1 0\n", "skew.mtx:1: error: the symmetry 'skew-symmetric'")
    wrong("sizes.mtx", f"{banner} real general\n1 1\n", "sizes.mtx:2: error: expected the numbers of rows, columns and")
    wrong("nothing.mtx", f"{banner} real general\n", "nothing.mtx:1: error: the line with the numbers of rows, columns")
    wrong("wide.mtx", f"{banner} real general\n2 3 0\n", "wide.mtx:2: error: a graph's matrix has as many rows")
    wrong("many.mtx", f"{banner} real general\n-1 -1 0\n", "many.mtx:2: error: there can be 0 to 2^32 - 1 vertices")
    wrong(
        "count.mtx", f"{banner} pattern general\n3 3 3\n1 1\n", "count.mtx: error: has 1 entries, but its header says 3"
    )
    wrong("zero.mtx", f"{banner} pattern general\n3 3 1\n0 1\n", "zero.mtx:3: error: vertex 0: ids are 1 to 3 here")
    wrong("weight.mtx", f"{banner} real general\n3 3 1\n1 1\n", "weight.mtx:3: error: the weight is missing")
    wrong("header.gr", "p max 3 3\n", "header.gr:1: error: expected 'p sp VERTICES ARCS'")
    wrong("numbers.gr", "p sp 3\n", "numbers.gr:1: error: expected the numbers of vertices and arcs after 'p sp'")
    wrong("range.gr", "p sp 3 -3\n", "range.gr:1: error: there can be 0 to 2^32 - 1 vertices, and no negative number")
    wrong("none.gr", "c\n", "none.gr:1: error: the line 'p sp VERTICES ARCS' is missing")
    wrong("kind.gr", "p sp 3 1\nb 1 2 3\n", "kind.gr:2: error: 'b' begins no line of this format")
    wrong("count.gr", "p sp 3 2\na 1 2 3\n", "count.gr: error: has 1 entries, but its header says 2")
    wrong("header.metis", "x\n", "header.metis:1: error: expected the numbers of vertices and edges")
    wrong("format.metis", "1 0 7\n\n", "format.metis:1: error: the format is three digits 0 or 1")
    wrong("five.metis", "1 0 0 1 9\n\n", "five.metis:1: error: expected at most four numbers")
    wrong("range.metis", "-1 0\n", "range.metis:1: error: there can be 0 to 2^32 - 1 vertices, and no negative number")
    wrong("none.metis", "% c\n", "none.metis:1: error: the line with the numbers of vertices and edges is missing")
    wrong("short.metis", "3 1\n2\n1\n", "short.metis: error: has lines for 2 vertices, but its header says 3")
    wrong("more.metis", "2 1\n2\n1\n1\n", "more.metis:4: error: a line after the last vertex, which is 2")
    wrong("weights.metis", "2 1 10\nx 2\n1\n", "weights.metis:2: error: expected the weight of a vertex")
    wrong("oneway.metis", "3 1\n2 3\n\n\n", "oneway.metis: error: the file says that edges have no direction")
    wrong("count.metis", "2 5\n2\n1\n", "count.metis: error: has 2 entries, but its header says 10")
    good = gap(vertices, both, False, False)
    wrong(
        "truncated.sg", good[:-4], f"truncated.sg: error: at byte {len(good) - 4}: the file has {len(good) - 4} bytes"
    )
    wrong("tiny.sg", good[:9], "tiny.sg: error: at byte 9: the file is truncated")
    wrong("first.sg", b"\7" + good[1:], "first.sg: error: at byte 0: the byte that says whether edges are directed")
    wrong("vertices.sg", good[:9] + struct.pack("<q", -5) + good[17:], "vertices.sg: error: at byte 9: -5 vertices")
    wrong("edges.sg", good[:1] + struct.pack("<q", -5) + good[9:], "edges.sg: error: at byte 1: -5 edges")
    offset = 17 + 8 * 50
    wrong("offset.sg", good[:offset] + struct.pack("<q", 1 << 40) + good[offset + 8 :], "offset.sg: error: at byte")
    neighbor = len(good) - 40
    bad = good[:neighbor] + struct.pack("<i", -3) + good[neighbor + 4 :]
    wrong("neighbor.sg", bad, f"neighbor.sg: error: at byte {neighbor}: vertex -3: ids are 0 to 96 here")
    bad = good[:neighbor] + struct.pack("<i", 96) * 10
    wrong("oneway.sg", bad, "oneway.sg: error: the file says that edges have no direction")
    wrong("without.sg", good, "without.sg: error: this graph has no weights", WEIGHTS)
    wrong("which.bin", "", "which.bin: error: the name's end is that of no known format")
    wrong("both.el", "", "error: weights are either integers or real numbers", WEIGHTS | REAL)
    wrong("range.el", "0 1\n", "error: weight_min is larger than weight_max", WEIGHTS, low=9, high=3)
    wrong("least2.el", "0 1\n", "error: there can be 0 to 2^32 - 1 vertices", least=-4)
    for name, message in (
        (str(scratch / "missing.el"), "missing.el: error: No such file or directory"),
        (str(scratch / "missing.sg"), "missing.sg: error: No such file or directory"),
        ("rmat:3", "rmat:3: error: write rmat:SCALE:DEGREE, uniform:SCALE:DEGREE or grid:WIDTH:HEIGHT"),
        ("rmat:99:3", "rmat:99:3: error: SCALE is 0 to 31 and DEGREE 0 to 2^20"),
        ("uniform:31:0", "uniform:31:0: error: 2147483648 vertices, but 0 edges"),
        ("rmat:31:1048576", "rmat:31:1048576: error: not enough memory: 2147483648 vertices and their edges take at"),
        ("grid:0:5", "grid:0:5: error: a grid has 1 to 2^32 - 1 vertices"),
    ):
        cases.append(Case(name, message))
    (scratch / "folder.el").mkdir(exist_ok=True)
    cases.append(Case(str(scratch / "folder.el"), "folder.el: error: not a regular file"))
    cases.append(
        Case("uniform:4:2", "uniform:4:2: error: a generated graph has no weights of its own", flags=WEIGHTS)
    )

    grid: Edges = [(y * 5 + x, y * 5 + x + 1, 0) for y in range(4) for x in range(4)]
    grid += [(y * 5 + x, y * 5 + x + 5, 0) for y in range(3) for x in range(5)]
    for flags in (0, SYMMETRIZE, IN_EDGES):
        cases.append(Case("grid:5:4", transformed(grid, flags), 20, bool(flags & SYMMETRIZE), flags=flags))
    # A generator must draw the same graph for all numbers of processes, which the test compares.
    for name, count in (("rmat:7:6", 128), ("uniform:7:6", 128), ("rmat:0:3", 1)):
        for flags in (0, SYMMETRIZE | DROP_LOOPS | WEIGHTS, IN_EDGES | REAL):
            drawn = {"low": 3, "high": 9} if flags else {}
            cases.append(Case(name, "*", count, flags=flags, seed=5, **drawn))
    path = write("drawn.el", plain)
    cases.append(Case(path, "*", vertices, flags=SYMMETRIZE | WEIGHTS, seed=1, low=-2, high=2))
    return cases


def blocks_of(output: str) -> list[tuple[str, list[str]]]:
    blocks: list[tuple[str, list[str]]] = []
    for line in output.splitlines():
        if line.startswith("== "):
            blocks.append((line[3:], []))
        elif line != "end":
            blocks[-1][1].append(line)
    return blocks


def parsed(lines: list[str]) -> Edges:
    return [(int(a), int(b), float(w)) for a, b, w in (line.split() for line in lines)]


def check(case: Case, head: str, lines: list[str]) -> str:
    code, _, rest = head.partition(" ")
    if isinstance(case.expected, str) and case.expected != "*":
        return "" if code != "0" and case.expected in rest else f"expected the error '{case.expected}'"
    if code != "0":
        return "expected a graph"
    at = lines.index("in") if "in" in lines else len(lines)
    out, into = parsed(lines[:at]), parsed(lines[at + 1 :])
    if case.flags & IN_EDGES and sorted((b, a, w) for a, b, w in into) != sorted(out):
        return "in-edges are not the out-edges"
    if case.expected == "*":
        low, high = case.options[3:]
        if case.flags & SYMMETRIZE and sorted((b, a, w) for a, b, w in out) != sorted(out):
            return "not symmetric"
        if case.flags & (WEIGHTS | REAL) and not all(low <= w <= high for _, _, w in out):
            return "a weight out of range"
        return (
            "" if len({w for _, _, w in out}) > 2 or not case.flags or case.vertices == 1 else "weights are all equal"
        )
    if sorted(out) != sorted(case.expected):
        return "other edges"
    vertices, edges, symmetric = map(int, rest.split())
    expected = (case.vertices, len(case.expected), case.symmetric)
    return "" if (vertices, edges, bool(symmetric)) == expected else f"expected {expected}"


def main() -> None:
    scratch = Path(sys.argv[1])
    scratch.mkdir(parents=True, exist_ok=True)
    cases = make(scratch)
    (scratch / "list").write_text("".join(case.line() for case in cases), encoding="utf-8")
    result = subprocess.run([*sys.argv[2:], str(scratch / "list")], capture_output=True, text=True, timeout=200)
    blocks = blocks_of(result.stdout)
    if result.returncode or len(blocks) != len(cases) or not result.stdout.endswith("end\n"):
        last = cases[min(len(blocks), len(cases) - 1)].line()
        sys.exit(f"ended with {result.returncode} at or after {last}{result.stdout[-300:]}{result.stderr[-2000:]}")
    failures = 0
    for case, (head, lines) in zip(cases, blocks):
        if complaint := check(case, head, lines):
            failures += 1
            print(f"{case.line().strip()}: {complaint}; got: {head}")
    # Order within a vertex depends on the partition; edges do not.
    drawn = [sorted(lines) for case, (_, lines) in zip(cases, blocks) if case.expected == "*"]
    (scratch / "drawn").write_text(repr(drawn), encoding="utf-8")
    print(f"{len(cases)} cases, {failures} wrong")


main()
