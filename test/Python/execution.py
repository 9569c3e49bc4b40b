# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: env COMM_CACHE_DIR=%t.cache %pytest %s
"""Compiling and calling modules and functions: valid and invalid arguments, the cache. Under mpirun: flow.test."""

import array
import gc
import os
import random
import subprocess
import sys
import threading
from typing import Annotated

import numpy as np
import pytest

import comm_mlir
from comm_mlir import _cache, _mpi
from comm_mlir.dialects import arith, func, linalg, memref, scf
from comm_mlir.ir import Context, F64Type, IndexType, InsertionPoint, Location, MLIRError, Module, Type, Value
from comm_mlir.passmanager import register_pass
from comm_mlir.remarks import remarks_table

SCALE = """
func.func @scale(%a: memref<?x4xf64>, %factor: f64) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %n = memref.dim %a, %zero : memref<?x4xf64>
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %four step %one {
      %v = memref.load %a[%i, %j] : memref<?x4xf64>
      %w = arith.mulf %v, %factor : f64
      memref.store %w, %a[%i, %j] : memref<?x4xf64>
    }
  }
  return %n : index
}
func.func private @helper()
"""


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("COMM_CACHE_DIR", str(tmp_path / "cache"))


def compile_text(text, **options):
    with Context():
        return comm_mlir.compile(Module.parse(text), **options)


def identity(type_, **options):
    return compile_text(f"func.func @f(%a: {type_}) -> {type_} {{ return %a : {type_} }}", **options).f


def test_arrays_are_not_copied():
    program = compile_text(SCALE)
    assert list(program.functions) == ["scale"] and "scale" in dir(program)
    data = np.arange(12.0).reshape(3, 4)
    expected = data * 2
    assert program.scale(data, 2.0) == 3 and (data == expected).all()
    assert program["scale"](arg1=0.5, arg0=data) == 3 and (data == expected / 2).all()
    # Anything with the buffer protocol.
    part = memoryview(array.array("d", range(8))).cast("B").cast("d", (2, 4))
    assert program.scale(part, 3) == 2 and part.tolist() == [[0, 3, 6, 9], [12, 15, 18, 21]]
    assert program.scale(np.zeros((0, 4)), 1) == 0
    with pytest.raises(AttributeError, match="no function 'frob'"):
        program.frob()


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: np.zeros((3, 5)), ValueError, r"shape \(any, 4\), got \(3, 5\)"),
        (lambda: np.zeros(4), ValueError, r"shape \(any, 4\), got \(4,\)"),
        (lambda: np.zeros((3, 4), np.float32), TypeError, "array of float64, got one of float32"),
        (lambda: np.zeros((3, 4), np.int64), TypeError, "array of float64, got one of int64"),
        (lambda: np.zeros((3, 4), ">f8"), TypeError, "another byte order"),
        (lambda: np.zeros((3, 4), [("x", "f8")]), TypeError, "structures"),
        (lambda: np.zeros((3, 4), object), TypeError, "array of float64"),
        (lambda: np.zeros((4, 4))[:, ::-1], ValueError, "not contiguous in C's order"),
        (lambda: np.asfortranarray(np.zeros((3, 4))), ValueError, "not contiguous in C's order"),
        (lambda: np.frombuffer(bytes(33), np.uint8)[1:].view(np.float64).reshape(1, 4), ValueError, "not aligned"),
        (lambda: np.broadcast_to(np.zeros(4), (1, 4)), ValueError, "read-only"),
        (lambda: np.zeros((3, 4), "M8[s]"), TypeError, "cannot show its memory"),
        (lambda: 3.0, TypeError, "expected an array, .*memref<.*>, got float"),
        (lambda: [[1.0] * 4], TypeError, "got list"),
        (lambda: None, TypeError, "got NoneType"),
    ],
)
def test_arrays_that_do_not_fit(make, error, text):
    scale = compile_text(SCALE, parameters=["field", "factor"]).scale
    with pytest.raises(error, match="argument 'field': .*" + text):
        scale(make(), 1.0)


