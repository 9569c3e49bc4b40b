#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the functions that decide between the blocking and the nonblocking form of each collective that has both.

    generate_collectives.py --header Collectives.h --source Collectives.c --rounding FILE --markers FILE
        --operations FILE --latencies FILE... --costs FILE... --bindings FILE...

The collectives come from the MPI standard's tables (lib/MPI/generate_standard.py), those whose processes vote from the
operations (joinsAll in CollectiveOps.td), handles from the bindings, and the tables of comm_takes_more_latencies and
comm_get_extra_cost from lib/MPI/Latencies and lib/MPI/Costs. The source is compiled as a whole, or with -DCOMM_PART=N
only function N, as an archive member. The functions are

    comm_call_NAME(...)             replaces the blocking call
    comm_start_[KIND_]NAME(..., request)           a start that replaces a blocking call
    comm_start_promised_[KIND_]NAME(..., request)  the same if the program promises uniform collectives
    comm_blocks_NAME                a note: some call of the function cannot be redirected
    comm_call_MPI_Wait(request, status)            MPI_Wait, for requests that may be null
    comm_NAME                       a note for each marker of Comm/MPI/Markers.def
    comm_ask_NAME()                 whether a loaded file has that note

where KIND is one of KINDS below, for reductions. Compiled code calls comm_call_NAME by the symbol comm.call_NAME, and
the others likewise (COMM_ENTRY).
"""

import argparse
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "lib", "MPI"))
import generate_standard

# The fact that a start adds to the program's notes, by the kind in its name. Of rounding reductions, `sum` accepts any
# order and `ordered` only the one that both forms use; `either` may round or not.
KINDS = {
    "": "COMM_STARTS",
    "sum_": "COMM_STARTS_SUMS",
    "ordered_": "COMM_STARTS_ORDERED_SUMS",
    "either_": "COMM_STARTS | COMM_STARTS_SUMS",
}


def is_collective(function):
    """Whether all processes of a communicator take part, as in UniformCollectives.h."""
    names = {p.name for p in function.params}
    communicates = any(p.role == "Comm" and p.direction == "In" for p in function.params)
    return bool(function.nonblocking) and communicates and not names & {"dest", "source"}


def read_joining(path):
    """Return the functions in which each process waits for all others, according to the operations' records."""
    with open(path, encoding="utf-8") as file:
        records = re.findall(r"(?ms)^def Comm_\w+Op : Comm_MPIOp<(MPI_\w+)(.*?)^}", file.read())
    joining = {name for name, body in records if re.search(r"(?m)^  let joinsAll = 1;", body)}
    if not joining:
        raise SystemExit(f"error: {path}: no operation joins all processes")
    return joining


def c_type(param):
    if param.is_pointer:
        return "const void *" if param.direction == "In" else "void *"
    return param.c_type + " "


