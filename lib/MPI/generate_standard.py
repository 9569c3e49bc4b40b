#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write what the MPI standard says of each function as C++ and TableGen.

The source is the MPI Forum's machine-readable API, packaged as `pympistandard`: every function with its
parameters, and for each parameter the kind, the direction and whether MPI may use it after the call returned.
Nothing here lists MPI functions by hand. Rules, each of which is a small function below, derive what the data
does not state directly.

    generate_standard.py --cpp Standard.inc --tablegen MPIFunctions.td
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field

# Maps a parameter's kind in the data to the role that Comm's passes use. Each handle class has a role. Kinds that are
# missing here are integers if C passes them by value, and opaque memory otherwise.
ROLES = {
    "BUFFER": "Buffer",
    "C_BUFFER": "Buffer",
    "C_BUFFER2": "Buffer",
    "C_BUFFER3": "Buffer",
    "C_BUFFER4": "Buffer",
    "DATATYPE": "Datatype",
    "COMMUNICATOR": "Comm",
    "OPERATION": "Op",
    "REQUEST": "Request",
    "STATUS": "Status",
    "MESSAGE": "Message",
    "GROUP": "Group",
    "ERRHANDLER": "Errhandler",
    "INFO": "Info",
    "FILE": "File",
    "WINDOW": "Win",
    "SESSION": "Session",
    "RANK": "Rank",
    "RANK_NNI": "Rank",
    "TAG": "Tag",
    "LOGICAL": "Logical",
    "INDEX": "Index",
    "POLYXFER_NUM_ELEM": "Count",
    "POLYXFER_NUM_ELEM_NNI": "Count",
    "XFER_NUM_ELEM": "Count",
    "XFER_NUM_ELEM_NNI": "Count",
    "POLYDISPLACEMENT": "Displacement",
    "POLYDISPLACEMENT_AINT_COUNT": "Displacement",
    "POLYDISPLACEMENT_COUNT": "Displacement",
    "DISPLACEMENT": "Displacement",
    "FUNCTION": "Function",
    "FUNCTION_SMALL": "Function",
    "POLYFUNCTION": "Function",
    "EXTRA_STATE": "Address",
    "EXTRA_STATE2": "Address",
    "ATTRIBUTE_VAL": "Address",
    "ATTRIBUTE_VAL_10": "Address",
    "VARARGS": "VarArgs",
}

# Several numbers at one address that C declares as a pointer to the first one: statuses of Fortran, and logical values
# whose size another parameter gives.
ARRAYS = {"F90_STATUS", "F08_STATUS", "LOGICAL_VOID"}

# The TableGen constraint of an operand that is passed by value, by role.
BY_VALUE = {
    "Datatype": "Comm_Datatype",
    "Comm": "Comm_Communicator",
    "Op": "Comm_ReductionOp",
    "Request": "Comm_RequestOrPointer",
    "Message": "Comm_Message",
    "Win": "Comm_Window",
    "Group": "Comm_Group",
    "Info": "Comm_Info",
    "Buffer": "Comm_Buffer",
}
# The type of a result for an OUT parameter, by role.
RESULT = {
    "Comm": "Comm_Communicator",
    "Message": "Comm_Message",
    "Status": "Comm_Status",
    "Logical": "I1",
    "Datatype": "Comm_Datatype",
    "Op": "Comm_ReductionOp",
    "Win": "Comm_Window",
    "Group": "Comm_Group",
    "Info": "Comm_Info",
}


@dataclass
class Param:
    name: str
    kind: str
    role: str
    direction: str
    c_type: str
    is_pointer: bool
    is_array: bool
    is_async: bool
    length: str
    minimum: int | None = None

    @property
    def is_scalar_out(self) -> bool:
        """An OUT value that SSA can carry instead of memory: `int *rank`, `MPI_Comm *newcomm`, a status."""
        if self.direction != "Out" or self.is_array or self.role in ("Buffer", "Request", "Address"):
            return False
        return self.role in RESULT or self.c_type == "int"