def test_numbers():
    scale = compile_text(SCALE, parameters=["field", "factor"]).scale
    data = np.ones((1, 4))
    for wrong in ("2", None, 1j, [2.0]):
        with pytest.raises(TypeError, match="argument 'factor': expected a number"):
            scale(data, wrong)
    assert scale(data, np.float32(2)) == 1 and (data == 2).all()
    assert identity("i32")(-7) == -7 and identity("i32")(np.int8(-7)) == -7 and identity("i32")(2**32 - 1) == -1
    assert identity("i64")(2**64 - 1) == -1 and identity("index")(-3) == -3
    assert identity("i1")(True) is True and identity("i1")(0) is False
    assert identity("f32")(0.1) == np.float32(0.1) and identity("f64")(0.1) == 0.1
    for type_, value in (
        ("i32", 2**32),
        ("i32", -(2**31) - 1),
        ("i8", 256),
        ("i1", 2),
        ("index", 2**63),
        ("i64", 2**64),
    ):
        with pytest.raises(OverflowError, match=f"argument 'arg0': {value} does not fit into"):
            identity(type_)(value)
    with pytest.raises(TypeError, match="expected a whole number, got float"):
        identity("i64")(1.0)
    two = compile_text("func.func @f(%a: f32, %b: i8) -> (i8, f32) { return %b, %a : i8, f32 }").f
    assert two(1.5, -2) == (-2, 1.5)
    for args, kwargs, text in (
        ((1.5,), {}, "lacks the argument 'arg1'"),
        ((1.5, 2, 3), {}, "takes 2 arguments, but 3 were given"),
        ((1.5, 2), {"arg1": 3}, "several values for 'arg1'"),
        ((1.5,), {"frob": 3}, "no parameter 'frob'"),
    ):
        with pytest.raises(TypeError, match=text):
            two(*args, **kwargs)


def test_layouts_and_elements():
    def first(type_):
        return compile_text(
            f"func.func @f(%a: memref<{type_}>, %i: index) -> index {{\n"
            f"  %z = arith.constant 0 : index\n  %n = memref.dim %a, %z : memref<{type_}>\n  return %n : index }}"
        ).f

    strided = first("?x?xf32, strided<[?, ?], offset: ?>")
    data = np.zeros((6, 8), np.float32)
    for view in (data, data.T, data[::-2, 1::3], data[:, :0]):
        assert strided(view, 0) == view.shape[0]
    assert first("?x?xf32, strided<[?, 1]>")(data[::2, :3], 0) == 3
    with pytest.raises(ValueError, match="dimension 1 has a stride of 8 bytes"):
        first("?x?xf32, strided<[?, 1]>")(data[:, ::2], 0)
    for dtype, type_ in (
        ("f2", "f16"),
        ("c8", "complex<f32>"),
        ("c16", "complex<f64>"),
        ("?", "i1"),
        ("u1", "i8"),
        ("i2", "i16"),
        ("u4", "i32"),
        ("i8", "index"),
    ):
        assert first(f"?x{type_}")(np.zeros(5, dtype), 0) == 5
        with pytest.raises(TypeError, match="expected an array of"):
            first(f"?x{type_}")(np.zeros(5), 0)
    # Arrays that are not written may be read-only: the optimizer determines that.
    frozen = np.ones(3)
    frozen.flags.writeable = False
    assert first("?xf64")(frozen, 0) == 3
    for wrong, text in (
        ("memref<*xf64>", "Python cannot pass"),
        ("memref<4xbf16>", "elements no array has"),
        ("memref<4xf64, 3>", "default memory space"),
        ("memref<4xf64, strided<[1], offset: 3>>", "offset"),
        ("memref<4x4xf64, affine_map<(i, j) -> (j, i)>>", "layout no array has"),
        ("tensor<4xf64>", "Python cannot pass"),
        ("!comm.request", "Python cannot pass"),
        ("i128", "Python cannot pass"),
    ):
        with pytest.raises(TypeError, match=text):
            compile_text(f"func.func @f(%a: {wrong}) {{ return }}")
    with pytest.raises(TypeError, match="its memory would have no owner"):
        identity("memref<4xf64>")


