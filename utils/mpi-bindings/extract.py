#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extracts from an MPI implementation's own mpi.h how its ABI spells MPI.

Everything is discovered by compiling: clang lists the names that the header
defines and the type of each, and its LLVM IR gives the value of each. So an
unknown implementation needs no change to this script.

  extract.py --name openmpi4 --library "Open MPI 4.1" --wrapper mpicc \
      -o lib/MPI/Bindings/openmpi4.json

The schema of the result is described in lib/MPI/Bindings/README.md.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import datatypes
import fortran

# The opaque objects of MPI-5.0 section 2.5.1. A handle class that the implementation lacks (MPI_Session before MPI 4)
# is omitted.
HANDLE_CLASSES = [
    "Comm", "Datatype", "Op", "Request", "Group", "Errhandler", "Info",
    "Message", "Win", "File", "Session",
]  # fmt: skip

# Types whose size a caller must know to pass or to allocate them.
SIZED_TYPES = ["MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint"]

STATUS_FIELDS = ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR"]

PRELUDE = "#include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n"

INTEGER_TYPES = {
    f"{sign}{base}" for sign in ("", "unsigned ") for base in ("char", "short", "int", "long", "long long")
} | {"signed char"}


class ExtractionError(Exception):
    """The header could not be compiled or does not look like MPI's."""


class Compiler:
    """clang with the flags that find one implementation's mpi.h."""

    def __init__(self, clang, flags):
        self.command = [clang, "-w", "-ferror-limit=0", *flags]

    def run(self, source, *args, must_pass=True):
        with tempfile.TemporaryDirectory() as folder:
            # Use a relative path, so that diagnostics do not depend on the folder.
            with open(os.path.join(folder, "probe.c"), "w") as f:
                f.write(source)
            result = subprocess.run(
                [*self.command, *args, "probe.c"],
                cwd=folder, capture_output=True, text=True,
            )  # fmt: skip
        if must_pass and result.returncode:
            raise ExtractionError(f"cannot compile a probe of mpi.h:\n{result.stderr.strip()}")
        return result

    def ast(self, source):
        out = self.run(source, "-fsyntax-only", "-Xclang", "-ast-dump=json")
        return json.loads(out.stdout)["inner"]

    def without_errors(self, entries):
        """Keeps the entries whose line of C (entry -> line) compiles."""
        header = PRELUDE.count("\n")
        entries = list(entries.items())
        result = self.run(
            PRELUDE + "".join(line + "\n" for _, line in entries),
            "-fsyntax-only",
            must_pass=False,
        )
        bad = set(re.findall(r"^probe\.c:(\d+):\d+: (?:fatal )?error:",
                             result.stderr, re.M))  # fmt: skip
        if result.returncode and not bad:
            raise ExtractionError(f"cannot compile a probe of mpi.h:\n{result.stderr.strip()}")
        return {name: line for i, (name, line) in enumerate(entries) if str(header + i + 1) not in bad}

    def values(self, expressions):
        """Evaluates {key: (C return type, C expression)} through LLVM IR.

        Returns {key: (LLVM type, spelling)}; the spelling is a dict as in the
        binding, or None if the value is not a link-time constant.
        """
        keys = list(expressions)
        source = PRELUDE
        for i, key in enumerate(keys):
            c_type, expression = expressions[key]
            source += f"{c_type} comm_probe_{i}(void) {{ return {expression}; }}\n"
        ir = self.run(source, "-O1", "-S", "-emit-llvm", "-o", "-").stdout
        bodies = re.findall(r"^define .*?(\S+) @comm_probe_(\d+)\(.*?\{\n(.*?)^\}", ir, re.M | re.S)
        return {keys[int(i)]: (llvm_type, read_spelling(body)) for llvm_type, i, body in bodies}


def read_spelling(body):
    """Returns the spelling of the value that a probe function's LLVM IR returns."""
    lines = [line.strip() for line in body.splitlines()]
    lines = [line for line in lines if line and not line.endswith(":") and line[0] != ";"]
    ret = re.sub(r", ![\w.]+ !\d+", "", lines[-1])
    if match := re.fullmatch(r"ret i\d+ (-?\d+)", ret):
        return {"int": int(match.group(1))}
    if ret == "ret ptr null":
        return {"ptr_int": 0}
    if match := re.fullmatch(r"ret ptr inttoptr \(i64 (-?\d+) to ptr\)", ret):
        return {"ptr_int": int(match.group(1))}
    if match := re.fullmatch(r'ret ptr @"?([^"]+)"?', ret):
        return {"symbol": match.group(1)}
    # extern int *const MPI_UNWEIGHTED: the address is the value of a global.
    if len(lines) == 2:
        load = re.match(r'(%\w+) = load ptr, ptr @"?([^",]+)"?', lines[0])
        if load and ret == f"ret ptr {load.group(1)}":
            return {"load": load.group(2)}
    return None


