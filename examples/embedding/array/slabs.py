"""Arrays whose rows are distributed over processes, and compiled functions of them.

    from slabs import Slab, distributed, largest, roll

    @distributed
    def relax(u, v):
        v[:] = 0.25 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 0, 1) + roll(u, 0, -1))
        return largest(abs(v - u))

    u, v = Slab.of(array, comm), Slab.of(array, comm)
    change = relax(u, v)

A function runs once for each number of arguments: its operations on the arguments are recorded, and built with
comm_mlir.dialects. Comm decides when messages start and when to wait for them.
"""

from __future__ import annotations

import functools
import inspect

import numpy

from comm_mlir import compile
from comm_mlir.dialects import arith, comm, func, memref, scf
from comm_mlir.ir import Attribute, Context, F64Type, IndexType, InsertionPoint, Location, Module, Type

__all__ = ["Slab", "distributed", "largest", "roll", "total"]


class Slab:
    """A two-dimensional array of float64. Each process has a part of its rows, and a row of each neighbor."""

    def __init__(self, shape, comm):
        rows, columns = shape
        if rows < comm.size:
            raise ValueError(f"{rows} rows cannot be spread over {comm.size} processes")
        share, rest = divmod(rows, comm.size)
        self.shape, self.comm = (rows, columns), comm
        self.rows = share + (comm.rank < rest)
        self.first = comm.rank * share + min(comm.rank, rest)
        self.local = numpy.zeros((self.rows + 2, columns))

    @classmethod
    def of(cls, array, comm):
        """Returns this process's part of an array that all processes have."""
        slab = cls(array.shape, comm)
        slab.local[1:-1] = array[slab.first : slab.first + slab.rows]
        return slab

    def gather(self):
        """Returns the whole array on every process."""
        return numpy.concatenate(self.comm.allgather(self.local[1:-1]))


# What a function does with its arguments ------------------------------------------------------------------------------


class Expression:
    """The value of an element, or a number."""

    def __init__(self, kind, *parts):
        self.kind, self.parts = kind, parts

    def __add__(self, other):
        return Expression("addf", self, wrap(other))

    def __radd__(self, other):
        return Expression("addf", wrap(other), self)

    def __sub__(self, other):
        return Expression("subf", self, wrap(other))

    def __rsub__(self, other):
        return Expression("subf", wrap(other), self)

    def __mul__(self, other):
        return Expression("mulf", self, wrap(other))

    def __rmul__(self, other):
        return Expression("mulf", wrap(other), self)

    def __truediv__(self, other):
        return Expression("divf", self, wrap(other))

    def __rtruediv__(self, other):
        return Expression("divf", wrap(other), self)

    def __neg__(self):
        return Expression("subf", wrap(0.0), self)

    def __abs__(self):
        return Expression("maximumf", self, -self)

    def __bool__(self):
        raise TypeError("an element has no value while the function is recorded: it cannot be a condition")

    def walk(self):
        yield self
        for part in self.parts:
            if isinstance(part, Expression):
                yield from part.walk()


class Array(Expression):
    """An argument; as an expression, one of its elements."""

    def __init__(self, trace, number):
        super().__init__("array")
        self.trace, self.number = trace, number

    def __setitem__(self, key, value):
        if key != slice(None):
            raise TypeError("assign to a whole array: v[:] = ...")
        value = wrap(value)
        for part in value.walk():
            if part.kind == "roll" and part.parts[0].number == self.number:
                raise ValueError("an array that is rolled cannot be assigned to: its old elements are needed")
        self.trace.append(("assign", self, value))


def wrap(value):
    if isinstance(value, Expression):
        return value
    if isinstance(value, (int, float)):
        return Expression("constant", float(value))
    raise TypeError(f"{type(value).__name__} has no elements")


def roll(array, rows, columns):
    """Like numpy.roll, by rows and columns; by at most one row."""
    if not isinstance(array, Array):
        raise TypeError("only arguments can be rolled")
    if abs(rows) > 1:
        raise ValueError("a process has one row of each neighbor")
    return Expression("roll", array, rows, columns)