def test_modules_that_cannot_be_compiled():
    with pytest.raises(TypeError, match=r"expected a comm_mlir.ir.Module, got str"):
        comm_mlir.compile("module {}")
    with pytest.raises(ValueError, match="no public function with a body"):
        compile_text("func.func private @f()")
    with pytest.raises(ValueError, match="no public function @frob"):
        compile_text(SCALE, functions=["frob"])
    with pytest.raises(ValueError, match="the level is 0, 1, 2 or 3"):
        compile_text(SCALE, level=4)
    with pytest.raises(ValueError, match="observers are"):
        compile_text(SCALE, observers="frob")
    with pytest.raises(ValueError, match="the cost is 'measured' or 'none', not 'frob'"):
        compile_text(SCALE, cost="frob")
    with pytest.raises(ValueError, match="no pipeline"):
        compile_text(SCALE, pipeline="frob")
    # An operation without a lowering, and an undefined symbol.
    with pytest.raises(MLIRError, match="cannot be compiled|LLVM Translation"):
        compile_text(
            "func.func @f(%n: index) -> f64 { %t = tensor.empty(%n) : tensor<?xf64>\n"
            "  %r = tensor.extract %t[%n] : tensor<?xf64>\n return %r : f64 }"
        )
    with pytest.raises(RuntimeError, match="cannot be linked.*comm_test_nowhere"):
        compile_text(
            "func.func private @comm_test_nowhere()\nfunc.func @f() { call @comm_test_nowhere() : () -> ()\n return }"
        )
    # Pipelines that change the types of functions, and one that leaves no function.
    bare = "convert-scf-to-cf,finalize-memref-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv}"
    with pytest.raises(ValueError, match="the pipeline changed what @f takes"):
        compile_text("func.func @f(%a: memref<4xf64>) { return }", pipeline=bare)

    @register_pass("execution-test-erase", anchor="builtin.module")
    def erase(module):
        module.regions[0].blocks[0].operations[0].erase()

    with pytest.raises(ValueError, match="the pipeline left no function @f"):
        compile_text("func.func @f(%a: memref<4xf64>) { return }", pipeline="execution-test-erase")
    with Context():
        module = Module.parse(SCALE)
        before = str(module)
        comm_mlir.compile(module)
        assert str(module) == before


def test_modules_of_the_llvm_dialect():
    program = compile_text(
        "llvm.func @sum(%p: !llvm.ptr, %n: i64) -> f64 {\n"
        "  %a = llvm.load %p : !llvm.ptr -> f64\n"
        "  %q = llvm.getelementptr %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n"
        "  %b = llvm.load %q : !llvm.ptr -> f64\n  %c = llvm.fadd %a, %b : f64\n  llvm.return %c : f64 }"
    )
    data = np.array([1.0, 2.0, 4.0])
    assert program.sum(data, 2) == 5
    with pytest.raises(ValueError, match="not contiguous"):
        program.sum(np.zeros(6)[::2], 1)