def write_functions(number, base, function, votes, out):
    """Write the functions of a collective; with `votes`, its processes may vote on its form (Votes.c)."""
    declared = ", ".join(c_type(p) + p.name for p in function.params)
    names = ", ".join(p.name for p in function.params)
    comm = next(p.name for p in function.params if p.role == "Comm" and p.direction == "In")
    roles = {p.name for p in function.params}
    is_reduction = {"op", "datatype"} <= roles
    count = "count" if any(p.name == "count" and not p.is_pointer for p in function.params) else "-1"
    reduction = f"&(struct CommReduction){{op, datatype, {count}}}" if is_reduction else "NULL"
    name, start = function.name, function.nonblocking

    def decide(promised):
        arguments = f"COMM_{base}, {promised}, {comm}, {reduction}"
        if not votes:
            return f"  if (!comm_is_nonblocking({arguments}))\n"
        return f"  struct CommCall asked;\n  if (!comm_begin_call(&asked, {arguments}))\n"

    def count(error):
        return f"comm_count_call(&asked, {error})" if votes else error

    def end(what, error, *more):
        return f"comm_end_{what}({', '.join(['&asked', error, *more])})" if votes else error

    kinds = KINDS if is_reduction else [""]
    out.write(f"#if !defined(COMM_PART) || COMM_PART == {number}\n")
    for prefix in ("", "P"):
        out.write(f"int {prefix}{name}({declared});\n")
        out.write(f"int {prefix}{start}({declared}, MPI_Request *);\n")
        out.write(f"int {prefix}MPI_Wait(MPI_Request *, void *);\n")
        # The decision is out of line: a call that must be blocking costs a load and a branch.
        out.write(
            f"COMM_OUT_OF_LINE int comm_decide_{prefix}{name}({declared}) {{\n"
            f"{decide(0)}"
            f"    return {end('call', count(f'{prefix}{name}({names})'))};\n"
            f"  MPI_Request request;\n"
            f"  int error = {count(f'{prefix}{start}({names}, &request)')};\n"
            f"  return error ? error : {end('call', f'{prefix}MPI_Wait(&request, COMM_STATUS_IGNORE)')};\n"
            f"}}\n"
            f'int comm_call_{prefix}{name}({declared}) COMM_ENTRY("call_{prefix}{name}");\n'
            f"int comm_call_{prefix}{name}({declared}) {{\n"
            f"  if (comm_may_be_nonblocking(COMM_{base}, 0))\n"
            f"    return comm_decide_{prefix}{name}({names});\n"
            f"  return {prefix}{name}({names});\n"
            f"}}\n"
        )
    for kind in kinds:
        out.write(f"COMM_NOTE(comm_starts_{kind}{name}, COMM_{base}, {KINDS[kind]})\n")
    for promised, infix in ((0, ""), (1, "promised_")):
        out.write(
            f"COMM_OUT_OF_LINE int comm_decide_start_{infix}{name}({declared}, MPI_Request *started) {{\n"
            f"{decide(promised)}"
            f"    return {end('start', count(f'{name}({names})'), 'started')};\n"
            f"  return {end('start', count(f'{start}({names}, started)'), 'started')};\n"
            f"}}\n"
        )
        for kind in kinds:
            out.write(
                f"int comm_start_{infix}{kind}{name}({declared}, MPI_Request *started)"
                f' COMM_ENTRY("start_{infix}{kind}{name}");\n'
                f"int comm_start_{infix}{kind}{name}({declared}, MPI_Request *started) {{\n"
                f"  COMM_KEEP(comm_starts_{kind}{name});\n"
                f"  if (comm_may_be_nonblocking(COMM_{base}, {promised}))\n"
                f"    return comm_decide_start_{infix}{name}({names}, started);\n"
                f"  return {name}({names});\n"
                f"}}\n"
            )
    out.write(f"COMM_NOTE(comm_blocks_{name}, COMM_{base}, COMM_CANNOT_ASK)\n#endif\n")


def write_part(number, text, out):
    out.write(f"#if !defined(COMM_PART) || COMM_PART == {number}\n{text}#endif\n")


def write_wait(number, out):
    write_part(
        number,
        "int MPI_Wait(MPI_Request *, void *);\n"
        "static inline int comm_wait(MPI_Request *request, void *status) {\n"
        "  if (status == COMM_STATUS_IGNORE && comm_is_null_request(*request))\n"
        "    return 0;\n"
        "  return MPI_Wait(request, status);\n"
        "}\n"
        "COMM_OUT_OF_LINE int comm_wait_after_interval(MPI_Request *request, void *status) {\n"
        "  struct CommInterval interval;\n"
        "  int isKnown = comm_end_interval(&interval, request), error = comm_wait(request, status);\n"
        "  if (isKnown)\n"
        "    comm_end_wait(&interval);\n"
        "  return error;\n"
        "}\n"
        'int comm_call_MPI_Wait(MPI_Request *request, void *status) COMM_ENTRY("call_MPI_Wait");\n'
        "int comm_call_MPI_Wait(MPI_Request *request, void *status) {\n"
        "  if (comm_may_end_interval())\n"
        "    return comm_wait_after_interval(request, status);\n"
        "  return comm_wait(request, status);\n"
        "}\n",
        out,
    )


def spell(handle):
    """Return a handle's value in C and the symbol that it needs, or None if it is not a constant."""
    ((kind, what),) = handle.items()
    if kind == "symbol":
        return f"(CommHandle)&{what}", what
    return (f"(CommHandle)(intptr_t){what}", None) if kind in ("int", "ptr_int") else (None, None)


