#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a call of a compiled function, and a second start with the cache.

    PYTHONPATH=build/python .venv/bin/python3 benchmarks/python/jit.py

A start is a separate process: the time from the end of the imports to the end of the first call.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import comm_mlir
import comm_mlir.execution
import comm_mlir.tracing
from comm_mlir.dialects import arith, memref
from comm_mlir.ir import IndexType


@comm_mlir.jit
def touch(x, y):
    zero = arith.constant(IndexType.get(), 0)
    memref.store(memref.load(y, [zero]), x, [zero])


def start():
    x, y = np.zeros(8), np.ones(8)
    begin = time.perf_counter()
    touch(x, y)
    return time.perf_counter() - begin


def call(function, x, y, count=200_000):
    begin = time.perf_counter()
    for _ in range(count):
        function(x, y)
    return (time.perf_counter() - begin) / count * 1e6


def main():
    if sys.argv[1:] == ["start"]:
        print(start())
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COMM_CACHE_DIR"] = folder
        times = [
            float(
                subprocess.run([sys.executable, __file__, "start"], capture_output=True, text=True, check=True).stdout
            )
            for _ in range(6)
        ]
        x, y = np.zeros(8), np.ones(8)
        touch(x, y)
        direct = touch.compiled(x, y).touch
        calls = [min(call(f, x, y) for _ in range(5)) for f in (touch, direct, lambda a, b: None)]
    print(
        f"call of a jit: {calls[0]:.2f} us, of a program's function: {calls[1]:.2f} us,"
        f" of an empty lambda: {calls[2]:.2f} us"
    )
    print(f"first start: {times[0] * 1e3:.1f} ms; later: {', '.join(f'{t * 1e3:.1f}' for t in times[1:])} ms")


if __name__ == "__main__":
    main()
