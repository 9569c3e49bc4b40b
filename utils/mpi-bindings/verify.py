#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a binding against the running MPI library.

Writes LLVM IR with the handles as the binding spells them (as lowering does),
links it to the library, and asks the library what each is: name, size and
extent of datatypes, rank and size of communicators. Also checks that the
library exports every function of the binding.

  verify.py --wrapper mpicc lib/MPI/Bindings/openmpi4.json
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import extract

PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
extern const int comm_num_datatypes;
extern const char *const comm_datatype_names[];
extern const MPI_Datatype comm_datatypes[];
extern const MPI_Comm comm_world, comm_self;
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < comm_num_datatypes; ++i) {
    char name[MPI_MAX_OBJECT_NAME] = "?";
    int size = -1, length = 0;
    MPI_Aint lb = -1, extent = -1;
    int failed = MPI_Type_get_name(comm_datatypes[i], name, &length) ||
                 MPI_Type_size(comm_datatypes[i], &size) ||
                 MPI_Type_get_extent(comm_datatypes[i], &lb, &extent);
    printf("datatype %s %s %d %ld %ld %d\n", comm_datatype_names[i],
           length ? name : "?", size, (long)lb, (long)extent, failed);
  }
  int same[2] = {-1, -1};
  MPI_Comm_compare(comm_world, MPI_COMM_WORLD, &same[0]);
  MPI_Comm_compare(comm_self, MPI_COMM_SELF, &same[1]);
  printf("comms %d\n", same[0] == MPI_IDENT && same[1] == MPI_IDENT);
  char function[256];
  while (scanf("%255s", function) == 1)
    if (!dlsym(RTLD_DEFAULT, function))
      printf("missing %s\n", function);
  MPI_Finalize();
  return 0;
}
"""


def ir_value(spelling):
    ((kind, what),) = spelling.items()
    if kind == "int":
        return f"i32 {what}"
    if kind == "symbol":
        return f"ptr @{what}"
    return f"ptr inttoptr (i64 {what} to ptr)"


def handles_ir(binding, names):
    """Returns LLVM IR that defines the symbols that PROGRAM declares."""
    handles = binding["handles"]
    spelled = [h for c in ("Datatype", "Comm") for h in handles[c].values()]
    symbols = sorted({h["symbol"] for h in spelled if "symbol" in h})
    lines = [f"@{s} = external global i8" for s in symbols]
    for i, n in enumerate(names):
        lines.append(f'@n{i} = private constant [{len(n) + 1} x i8] c"{n}\\00"')
    llvm_type = ir_value(handles["Datatype"]["MPI_INT"]).split()[0]
    strings = ", ".join(f"ptr @n{i}" for i in range(len(names)))
    values = ", ".join(ir_value(handles["Datatype"][n]) for n in names)
    world, self = (ir_value(handles["Comm"][f"MPI_COMM_{n}"]) for n in ("WORLD", "SELF"))
    lines += [
        f"@comm_num_datatypes = constant i32 {len(names)}",
        f"@comm_datatype_names = constant [{len(names)} x ptr] [{strings}]",
        f"@comm_datatypes = constant [{len(names)} x {llvm_type}] [{values}]",
        f"@comm_world = constant {world}",
        f"@comm_self = constant {self}",
    ]
    return "\n".join(lines) + "\n"


def are_aliases(binding, name, other):
    """Returns True if the library may call the datatype `name` by the name `other`."""
    if name == other:
        return True
    handles, known = binding["handles"]["Datatype"], binding["datatypes"]
    if handles[name] != handles.get(other):
        return False
    # MPI_LONG_LONG and MPI_LONG_LONG_INT are the same C type.
    kinds = [known.get(n, {}).get("c") for n in (name, other)]
    is_extension = any(known.get(n, {}).get("alias") for n in (name, other))
    return is_extension or (kinds[0] == kinds[1] and kinds[0] is not None)


def run(command, **kwargs):
    result = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if result.returncode:
        raise extract.ExtractionError(f"'{shlex.join(command)}' failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def verify(binding, wrapper, clang, launcher):
    """Returns a list of the differences from the library."""
    handles = binding["handles"]["Datatype"]
    names = sorted(n for n in handles if not n.endswith("_NULL"))
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path("main.c"), "w") as f:
            f.write(PROGRAM)
        with open(path("handles.ll"), "w") as f:
            f.write(handles_ir(binding, names))
        run([clang, "-w", "-fPIC", "-c", path("handles.ll"), "-o", path("handles.o")])
        run([wrapper, "-w", path("main.c"), path("handles.o"), "-o", path("a.out"), "-ldl"])
        out = run(
            [*launcher, path("a.out")],
            input="\n".join(binding["functions"]), timeout=120,
        )  # fmt: skip

    problems, seen, unavailable = [], 0, 0
    for line in out.splitlines():
        kind, *fields = line.split()
        if kind == "missing" and fields[0].startswith("MPIX_"):
            print(f"note: {fields[0]}: an extension that the library does not export")
        elif kind == "missing":
            problems.append(f"the library does not export {fields[0]}")
        elif kind == "comms" and fields != ["1"]:
            problems.append("MPI_COMM_WORLD or MPI_COMM_SELF is another communicator")
        elif kind == "datatype":
            seen += 1
            n, library_name = fields[:2]
            size, lb, extent, failed = map(int, fields[2:])
            known = binding["datatypes"].get(n)
            if failed or size <= 0:
                # Declared by mpi.h but absent from this build of the library.
                unavailable += 1
                print(f"note: {n}: not available at run time")
                continue
            if library_name == "?" and not known:
                print(f"note: {n}: an extension that the library has no name for")
            elif not are_aliases(binding, n, library_name):
                problems.append(f"{n}: the library calls it {library_name}")
            if known and (known["size"], 0, known["extent"]) != (size, lb, extent):
                problems.append(
                    f"{n}: size {known['size']}, extent {known['extent']}; the library "
                    f"says size {size}, lower bound {lb}, extent {extent}"
                )
    if seen != len(names):
        problems.append(f"only {seen} of {len(names)} datatypes were checked")
    return problems, seen - unavailable


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binding", help="JSON file")
    parser.add_argument("--wrapper", required=True, help="the implementation's mpicc")
    parser.add_argument("--clang", default="clang-22", help="clang that compiles IR")
    parser.add_argument("--launcher", default="", help="command that starts one rank")
    args = parser.parse_args()
    try:
        with open(args.binding) as f:
            binding = json.load(f)
        for tool in (args.wrapper, args.clang):
            if not shutil.which(tool):
                raise extract.ExtractionError(f"no '{tool}' in PATH")
        problems, seen = verify(binding, args.wrapper, args.clang, shlex.split(args.launcher))
    except (OSError, ValueError, subprocess.TimeoutExpired,
            extract.ExtractionError) as error:  # fmt: skip
        sys.exit(f"{parser.prog}: error: {error}")
    except (KeyError, TypeError, AttributeError) as error:
        sys.exit(f"{parser.prog}: error: {args.binding}: not a binding: {error!r}")
    for problem in problems:
        print(f"error: {problem}")
    if problems:
        sys.exit(
            f"{parser.prog}: {args.binding} does not describe this library. If it is of another version or build,\n"
            f"write it again: extract.py --wrapper {args.wrapper} --name {binding['name']} ... If it stays so, the\n"
            "library differs from its own mpi.h: a function that it does not export cannot be called, so take it out\n"
            "of `functions`; a datatype of another size or name must go from `datatypes`, since Comm would count its\n"
            "bytes wrong. An error about MPI_COMM_WORLD means that handles are represented otherwise: README.md there."
        )
    print(f"{binding['name']}: {seen} datatypes as the library has them")


if __name__ == "__main__":
    main()