def test_random_arguments():
    """For any argument, the call succeeds if and only if NumPy says that it fits."""
    function = compile_text(
        "func.func @f(%a: memref<?x3xf32>, %b: memref<?xi64, strided<[?], offset: ?>>, %n: i16, %x: f64)\n"
        "    -> (index, i16) {\n"
        "  %z = arith.constant 0 : index\n  %p = memref.dim %a, %z : memref<?x3xf32>\n"
        "  %q = memref.dim %b, %z : memref<?xi64, strided<[?], offset: ?>>\n  %s = arith.addi %p, %q : index\n"
        "  return %s, %n : index, i16 }"
    ).f
    generator = random.Random(1)

    def array_():
        shape = generator.choice([(3,), (4, 3), (0, 3), (2, 4), (5,), (), (2, 3, 1), (6,)])
        dtype = generator.choice(["f4", "f4", "i8", "i8", "u8", "f8", ">f4", "?", "c8", "O", "S3", "M8[s]"])
        found = np.zeros(shape, dtype)
        if found.ndim and generator.random() < 0.3:
            found = found[:: generator.choice([2, -1])]
        if generator.random() < 0.1:
            found = found.T
        return found

    def anything():
        return generator.choice(
            [
                None,
                0,
                -1,
                40000,
                70000,
                1 << 70,
                0.5,
                True,
                "x",
                b"bytes",
                [],
                (),
                np.float32(2),
                np.int8(-3),
                object,
                1j,
            ]
        )

    def fits(a, b, n, x):
        arrays = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        if not arrays or a.dtype != np.float32 or a.ndim != 2 or a.shape[1] != 3 or not a.flags.c_contiguous:
            return False
        if b.dtype not in (np.int64, np.uint64) or b.ndim != 1:
            return False
        number = isinstance(n, (int, np.integer)) and -(2**15) <= int(n) < 2**16
        return number and isinstance(x, (int, float, np.number)) and abs(float(x)) < 1e300

    made = 0
    for _ in range(20000):
        good = [np.zeros((2, 3), np.float32), np.zeros(8, np.int64)[::3]]
        arguments = [
            g if generator.random() < 0.4 else array_() if generator.random() < 0.9 else anything() for g in good
        ]
        arguments += [generator.choice([5, anything()]), generator.choice([0.5, anything()])]
        try:
            found = function(*arguments)
        except (TypeError, ValueError, OverflowError) as error:
            assert "argument 'arg" in str(error) and not fits(*arguments), (arguments, error)
        else:
            a, b, n, _ = arguments
            made += 1
            assert fits(*arguments) and found == (len(a) + len(b), np.array(int(n)).astype(np.int16)), arguments
    assert made > 100


def test_functions_outlive_everything_and_run_in_threads():
    scale = compile_text(SCALE).scale
    gc.collect()
    arrays = [np.ones((50, 4)) for _ in range(4)]
    threads = [threading.Thread(target=lambda a=a: [scale(a, 1.5) for _ in range(20)]) for a in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.allclose(a, 1.5**20) for a in arrays)


def test_cache(tmp_path):
    def run(**options):
        program = compile_text(SCALE, **options)
        data = np.ones((2, 4))
        program.scale(data, 2)
        assert (data == 2).all()
        return program.from_cache

    assert [run(), run(), run(level=1), run(level=1), run(cache=False)] == [False, True, False, True, False]
    folder = tmp_path / "cache"
    files = sorted(folder.glob("*.comm"))
    assert len(files) == 2
    # A damaged, truncated, or possibly foreign entry is compiled again.
    for damage in (
        lambda data: data[:-1],
        lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        lambda data: b"",
        lambda data: b"frob\n" + data,
    ):
        for file in files:
            file.write_bytes(damage(file.read_bytes()))
        assert not run() and run()
    for file in files:
        file.chmod(0o666)
    assert not run()
    # A pass in Python may do anything at any time.
    calls = []
    register_pass("execution-test-pass", anchor="func.func")(calls.append)
    assert not run(pipeline="func.func(execution-test-pass)") and not run(pipeline="func.func(execution-test-pass)")
    assert len(calls) == 4  # two functions
    # With an anchor of its own.
    assert not run(pipeline="builtin.module(func.func(execution-test-pass))") and len(calls) == 6
    _cache.clear()
    assert not list(folder.glob("*.comm")) and not run()
    # Without a writable folder, it works without a cache.
    folder.rename(tmp_path / "old")
    folder.write_text("")
    assert not run() and not run()


def test_cache_is_kept_small(monkeypatch):
    compile_text(SCALE)
    monkeypatch.setattr(_cache, "MOST_BYTES", 1)
    compile_text(SCALE, level=1)
    assert not list(_cache.folder().glob("*.comm"))


