#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON bindings of MPI implementations into C++ tables.

  generate.py -o MPIBindings.inc openmpi4.json mpich.json ...

lib/MPI/ABI.cpp includes the result. All tables are sorted for binary search,
in the byte order that llvm::StringRef compares in. Standard library only: this
runs in every build.
"""

import argparse
import json
import re
import sys

# In the order of comm::mpi::HandleClass.
HANDLE_CLASSES = [
    "Comm", "Datatype", "Op", "Request", "Group", "Errhandler", "Info",
    "Message", "Win", "File", "Session",
]  # fmt: skip

# In the order of comm::mpi::Transport.
TRANSPORTS = ["shared", "network"]

KINDS = {"symbol": "Symbol", "int": "Integer", "ptr_int": "Pointer", "load": "Load"}


class BindingError(Exception):
    """A binding file is malformed."""


def string(text):
    if not re.fullmatch(r"[\w.$ +-]*", text, re.ASCII):
        raise BindingError(f"'{text}' is not a name")
    return f'"{text}"'


def integer(value, low=-(2**63), high=2**63 - 1):
    if type(value) is not int or not low <= value <= high:
        raise BindingError(f"{value!r} is not an integer from {low} to {high}")
    # -2**63 has no literal in C++.
    return "INT64_MIN" if value == -(2**63) else str(value)


def size(value):
    return integer(value, 0, 2**31 - 1)


def cpp_representation(name, value):
    if not isinstance(value, dict) or len(value) != 1 or set(value) - set(KINDS):
        raise BindingError(f"{name}: {value!r} is not a representation")
    ((kind, what),) = value.items()
    symbol, number = (what, 0) if kind in ("symbol", "load") else ("", what)
    if kind == "int":
        integer(number, -(2**31), 2**31 - 1)
    return f"{{HandleRepresentation::{KINDS[kind]}, {string(symbol)}, {integer(number)}}}"


def canonical_names(handles, extensions):
    """Return {representation: name}, where several names may have one representation.

    A null handle wins (MPICH spells the datatypes it lacks as
    MPI_DATATYPE_NULL), then MPI's names win over the implementation's, then
    short names (MPI_LONG_LONG over MPI_LONG_LONG_INT), then the alphabet.
    """
    best = {}
    for name, value in handles.items():
        ((kind, what),) = value.items()
        is_extension = name in extensions or name.startswith("MPIX_")
        rank = (not name.endswith("_NULL"), is_extension, len(name), name)
        best.setdefault((kind, what), []).append(rank)
    return {key: min(ranks)[-1] for key, ranks in best.items()}


def table(type_name, name, rows):
    # C++ does not allow empty arrays.
    if not rows:
        return f"constexpr llvm::ArrayRef<{type_name}> {name};\n"
    body = "".join(f"    {row},\n" for row in rows)
    return f"constexpr {type_name} {name}[] = {{\n{body}}};\n"


def fortran_rows(fortran, status, extensions):
    """Return the numbers of handles and the common blocks of mpif.h; none if the binding has no such section. Statuses
    must have C's layout, so that both languages can read them."""
    if not fortran:
        return [], []
    layout = fortran["status"]
    fields = ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")
    if 4 * layout["MPI_STATUS_SIZE"] != status["size"] or any(4 * (layout[f] - 1) != status[f] for f in fields):
        raise BindingError("statuses of Fortran are not laid out as those of C")
    rows = []
    for handle_class, numbers in fortran["handles"].items():
        index = HANDLE_CLASSES.index(handle_class)
        representations = {name: {"int": number} for name, number in numbers.items()}
        for (_, number), name in canonical_names(representations, extensions).items():
            rows.append((index, number, f"{{HandleClass::{handle_class}, {integer(number)}, {string(name)}}}"))
    blocks = [f"{{{string(name)}, {string(block)}}}" for name, block in sorted(fortran["addresses"].items())]
    return [row for _, _, row in sorted(rows)], blocks


