# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: E501
# RUN: %pytest %s
"""Every public function of the package, and every method of its classes, called with what does not fit: wrong types,
dead objects, operations that do not verify, objects of another context, in other threads. Each call returns or raises
an exception with a message; none crashes the interpreter, hangs, or raises SystemError.

PYTHONPATH=build/python python test/Python/fuzz_api.py [--seconds 3600] [--seed 1] [--say]
"""

import argparse
import collections
import contextlib
import enum
import faulthandler
import importlib
import inspect
import io
import os
import pkgutil
import random
import signal
import sys
import tempfile
import threading
import time
import traceback

import comm_mlir
from comm_mlir import _core, ir
from comm_mlir.dialects import arith, func
from comm_mlir.passmanager import PassManager

PROGRAM = """
func.func @step(%a: memref<8xi64>, %n: index) -> i64 {
  %out = memref.alloc() : memref<8xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = comm.constant "MPI_SUM" : !comm.op
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  comm.allreduce sendbuf(%a : memref<8xi64>) recvbuf(%out : memref<8xi64>) op(%sum) comm(%world)
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<8xi64>
    memref.store %v, %a[%i] : memref<8xi64>
  }
  %r = memref.load %out[%c0] : memref<8xi64>
  return %r : i64
}
"""

# Functions that are not called: they run programs or compilers for seconds (the functions that check their arguments
# are called), end the process, or wait for input.
LEFT_OUT = {
    "comm_mlir.clang.Compilation.executable",
    "comm_mlir.tools.run",
    "comm_mlir.vratio.measure",
}
# Modules of command lines: they call sys.exit.
COMMANDS = ("cli", "__main__", "_")


def public_modules():
    """All modules of the package whose names do not begin with an underscore."""
    found = ["comm_mlir"]
    for info in pkgutil.walk_packages(comm_mlir.__path__, "comm_mlir."):
        if not any(part.startswith("_") or part in COMMANDS for part in info.name.split(".")[1:]):
            found.append(info.name)
    return sorted(found)


def public_functions():
    """Returns pairs of a name and a callable: functions, classes, and (class, method) for methods and properties."""
    found = {}
    for name in public_modules():
        try:
            module = importlib.import_module(name)
        except ImportError:  # a package that is not installed
            continue
        names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
        for public in names:
            member = getattr(module, public, None)
            home = getattr(member, "__module__", "") or ""
            if not callable(member) or not home.startswith("comm_mlir"):
                continue
            path = f"{name}.{public}"
            if inspect.isclass(member) and (issubclass(member, BaseException) or issubclass(member, enum.Enum)):
                continue
            found[path] = member
            if inspect.isclass(member):
                for attribute in dir(member):
                    if attribute.startswith("_") and attribute not in SPECIAL:
                        continue
                    found[f"{path}.{attribute}"] = (member, attribute)
    return {path: member for path, member in found.items() if not any(path.startswith(left) for left in LEFT_OUT)}


SPECIAL = ("__str__", "__repr__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__iter__", "__eq__", "__hash__",
           "__contains__", "__enter__", "__call__", "__int__", "__float__", "_build", "_repr_svg_")  # fmt: skip


# Classes of the extension module, whose methods check arguments in C++.
BOUND = tuple(c for c in vars(_core).values() if isinstance(c, type) and not issubclass(c, (enum.Enum, BaseException)))


