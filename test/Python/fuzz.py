# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: E501
# RUN: %pytest %s
"""Calls all functions with random arguments: an exception that describes the error, never a crash.

PYTHONPATH=build/python python test/Python/fuzz.py [--seconds 3600] [--seed 1]
"""

import argparse
import gc
import random
import time
import weakref

import pytest
from conftest import PROGRAM

from comm_mlir import _core, ir
from comm_mlir.dialects import arith, comm, func, memref, scf
from comm_mlir.passmanager import PassManager, apply_patterns, register_pass

EXPECTED = (ValueError, TypeError, IndexError, KeyError, RuntimeError, AttributeError, ir.MLIRError, RecursionError)
PIPELINES = ("cse", "canonicalize", "comm-split-blocking{abi=openmpi4},comm-isolate-loops,comm-move-slices",
             "builtin.module(func.func(cse))", "func.func(canonicalize)", "test-fuzz", "builtin.module(func.func(test-fuzz),cse)",
             "any(cse)", "frob", "builtin.module(", "symbol-dce", "inline")  # fmt: skip
OPERATIONS = ("arith.addi", "arith.constant", "func.return", "scf.for", "scf.yield", "comm.send", "comm.wait", "comm.cdag",
              "memref.load", "func.func", "builtin.module", "func.call", "cf.br", "llvm.store", "frob.frob", "nodot",
              "scf.if", "comm.constant", "comm.allreduce")  # fmt: skip
# Functions that end the program or write files.
LEFT_OUT = ("write_bytecode", "parse_file", "parseFile")