def wrapper_flags(wrapper):
    """Preprocessor flags of a compiler wrapper (mpicc)."""
    # Open MPI supports -showme:compile, MPICH -compile-info, and both -show, which also prints the compiler and the
    # linker's flags.
    path = shutil.which(wrapper)
    if not path:
        raise ExtractionError(f"no compiler wrapper '{wrapper}' in PATH")
    result = subprocess.run([path, "-show"], capture_output=True, text=True)
    if result.returncode:
        raise ExtractionError(f"'{wrapper} -show' failed: {result.stderr.strip()}")
    words, flags = shlex.split(result.stdout)[1:], []
    while words:
        word = words.pop(0)
        if word in ("-I", "-D", "-U", "-isystem", "-idirafter"):
            flags += [word, words.pop(0)]
        elif word[:2] in ("-I", "-D", "-U") or word.startswith("-isystem"):
            flags.append(word)
    return flags


def is_mpi(name):
    return bool(re.match(r"MPIX?_[A-Za-z0-9]", name))


def discover(compiler):
    """Names the header declares: (values, functions, types)."""
    macros = compiler.run(PRELUDE, "-E", "-dM").stdout
    values = set()
    for line in macros.splitlines():
        name = line.split(" ", 2)[1]
        if "(" not in name:
            values.add(name)
    functions, types = set(), set()
    for node in compiler.ast(PRELUDE):
        kind, name = node["kind"], node.get("name", "")
        if kind == "FunctionDecl":
            functions.add(name)
        elif kind == "TypedefDecl":
            types.add(name)
        elif kind == "VarDecl":
            values.add(name)
        elif kind == "EnumDecl":
            values |= {e["name"] for e in node.get("inner", []) if "name" in e}
    # MPI_Fint is a macro in Open MPI, so use sizeof to recognize types.
    candidates = types | values | {f"MPI_{c}" for c in HANDLE_CLASSES}
    candidates |= set(SIZED_TYPES)
    types = compiler.without_errors({n: f"extern {n} comm_is_a_type_{n};" for n in sorted(candidates) if is_mpi(n)})
    pick = lambda names: sorted(n for n in names if is_mpi(n))
    return pick(values - functions - set(types)), pick(functions), set(types)


def classify(compiler, names):
    """Returns {name: (type as written in the header, its canonical type)}.

    The type as written matters: MPI_Comm is an int in MPICH, and only the cast
    to the typedef distinguishes a handle from an integer constant.
    """
    lines = {n: f"void comm_probe_{n}(void) {{ (void)({n}); }}" for n in names}
    lines = compiler.without_errors(lines)
    result = {}
    for node in compiler.ast(PRELUDE + "\n".join(lines.values()) + "\n"):
        name = node.get("name", "")
        if node["kind"] != "FunctionDecl" or not name.startswith("comm_probe_"):
            continue
        # FunctionDecl > CompoundStmt > (void) cast > expression
        expression = node["inner"][0]["inner"][0]["inner"][0]
        while expression["kind"] == "ParenExpr":
            expression = expression["inner"][0]
        written = expression["type"]["qualType"]
        canonical = expression["type"].get("desugaredQualType", written)
        strip = lambda t: re.sub(r"^(const|volatile) |( ?\b(const|volatile))+$", "", t)
        result[name.removeprefix("comm_probe_")] = strip(written), strip(canonical)
    return result


def extract(name, library, compiler):
    values, functions, types = discover(compiler)
    if "MPI_Init" not in functions or "MPI_Comm" not in types:
        raise ExtractionError("mpi.h declares no MPI_Init or no MPI_Comm")
    classes = [c for c in HANDLE_CLASSES if f"MPI_{c}" in types]

    # MPICH's enumeration of its functions (MPI_SEND_T) is internal.
    internal = {f"{f.upper()}_T" for f in functions}
    queries = {}
    for n, (written, canonical) in classify(compiler, values).items():
        if written.removeprefix("MPI_") in classes:
            queries["handle", n, written.removeprefix("MPI_")] = written, n
        elif n in internal or n.startswith("MPI_T_") or re.search(r"\(|_function(_c)? \*", written):
            continue  # handles of the tool interface; callback functions
        elif canonical == "char *":
            continue  # strings, such as printf formats
        elif canonical.startswith("enum ") or canonical in INTEGER_TYPES:
            queries["constant", n] = "long long", n
        elif canonical.endswith(("*", "[]")):
            queries["address", n] = "void *", f"(void *)({n})"
    for c in classes:
        queries["representation", c] = f"MPI_{c}", f"*(MPI_{c} *)0"
        queries["size", f"MPI_{c}"] = "long long", f"sizeof(MPI_{c})"
    for t in SIZED_TYPES:
        if t in types:
            queries["size", t] = "long long", f"sizeof({t})"
    queries["status", "size"] = "long long", "sizeof(MPI_Status)"
    queries["status", "align"] = "long long", "_Alignof(MPI_Status)"
    for field in STATUS_FIELDS:
        offset = f"offsetof(MPI_Status, {field})"
        queries["status", field] = "long long", offset
    spellings = {}
    for key in list(queries):
        if key[0] == "handle" and key[2] == "Datatype":
            expressions = datatypes.size_expressions(key[1])
            # The sizes of Fortran types in the standard ABI are known only at run time: there is no MPI_Fint.
            if expressions and ("MPI_Fint" in types or "Fint" not in expressions[1]):
                spellings[key[1]] = expressions
                queries["dt_size", key[1]] = "long long", expressions[1]
                queries["dt_extent", key[1]] = "long long", expressions[2]
    return assemble(name, library, functions, compiler.values(queries), spellings)


