# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# UNSUPPORTED: asan
# RUN: %pytest %s
"""C and C++ through Comm: IR, remarks, programs, and functions to call. Under mpirun: clang_flow.test."""

import subprocess
import sys

import numpy as np
import pytest
from mpi4py import MPI

from comm_mlir import _optimization_records, clang
from comm_mlir.remarks import remarks_table

STEP = """
#include <mpi.h>
double step(double *restrict data, const int *n, double x, MPI_Comm comm) {
  double mine = x, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
  for (int i = 0; i < *n; ++i)
    data[i] = 2 * data[i] + 1;
  return all;
}
"""


@pytest.fixture(scope="module")
def step():
    return clang.compile(STEP, name="step.c")


def test_ir_before_and_after(step):
    assert "@MPI_Allreduce(" in step.before and "comm_start" not in step.before and "MPI_Iallreduce" not in step.before
    assert "MPI_Iallreduce" in step.after and step.after is step.after


def test_remarks(step):
    (overlap,) = [r for r in step.remarks if r.name == "Overlap"]
    assert (overlap.kind, overlap.pass_name, overlap.function) == ("passed", "comm-move-slices", "step")
    assert overlap.line == 5 and overlap.file.endswith("step.c") and "overlaps 1 loop" in overlap.message
    assert overlap.message == "".join(value for _, value in overlap.arguments)
    assert remarks_table(step.remarks)["line"].tolist() == [r.line for r in step.remarks]
    off = clang.compile(STEP, options=["-O2", "-fcomm-mode=off"])
    assert off.remarks == []


def test_records():
    text = (
        "--- !Missed\nPass:            comm-a\nName:            B\n"
        "DebugLoc:        { File: 'it''s.c', Line: 3, Column: 4 }\n"
        "Function:        f\nArgs:\n  - String:          ' a: b '\n  - Reason:          plain text: here\n"
        '  - Odd:             "tab\\t\\x41"\n    DebugLoc:        { File: x.c, Line: 9, Column: 9 }\n...\n'
        "--- !Frob\nPass:            comm-c\nName:            D\nFunction:        g\n...\n"
    )
    first, second = _optimization_records.parse(text)
    assert (first.kind, first.file, first.line, first.column) == ("missed", "it's.c", 3, 4)
    assert first.message == " a: b plain text: heretab\tA"
    assert first.arguments[1] == ["Reason", "plain text: here"]
    assert (second.kind, second.file, second.message) == ("unknown", None, "")
    assert _optimization_records.parse("") == []
    # LLVM breaks lines of more than 70 characters.
    (wrapped,) = _optimization_records.parse(
        "--- !Passed\nPass: comm-a\nName: B\nDebugLoc:        { File: 'a/long  path.c', \n"
        "                   Line: 12, Column: 7 }\nFunction: f\n...\n"
    )
    assert (wrapped.file, wrapped.line, wrapped.column, wrapped.function) == ("a/long  path.c", 12, 7, "f")


def test_function(step):
    function = step.function("step")
    data = np.ones(4)
    n = np.array([3], np.int32)
    n.flags.writeable = False
    assert function(data, n, 2.5, MPI.COMM_SELF) == 2.5 and data.tolist() == [3, 3, 3, 1]
    assert function(x=1, comm=MPI.COMM_WORLD, n=n, data=data) == 1 and step.function("step") is function
    for arguments, error, text in (
        ((data, np.array([3]), 1, MPI.COMM_SELF), TypeError, "argument 'n': .*int32, got one of int64"),
        ((data[::2], n, 1, MPI.COMM_SELF), ValueError, "argument 'data': .*not contiguous"),
        ((n, n, 1, MPI.COMM_SELF), TypeError, "argument 'data': .*float64"),
        ((data, n, "1", MPI.COMM_SELF), TypeError, "argument 'x'"),
        ((data, n, 1, MPI.SUM), TypeError, "argument 'comm': expected an mpi4py.MPI.Comm, got"),
        ((data, n, 1, MPI.COMM_NULL), ValueError, "argument 'comm': the handle is null"),
        ((data, n, 1), TypeError, "lacks the argument 'comm'"),
    ):
        with pytest.raises(error, match=text):
            function(*arguments)


def test_errors_of_mpi_raise():
    program = clang.compile(
        "#include <mpi.h>\n"
        "int send(int dest, MPI_Comm comm) { int x = 0; MPI_Send(&x, 1, MPI_INT, dest, 0, comm); return 5; }\n"
        "int handled(MPI_Comm comm) { return MPI_Send(0, -1, MPI_INT, 0, 0, comm) == MPI_SUCCESS; }\n"
    )
    send = program.function("send")
    with pytest.raises(MPI.Exception) as caught:
        send(7, MPI.COMM_SELF)
    assert caught.value.Get_error_class() == MPI.ERR_RANK
    assert send(MPI.PROC_NULL, MPI.COMM_SELF) == 5
    assert MPI.COMM_SELF.Get_errhandler() == MPI.ERRORS_RETURN


