#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write wrappers that tell the checker of each collective, from the MPI Forum's API data.

    generate_wrappers.py -o CollectiveWrappers.c

No MPI functions are listed by hand. A collective is a function on a communicator that has or is a nonblocking form and
has no parameter for another process. A function creates a communicator if it returns one on completion.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "lib" / "MPI"))
from generate_standard import Function, Param, load  # noqa: E402


def is_collective(function: Function) -> bool:
    names = {p.name for p in function.params}
    has_comm = any(p.role == "Comm" and p.direction == "In" for p in function.params)
    has_pair = bool(function.nonblocking or function.blocking)
    makes = any(p.role == "Comm" and p.direction == "Out" for p in function.params)
    return has_comm and has_pair and not makes and not names & {"dest", "source"}


def makes_communicator(function: Function) -> bool:
    """Whether the function is collective over the new communicator and complete on return."""
    made = any(p.role == "Comm" and p.direction == "Out" and "intercomm" not in p.name for p in function.params)
    asks = any(p.name == "request" for p in function.params)
    parts = any(p.role in ("Comm", "Group") and p.direction == "In" for p in function.params)
    return made and parts and not asks and not function.name.startswith(("MPI_Comm_get_", "MPI_Comm_c2f"))


def pairs(function: Function) -> list[tuple[str, str, str]]:
    """Return the buffer, count and datatype of each message that has a single count."""
    found = []
    for index, param in enumerate(function.params):
        if param.role != "Buffer":
            continue
        rest = function.params[index + 1 :]
        count = next((p for p in rest if p.role == "Count"), None)
        datatype = next((p for p in rest if p.role == "Datatype"), None)
        if not count or not datatype or count.is_array or datatype.is_array:
            return []
        found.append((param.name, count.name, datatype.name))
    return found


def message(function: Function) -> tuple[str, str]:
    """Return the count and datatype of the message that has the same length in every process."""
    found = pairs(function)
    if not found or "neighbor" in function.name.lower():
        return "0", "MPI_DATATYPE_NULL"
    first, last = found[0], found[-1]
    if first[1] == last[1]:
        return first[1], first[2]
    # In a scatter only the root sends, in a gather only the root receives: use the other buffer unless it is in place.
    if "scatter" in function.name.lower():
        first, last = last, first
    place = f"{first[0]} == MPI_IN_PLACE"
    return f"{place} ? {last[1]} : {first[1]}", f"{place} ? {last[2]} : {first[2]}"


def declaration(param: Param) -> str:
    if param.is_array:
        return f"{'const ' if param.direction == 'In' else ''}{param.c_type} {param.name}[]"
    const = "const " if param.is_pointer and param.direction == "In" else ""
    return f"{const}{param.c_type} {'*' if param.is_pointer else ''}{param.name}"


def wrapper(function: Function) -> str:
    names = {p.name for p in function.params}
    parameters = ", ".join(declaration(p) for p in function.params)
    call = f"P{function.name}({', '.join(p.name for p in function.params)})"
    if is_collective(function):
        blocking = function.blocking or function.name
        count, datatype = message(function)
        root = "root" if "root" in names else "-1"
        op = "op" if "op" in names else "MPI_OP_NULL"
        body = (
            f'  comm_check_collective(comm, "{function.name}", "{blocking}", {root}, {count}, {datatype}, {op});\n'
            f"  return {call};\n"
        )
    else:
        made = next(p.name for p in function.params if p.role == "Comm" and p.direction == "Out")
        body = (
            f"  int error = {call};\n  if (error == MPI_SUCCESS)\n    comm_check_communicator(*{made});\n"
            "  return error;\n"
        )
    text = f"int {function.name}({parameters}) {{\n{body}}}\n"
    return f"#if MPI_VERSION >= 4\n{text}#endif\n" if is_new(function) else text


def is_new(function: Function) -> bool:
    """Whether this is a function of MPI-4, which older libraries lack."""
    return (
        function.name.endswith("_c")
        or any(p.role == "Session" for p in function.params)
        or "_from_group" in function.name
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", required=True)
    args = parser.parse_args()
    try:
        functions = load()
    except ImportError:
        print("error: the Python package `pympistandard` is missing: run utils/setup.sh", file=sys.stderr)
        return 1
    wrapped = [f for f in functions.values() if is_collective(f) or makes_communicator(f)]
    with open(args.output, "w", encoding="utf-8") as out:
        out.write("/* Generated by generate_wrappers.py from the MPI Forum's API data. Do not edit. */\n")
        out.write('#include "check/Collectives.h"\n\n')
        out.write("\n".join(wrapper(f) for f in wrapped))
        for name, parameters, names in (
            ("MPI_Init", "int *argc, char ***argv", "argc, argv"),
            (
                "MPI_Init_thread",
                "int *argc, char ***argv, int required, int *provided",
                "argc, argv, required, provided",
            ),
        ):
            out.write(
                f"\nint {name}({parameters}) {{\n  int error = P{name}({names});\n  if (error == MPI_SUCCESS)\n"
                "    comm_check_communicator(MPI_COMM_WORLD);\n  return error;\n}\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