def reduce(kind, value):
    arrays = [part for part in value.walk() if isinstance(part, Array)]
    if not arrays:
        raise TypeError("there is no array to reduce")
    result = Expression("result", kind)
    arrays[0].trace.append(("reduce", result, value))
    return result


def total(value):
    """Returns the sum of all elements."""
    return reduce("sum", value)


def largest(value):
    return reduce("max", value)


# From that to IR ------------------------------------------------------------------------------------------------------

REDUCTIONS = {"sum": ("MPI_SUM", arith.addf, 0.0), "max": ("MPI_MAX", arith.maximumf, -numpy.inf)}
OPERATIONS = {name: getattr(arith, name) for name in ("addf", "subf", "mulf", "divf", "maximumf")}


class Builder:
    """Builds the statements of one function, in the insertion point."""

    def __init__(self, arrays, numbers, up, down, world):
        self.arrays, self.numbers, self.up, self.down, self.world = arrays, numbers, up, down, world
        self.index, self.f64 = IndexType.get(), F64Type.get()
        self.zero, self.one, two = (arith.constant(self.index, n) for n in (0, 1, 2))
        self.rows = arith.subi(memref.dim(arrays[0], self.zero), two)
        self.columns = memref.dim(arrays[0], self.one)
        self.after = arith.addi(self.rows, self.one)
        self.results, self.exchanged = {}, set()

    def row(self, array, place):
        """Returns a row as a memref."""
        dynamic = -(2**63)
        return memref.subview(
            Type.parse("memref<?xf64, strided<[1], offset: ?>>"),
            array,
            [place],
            [self.columns],
            [],
            Attribute.parse(f"array<i64: {dynamic}, 0>"),
            Attribute.parse(f"array<i64: 1, {dynamic}>"),
            Attribute.parse("array<i64: 1, 1>"),
        )

    def exchange(self, array):
        """Sends row 1 up and the last row down, and receives those of the neighbors into rows 0 and n + 1."""
        tag, other = (arith.constant(Type.parse("i32"), n) for n in (0, 1))
        receives = [
            comm.recv(self.row(array, self.after), source=self.down, tag=tag, comm=self.world, mode="async"),
            comm.recv(self.row(array, self.zero), source=self.up, tag=other, comm=self.world, mode="async"),
        ]
        sends = [
            comm.send(self.row(array, self.one), dest=self.up, tag=tag, comm=self.world, mode="async"),
            comm.send(self.row(array, self.rows), dest=self.down, tag=other, comm=self.world, mode="async"),
        ]
        for request in sends + receives:
            comm.wait(request)

    def prepare(self, value):
        """Exchanges arrays that are rolled by rows and have changed."""
        rolled = {part.parts[0].number for part in value.walk() if part.kind == "roll" and part.parts[1]}
        for number in sorted(rolled - self.exchanged):
            self.exchange(self.arrays[number])
        self.exchanged |= rolled

    def element(self, value, i, j):
        parts = value.parts
        if value.kind == "constant":
            return arith.constant(self.f64, parts[0])
        if value.kind == "number":
            return self.numbers[parts[0]]
        if value.kind == "result":
            return self.results[value]
        if value.kind == "array":
            return memref.load(self.arrays[value.number], [i, j])
        if value.kind == "roll":
            array, rows, columns = parts
            row = arith.subi(i, arith.constant(self.index, rows)) if rows else i
            column = j
            if columns:  # all columns are local: (j - columns) modulo their number
                sum = arith.addi(arith.subi(j, arith.constant(self.index, columns)), self.columns)
                column = arith.remsi(arith.addi(arith.remsi(sum, self.columns), self.columns), self.columns)
            return memref.load(self.arrays[array.number], [row, column])
        return OPERATIONS[value.kind](*(self.element(part, i, j) for part in parts))

    def assign(self, array, value):
        self.prepare(value)
        with scf.for_(self.one, self.after, self.one) as i, scf.for_(self.zero, self.columns, self.one) as j:
            memref.store(self.element(value, i, j), self.arrays[array.number], [i, j])
        self.exchanged.discard(array.number)

    def reduce(self, result, value):
        self.prepare(value)
        name, combine, neutral = REDUCTIONS[result.parts[0]]
        cell = Type.parse("memref<1xf64>")
        mine, all = memref.alloca(cell, [], []), memref.alloca(cell, [], [])
        memref.store(arith.constant(self.f64, neutral), mine, [self.zero])
        with scf.for_(self.one, self.after, self.one) as i, scf.for_(self.zero, self.columns, self.one) as j:
            memref.store(combine(memref.load(mine, [self.zero]), self.element(value, i, j)), mine, [self.zero])
        comm.allreduce(mine, all, op=comm.constant(name), comm=self.world)
        self.results[result] = memref.load(all, [self.zero])