def write_predicate(name, handles, bindings, handle_class, out):
    """Write a predicate for these handles in any implementation: symbols are weak, and null if the implementation is
    another one."""
    out.write(f"static inline int {name}(CommHandle handle) {{\n")
    for macro, pointers in (("#ifdef", True), ("#else", False)):
        out.write(f"{macro}{' COMM_HANDLES_ARE_POINTERS' if pointers else ''}\n")
        tests, symbols = [], set()
        for binding in bindings:
            if (binding["representation"]["Comm"] == "pointer") != pointers:
                continue
            for each in handles:
                representation = binding["handles"][handle_class].get(each)
                value, symbol = spell(representation) if representation else (None, None)
                if not value:
                    continue
                if symbol and symbol not in symbols:
                    symbols.add(symbol)
                    out.write(f"  extern __attribute__((weak)) char {symbol};\n")
                tests.append(f"handle == {value}")
        tests = list(dict.fromkeys(tests))
        out.write(f"  return {' || '.join(tests) or '0'};\n" if tests else "  return 0;\n")
    out.write("#endif\n}\n")


def write_getter(name, handle, bindings, handle_class, out):
    """Write a getter for a predefined handle."""
    out.write(f"static inline CommHandle {name}(void) {{\n")
    for macro, pointers in (("#ifdef", True), ("#else", False)):
        out.write(f"{macro}{' COMM_HANDLES_ARE_POINTERS' if pointers else ''}\n")
        fallback = ""
        symbols = []
        for binding in bindings:
            if (binding["representation"]["Comm"] == "pointer") != pointers:
                continue
            value, symbol = spell(binding["handles"][handle_class][handle])
            if symbol and symbol not in symbols:
                symbols.append(symbol)
                out.write(f"  extern __attribute__((weak)) char {symbol};\n  if (&{symbol})\n    return {value};\n")
            elif not symbol:
                fallback = value
        out.write(f"  return {fallback or '0'};\n")
    out.write("#endif\n}\n")


def find_good_ranges(rows):
    """Return the ranges of message sizes in which the nonblocking form takes no more latencies, as inclusive bounds,
    or None for no bound. `rows`: bytes -> latencies of the blocking form, and of the nonblocking one."""
    sizes = sorted(rows, key=int)
    good = [rows[size][1] - rows[size][0] <= max(0.5, 0.15 * rows[size][0]) for size in sizes]
    ranges = []
    for i, size in enumerate(sizes):
        if good[i] and (i == 0 or not good[i - 1]):
            ranges.append([int(size) if i else None, None])
        if not good[i] and i and good[i - 1]:
            ranges[-1][1] = int(sizes[i - 1])
    return ranges


def write_latencies(latencies, bindings, out):
    """Write the test whether the nonblocking form of a reduction of that many bytes takes more latencies; for a
    negative number, whether it does for some size. An implementation is identified by the symbol of its
    MPI_COMM_WORLD, which implementations with integer handles lack."""
    symbols = {b["name"]: spell(b["handles"]["Comm"]["MPI_COMM_WORLD"])[1] for b in bindings}
    out.write(
        "static inline int comm_takes_more_latencies(enum CommCollective collective, int processes, "
        "MPI_Count bytes) {\n#ifdef COMM_HANDLES_ARE_POINTERS\n"
    )
    for measured in latencies:
        symbol = symbols.get(measured["name"])
        if not symbol:
            raise SystemExit(f"error: latencies of {measured['name']}, which has no symbol to know it by")
        out.write(f"  extern __attribute__((weak)) char {symbol};\n  if (&{symbol})\n    switch (collective) {{\n")
        for name, by_processes in sorted(measured["latencies"].items()):
            ranges = {int(count): find_good_ranges(rows) for count, rows in by_processes.items()}
            if all(each == [[None, None]] for each in ranges.values()):
                continue
            out.write(f"    case COMM_{name}:\n")
            # A number of processes between two measured ones counts as the lower one.
            for count, good in sorted(ranges.items(), reverse=True):
                tests = []
                for low, high in good:
                    bounds = [f"bytes >= {low or 0}"] + ([f"bytes <= {high}"] if high else [])
                    tests.append(" && ".join(bounds))
                is_good = " || ".join(f"({test})" for test in tests) or "0"
                out.write(f"      if (processes >= {count})\n        return !({is_good});\n")
            out.write("      break;\n")
        out.write("    default:\n      break;\n    }\n")
    out.write("#endif\n  (void)collective;\n  (void)processes;\n  (void)bytes;\n  return 0;\n}\n")


