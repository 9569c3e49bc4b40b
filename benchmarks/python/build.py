#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures building 100,000 operations, also with jaxlib, whose wheel has MLIR's own bindings, if it is installed.

PYTHONPATH=build/python .venv/bin/python3 benchmarks/python/build.py
"""

import importlib
import time

COUNT = 100_000


def forms(ir, arith, index, argument):
    """Returns the usual ways to build arith.addi, each a function that builds COUNT of them."""

    def builder():
        value = argument
        for _ in range(COUNT):
            value = arith.addi(value, argument)

    def cls():
        value = argument
        for _ in range(COUNT):
            value = arith.AddIOp(value, argument).result

    def create():
        value = argument
        for _ in range(COUNT):
            value = ir.Operation.create("arith.addi", results=[index], operands=[value, argument]).result

    def kept():
        ops = []
        for _ in range(COUNT):
            ops.append(ir.Operation.create("arith.addi", results=[index], operands=[argument, argument]))

    return {"arith.addi": builder, "arith.AddIOp": cls, "Operation.create": create, "Operation.create, kept": kept}


def measure(package, repeat=5):
    """Returns the minimum of processor seconds for each way."""
    ir = importlib.import_module(f"{package}.ir")
    arith = importlib.import_module(f"{package}.dialects.arith")
    func = importlib.import_module(f"{package}.dialects.func")
    least = {}
    with ir.Context(), ir.Location.unknown():
        index = ir.IndexType.get()
        for _ in range(repeat):
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                function = func.FuncOp("f", ([index], []))
            block = function.add_entry_block()
            with ir.InsertionPoint(block):
                for name, build in forms(ir, arith, index, block.arguments[0]).items():
                    begin = time.process_time()
                    build()
                    seconds = time.process_time() - begin
                    least[name] = min(least.get(name, seconds), seconds)
    return least


def main():
    for package in ("comm_mlir", "jaxlib.mlir"):
        try:
            least = measure(package)
        except ImportError:
            print(f"{package}: not installed")
            continue
        print(f"{package}: " + "; ".join(f"{name} {seconds:.3f} s" for name, seconds in least.items()))


if __name__ == "__main__":
    main()