@dataclass
class Function:
    name: str
    result: str
    params: list[Param] = field(default_factory=list)
    nonblocking: str = ""
    blocking: str = ""
    large: str = ""
    returns_error: bool = False

    @property
    def only_converts(self) -> bool:
        """True if its result is its only effect: MPI_Comm_c2f, MPI_Aint_add."""
        by_value = not any(p.is_pointer or p.is_array or p.role == "VarArgs" for p in self.params)
        return bool(self.params) and not self.returns_error and by_value

    @property
    def is_local(self) -> bool:
        """True if no other process can take part: it has no handle that involves other processes."""
        shared = {"Comm", "Win", "File", "Session", "Request", "Message"}
        if self.only_converts:
            return True
        if not self.params or any(p.kind == "ARGUMENT_LIST" for p in self.params):
            return self.is_time  # MPI_Init, MPI_Finalize
        return not any(p.role in shared for p in self.params)

    @property
    def may_call_back(self) -> bool:
        """True if the call may run the program's own functions: it takes one as an argument, or it frees or
        copies an object with attributes (MPI-4, 7.7: copy and delete callbacks)."""
        handles = {"Comm", "Datatype", "Win"}
        if any(p.role in ("Function", "Address", "VarArgs") for p in self.params) or self.may_not_return:
            return True
        if not self.params or any(p.kind == "ARGUMENT_LIST" for p in self.params):
            return self.result == "int"  # MPI_Init, MPI_Finalize
        ends = any(p.role in handles and p.direction == "InOut" for p in self.params)
        copies = any(p.role == "Comm" and p.direction == "Out" for p in self.params)
        # MPI_Type_dup: other constructors create a datatype without attributes.
        duplicates = [(p.role, p.direction) for p in self.params] == [("Datatype", "In"), ("Datatype", "Out")]
        return ends or copies or duplicates

    @property
    def may_not_return(self) -> bool:
        """True if the call is passed an error for an object with an error handler (MPI_Abort,
        MPI_Comm_call_errhandler): it ends the program or calls the handler."""
        has_handler = any(p.role in ("Comm", "Win", "File", "Session") for p in self.params)
        return has_handler and any(p.kind == "ERROR_CODE" and p.direction == "In" for p in self.params)

    @property
    def send_mode(self) -> str:
        """The communication mode, by the letter that the standard gives each (MPI-4, 3.4)."""
        sends = re.fullmatch(r"MPI_(?:I?(?P<mode>[bsr])|I)?send(?:_init)?(?:_c)?", self.name, re.IGNORECASE)
        if not sends:
            return "None"
        letter = (sends["mode"] or "").lower()
        return {"b": "Buffered", "s": "Synchronous", "r": "Ready"}.get(letter, "Standard")

    @property
    def is_of_files(self) -> bool:
        """True if it works on MPI's files (MPI-4, 14), according to its name or its parameters."""
        return self.name.startswith("MPI_File_") or any(p.role == "File" for p in self.params)

    @property
    def is_tool(self) -> bool:
        """True if it belongs to the tool information interface, which has no error handlers (MPI-4, 15.3)."""
        return self.name.startswith("MPI_T_")

    @property
    def is_time(self) -> bool:
        return not self.params and self.result == "double"


# Kinds whose values are never negative after a successful call. (An ARRAY_LENGTH may be MPI_UNDEFINED, and a number of
# bytes may have overflowed.)
NOT_NEGATIVE = ("NUM_DIMS", "DEGREE", "STRING_LENGTH")


def set_minimums(function: Function) -> None:
    """Set the smallest values of numbers that a successful call returns. Every communicator has a process, and a rank
    that only depends on a communicator is the caller's own."""
    of_communicator = [p.kind for p in function.params if p.direction == "In"] == ["COMMUNICATOR"]
    for p in function.params:
        if p.direction != "Out" or p.is_array:
            continue
        if p.kind in NOT_NEGATIVE or (p.kind == "RANK" and of_communicator):
            p.minimum = 0
        elif p.kind == "COMM_SIZE":
            p.minimum = 1 if of_communicator else 0


def c_parameters(procedure, names_kinds) -> list[Param]:
    prototype = str(procedure)
    inside = prototype[prototype.index("(") + 1 : prototype.rindex(")")]
    texts = [] if inside.strip() in ("", "void") else [t.strip() for t in inside.split(",")]
    visible = [k for k in names_kinds if "c_parameter" not in (k["suppress"] or "")]
    if len(texts) != len(visible):
        raise ValueError(f"{prototype}: {len(texts)} parameters in C, {len(visible)} in the data")
    params = []
    for text, data in zip(texts, visible):
        text = text.replace("\\ldots", "...")  # the data has C's ellipsis in TeX
        is_pointer = "*" in text or "[" in text
        base = text.replace("const ", "").split("*")[0].split(" ")[0].strip()
        role = ROLES.get(data["kind"], "Memory" if is_pointer and data["kind"].startswith("STRING") else "Integer")
        length = data["length"]
        params.append(
            Param(
                name=data["name"],
                kind=data["kind"],
                role=role,
                direction={"in": "In", "out": "Out", "inout": "InOut"}[data["param_direction"]],
                c_type=base,
                is_pointer=is_pointer or role in ("Function",),
                is_array="[" in text or data["kind"] in ARRAYS,
                is_async=bool(data["asynchronous"]),
                length=length if isinstance(length, str) else "",
            )
        )
    return params