def assemble(name, library, functions, values, datatype_spellings):
    binding = {
        "name": name, "library": library, "representation": {}, "sizes": {},
        "status": {}, "handles": {}, "datatypes": {}, "constants": {},
        "addresses": {}, "functions": functions,
    }  # fmt: skip
    for key, (llvm_type, spelling) in values.items():
        kind, n = key[:2]
        if kind == "representation":
            if llvm_type not in ("ptr", "i32"):
                raise ExtractionError(f"MPI_{n} is neither a pointer nor an int")
            binding["representation"][n] = "pointer" if llvm_type == "ptr" else "i32"
        elif kind == "handle":
            if spelling is None or "load" in spelling:
                raise ExtractionError(f"handle {n} is not a link-time constant")
            binding["handles"].setdefault(key[2], {})[n] = spelling
        elif kind == "constant" and spelling:
            binding["constants"][n] = spelling["int"]
        elif kind == "address" and spelling:
            binding["addresses"][n] = spelling
        elif kind == "size":
            binding["sizes"][n] = spelling["int"]
        elif kind == "status":
            binding["status"][n] = spelling["int"]
    handles = binding["handles"]
    null = handles["Datatype"].get("MPI_DATATYPE_NULL")
    for n, (c_type, _, _, is_pair) in sorted(datatype_spellings.items()):
        # MPICH represents types that the platform lacks as the null handle.
        if handles["Datatype"][n] == null:
            continue
        entry = {
            "size": values["dt_size", n][1]["int"],
            "extent": values["dt_extent", n][1]["int"],
        }
        if c_type:
            entry["c"] = c_type
        if is_pair:
            entry["pair"] = True
        binding["datatypes"][n] = entry
    add_aliases(handles["Datatype"], binding["datatypes"])
    return binding


def add_aliases(handles, known):
    """Adds sizes of nonstandard names that represent a standard datatype.

    For example, Open MPI's MPI_CXX_COMPLEX is another name of MPI_CXX_FLOAT_COMPLEX.
    """
    by_spelling = {}
    for n in sorted(known):
        (spelling,) = handles[n].items()
        other = by_spelling.setdefault(spelling, n)
        for what in ("size", "extent"):
            if known[n][what] != known[other][what]:
                raise ExtractionError(f"{n} and {other} are one handle, two sizes")
    for n, spelling in handles.items():
        (spelling,) = spelling.items()
        if n not in known and spelling in by_spelling:
            known[n] = {**known[by_spelling[spelling]], "alias": True}


def write(binding):
    """Returns JSON with a handle, constant or function per line, so that diffs are small."""
    return json.dumps(binding, indent=1, sort_keys=True) + "\n"


def observed(path):
    """Returns the observations of the running library in the file that is rewritten, which no header contains."""
    try:
        with open(path, encoding="utf-8") as file:
            old = json.load(file)
    except (OSError, ValueError):
        return {}
    return {key: old[key] for key in ("ordered_sums", "differing_nonblocking", "first_error_handler") if key in old}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--name", required=True, help="of the ABI, as in openmpi4")
    parser.add_argument("--library", required=True, help="what people call it")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--wrapper", help="the implementation's mpicc")
    where.add_argument("--include", help="the folder that holds its mpi.h")
    parser.add_argument("--fortran", metavar="FOLDER", help="the folder of mpif.h, if not that of mpi.h")
    parser.add_argument("--define", "-D", action="append", default=[],
                        help="macro to define, as in MPI_ABI")  # fmt: skip
    parser.add_argument("--clang", default="clang-22", help="clang to probe with")
    parser.add_argument("-o", "--output", default="-", help="JSON file")
    args = parser.parse_args()
    try:
        if args.include and not os.path.isfile(os.path.join(args.include, "mpi.h")):
            raise ExtractionError(f"no mpi.h in '{args.include}'")
        flags = ([f"-I{os.path.abspath(args.include)}"] if args.include
                 else wrapper_flags(args.wrapper))  # fmt: skip
        if not shutil.which(args.clang):
            raise ExtractionError(f"no compiler '{args.clang}'; name one by --clang")
        flags += [f"-D{d}" for d in args.define]
        binding = extract(args.name, args.library, Compiler(args.clang, flags))
        for folder in [args.fortran] if args.fortran else [f[2:] for f in flags if f.startswith("-I")]:
            if section := fortran.extract(folder, binding, ExtractionError):
                binding["fortran"] = section
                break
        text = write({**binding, **observed(args.output)})
    except ExtractionError as error:
        sys.exit(f"{parser.prog}: error: {error}")
    if args.output == "-":
        sys.stdout.write(text)
    else:
        with open(args.output, "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