def write_extra_costs(measured, voting, bindings, out):
    """Write the function that returns how much more the nonblocking form of a small collective costs over a network: a
    number of nanoseconds, or a part of a call that is shorter than those that were measured. An implementation is
    identified as for latencies; of those with one symbol the first one counts."""
    out.write(
        "struct CommExtraCost {\n  int nanoseconds, perMille;\n};\n"
        "static inline struct CommExtraCost comm_get_extra_cost(enum CommCollective collective, int processes) {\n"
        "#ifdef COMM_HANDLES_ARE_POINTERS\n"
    )
    costs = {each["name"]: each["costs"] for each in measured}
    symbols = set()
    for binding in bindings:
        symbol = spell(binding["handles"]["Comm"]["MPI_COMM_WORLD"])[1]
        if not symbol or symbol in symbols or binding["name"] not in costs:
            continue
        symbols.add(symbol)
        out.write(f"  extern __attribute__((weak)) char {symbol};\n  if (&{symbol})\n    switch (collective) {{\n")
        for name, by_transport in sorted(costs[binding["name"]].items()):
            if name not in voting:
                continue
            out.write(f"    case COMM_{name}:\n")
            by_processes = by_transport.get("network", {})
            for processes in sorted(map(int, by_processes), reverse=True):
                blocking, nonblocking = by_processes[str(processes)][min(by_processes[str(processes)], key=int)]
                extra = max(0, nonblocking - blocking)
                out.write(
                    f"      if (processes >= {processes})\n"
                    f"        return (struct CommExtraCost){{{extra}, {1000 * extra // blocking}}};\n"
                )
            out.write("      break;\n")
        out.write("    default:\n      break;\n    }\n")
    out.write("#endif\n  (void)collective;\n  (void)processes;\n  return (struct CommExtraCost){0, 0};\n}\n")


def write_environment_test(bindings, out):
    """Write the test whether the environment alone determines the initial error handler. The bindings that say so
    have symbols as handles, which identify them at run time."""
    out.write("static inline int comm_environment_has_first_handler(void) {\n#ifdef COMM_HANDLES_ARE_POINTERS\n")
    symbols = set()
    for binding in bindings:
        if binding.get("first_error_handler") == "environment":
            symbols.add(spell(binding["handles"]["Comm"]["MPI_COMM_WORLD"])[1])
    for symbol in sorted(symbols):
        out.write(f"  extern __attribute__((weak)) char {symbol};\n  if (&{symbol})\n    return 1;\n")
    out.write("#endif\n  return 0;\n}\n")


# The combiners that Datatypes.c decodes.
COMBINERS = ["DUP", "CONTIGUOUS", "VECTOR", "HVECTOR", "SUBARRAY", "RESIZED"]