def load() -> dict[str, Function]:
    import pympistandard as std

    std.use_api_version(1)
    functions: dict[str, Function] = {}
    for procedure in std.PROCEDURES.values():
        data = procedure._parseset
        if not data["attributes"]["c_expressible"] or data["attributes"]["callback"]:
            continue
        forms = [procedure.express.iso_c]
        if procedure.has_embiggenment():
            forms.append(procedure.express.embiggen.iso_c)
        for form in forms:
            text = str(form)
            result, rest = text.split(" ", 1)
            name = rest[: rest.index("(")].strip()
            large_only = form is not forms[0]
            data_params = [p for p in data["parameters"] if large_only or not p["large_only"]]
            function = Function(name, result, c_parameters(text, data_params))
            set_minimums(function)
            function.returns_error = data["return_kind"] == "ERROR_CODE"
            functions[name] = function
        if len(forms) == 2:
            functions[forms_name(forms[0])].large = forms_name(forms[1])
    pair_nonblocking(functions)
    return functions


def forms_name(form) -> str:
    rest = str(form).split(" ", 1)[1]
    return rest[: rest.index("(")].strip()


def pair_nonblocking(functions: dict[str, Function]) -> None:
    """Pair MPI_Xyz with MPI_Ixyz if their parameters differ only in status and request."""
    for name, function in functions.items():
        other = functions.get("MPI_I" + name[4:5].lower() + name[5:])
        if not other:
            continue
        key = lambda f: [(p.name, p.role) for p in f.params if p.role not in ("Status", "Request")]
        has_request = any(p.role == "Request" and p.direction == "Out" for p in other.params)
        if has_request and key(function) == key(other):
            function.nonblocking, other.blocking = other.name, name


def write_cpp(functions: dict[str, Function], out) -> None:
    out.write("// Generated by generate_standard.py from the MPI Forum's API data. Do not edit.\n")
    for f in functions.values():
        if f.params:
            out.write(f"static constexpr Param params_{f.name}[] = {{\n")
            for p in f.params:
                flags = ", ".join(str(b).lower() for b in (p.is_pointer, p.is_array, p.is_async))
                out.write(
                    f'  {{"{p.name}", "{p.c_type}", "{p.length}", Role::{p.role}, '
                    f"Direction::{p.direction}, {flags}}},\n"
                )
            out.write("};\n")
    out.write("static constexpr Minimum minimums[] = {\n")
    for name in sorted(functions):
        for i, p in enumerate(functions[name].params):
            if p.minimum is not None:
                out.write(f'  {{"{name}", {i}, {p.minimum}}},\n')
    out.write("};\n")
    out.write("static constexpr Function functions[] = {\n")
    for name in sorted(functions):
        f = functions[name]
        params = f"params_{name}, {len(f.params)}" if f.params else "nullptr, 0"
        facts = (f.is_local, f.may_call_back, f.is_time, f.returns_error, f.may_not_return, f.is_of_files, f.is_tool)
        flags = ", ".join(str(b).lower() for b in facts)
        forms = f'"{f.nonblocking}", "{f.blocking}", "{f.large}"'
        out.write(f'  {{"{name}", "{f.result}", {forms}, {params}, {flags}, SendMode::{f.send_mode}}},\n')
    out.write("};\n")


def operand_constraint(p: Param) -> str:
    if p.name == "array_of_requests":
        return "Variadic<Comm_RequestOrPointer>"
    if p.is_array or (p.is_pointer and p.role not in BY_VALUE):
        return "Optional<Comm_Memory>"
    if p.is_pointer and p.direction in ("Out", "InOut") and p.role not in ("Buffer",):
        return "Optional<Comm_HandleOrPointer>" if p.direction == "InOut" else "Optional<Comm_Memory>"
    return f"Optional<{BY_VALUE.get(p.role, 'Comm_Integer')}>"


def write_tablegen(functions: dict[str, Function], out) -> None:
    out.write("// Generated by generate_standard.py from the MPI Forum's API data. Do not edit.\n")
    for name in sorted(functions):
        f = functions[name]
        if f.is_tool or name.endswith("_c") or f.result != "int":
            continue
        operands = [f"{operand_constraint(p)}:${p.name}" for p in f.params]
        results = []
        if f.nonblocking:
            operands.append("Optional<Comm_Memory>:$request")
            results.append("Optional<Comm_Request>:$request_result")
        results += [f"Optional<{RESULT.get(p.role, 'I32')}>:${p.name}_result" for p in f.params if p.is_scalar_out]
        results.append("Optional<I32>:$error")
        out.write(f'def {name} : MPI_Function<"{name}", "{name[4:].lower()}"> {{\n')
        out.write(f"  let operands = (ins {', '.join(operands)});\n" if operands else "")
        out.write(f"  let results = (outs {', '.join(results)});\n}}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpp", help="the C++ tables to write")
    parser.add_argument("--tablegen", help="the TableGen records to write")
    args = parser.parse_args()
    try:
        functions = load()
    except ImportError:
        print("error: the Python package `pympistandard` is missing: run utils/setup.sh", file=sys.stderr)
        return 1
    for path, write in ((args.cpp, write_cpp), (args.tablegen, write_tablegen)):
        if path:
            with open(path, "w", encoding="utf-8") as out:
                write(functions, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
