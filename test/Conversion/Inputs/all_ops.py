#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of the dialect, in C and in MLIR, for the round-trip tests.

The operations are the `def`s of CommOps.td and its like, the functions and their parameters the MPI standard's tables: a
new operation is in these tests by itself.

    all_ops.py c --abi openmpi4         a C file that calls each function, with variables and with constants
    all_ops.py compare BEFORE.ll AFTER.ll --abi openmpi4
                                        the MPI calls of two LLVM IR files, as text; fails if they differ or one is missing
    all_ops.py mlir --abi openmpi5      a module with each operation, results and requests as SSA values
    all_ops.py count --abi openmpi5 LOWERED.mlir
                                        fails if a function of `mlir` is not called in the lowered module
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "lib" / "MPI"))
import generate_standard  # noqa: E402

OPS = sorted((ROOT / "include" / "Comm" / "Dialect" / "Comm" / "IR").glob("*Ops.td"))
CONSTANTS = {
    "Comm": "MPI_COMM_WORLD",
    "Datatype": "MPI_DOUBLE",
    "Op": "MPI_SUM",
    "Win": "MPI_WIN_NULL",
    "Group": "MPI_GROUP_EMPTY",
    "Info": "MPI_INFO_NULL",
}
TYPES = {
    "Comm": "!comm.comm",
    "Datatype": "!comm.datatype",
    "Op": "!comm.op",
    "Message": "!comm.message",
    "Win": "!comm.win",
    "Group": "!comm.group",
    "Info": "!comm.info",
}


def load_ops(abi: str):
    """(operation's function, called function) for each operation and mode that the implementation has."""
    functions = generate_standard.load()
    binding = json.loads((ROOT / "lib" / "MPI" / "Bindings" / f"{abi}.json").read_text())
    definitions = "\n".join(path.read_text() for path in OPS)
    names = re.findall(r"(?m)^def \w+\s*: Comm_(?:MPI|Completion)Op<(MPI_\w+)", definitions)
    if len(names) < 40:
        sys.exit(f"error: found only {len(names)} operations in {', '.join(map(str, OPS))}")
    pairs = []
    for name in names:
        function = functions[name]
        forms = [function] + ([functions[function.nonblocking]] if function.nonblocking else [])
        for called in forms:
            if called.name in binding["functions"]:
                pairs.append((function, called))
            else:
                print(f"{abi} has no {called.name}", file=sys.stderr)
    return pairs


def is_memory(param) -> bool:
    return param.is_pointer or param.is_array or param.c_type == "void"


def constant_argument(function, param) -> str:
    if param.role == "Status":
        return "MPI_STATUSES_IGNORE" if param.is_array else "MPI_STATUS_IGNORE"
    if param.role in CONSTANTS and not is_memory(param):
        return CONSTANTS[param.role]
    if param.name == "source":
        return "MPI_ANY_SOURCE"
    if param.name == "dest":
        return "MPI_PROC_NULL"
    if param.role == "Tag":
        receives = param.name == "recvtag" or any(p.name == "source" for p in function.params)
        return "MPI_ANY_TAG" if receives and param.name != "sendtag" else "7"
    if param.name in ("argc", "argv"):
        return "0"
    if param.name == "sendbuf":
        return "MPI_IN_PLACE"
    if is_memory(param):
        return "(void *)memory"
    return "3"


def write_c(abi: str) -> None:
    print("#include <mpi.h>\nextern char memory[1024];")
    for _, called in load_ops(abi):
        name = called.name
        params = [("void *" if is_memory(p) else p.c_type + " ") + p.name for p in called.params]
        args = ", ".join(p.name for p in called.params)
        print(f"int variables_{name}({', '.join(params) or 'void'}) {{ return {name}({args}); }}")
        args = ", ".join(constant_argument(called, p) for p in called.params)
        if called.params:
            print(f"void constants_{name}(void) {{ {name}({args}); }}")


def calls_of(path: str) -> list[str]:
    """The MPI calls, each after the name of its function. Numbers of attribute groups and metadata may differ."""
    calls, function = [], ""
    for line in Path(path).read_text().splitlines():
        if line.startswith("define"):
            function = line[line.index("@") : line.index("(", line.index("@"))]
        if re.search(r"(call|invoke) .*@MPI_", line):
            calls.append(function + ": " + re.sub(r" #\d+|, !\w+ !\d+", "", line.strip()))
    return calls


def compare(abi: str, before: str, after: str) -> int:
    old, new = calls_of(before), calls_of(after)
    errors = 0
    for a, b in zip(old, new):
        if a != b:
            errors += 1
            print(f"before: {a}\nafter:  {b}")
    for _, called in load_ops(abi):
        if not any(f"@{called.name}(" in call for call in new):
            errors += 1
            print(f"error: no call of {called.name}")
    errors += len(old) != len(new)
    print(f"{len(old)} calls before, {len(new)} after, {errors} errors")
    return errors != 0


def write_mlir(abi: str) -> None:
    """Functions with all handles as arguments; possible results are results, and every request gets a wait."""
    for function, called in load_ops(abi):
        is_async = called is not function
        arguments, operands, results = [], [], []
        has_request_array = False
        for p in function.params:
            scalar_out = p.is_scalar_out
            if scalar_out and not (is_async and p.role == "Status"):
                results.append(p.name)
            elif scalar_out or p.role == "Status":
                continue
            elif p.role == "Request" and p.direction != "Out":
                operands.append(f"{p.name}(%null, %null)" if p.is_array else f"{p.name}(%null)")
                has_request_array |= p.is_array
            else:
                scalar = "i64" if p.c_type == "MPI_Aint" else "i32"
                kind = "!llvm.ptr" if is_memory(p) else TYPES.get(p.role, scalar)
                arguments.append(f"%{p.name}: {kind}")
                operands.append(f"{p.name}(%{p.name} : {kind})")
        if has_request_array:
            operands = [o for o in operands if not o.startswith(("count(", "incount("))]
        results = (["request"] if is_async else []) + results + ["error"]
        values = ", ".join(f"%{r}_out" for r in results)
        print(f"func.func @{called.name}_{'async' if is_async else 'blocking'}({', '.join(arguments)}) -> i32 {{")
        if any(o.count("%null") for o in operands):
            print('  %null = comm.constant "MPI_REQUEST_NULL" : !comm.request')
        mnemonic = function.name[4:].lower() + (" async" if is_async else "")
        print(f"  {values} = comm.{mnemonic} {' '.join(operands)} -> {', '.join(results)}")
        if is_async:
            print("  comm.wait request(%request_out)")
        print("  return %error_out : i32\n}")


def count(abi: str, lowered: str) -> int:
    text = Path(lowered).read_text()
    pairs = load_ops(abi)
    missing = [c.name for _, c in pairs if not re.search(rf"llvm\.call @{c.name}\(", text)]
    for name in missing:
        print(f"error: no call of {name}")
    left = re.findall(r"!?comm\.\w+", text)
    print(f"{len(pairs)} functions, {len(missing)} missing, {len(left)} comm operations and types left")
    return bool(missing or left)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["c", "compare", "mlir", "count"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--abi", required=True)
    args = parser.parse_intermixed_args()
    if args.command == "c":
        return write_c(args.abi) or 0
    if args.command == "mlir":
        return write_mlir(args.abi) or 0
    if args.command == "count":
        return count(args.abi, *args.files)
    return compare(args.abi, *args.files)


if __name__ == "__main__":
    sys.exit(main())
