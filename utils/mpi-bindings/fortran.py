# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads an implementation's mpif.h: the numbers of handles, and addresses with a special meaning.

Source: MPI-5.0, 19.1 (Fortran support) and 19.3.4 (transfer of handles). The text is read, not compiled: named
constants are numbers, and MPI_BOTTOM and similar addresses are the only members of a common block.
"""

import os
import re

# Constants that calls pass in either language: C functions get Fortran's values.
SHARED = ("MPI_ANY_SOURCE", "MPI_ANY_TAG", "MPI_PROC_NULL", "MPI_ROOT", "MPI_UNDEFINED", "MPI_ORDER_C",
          "MPI_ORDER_FORTRAN", "MPI_SUCCESS")  # fmt: skip


def read(path):
    """Returns the text of a header and of those that it includes from its folder, without comments."""
    with open(path, encoding="utf-8", errors="replace") as header:
        lines = header.read().splitlines()
    text = ""
    for line in lines:
        if line[:1] in ("!", "C", "c", "*"):
            continue
        line = line.partition("!")[0]
        included = re.fullmatch(r"\s*include\s+'([\w.-]+)'\s*", line, re.I)
        if included:
            text += read(os.path.join(os.path.dirname(path), included.group(1)))
        else:
            text += line + "\n"
    return text


def extract(folder, binding, error):
    """Returns the section `fortran` of a binding, from mpif.h in that folder; None if there is none. Raises error(text)
    if C and Fortran differ in a value that neither Comm nor the library converts."""
    path = os.path.join(folder, "mpif.h")
    if not os.path.isfile(path):
        return None
    text = read(path)
    numbers = {n: int(v) for n, v in re.findall(r"parameter\s*\(\s*(\w+)\s*=\s*(-?\d+)\s*\)", text, re.I)}
    blocks = {n: b for b, n in re.findall(r"common\s*/\s*(\w+)\s*/\s*(\w+)\s*$", text, re.I | re.M)}
    for name in SHARED:
        if name in numbers and numbers[name] != binding["constants"].get(name, numbers[name]):
            raise error(f"{name} is {numbers[name]} in mpif.h and {binding['constants'][name]} in mpi.h")
    handles = {c: {n: numbers[n] for n in names if n in numbers} for c, names in binding["handles"].items()}
    if "MPI_COMM_WORLD" not in handles["Comm"] or "MPI_STATUS_SIZE" not in numbers:
        raise error(f"{path} does not give MPI_COMM_WORLD or MPI_STATUS_SIZE as a number")
    return {
        "handles": {c: names for c, names in handles.items() if names},
        "addresses": {n: blocks[n] for n in binding["addresses"] if n in blocks},
        "status": {n: numbers[n] for n in ("MPI_STATUS_SIZE", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR")},
    }
