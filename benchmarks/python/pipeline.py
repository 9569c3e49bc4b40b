#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the overhead of a pipeline in Python on a module of 10,000 operations, compared with comm-opt.

PYTHONPATH=build/python .venv/bin/python3 benchmarks/python/pipeline.py
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from comm_mlir.ir import Context, Module
from comm_mlir.passmanager import PassManager
from comm_mlir.tools import command

PIPELINE = (
    "comm-split-blocking{abi=openmpi4},comm-isolate-loops,comm-move-slices,comm-merge-useless-splits,canonicalize,cse"
)


def program(functions=400, adds=17):
    """Returns a program of about 10,000 operations: messages, loops, arithmetic."""
    lines = []
    for number in range(functions):
        lines += [
            f"func.func @f{number}(%n: index, %peer: i32, %c: !comm.comm) -> i32 {{",
            "  %zero = arith.constant 0 : index",
            "  %one = arith.constant 1 : index",
            "  %a = memref.alloc() : memref<64xi32>",
            "  %b = memref.alloc() : memref<64xi32>",
            "  comm.recv buf(%a : memref<64xi32>) source(%peer) tag(%peer) comm(%c)",
            "  scf.for %i = %zero to %n step %one { memref.store %peer, %b[%i] : memref<64xi32> }",
            "  %v0 = memref.load %a[%zero] : memref<64xi32>",
        ]
        lines += [f"  %v{k + 1} = arith.addi %v{k}, %peer : i32" for k in range(adds)]
        lines += [f"  return %v{adds} : i32", "}"]
    return "\n".join(lines)


def run_once(text):
    """Returns the number of operations, and the seconds of run() and of the passes in it."""
    with Context():
        module = Module.parse(text)
        count = 0

        def visit(op):
            nonlocal count
            count += 1

        module.walk(visit)
        manager = PassManager.parse(PIPELINE)
        manager.enable_timing()
        begin = time.perf_counter()
        manager.run(module)
        whole = time.perf_counter() - begin
        return count, whole, sum(time.seconds for time in manager.timing.values())


def measure(repeat=5):
    """Returns the least share of run() outside of passes, in percent, and the total seconds of Python and of
    comm-opt."""
    text = program()
    runs = [run_once(text) for _ in range(repeat)]
    count, whole, passes = min(runs, key=lambda r: r[1] - r[2])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.mlir"
        path.write_text(text)
        line = [*command("comm-opt"), str(path), f"-pass-pipeline=builtin.module({PIPELINE})"]
        line += ["-o", str(path) + ".out"]
        script = (
            "import sys; from comm_mlir.ir import *; from comm_mlir.passmanager import PassManager\n"
            "with Context():\n"
            "    module = Module.parse_file(sys.argv[1]); PassManager.parse(sys.argv[2]).run(module)\n"
            "    open(sys.argv[1] + '.out', 'w').write(str(module))\n"
        )
        times = []
        for start in ([sys.executable, "-c", script, str(path), PIPELINE], line):
            least = []
            for _ in range(repeat):
                begin = time.perf_counter()
                subprocess.run(start, check=True)
                least.append(time.perf_counter() - begin)
            times.append(min(least))
    return count, 100 * (whole - passes) / passes, whole, passes, times[0], times[1]


def main():
    count, percent, whole, passes, python, tool = measure()
    print(f"{count} operations: run() {whole * 1e3:.1f} ms, passes {passes * 1e3:.1f} ms: {percent:.1f}% beyond them")
    print(f"from start to end: Python {python * 1e3:.0f} ms, comm-opt {tool * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