def cost_rows(costs):
    """Return the measured costs of both forms, by function, transport, processes and bytes."""
    rows = []
    for name, transports in costs.items():
        for transport, numbers in transports.items():
            index = TRANSPORTS.index(transport)
            for processes, sizes in numbers.items():
                for count, (blocking, nonblocking) in sizes.items():
                    rows.append((name, index, int(processes), int(count), blocking, nonblocking))
    return [
        f"{{{string(name)}, Transport::{TRANSPORTS[index].capitalize()}, {size(processes)}, {size(count)}, "
        f"{{{integer(blocking, 0)}, {integer(nonblocking, 0)}}}}}"
        for name, index, processes, count, blocking, nonblocking in sorted(rows)
    ]


def unaided_rows(left):
    """Return the largest block, in bytes, for which each collective completes even if no process calls MPI: between two
    processes, and among more; -1 if it never does. `left`: latencies that the wait took, by function, processes and
    bytes (progress.py)."""

    def limit(rows):
        best = -1
        for count, latencies in sorted((int(count), latencies) for count, latencies in rows.items()):
            if latencies >= 0.8:  # the rest is noise
                break
            best = count
        return best

    rows = []
    for name, numbers in sorted(left.items()):
        of_two = limit(numbers["2"])
        of_more = min([of_two, *(limit(sizes) for processes, sizes in numbers.items() if processes != "2")])
        rows.append(f"{{{string(name)}, {{{integer(of_two)}, {integer(of_more)}}}}}")
    return rows


