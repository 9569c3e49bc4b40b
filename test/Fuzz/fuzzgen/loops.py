# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives spelled out: loops of sends and receives over all processes, or nearly (collectives.py)."""

from __future__ import annotations

import random

from collectives import Generator

from .ast import Block, Fixed, Group, Node
from .files import Options, write

HELPERS = r"""
#define WORLD MPI_COMM_WORLD
#define ME int rank, size; MPI_Comm_rank(WORLD, &rank); MPI_Comm_size(WORLD, &size)
enum { most = 8, length = 16 * most };
static int loop_a[length], loop_b[length];
static volatile int opaque = 0;
"""


def _case(rng: random.Random, generator: Generator, number: int) -> list[Node]:
    draw = rng.choice((generator.rooted, generator.rooted, generator.exchange, generator.exchange, generator.ring))
    text = draw(f"loop_{number}").replace("restrict", "RESTRICT")
    body: list[Node] = [
        Fixed("ME;"),
        Block(
            "for (int n = 2; n < (size > 1 ? 4 : 3); ++n) {",
            [
                Fixed(f"for (int i = 0; i < length; ++i) loop_a[i] = rank * 1000000 + {number} * 1000 + i;"),
                Fixed("for (int i = 0; i < length; ++i) loop_b[i] = -loop_a[i];"),
                Fixed(f"loop_{number}(loop_a, loop_b, n + opaque);"),
                Fixed("out[n - 2] = hash_i(loop_a, length, 1u); out[n] = hash_i(loop_b, length, 2u);"),
                Fixed("MPI_Barrier(WORLD);"),
            ],
        ),
    ]
    function: list[Node] = [Fixed(line) for line in text.splitlines()]
    return [Group([*function, Block(f"static NOINLINE void case_{number}(unsigned *out) {{", body)], f"case {number}")]


def program(options: Options) -> str:
    rng, generator = random.Random(f"loops/{options.seed}"), Generator(options.seed)
    nodes = [x for k in range(options.cases) for x in _case(rng, generator, k)]
    return write(options, [HELPERS.strip()], nodes, [], [])
