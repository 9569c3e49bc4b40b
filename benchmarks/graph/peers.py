# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other distributed graph engines, from their authors' sources: how to build and run their programs on the graph files
of the GAP benchmark suite. This repository contains no part of them."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import numpy


def read_graph(path: Path) -> tuple[int, numpy.ndarray, numpy.ndarray, numpy.ndarray | None]:
    """Reads a .sg or .wsg file: the number of vertices, the ends of their rows, and targets and weights of the
    edges."""
    with path.open("rb") as file:
        edges, vertices = struct.unpack("<qq", file.read(17)[1:])
        offsets = numpy.fromfile(file, dtype=numpy.int64, count=vertices + 1)
        entries = numpy.fromfile(file, dtype=numpy.uint32)
    if path.suffix == ".sg":
        return vertices, offsets, entries, None
    entries = entries.reshape(edges, 2)
    return vertices, offsets, numpy.ascontiguousarray(entries[:, 0]), numpy.ascontiguousarray(entries[:, 1])


def make(path: Path, write) -> Path:
    """Writes a file atomically, unless it exists."""
    if not path.exists():
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            write(file)
        part.rename(path)
    return path


class Gemini:
    """thu-pacman/GeminiGraph: each process has one thread that computes, and two that send and receive."""

    name = "gemini"
    programs = {"sssp": "sssp", "cc": "cc", "pr": "pagerank", "bfs": "bfs", "bc": "bc"}

    def __init__(self, source: Path, scratch: Path, env: dict[str, str]):
        self.folder, self.env = scratch / "gemini", env
        if not (self.folder / "toolkits/bc").exists():
            shutil.copytree(source, self.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
            header = self.folder / "core/graph.hpp"
            # A function lacks its return statement; with new compilers, control continues in the code after it.
            text = header.read_text(encoding="utf-8")
            header.write_text(
                text.replace("  T * dealloc_vertex_array", "  void dealloc_vertex_array"), encoding="utf-8"
            )
            subprocess.run(
                ["make", "-C", str(self.folder), "CXXFLAGS=-O3 -w -std=c++11 -fopenmp -march=native -I."],
                check=True,
                env=dict(env, OMPI_CXX="g++"),
                stdout=subprocess.DEVNULL,
            )
        # Gemini uses as many threads as the machine has processors.
        self.shim = self.folder / "one.so"
        if not self.shim.exists():
            code = self.folder / "one.c"
            code.write_text("int numa_num_configured_cpus(void) { return 1; }\n", encoding="ascii")
            subprocess.run(["cc", "-shared", "-fPIC", str(code), "-o", str(self.shim)], check=True)

    def prepare(self, graph: Path) -> Path:
        def write(file) -> None:
            vertices, offsets, targets, weights = read_graph(graph)
            rows = numpy.empty((len(targets), 2 if weights is None else 3), dtype=numpy.uint32)
            rows[:, 0] = numpy.repeat(numpy.arange(vertices, dtype=numpy.uint32), numpy.diff(offsets))
            rows[:, 1] = targets
            if weights is not None:
                rows[:, 2] = weights.astype(numpy.float32).view(numpy.uint32)
            rows.tofile(file)

        return make(graph.with_name(graph.name + ".gemini"), write)

    def command(self, program: str, graph: Path, vertices: int, source: int, iterations: int, trials: int) -> list[str]:
        # Gemini runs six times.
        words = [str(self.folder / "toolkits" / self.programs[program]), str(self.prepare(graph)), str(vertices)]
        if program in ("bfs", "sssp", "bc"):
            words.append(str(source))
        if program == "pr":
            words.append(str(iterations))
        return ["mpirun", "-n", "2", "-x", f"LD_PRELOAD={self.shim}", "-x", "OMP_NUM_THREADS=1", *words]

    @staticmethod
    def times(output: str) -> list[float]:
        return [float(value) for value in re.findall(r"exec_time=([\d.]+)", output)][1:]


class Galois:
    """IntelligentSoftwareSystems/Galois (D-Galois, Gluon), from its own build tree."""

    name = "galois"
    programs = {
        "sssp": "sssp/sssp-push-dist",
        "cc": "connected-components/connected-components-push-dist",
        "pr": "pagerank/pagerank-pull-dist",
        "bfs": "bfs/bfs-push-dist",
        "bc": "betweennesscentrality/betweennesscentrality-level-dist",
        "tc": "triangle-counting/triangle-counting-dist",
    }

    def __init__(self, build: Path, scratch: Path, env: dict[str, str]):
        self.folder = build / "lonestar/analytics/distributed"
        self.scratch, self.env = scratch, env
        there = [name for name, path in self.programs.items() if (self.folder / path).exists()]
        self.programs = {name: self.programs[name] for name in there}

    def prepare(self, graph: Path) -> Path:
        def write(file) -> None:
            vertices, offsets, targets, weights = read_graph(graph)
            numpy.array([1, 0 if weights is None else 4, vertices, len(targets)], dtype=numpy.uint64).tofile(file)
            offsets[1:].astype(numpy.uint64).tofile(file)
            targets.tofile(file)
            if len(targets) % 2:
                numpy.zeros(1, dtype=numpy.uint32).tofile(file)
            if weights is not None:
                weights.tofile(file)

        return make(graph.with_name(graph.name + ".gr"), write)

    def command(self, program: str, graph: Path, vertices: int, source: int, iterations: int, trials: int) -> list[str]:
        words = [str(self.folder / self.programs[program]), str(self.prepare(graph)), "-symmetricGraph", "-t=1"]
        words += [f"-runs={trials}", f"-statFile={self.scratch / 'galois.stats'}"]
        if program in ("bfs", "sssp", "bc"):
            words.append(f"-startNode={source}")
        if program == "bc":
            words.append("-singleSource")
        if program == "pr":
            words += [f"-maxIterations={iterations}", "-tolerance=0"]
        else:
            words.append("-maxIterations=1000000")
        if program in ("bc", "tc"):
            words.remove("-maxIterations=1000000")
        if program in ("sssp", "pr"):
            # The faster of its two modes, and the one whose rounds can be counted. Breadth-first search is faster in
            # the other mode, which is its default.
            words.append("-exec=Sync")
        return ["mpirun", "-n", "2", *words]

    def times(self, output: str) -> list[float]:
        """Returns the milliseconds of whole runs, each of the slowest process."""
        path = self.scratch / "galois.stats"
        text = path.read_text(encoding="utf-8")
        os.unlink(path)
        found = re.findall(r"^STAT, *\d+, *[^,]*, *Timer_(\d+), *HMAX, *([\d.]+)", text, re.MULTILINE)
        return [float(value) / 1000 for number, value in sorted(found) if number != "0"]


class BoostGraph:
    """The Parallel Boost Graph Library: pbgl.cpp, compiled with the system's Boost."""

    name = "pbgl"
    programs = {"sssp": "sssp", "pr": "pr", "bfs": "bfs"}

    def __init__(self, source: Path, scratch: Path, env: dict[str, str]):
        self.binary = scratch / "pbgl"
        if not self.binary.exists():
            libraries = ["-lboost_graph_parallel", "-lboost_mpi", "-lboost_serialization"]
            flags = ["-std=c++14", "-O3", "-march=native", "-w", "-DBOOST_ALLOW_DEPRECATED_HEADERS"]
            subprocess.run(
                ["mpicxx", *flags, str(source), *libraries, "-o", str(self.binary)],
                check=True,
                env=dict(env, OMPI_CXX="g++"),
            )

    def command(self, program: str, graph: Path, vertices: int, source: int, iterations: int, trials: int) -> list[str]:
        return ["mpirun", "-n", "2", str(self.binary), program, str(graph), str(source), str(iterations), str(trials)]

    @staticmethod
    def times(output: str) -> list[float]:
        return [float(value) for value in re.findall(r"Trial Time: +([\d.]+)", output)][1:]