@comm_mlir.jit
def add(x, y, factor):
    zero, one = arith.constant(IndexType.get(), 0), arith.constant(IndexType.get(), 1)
    with scf.for_(zero, memref.dim(x, zero), one) as i:
        total = arith.addf(memref.load(x, [i]), memref.load(y, [i]))
        memref.store(arith.mulf(total, factor), x, [i])


def test_jit_derives_types_from_arguments():
    x, y = np.ones(5), np.full(5, 2.0)
    add(x, y, 3.0)
    assert (x == 9).all()
    add(x[::2], y[:3], 1.0)  # strided, and contiguous
    assert x.tolist() == [11, 9, 11, 9, 11]
    add(y=y, x=x, factor=0.0)
    assert (x == 0).all()
    single = np.ones(5, np.float32)
    add(single, single, np.float32(2))
    assert (single == 4).all()
    assert len(add._programs) == 3
    assert "strided<[?], offset: ?>" in add.trace(x[::2], y, 1.0) and "memref<?xf32>" in add.trace(single, single, 1.0)
    program = add.compiled(x, y, 1.0)
    assert list(program.functions) == ["add"] and list(remarks_table(program.remarks).columns[:2]) == ["kind", "pass"]
    with pytest.raises(MLIRError, match="requires the same type|same type"):
        add(x, single, 1.0)
    with pytest.raises(TypeError, match="argument 'x': expected an array, a number or a handle of mpi4py, got str"):
        add("x", y, 1.0)
    with pytest.raises(TypeError, match="argument 'y': .*elements of the format"):
        add(x, np.zeros(5, ">f8"), 1.0)
    with pytest.raises(TypeError, match="missing a required argument"):
        add(x, y)
    with pytest.raises(ValueError, match="argument 'x': the array is read-only"):
        frozen = np.ones(5)
        frozen.flags.writeable = False
        add(frozen, y, 1.0)
    # An inferred type is not mistaken for another one, whatever was compiled before.
    assert add.compiled(x, y, 1.0) is program and add.compiled(x, y, np.float64(1)) is not program


def test_jit_annotations():
    runs = []

    @comm_mlir.jit(level=1)
    def both(n: int, x: Annotated[Value, "memref<4xf64>"], y: float = 2.0, flag: bool = True, z: np.ndarray = None):
        runs.append(n)
        return n, y, flag

    data = np.zeros(4)
    assert both(3, data, z=data) == (3, 2.0, True) and both(4, data, 5, 0, data) == (4, 5.0, False)
    assert len(runs) == 1 and both.__name__ == "both"
    with pytest.raises(ValueError, match=r"argument 'x': expected an array of shape \(4,\), got \(5,\)"):
        both(3, np.zeros(5), z=data)
    with pytest.raises(TypeError, match="is not an MLIR type"):
        comm_mlir.jit(_annotated("memref<frob>"))
    assert comm_mlir.jit(_annotated("i32"))(-3) == -3
    with pytest.raises(TypeError, match="each must be named"):
        comm_mlir.jit(lambda *a: 0)
    with pytest.raises(TypeError, match="decorates a function"):
        comm_mlir.jit(3)


def _annotated(text):
    def function(x):
        return x

    function.__annotations__["x"] = text
    return function


def test_jit_results():
    @comm_mlir.jit
    def wrong(n):
        return 3

    with pytest.raises(TypeError, match="returns 3: it is to return values"):
        wrong(1)

    @comm_mlir.jit
    def owned(x):
        return x

    with pytest.raises(TypeError, match="its memory would have no owner"):
        owned(np.zeros(1))

    @comm_mlir.jit
    def failing(n):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        failing(1)