def write_combiners(bindings, out):
    """Write combiners and MPI_ORDER_C under common names: numbers of implementations with the same kind of handles
    must not conflict."""
    out.write("enum CommCombiner {\n  COMM_COMBINER_OTHER,\n")
    for name in COMBINERS:
        out.write(f"  COMM_COMBINER_{name},\n")
    out.write("};\n")
    for macro, pointers in (("#ifdef", True), ("#else", False)):
        out.write(f"{macro}{' COMM_HANDLES_ARE_POINTERS' if pointers else ''}\n")
        alike = [b["constants"] for b in bindings if (b["representation"]["Comm"] == "pointer") == pointers]
        for prefix in ("MPI_COMBINER_", "MPI_ORDER_"):
            names = {name for constants in alike for name in constants if name.startswith(prefix)}
            numbers = [(number, name) for name in names for number in {c[name] for c in alike if name in c}]
            if len({number for number, _ in numbers}) != len(numbers):
                raise SystemExit(f"error: {prefix}... is another one in another implementation")
        out.write("static inline enum CommCombiner comm_get_combiner(int combiner) {\n  switch (combiner) {\n")
        for name in COMBINERS:
            for number in sorted({c[f"MPI_COMBINER_{name}"] for c in alike}):
                out.write(f"  case {number}:\n")
            out.write(f"    return COMM_COMBINER_{name};\n")
        out.write("  default:\n    return COMM_COMBINER_OTHER;\n  }\n}\n")
        tests = " || ".join(f"order == {number}" for number in sorted({c["MPI_ORDER_C"] for c in alike}))
        out.write(f"static inline int comm_is_order_c(int order) {{ return {tests}; }}\n")
    out.write("#endif\n")


def write_level_test(name, level, bindings, out):
    """Write the test for a level of thread support, whose number differs between implementations."""
    numbers = sorted({b["constants"][level] for b in bindings})
    others = {b["constants"][n] for b in bindings for n in b["constants"] if n.startswith("MPI_THREAD_") and n != level}
    if others & set(numbers):
        raise SystemExit(f"error: {level} is another level in another implementation")
    tests = " || ".join(f"level == {number}" for number in numbers)
    out.write(f"static inline int {name}(int level) {{ return {tests}; }}\n")


def write_ignored_status(bindings, out):
    """Write MPI_STATUS_IGNORE, which has one value for each kind of handles."""
    for macro, pointers in (("#ifdef", True), ("#else", False)):
        out.write(f"{macro}{' COMM_HANDLES_ARE_POINTERS' if pointers else ''}\n")
        ignored = {
            b["addresses"]["MPI_STATUS_IGNORE"]["ptr_int"]
            for b in bindings
            if (b["representation"]["Comm"] == "pointer") == pointers
        }
        if len(ignored) != 1:
            raise SystemExit("error: MPI_STATUS_IGNORE differs between implementations with like handles")
        out.write(f"#define COMM_STATUS_IGNORE ((void *)(intptr_t){ignored.pop()})\n")
    out.write("#endif\n")


def may_cause_codes(function):
    """Whether the function may cause error codes. In a program that calls no such function, all messages and
    completions return MPI_SUCCESS: they set an error handler, or create a request whose errors go elsewhere (to the
    handler of a file, to a function of the program)."""
    roles = {(p.role, p.direction) for p in function.params}
    if ("Errhandler", "In") in roles:
        return True
    return ("Request", "Out") in roles and bool(roles & {("File", "In"), ("Function", "In")})


def makes_error_handler(function):
    roles = {(p.role, p.direction) for p in function.params}
    return {("Errhandler", "Out"), ("Function", "In")} <= roles