def test_cplusplus():
    program = clang.compile(
        "#include <complex>\n#include <vector>\nnamespace inner { int hidden(int x) { return x; } }\n"
        "template <typename T> T twice(T x) { return x + x; }\n"
        "double total(const double (*rows)[3], long n, const std::complex<double> *) { return 0; }\n"
        "bool sum(const float (*rows)[3], unsigned char n, float *out, const void *more) {\n"
        "  std::vector<float> all(&rows[0][0], &rows[0][0] + 3 * n);\n  *out = 0;\n"
        "  for (float x : all) *out += twice(x);\n  return more; }\n"
        "int one(int x) { return x; } int one(long x) { return x; }\n",
        language="c++",
    )
    rows, out = np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros(1, np.float32)
    assert program.function("sum")(rows, 2, out, None) is False and out[0] == 30
    assert program.function("sum")(rows, 1, out, b"bytes") is True and out[0] == 6
    with pytest.raises(OverflowError, match="argument 'n': 256 does not fit into uint8"):
        program.function("sum")(rows, 256, out, None)
    for name, error, text in (
        ("total", TypeError, "parameter 2 of total.. has the type .*complex"),
        ("one", ValueError, "several functions 'one'"),
        ("frob", ValueError, "no function 'frob'"),
    ):
        with pytest.raises(error, match=text):
            program.function(name)


def test_types_that_cannot_be_passed():
    program = clang.compile(
        "struct s { int x; }; void a(struct s x) {} void b(int **x) {} int *c(int *x) { return x; }\n"
        "void d(const char *f, ...) {} void e(void (*f)(int)) {} _Complex double f(void) { return 0; }\n"
        "enum color { red, green }; enum color g(enum color x, const unsigned long y, short *const z) { return x; }\n"
    )
    for name in "abcdef":
        with pytest.raises(TypeError, match="cannot pass|whose owner|by arrays"):
            program.function(name)
    assert program.function("g")(1, 2**64 - 1, np.zeros(1, np.int16)) == 1


def test_signs_of_integers():
    program = clang.compile(
        "unsigned largest(void) { return 4000000000u; } unsigned long long all(void) { return -1ull; }\n"
        "unsigned char byte(unsigned char x) { return x; } int negate(int x) { return -x; }\n"
        "signed char small(signed char x) { return x; } unsigned long words(unsigned long n) { return n; }\n"
    )
    assert program.function("largest")() == 4_000_000_000 and program.function("all")() == 2**64 - 1
    assert program.function("byte")(200) == 200 and program.function("words")(2**64 - 1) == 2**64 - 1
    assert program.function("negate")(5) == -5 and program.function("small")(-128) == -128
    # A number that C would convert to another one: a size of -1 becomes 4 billion.
    for name, number, text in (
        ("byte", -1, "-1 does not fit into uint8"),
        ("words", -1, "-1 does not fit into uint64"),
        ("negate", 2**31, "2147483648 does not fit into int32"),
        ("small", 128, "128 does not fit into int8"),
        ("words", 2**64, "does not fit into uint64"),
    ):
        with pytest.raises(OverflowError, match=text):
            program.function(name)(number)


def test_names_of_functions():
    names = ["words", "result", "handlers", "a0", "own"]
    program = clang.compile("".join(f"long {name}(long x) {{ return x + {i}; }}\n" for i, name in enumerate(names)))
    assert [program.function(name)(10) for name in names] == [10, 11, 12, 13, 14]


def test_executable(tmp_path):
    source = tmp_path / "a program.c"
    source.write_text('#include <stdio.h>\n#include "part.h"\nint main(void) { printf("%d\\n", PART); return 0; }\n')
    (tmp_path / "part.h").write_text("#define PART 42\nstatic int twice(int x) { return 2 * x; }\n")
    program = clang.compile_file(source)
    path = program.executable(tmp_path / "out")
    assert subprocess.run([path], capture_output=True, text=True, check=True).stdout == "42\n"
    assert program.function("twice")(4) == 8


def test_mistakes(tmp_path):
    with pytest.raises(clang.ClangError, match="commcc does not compile program.c") as caught:
        _ = clang.compile("int f( {}").before
    assert "error: " in caught.value.diagnostics and caught.value.command[-1].endswith(".ll")
    assert caught.value.diagnostics.startswith("program.c:1:") and "comm-clang-" not in str(caught.value)
    with pytest.raises(clang.ClangError) as caught:
        clang.compile("int f(", name="mine.c").function("f")
    assert "mine.c:1:" in str(caught.value) and "comm-clang-" not in str(caught.value)
    with pytest.raises(clang.ClangError, match="unknown option '-fcomm-frob'"):
        _ = clang.compile("int x;", options=["-fcomm-frob"]).after
    with pytest.raises(clang.ClangError):
        clang.compile("int f(").function("f")
    with pytest.raises(clang.ClangError, match="main"):
        clang.compile("int x;").executable(tmp_path / "x")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        clang.compile_file(tmp_path / "nowhere.c")
    with pytest.raises(ValueError, match="the language is"):
        clang.compile("", language="fortran")
    with pytest.raises(ValueError, match="a file's without a folder"):
        clang.compile("", name="../x.c")


def test_without_mpi4py(tmp_path):
    (tmp_path / "mpi4py.py").write_text("raise ImportError('hidden')")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\nfrom comm_mlir import clang\n"
        "print(clang.compile('int f(int x) { return x + 1; }').function('f')(2))\n"
        "g = clang.compile('#include <mpi.h>\\nint g(void) { return 1; }').function('g')\n"
        "try: g()\nexcept RuntimeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "3\nMPI is not initialized: call mpi4py.MPI.Init() first\n", done