def test_named_operations_of_linalg():
    """Their bodies, which their syntax omits, are built as well."""

    @comm_mlir.jit
    def product(a, b, c):
        linalg.fill([], [arith.constant(F64Type.get(), 0.0)], [c])
        linalg.matmul([], [a, b], [c])

    x, y, z = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4), np.full((2, 4), 7.0)
    product(x, y, z)
    assert np.array_equal(z, x @ y)
    with Context(), Location.unknown():
        module = Module.create()
        with InsertionPoint(module.body):
            function = func.FuncOp("f", ([Type.parse("memref<2x2xf64>"), Type.parse("memref<2x2xmemref<1xf64>>")], []))
        with InsertionPoint(function.add_entry_block()):
            good, bad = function.arguments
            for operands in ([good], [good] * 5, [bad, bad], []):  # too few, too many, no numbers
                linalg.matmul([], operands, [good])
                with pytest.raises(MLIRError):
                    module.operation.verify()
                list(function.entry_block)[-1].erase()


def test_linalg():
    fill = compile_text(
        "func.func @fill(%x: memref<?x?xf64>, %v: f64) {\n"
        "  %part = memref.subview %x[1, 0] [1, 2] [1, 1]\n"
        "    : memref<?x?xf64> to memref<1x2xf64, strided<[?, 1], offset: ?>>\n"
        "  linalg.fill ins(%v : f64) outs(%part : memref<1x2xf64, strided<[?, 1], offset: ?>>)\n  return }"
    ).fill
    data = np.zeros((3, 3))
    fill(data, 7)
    assert data.tolist() == [[0, 0, 0], [7, 7, 0], [0, 0, 0]]


def test_a_program_that_communicates_needs_mpi4py(tmp_path):
    (tmp_path / "mpi4py.py").write_text("raise ImportError('hidden')")
    code = (
        "import comm_mlir; from comm_mlir.ir import *\n"
        "with Context(): module = Module.parse('func.func @f(%c: !comm.comm) { comm.barrier comm(%c) return }')\n"
        "try: comm_mlir.compile(module)\n"
        "except ImportError as error: print(error)"
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60
    )
    assert "the program communicates, which needs mpi4py" in done.stdout, done


def test_import_is_lazy():
    code = "import sys, comm_mlir; print([m for m in ('numpy', 'pandas', 'matplotlib', 'mpi4py') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code + "; comm_mlir.compile"], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]", done


OVERLAP = """
func.func @f(%in: memref<4xi64>, %out: memref<4xi64>, %a: memref<?xf64>, %c: !comm.comm) {
  %sum = comm.constant "MPI_SUM" : !comm.op
  comm.allreduce sendbuf(%in : memref<4xi64>) recvbuf(%out : memref<4xi64>) op(%sum) comm(%c)
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.dim %a, %zero : memref<?xf64>
  scf.for %i = %zero to %n step %one {
    %v = memref.load %a[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %a[%i] : memref<?xf64>
  }
  return
}
"""


def test_distinct_arrays_overlap(tmp_path):
    from mpi4py import MPI

    def compiled(**options):
        return compile_text(OVERLAP, parameters=["in", "out", "a", "c"], **options)

    def said(program):
        return {r.name for r in program.remarks} - {"Progress"}

    # Otherwise run-time tests determine shared memory, and which iterations need not wait.
    assert said(compiled()) == {"Overlap", "Split"}
    program = compiled(distinct=True)
    assert said(program) == {"Overlap"}
    data, out, work = np.arange(4), np.zeros(4, np.int64), np.ones(6)
    program.f(data, out, work, MPI.COMM_SELF)
    assert out.tolist() == [0, 1, 2, 3] and (work == 2).all()
    shared = np.zeros(12)
    whole = shared.view(np.int64)
    program.f(whole[:4], whole[4:8], shared[8:], MPI.COMM_SELF)
    for arguments, names in (
        ((whole[:4], whole[3:7], work), "'in' and 'out'"),
        ((data, whole[:4], shared[3:]), "'out' and 'a'"),
        ((whole[8:], out, shared[::-1][:8][::-1]), "'in' and 'a'"),
    ):
        with pytest.raises(ValueError, match=f"the arguments {names} may share memory"):
            program.f(*arguments, MPI.COMM_SELF)
    # With the promise, the start of a collective calls another function at run time.
    contents = [path.read_bytes() for path in (tmp_path / "cache").glob("*.comm")]
    assert any(b"comm.start_" in c for c in contents) and not any(b"comm.start_promised_" in c for c in contents)
    assert said(compiled(distinct=True, uniform_collectives=True)) == {"Overlap"}
    contents = [path.read_bytes() for path in (tmp_path / "cache").glob("*.comm")]
    assert any(b"comm.start_promised_MPI_Allreduce" in c for c in contents)