def write_error_sources(functions, out):
    # MPI-1's functions are no longer in the standard, and still in libraries.
    for macro, is_one, old in (
        ("COMM_ERROR_SOURCES", may_cause_codes, "mpi_errhandler_set"),
        ("COMM_ERROR_HANDLER_MAKERS", makes_error_handler, "mpi_errhandler_create"),
    ):
        names = {f.name.removesuffix("_c").lower() for f in functions.values() if is_one(f)} | {old}
        out.write(f"#define {macro} {', '.join(json.dumps(name) for name in sorted(names))}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--header", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--rounding", required=True)
    parser.add_argument("--markers", required=True)
    parser.add_argument("--operations", required=True)
    parser.add_argument("--latencies", nargs="*", default=[])
    parser.add_argument("--costs", nargs="*", default=[])
    parser.add_argument("--bindings", nargs="+", required=True)
    args = parser.parse_args()
    with open(args.rounding, encoding="utf-8") as file:
        rounding = re.sub(r"(?m)^#.*|//.*", "", file.read())
    with open(args.markers, encoding="utf-8") as file:
        markers = re.findall(r"(?m)^COMM_MARKER\(\w+, (\w+)\)", file.read())
    voting = read_joining(args.operations)
    bindings, latencies, costs = [], [], []
    for paths, contents in ((args.bindings, bindings), (args.latencies, latencies), (args.costs, costs)):
        for path in paths:
            with open(path, encoding="utf-8") as file:
                contents.append(json.load(file))
    functions = generate_standard.load()
    collectives = sorted(name for name, f in functions.items() if is_collective(f) and not name.endswith("_c"))
    with open(args.header, "w", encoding="utf-8") as out:
        out.write("/* Generated by generate_collectives.py. Do not edit. */\n")
        out.write("enum CommCollective {\n")
        for name in [*collectives, "COLLECTIVES"]:
            out.write(f"  COMM_{name},\n")
        out.write("};\n")
        # The highest bit means unknown, the next one is COMM_ONE_PROCESS.
        if len(markers) > 30:
            raise SystemExit("error: no bits are left for markers: make their facts 64 bits wide")
        out.write("enum CommMarker {\n")
        for i, marker in enumerate(markers):
            out.write(f"  COMM_{marker.removeprefix('comm_').upper()} = 1 << {i},\n")
        out.write("};\n")
        for name, value in re.findall(r"COMM_ORDER_LIMIT\((\w+), (\d+)\)", rounding):
            out.write(f"#define COMM_ORDER_{name} {value}\n")
        ops = re.findall(r"COMM_ROUNDING_OP\((\w+)\)", rounding)
        datatypes = re.findall(r"COMM_FLOATING_DATATYPE\((\w+)\)", rounding)
        write_predicate("comm_is_rounding_op", ops, bindings, "Op", out)
        write_predicate("comm_is_floating_datatype", datatypes, bindings, "Datatype", out)
        write_predicate("comm_is_world", ["MPI_COMM_WORLD"], bindings, "Comm", out)
        write_predicate("comm_is_self", ["MPI_COMM_SELF"], bindings, "Comm", out)
        write_predicate("comm_is_null", ["MPI_COMM_NULL"], bindings, "Comm", out)
        write_predicate("comm_is_null_request", ["MPI_REQUEST_NULL"], bindings, "Request", out)
        write_predicate("comm_is_null_datatype", ["MPI_DATATYPE_NULL"], bindings, "Datatype", out)
        write_combiners(bindings, out)
        write_predicate("comm_is_fatal_handler", ["MPI_ERRORS_ARE_FATAL"], bindings, "Errhandler", out)
        write_level_test("comm_is_thread_serialized", "MPI_THREAD_SERIALIZED", bindings, out)
        write_level_test("comm_is_thread_multiple", "MPI_THREAD_MULTIPLE", bindings, out)
        write_getter("comm_get_world", "MPI_COMM_WORLD", bindings, "Comm", out)
        write_getter("comm_get_self", "MPI_COMM_SELF", bindings, "Comm", out)
        write_getter("comm_get_int", "MPI_INT", bindings, "Datatype", out)
        write_getter("comm_get_max", "MPI_MAX", bindings, "Op", out)
        write_latencies(latencies, bindings, out)
        write_extra_costs(costs, voting, bindings, out)
        write_environment_test(bindings, out)
        write_ignored_status(bindings, out)
        write_error_sources(functions, out)
    with open(args.source, "w", encoding="utf-8") as out:
        out.write("/* Generated by generate_collectives.py. Do not edit. */\n")
        out.write('#include "Overlap.h"\n')
        number = 0
        for base in collectives:
            for name in (base, functions[base].large):
                if name and is_collective(functions[name]):
                    write_functions(number, base, functions[name], base in voting, out)
                    number += 1
        write_wait(number, out)
        number += 1
        for marker in markers:
            name = marker.removeprefix("comm_")
            write_part(number, f"COMM_NOTE({marker}, COMM_COLLECTIVES, COMM_{name.upper()})\n", out)
            declared = f'int comm_ask_{name}(void) COMM_ENTRY("ask_{name}");\n'
            ask = f"int comm_ask_{name}(void) {{ return (comm_get_markers() & COMM_{name.upper()}) != 0; }}\n"
            write_part(number + 1, declared + ask, out)
            number += 2
        out.write(f"/* parts: {number} */\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