def generate_abi(binding, costs, left):
    """Return the C++ code of one ABI: (its namespace, the code). `costs` and `left` are the results of costs.py and
    progress.py, {} if there are none."""
    for needed in ("MPI_Request", "MPI_Aint"):
        if needed not in binding["sizes"]:
            raise BindingError(f"no size of {needed}")
    extensions = {n for n, d in binding["datatypes"].items() if d.get("alias")}
    by_name, by_symbol, by_value = {}, [], []
    for handle_class, handles in binding["handles"].items():
        if handle_class not in HANDLE_CLASSES:
            raise BindingError(f"'{handle_class}' is not a class of handles")
        index = HANDLE_CLASSES.index(handle_class)
        cpp_class = f"HandleClass::{handle_class}"
        representation = binding["representation"][handle_class]
        for name, value in handles.items():
            by_name[name] = f"{{{string(name)}, {cpp_class}, {cpp_representation(name, value)}}}"
            wanted = {"i32": {"int"}, "pointer": {"symbol", "ptr_int"}}
            if set(value) - wanted[representation]:
                raise BindingError(f"{name}: {value} does not fit the representation '{representation}'")
        for (kind, what), name in canonical_names(handles, extensions).items():
            if kind == "symbol":
                by_symbol.append((index, what, cpp_class, name))
            else:
                by_value.append((index, what, cpp_class, name))

    code = table("HandleEntry", "handles", [r for _, r in sorted(by_name.items())])
    code += table("SymbolEntry", "symbols", [
        f"{{{c}, {string(s)}, {string(n)}}}" for _, s, c, n in sorted(by_symbol)
    ])  # fmt: skip
    code += table("ValueEntry", "values", [
        f"{{{c}, {integer(v)}, {string(n)}}}" for _, v, c, n in sorted(by_value)
    ])  # fmt: skip
    code += table("DatatypeEntry", "datatypes", [
        f"{{{string(n)}, {size(d['size'])}, {size(d['extent'])}, "
        f"{'true' if d.get('pair') else 'false'}}}"
        for n, d in sorted(binding["datatypes"].items())
    ])  # fmt: skip
    code += table("ConstantEntry", "constants", [
        f"{{{string(n)}, {integer(v)}}}"
        for n, v in sorted(binding["constants"].items())
    ])  # fmt: skip
    code += table("AddressEntry", "addresses", [
        f"{{{string(n)}, {cpp_representation(n, v)}}}"
        for n, v in sorted(binding["addresses"].items())
    ])  # fmt: skip
    code += table("llvm::StringLiteral", "functions",
                  [string(n) for n in sorted(binding["functions"])])  # fmt: skip
    for key, name in (("ordered_sums", "orderedSums"), ("differing_nonblocking", "differingNonblocking")):
        code += table("llvm::StringLiteral", name, [string(n) for n in sorted(binding.get(key, []))])
    code += table("ConstantEntry", "sizes", [
        f"{{{string(n)}, {size(v)}}}" for n, v in sorted(binding["sizes"].items())
    ])  # fmt: skip

    numbers, blocks = fortran_rows(binding.get("fortran"), binding["status"], extensions)
    code += table("ValueEntry", "fortranHandles", numbers)
    code += table("BlockEntry", "fortranBlocks", blocks)
    code += table("CostEntry", "costs", cost_rows(costs.get("costs", {})))
    code += table("UnaidedEntry", "unaided", unaided_rows(left))
    limits = ", ".join(integer(costs.get("eager_limit", {}).get(t, 0), 0) for t in TRANSPORTS)

    pointers = sum(1 << i for i, c in enumerate(HANDLE_CLASSES) if binding["representation"].get(c) == "pointer")
    present = sum(1 << i for i, c in enumerate(HANDLE_CLASSES) if c in binding["representation"])
    status = ", ".join(size(binding["status"][k]) for k in ("size", "align", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR"))
    code += (
        f"constexpr ABITables tables = {{{string(binding['name'])}, "
        f"{string(binding['library'])}, {present:#x}, {pointers:#x}, {{{status}}}, "
        "handles, symbols, values, datatypes, constants, addresses, functions, orderedSums, differingNonblocking, "
        f"sizes, fortranHandles, fortranBlocks, costs, unaided, {{{limits}}}}};\n"
    )
    namespace = "abi_" + re.sub(r"\W", "_", binding["name"])
    return namespace, f"namespace {namespace} {{\n{code}}} // namespace {namespace}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("bindings", nargs="+", help="JSON files")
    parser.add_argument("--costs", nargs="*", default=[], help="JSON files that costs.py wrote")
    parser.add_argument("--progress", nargs="*", default=[], help="JSON files that progress.py wrote")
    parser.add_argument("-o", "--output", required=True, help="C++ file to write")
    args = parser.parse_args()

    def read(paths, key, check):
        """Return the measurements by the name of the binding."""
        all_measured = {}
        for path in paths:
            try:
                with open(path) as f:
                    measured = json.load(f)
                check(measured[key])
                all_measured[measured["name"]] = measured
            except (OSError, ValueError, BindingError) as error:
                what = getattr(error, "strerror", None) or error
                sys.exit(f"{parser.prog}: error: {path}: {what}")
            except (KeyError, TypeError, AttributeError) as error:
                sys.exit(f"{parser.prog}: error: {path}: no {key}: {error!r}")
        return all_measured

    costs = read(args.costs, "costs", cost_rows)
    progress = read(args.progress, "left", unaided_rows)
    # Keyed by name, so that the order of the files does not matter.
    abis = {}
    for path in args.bindings:
        try:
            with open(path) as f:
                binding = json.load(f)
            if binding["name"] in abis:
                raise BindingError(f"a second binding named '{binding['name']}'")
            abis[binding["name"]] = generate_abi(
                binding, costs.pop(binding["name"], {}), progress.pop(binding["name"], {}).get("left", {})
            )
        except (OSError, ValueError, BindingError) as error:
            what = getattr(error, "strerror", None) or error
            sys.exit(f"{parser.prog}: error: {path}: {what}")
        except (KeyError, TypeError, AttributeError) as error:
            sys.exit(f"{parser.prog}: error: {path}: not a binding: {error!r}")
    for what, rest in (("costs", costs), ("progress", progress)):
        if rest:
            sys.exit(f"{parser.prog}: error: {what} of {', '.join(sorted(rest))}, which have no binding")
    abis = [abis[name] for name in sorted(abis)]
    with open(args.output, "w") as f:
        f.write("// Generated by lib/MPI/Bindings/generate.py: do not edit.\n")
        for _, code in abis:
            f.write(code)
        names = ", ".join(f"&{namespace}::tables" for namespace, _ in abis)
        f.write(f"constexpr const ABITables *allTables[] = {{{names}}};\n")


if __name__ == "__main__":
    main()
