#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it costs to build 100,000 operations, and in jaxlib, whose wheel has MLIR's own bindings, where it is installed.

    PYTHONPATH=build/python .venv/bin/python3 benchmarks/python/build.py
"""

import importlib
import time


def measure(package, count=100_000, repeat=5):
    """The least seconds of the processor for arith.addi, and for Operation.create."""
    ir = importlib.import_module(f"{package}.ir")
    arith = importlib.import_module(f"{package}.dialects.arith")
    func = importlib.import_module(f"{package}.dialects.func")
    built, created = [], []
    with ir.Context(), ir.Location.unknown():
        index = ir.IndexType.get()
        for _ in range(repeat):
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                function = func.FuncOp("f", ([index], []))
            block = function.add_entry_block()
            value = argument = block.arguments[0]
            with ir.InsertionPoint(block):
                begin = time.process_time()
                for _ in range(count):
                    value = arith.addi(value, argument)
                middle = time.process_time()
                for _ in range(count):
                    value = ir.Operation.create("arith.addi", results=[index], operands=[value, argument]).result
                end = time.process_time()
            built.append(middle - begin)
            created.append(end - middle)
    return min(built), min(created)


def main():
    for package in ("comm_mlir", "jaxlib.mlir"):
        try:
            built, created = measure(package)
        except ImportError:
            print(f"{package}: not installed")
            continue
        print(f"{package}: builder {built:.3f} s, Operation.create {created:.3f} s")


if __name__ == "__main__":
    main()