class Fuzzer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pool: list[object] = []
        self.calls = self.raised = 0
        for _ in range(2):
            context = ir.Context()
            context.allow_unregistered_dialects = self.random.random() < 0.3
            with context, ir.Location.unknown():
                self.pool += [context, ir.Location.unknown(), ir.Location.file("a.c", 1, 2)]
                self.pool += [ir.Module.parse(PROGRAM), ir.Module.parse(PROGRAM), ir.Module.create()]
                self.pool += [ir.F64Type.get(), ir.IndexType.get(), ir.IntegerType.get_signless(32)]
                self.pool += [ir.MemRefType.get([8], ir.F64Type.get()), ir.Attribute.parse("1 : i32")]
        fuzzer = weakref.ref(self)

        @register_pass("test-fuzz")
        def run(op: ir.Operation) -> None:
            """A pass that does anything, too."""
            me = fuzzer()
            if me is not None:
                me.pool.append(op)
                for _ in range(me.random.randrange(12)):
                    me.step()
                if me.random.random() < 0.3:
                    raise ValueError("at random")

    def argument(self) -> object:
        if self.random.random() < 0.75:
            return self.random.choice(self.pool)
        return self.random.choice([None, 0, 1, -1, 7, 1 << 70, True, 0.5, "", "sym_name", "i32", [], {}, (), b"ML\xefR",
                                   "\0", "func.return", {"a": 1}, [self.random.choice(self.pool)], range(3), print,
                                   lambda *args: None, object()])  # fmt: skip

    def values(self) -> list[object]:
        kinds = [o for o in self.random.sample(self.pool, min(40, len(self.pool))) if isinstance(o, ir.Value)]
        return kinds[: self.random.randrange(4)]

    def types(self) -> list[object]:
        kinds = [o for o in self.random.sample(self.pool, min(40, len(self.pool))) if isinstance(o, ir.Type)]
        return kinds[: self.random.randrange(3)]

    def one(self, kind: type) -> object:
        found = [o for o in self.random.sample(self.pool, min(60, len(self.pool))) if isinstance(o, kind)]
        return found[0] if found and self.random.random() < 0.95 else self.argument()

    def keep(self, result: object) -> None:
        if isinstance(result, (list, tuple)):
            for item in result[:8]:
                self.keep(item)
        elif result is not None and not isinstance(result, (bool, int, float, str, bytes, dict)):
            self.pool.append(result)

    def build(self) -> object:
        attributes = {
            self.random.choice(["value", "sym_name", "mode", "x", "callee", "function_type"]): self.argument()
        }
        return ir.Operation.create(
            self.random.choice(OPERATIONS),
            results=self.types(),
            operands=self.values(),
            attributes=attributes if self.random.random() < 0.4 else None,
            successors=[self.one(ir.Block)] if self.random.random() < 0.1 else None,
            regions=self.random.randrange(3),
            loc=self.one(ir.Location) if self.random.random() < 0.8 else None,
            ip=self.random.choice([self.one(ir.InsertionPoint), False, None]),
            operand_segments=[1, 0, 2] if self.random.random() < 0.1 else None,
        )

    def build_typed(self) -> object:
        loc, ip = self.one(ir.Location), self.one(ir.InsertionPoint)
        value, other, third = self.one(ir.Value), self.one(ir.Value), self.one(ir.Value)
        return self.random.choice([
            lambda: arith.AddIOp(value, other, loc=loc, ip=ip),
            lambda: arith.cmpi("slt", value, other, loc=loc, ip=ip),
            lambda: scf.ForOp(value, other, third, [value], loc=loc, ip=ip),
            lambda: scf.IfOp(value, self.types(), loc=loc, ip=ip),
            lambda: memref.load(value, [other], loc=loc, ip=ip),
            lambda: func.FuncOp("f", (self.types(), self.types()), loc=loc, ip=ip),
            lambda: func.return_(self.values(), loc=loc, ip=ip),
            lambda: comm.allreduce(value, other, op=third, comm=value, mode="async", loc=loc, ip=ip),
            lambda: comm.wait(value, loc=loc, ip=ip),
            lambda: comm.constant("MPI_COMM_WORLD", loc=loc, ip=ip),
        ])()  # fmt: skip

    def method(self) -> object:
        target = self.random.choice(self.pool)
        names = [n for n in dir(type(target)) if n not in LEFT_OUT and (not n.startswith("_") or n in SPECIAL)]
        name = self.random.choice(names)
        if name in ("__init__", "__class__"):
            return None
        found = getattr(target, name)
        if callable(found) and not isinstance(found, ir.Operation):
            if name in ("walk",):
                return found(lambda op: self.pool.append(op) if self.random.random() < 0.2 else self.step_one(op))
            return found(*[self.argument() for _ in range(self.random.randrange(4))])
        return found

    def step_one(self, op: ir.Operation) -> None:
        """The action of a walk's callback, which often erases."""
        if self.random.random() < 0.1:
            try:
                op.erase()
            except EXPECTED:
                self.raised += 1

    def passes(self) -> object:
        context = self.one(ir.Context)
        manager = PassManager.parse(self.random.choice(PIPELINES), context)  # type: ignore[arg-type]
        manager.enable_remarks()
        if self.random.random() < 0.5:
            manager.enable_statistics()
        manager.run(self.one(self.random.choice([ir.Module, ir.Operation])))  # type: ignore[arg-type]
        return list(manager.remarks)

    def patterns(self) -> object:
        def pattern(op: ir.Operation, rewriter: object) -> bool:
            self.step()
            return self.random.random() < 0.02

        return apply_patterns(self.one(ir.Module), {"*": pattern}, max_rewrites=20)  # type: ignore[arg-type]

    def drop(self) -> object:
        for _ in range(self.random.randrange(1, 12)):
            if len(self.pool) > 24:
                self.pool.pop(self.random.randrange(len(self.pool)))
        if self.random.random() < 0.05:
            gc.collect()
        return None

    def again(self) -> object:
        context = self.one(ir.Context)
        return ir.Module.parse(PROGRAM, context)  # type: ignore[arg-type]

    def look(self) -> object:
        """Down into a module."""
        module = self.one(ir.Module)
        block = module.body.operations[0].regions[0].blocks[0]  # type: ignore[attr-defined]
        op = block.operations[self.random.randrange(len(block.operations))]
        return [op, block, *op.results, *block.arguments, ir.InsertionPoint(op), ir.InsertionPoint(block), op.regions]

    def step(self) -> None:
        kinds = (
            [self.method] * 12 + [self.build] * 3 + [self.build_typed] * 3 + [self.look] * 4 + [self.drop, self.again]
        )
        if self.random.random() < 0.02:
            kinds = [self.passes, self.patterns]
        self.calls += 1
        try:
            self.keep(self.random.choice(kinds)())
        except EXPECTED:
            self.raised += 1
        except StopIteration:
            pass
        if len(self.pool) > 400:
            self.drop()


SPECIAL = ("__str__", "__repr__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__iter__", "__next__", "__eq__",
           "__hash__", "__contains__", "__enter__", "__exit__", "_build")  # fmt: skip


def run(seed: int, steps: int) -> Fuzzer:
    fuzzer = Fuzzer(seed)
    for _ in range(steps):
        fuzzer.step()
    return fuzzer


@pytest.mark.parametrize("seed", range(6))
def test_fuzz(seed):
    fuzzer = run(seed, 1500)
    assert fuzzer.calls >= 1500 and fuzzer.raised > 100
    assert _core.version()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long")
    parser.add_argument("--seed", type=int, default=1000, help="the first seed")
    args = parser.parse_args()
    end, number, total = time.monotonic() + args.seconds, args.seed, 0
    while time.monotonic() < end:
        print(f"seed {number}", flush=True)
        total += run(number, 3000).calls
        number += 1
    print(f"{number - args.seed} seeds, {total} calls, no crash")
