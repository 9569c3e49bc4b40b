#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compute the memory and messages of a process among many: the partition is computed as the loader does it, and a
breadth-first search runs over it, level by level.

    scale.py [--graphs rmat18,grid1000] [--processes 64,1024,16384]

bytes: of the largest process, the graph and one property of four bytes. border: ghosts. partners: processes that own
some of them; a pulse sends a process' updates to each in one message at most. directory: bytes, of the process that has
the most, of what is known of who has which vertices and edges (runtime/lib/graph-run/Directory.h). What libCommReduce.a
keeps follows the partners. messages: what its sparse transport sends."""

from __future__ import annotations

import argparse

import numpy


def rmat(scale: int, degree: int, seed: int) -> tuple[int, numpy.ndarray, numpy.ndarray]:
    draw = numpy.random.default_rng(seed)
    count = degree << scale
    source, target = numpy.zeros(count, numpy.int64), numpy.zeros(count, numpy.int64)
    for bit in range(scale):
        roll = draw.random(count)
        source |= (roll > 0.76).astype(numpy.int64) << bit
        target |= (((roll > 0.57) & (roll <= 0.76)) | (roll > 0.95)).astype(numpy.int64) << bit
    order = draw.permutation(1 << scale)
    return 1 << scale, order[source], order[target]


def grid(side: int) -> tuple[int, numpy.ndarray, numpy.ndarray]:
    number = numpy.arange(side * side).reshape(side, side)
    source = numpy.concatenate((number[:, :-1].ravel(), number[:-1].ravel()))
    target = numpy.concatenate((number[:, 1:].ravel(), number[1:].ravel()))
    return side * side, source, target


def symmetrize(vertices: int, source: numpy.ndarray, target: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns each edge in both directions, without duplicates and loops, sorted."""
    both = numpy.concatenate((source * vertices + target, target * vertices + source))
    both = numpy.unique(both[both // vertices != both % vertices])
    return both // vertices, both % vertices


def partition(vertices: int, source: numpy.ndarray, processes: int) -> numpy.ndarray:
    """Returns the owner of each vertex: contiguous ranges, in which vertices and edges have a cost of one each."""
    load = numpy.cumsum(numpy.bincount(source, minlength=vertices) + 1)
    return numpy.minimum((load - 1) * processes // load[-1], processes - 1)


def directory(counts: numpy.ndarray) -> numpy.ndarray:
    """Returns the number of ranges that each process answers for: those in its part of all numbers. `counts` has the
    number of vertices or edges of each process."""
    processes, total = len(counts), int(counts.sum())
    block = total // processes + 1
    ends = numpy.cumsum(counts)
    first, last = (ends - counts) // block, (ends - 1) // block
    is_there = counts > 0
    begins = numpy.bincount(first[is_there], minlength=processes + 1)
    stops = numpy.bincount(last[is_there] + 1, minlength=processes + 1)
    return numpy.cumsum(begins - stops[: len(begins)])[:processes]


def search(vertices: int, source: numpy.ndarray, target: numpy.ndarray, owner: numpy.ndarray) -> tuple[int, float, int]:
    """Returns the pulses and the messages of a process per pulse: the mean over pulses of the mean, and the maximum."""
    processes = int(owner.max()) + 1
    offsets = numpy.searchsorted(source, numpy.arange(vertices + 1))
    reached = numpy.zeros(vertices, bool)
    frontier = numpy.array([int(numpy.argmax(numpy.diff(offsets)))])
    reached[frontier] = True
    means, most = [], 0
    while len(frontier):
        lengths = offsets[frontier + 1] - offsets[frontier]
        starts = numpy.repeat(offsets[frontier] - numpy.concatenate(([0], numpy.cumsum(lengths)[:-1])), lengths)
        edges = starts + numpy.arange(lengths.sum())
        edges = edges[~reached[target[edges]]]
        crossing = edges[owner[source[edges]] != owner[target[edges]]]
        pairs = numpy.unique(owner[source[crossing]] * processes + owner[target[crossing]])
        sent = numpy.bincount(pairs // processes, minlength=processes)
        means.append(sent.mean())
        most = max(most, int(sent.max()))
        frontier = numpy.unique(target[edges])
        reached[frontier] = True
    return len(means), float(numpy.mean(means)), most


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--graphs", type=lambda text: text.split(","), default=["rmat18", "grid1000"])
    parser.add_argument("--processes", type=lambda text: list(map(int, text.split(","))), default=[64, 1024, 16384])
    args = parser.parse_args()
    print("| graph | processes | vertices | edges | border | partners | bytes | directory | bytes an edge "
          "| pulses | messages a pulse (mean, most) |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in args.graphs:
        kind, size = name.rstrip("0123456789"), int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
        vertices, source, target = rmat(size, 16, 1) if kind == "rmat" else grid(size)
        source, target = symmetrize(vertices, source, target)
        for processes in args.processes:
            owner = partition(vertices, source, processes)
            cut = owner[source] != owner[target]
            ghosts = numpy.unique(owner[source[cut]] * vertices + target[cut])
            border = numpy.bincount(ghosts // vertices, minlength=processes)
            pairs = numpy.unique(ghosts // vertices * processes + owner[ghosts % vertices])
            partners = numpy.bincount(pairs // processes, minlength=processes)
            owned = numpy.bincount(owner, minlength=processes)
            edges = numpy.bincount(owner[source], minlength=processes)
            # Offsets; ends of edges; for ghosts the id, the place at the owner, and the owner; the property.
            total = 8 * (owned + 1) + 4 * edges + 4 * (owned + border) + 8 * border + 4 * (owned + border)
            # For each partner: data of the copies; for two lists (updates, requests) a cursor, at worst on a page of
            # its own, the list and a block. Blocks that are released after a pulse do not count.
            total += (96 + 2 * (32 + 16)) * partners
            # The partners' ranks, first vertices, and first ghosts.
            total += (4 + 8 + 4) * partners
            # Up to 16 ranges each of vertices and edges are answers to questions that all processes asked together.
            ranges = 24 * (directory(owned) + directory(edges) + 2 * 16)
            total += ranges
            pulses, mean, most = search(vertices, source, target, owner)
            print(f"| {name} | {processes} | {owned.max()} | {edges.max()} | {border.max()} | {partners.max()} "
                  f"| {total.max()} | {ranges.max()} | {total.sum() / len(source):.1f} "
                  f"| {pulses} | {mean:.2f}, {most} |", flush=True)  # fmt: skip


main()