class World:
    """Returns objects to call with: alive, dead, of another context, not verified."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pool = []
        self.renew()

    def renew(self):
        self.pool = []
        for _ in range(2):
            context = ir.Context()
            with context, ir.Location.unknown():
                module = ir.Module.parse(PROGRAM)
                function = module.body.operations[0]
                block = function.regions[0].blocks[0]
                ops = list(block.operations)
                bad = ir.Module.parse("module {}")
                with ir.InsertionPoint(bad.body):
                    wrong = func.FuncOp("wrong", ([ir.IndexType.get()], []))
                    inner = wrong.add_entry_block()
                with ir.InsertionPoint(inner):
                    loose = arith.addi(inner.arguments[0], inner.arguments[0])  # and no terminator
                detached = arith.ConstantOp(ir.IndexType.get(), ir.IntegerAttr.get(ir.IndexType.get(), 1), ip=False)
                gone = ir.Module.parse(PROGRAM)
                dead = [
                    gone.body,
                    gone.operation,
                    gone.body.operations[0],
                    *gone.body.operations[0].regions[0].blocks[0],
                ]
                dead += [ir.InsertionPoint(gone.body), dead[3].results]
                keep = gone.body.operations[0].regions[0].blocks[0].arguments
                del gone
                self.pool += [context, module, module.body, function, block, *ops, *block.arguments, bad, wrong, loose]
                self.pool += [
                    detached,
                    *dead,
                    *keep,
                    ir.InsertionPoint(block),
                    ir.InsertionPoint(ops[0]),
                    function.regions,
                ]
                self.pool += [ops[0].result, ops[0].attributes, ops[0].operands, ir.Location.unknown()]
                self.pool += [
                    ir.Location.file("a.c", 1, 2),
                    ir.F64Type.get(),
                    ir.IndexType.get(),
                    ir.Type.parse("memref<8xf64>"),
                ]
                self.pool += [ir.Attribute.parse("1 : i32"), ir.Attribute.parse('"x"'), ir.Attribute.parse("@f")]
                self.pool += [PassManager.parse("cse", context)]

    def junk(self):
        return self.random.choice([None, 0, 1, -1, 1 << 70, True, 0.5, float("nan"), "", "name", "\0", "i32", b"", [], {}, (),
                                   [None], [[]], {"a": 1}, range(3), print, object(), int, {1: 2}, "/nonexistent/x", "-",
                                   "func.func", "\ud800", [1] * 3, ["a"], iter([]), bytearray(8), lambda *a: a])  # fmt: skip

    def argument(self):
        return self.random.choice(self.pool) if self.random.random() < 0.6 else self.junk()

    def instance(self, cls):
        """Returns an object of the class: from the pool, or built at random, or one whose __init__ did not run."""
        found = [o for o in self.pool if isinstance(o, cls)]
        if found and self.random.random() < 0.9:
            return self.random.choice(found)
        if issubclass(cls, BOUND):
            with contextlib.suppress(Exception):
                return cls.__new__(cls)
        return self.argument()

    def call(self, member):
        if isinstance(member, tuple):
            cls, name = member
            static = inspect.getattr_static(cls, name)
            target = cls if isinstance(static, (staticmethod, classmethod)) else self.instance(cls)
            member = getattr(target, name)
            if not callable(member):
                if self.random.random() < 0.3:
                    setattr(target, name, self.argument())
                return member
        count, names = self.shape(member)
        args = [self.argument() for _ in range(count)]
        kwargs = {name: self.argument() for name in names if self.random.random() < 0.3}
        return member(*args, **kwargs)

    def shape(self, member):
        """How many arguments, mostly as many as fit, and names of further ones."""
        try:
            parameters = inspect.signature(member).parameters.values()
        except (TypeError, ValueError):
            return self.random.randrange(5), []
        required = [
            p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        names = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        return len(required) if self.random.random() < 0.8 else self.random.randrange(5), names


UNCLEAR = (AttributeError, SystemExit, UnboundLocalError, NameError, AssertionError, ZeroDivisionError)


class Outcome:
    def __init__(self):
        self.calls = collections.Counter()
        self.raised = collections.Counter()
        self.silent = set()


def attempt(world, path, member, outcome):
    """Performs one call: it may only raise an Exception with a text."""
    outcome.calls[path] += 1
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            result = world.call(member)
        if isinstance(result, (ir.Operation, ir.Value, ir.Block, ir.Type, ir.Attribute, ir.Module)):
            world.pool.append(result)
        elif isinstance(result, (list, tuple)):
            world.pool += [item for item in result[:3] if isinstance(item, (ir.Operation, ir.Value))]
    except SystemError:
        raise
    except (Exception, SystemExit) as error:
        outcome.raised[type(error).__name__] += 1
        where = traceback.extract_tb(error.__traceback__)[-1]
        try:
            said = str(error)
        except TypeError:  # it has the object of a failed call
            said = "?"
        if not said:
            outcome.silent.add((path, type(error).__name__))
        # Functions that a module lists report errors themselves.
        lists = hasattr(sys.modules.get(path.rpartition(".")[0], ir), "__all__")
        own = "comm_mlir" in where.filename and "has no function" not in said
        if isinstance(error, UNCLEAR) and lists and own:
            place = f"{os.path.basename(where.filename)}:{where.lineno}"
            outcome.silent.add((path, f"{type(error).__name__}: {said} ({place})"))
    if len(world.pool) > 600:
        world.renew()


def run(seed, rounds, seconds=None, say=False):
    """Calls everything `rounds` times; with `seconds`, until they are over."""
    end = time.monotonic() + seconds if seconds else None
    outcome, world, functions = Outcome(), World(seed), list(public_functions().items())
    done = 0
    while done < rounds or (end and time.monotonic() < end):
        world.random.shuffle(functions)
        for path, member in functions:
            if say:
                sys.__stderr__.write(path + "\n")
            attempt(world, path, member, outcome)
            if end and time.monotonic() > end and done >= rounds:
                break
        world.renew()
        done += 1
    return outcome


def in_threads(seed, rounds, threads=3):
    """The same world of objects, used by several threads at once."""
    world, functions, failed = World(seed), list(public_functions().items()), []

    def work(number):
        mine = random.Random(seed * 10 + number)
        try:
            for _ in range(rounds):
                outcome = Outcome()
                for path, member in mine.sample(functions, 150):
                    attempt(world, path, member, outcome)
        except BaseException as error:
            failed.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return failed


def tell(text):
    """Threads that redirect the streams, each for its call, may leave them redirected."""
    print(text, file=sys.__stdout__, flush=True)


def test_the_list_is_whole():
    paths = public_functions()
    for path in ("comm_mlir.jit", "comm_mlir.compile", "comm_mlir.ir.Operation.create", "comm_mlir.cdag.Graph.pattern",
                 "comm_mlir.dialects.comm.allreduce", "comm_mlir.report.load", "comm_mlir.graph.run",
                 "comm_mlir.passmanager.PassManager.run", "comm_mlir.clang.compile"):  # fmt: skip
        assert path in paths
    assert len(paths) > 3000


def test_every_function_raises_or_returns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run(seed=1, rounds=1)
    assert len(outcome.calls) == len(public_functions())
    assert outcome.raised.total() > len(outcome.calls) / 2
    assert not outcome.silent


def test_threads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not in_threads(1, 3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--say", action="store_true", help="write each name before its call")
    options = parser.parse_args()
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.chdir(tempfile.mkdtemp(prefix="comm-fuzz-"))
    stop, number, calls, silent = time.monotonic() + options.seconds, options.seed, 0, {}
    while time.monotonic() < stop:
        tell(f"seed {number}")
        found = run(number, 2, say=options.say)
        problems = in_threads(number, 4)
        calls += found.calls.total()
        for problem in [*found.silent, *map(repr, problems)]:
            if problem not in silent:
                silent[problem] = number
                tell(f"unclear: {problem}")
        number += 1
    tell(f"{number - options.seed} seeds, {calls} calls, no crash")