def build(name, trace, returned, num_arrays, num_numbers):
    """Builds a module with the function: arrays, numbers, the processes above and below, the communicator."""
    array, number, process = Type.parse("memref<?x?xf64>"), F64Type.get(), Type.parse("i32")
    types = [array] * num_arrays + [number] * num_numbers + [process] * 2 + [Type.parse("!comm.comm")]
    module = Module.create()
    with InsertionPoint(module.body):
        function = func.FuncOp(name, (types, [number] * len(returned)))
    # Arguments are distinct, which each call checks.
    noalias = ["{llvm.noalias}"] * num_arrays + ["{}"] * (len(types) - num_arrays)
    function.attributes["arg_attrs"] = Attribute.parse(f"[{', '.join(noalias)}]")
    block = function.add_entry_block()
    with InsertionPoint(block):
        arguments = list(block.arguments)
        builder = Builder(arguments[:num_arrays], arguments[num_arrays:-3], *arguments[-3:])
        for kind, target, value in trace:
            builder.assign(target, value) if kind == "assign" else builder.reduce(target, value)
        func.return_([builder.element(value, None, None) for value in returned])
    return module


def distributed(function):
    """Compiles a function of slabs and numbers. It returns nothing, or numbers that are results of reductions."""
    programs = {}

    def trace(arguments):
        """Records the function's operations, and its results: a list of expressions, or None if it is not a tuple."""
        steps, recorded = [], []
        counts = {Slab: 0, float: 0}
        for argument in arguments:
            kind = Slab if isinstance(argument, Slab) else float
            recorded.append(Array(steps, counts[kind]) if kind is Slab else Expression("number", counts[kind]))
            counts[kind] += 1
        returned = function(*recorded)
        if returned is None:
            returned = ()
        values = [wrap(value) for value in (returned if isinstance(returned, tuple) else (returned,))]
        if any(part.kind in ("array", "roll") for value in values for part in value.walk()):
            raise TypeError(f"{function.__name__}() returns elements: return a reduction, or assign to an argument")
        return steps, values

    def prepare(arguments):
        kinds = tuple(isinstance(argument, Slab) for argument in arguments)
        if kinds not in programs:
            with Context(), Location.file(function.__code__.co_filename, function.__code__.co_firstlineno, 1):
                steps, values = trace(arguments)
                module = build(function.__name__, steps, values, sum(kinds), len(kinds) - sum(kinds))
                programs[kinds] = compile(module, functions=[function.__name__])
        return programs[kinds]

    @functools.wraps(function)
    def call(*arguments):
        arguments = inspect.signature(function).bind(*arguments).args
        slabs = [argument for argument in arguments if isinstance(argument, Slab)]
        if not slabs:
            raise TypeError(f"{function.__name__}() is given no Slab")
        if any(slab.shape != slabs[0].shape or slab.comm != slabs[0].comm for slab in slabs):
            raise ValueError("the arguments are spread in different ways")
        if len({id(slab) for slab in slabs}) < len(slabs):
            raise ValueError("one array is given twice")
        numbers = [float(argument) for argument in arguments if not isinstance(argument, Slab)]
        world = slabs[0].comm
        up, down = (world.rank - 1) % world.size, (world.rank + 1) % world.size
        compiled = prepare(arguments).functions[function.__name__]
        return compiled(*(slab.local for slab in slabs), *numbers, up, down, world)

    call.program = prepare
    return call