@pytest.mark.parametrize("value", [[1, 2], "x", {}, np.zeros(3, "datetime64[s]")])
def test_jit_names_what_it_cannot_pass(value):
    with pytest.raises(TypeError, match="argument 'a': expected an array, a number or a handle of mpi4py, got"):
        comm_mlir.jit(lambda a: None)(value)


@pytest.mark.parametrize("type_", ["float32", "float64", "int16", "int32", "int64"])
def test_matrix_product(type_):
    """Also of arrays in Fortran's order and backwards, over a communicator from Split."""
    from mpi4py import MPI

    from comm_mlir.dialects import comm

    multiply, add = (arith.mulf, arith.addf) if type_.startswith("float") else (arith.muli, arith.addi)

    @comm_mlir.jit
    def product(a, b, c, total, world):
        zero, one = arith.constant(IndexType.get(), 0), arith.constant(IndexType.get(), 1)
        rows, columns, inner = memref.dim(a, zero), memref.dim(b, one), memref.dim(a, one)
        with scf.for_(zero, rows, one) as i, scf.for_(zero, columns, one) as j, scf.for_(zero, inner, one) as k:
            value = multiply(memref.load(a, [i, k]), memref.load(b, [k, j]))
            memref.store(add(memref.load(c, [i, j]), value), c, [i, j])
        comm.allreduce(c, total, op=comm.constant("MPI_SUM"), comm=world)

    half = MPI.COMM_WORLD.Split(0, 0)
    a, b = np.arange(12).reshape(3, 4).astype(type_), np.arange(20).reshape(4, 5).astype(type_)
    for left, right in ((a, b), (np.asfortranarray(a), b[:, ::-1]), (a[:, ::-1], np.repeat(b, 2, axis=1)[:, ::2])):
        total = np.zeros((3, 5), type_)
        product(left, right, np.zeros((3, 5), type_), total, half)
        assert (total == left @ right).all()
    # MPI needs contiguous memory: the compiler reports this with the line.
    with pytest.raises(MLIRError, match="execution.py.*'comm.allreduce' op has the memref 'sendbuf'"):
        product(a, b, np.zeros((5, 3), type_).T, np.zeros((3, 5), type_), half)
    half.Free()


@pytest.mark.parametrize(
    "version, module, handle_size, abi",
    [
        ("Open MPI v4.1.4, package: x", "MPI.so", 8, "openmpi4"),
        ("Open MPI v5.0.11, package: x", "MPI.openmpi.cpython-311.so", 8, "openmpi5"),
        ("Open MPI v10.0.0", "MPI.so", 8, "openmpi5"),
        ("MPICH Version:      4.2.1\nMPICH Release date: x", "MPI.mpich.cpython-311.so", 4, "mpich"),
        ("Intel(R) MPI Library 2021.11 for Linux* OS\n", "MPI.so", 4, "mpich"),
        ("MPICH Version:      5.0.2", "MPI.mpiabi.cpython-311.so", 8, "mpi-abi"),
    ],
)
def test_whose_mpi_it_is(version, module, handle_size, abi):
    assert _mpi._abi(version, f"/mpich/{module}", handle_size) == abi


def test_an_mpi_that_nobody_knows():
    with pytest.raises(RuntimeError, match=r"the handles of this MPI \(HP MPI 2\)"):
        _mpi._abi("HP MPI 2, x", "MPI.so", 8)
