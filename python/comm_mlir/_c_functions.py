# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of C and C++ that Python calls: their types according to clang, and the code that connects them.

An entry point reads its arguments from words, like those of compiled modules (comm-c/Execution.h). mpi4py lets MPI
return errors, whereas C programs expect errors to end the process. Therefore, for the duration of a call, communicators
that return errors record them instead, and the call raises.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core

__all__ = ["ERRORS", "Function", "entry_source", "find", "load"]

_HANDLES = ("Comm", "Datatype", "Group", "Info", "Op", "Win")
# Kind of element, and size in bytes on the 64-bit machines for which LLVM generates code here.
_NUMBERS = {
    "float": ("f", 4),
    "double": ("f", 8),
    "_Complex float": ("c", 8),
    "_Complex double": ("c", 16),
    "bool": ("b", 1),
    "_Bool": ("b", 1),
    "char": ("i", 1),
    "signed char": ("i", 1),
    "unsigned char": ("i", 1),
    "short": ("i", 2),
    "unsigned short": ("i", 2),
    "int": ("i", 4),
    "unsigned int": ("i", 4),
    "long": ("i", 8),
    "unsigned long": ("i", 8),
    "long long": ("i", 8),
    "unsigned long long": ("i", 8),
}

# Compiled once per function, without Comm.
ERRORS = """
#include <mpi.h>
static _Thread_local int firstError;
static MPI_Errhandler noting = MPI_ERRHANDLER_NULL;
void (*comm_entry_failed)(int);
static void note(MPI_Comm *comm, int *error, ...) {
  (void)comm;
  if (!firstError)
    firstError = *error;
}
/* Has the communicator note its errors if it returns them. */
void comm_entry_watch(MPI_Comm comm, MPI_Errhandler *old) {
  *old = MPI_ERRHANDLER_NULL;
  if (comm == MPI_COMM_NULL)
    return;
  if (noting == MPI_ERRHANDLER_NULL)
    MPI_Comm_create_errhandler(note, &noting);
  MPI_Comm_get_errhandler(comm, old);
  if (*old == MPI_ERRORS_RETURN)
    MPI_Comm_set_errhandler(comm, noting);
}
void comm_entry_begin(void) { firstError = 0; }
void comm_entry_unwatch(MPI_Comm comm, MPI_Errhandler *old) {
  MPI_Errhandler now;
  if (*old == MPI_ERRHANDLER_NULL)
    return;
  /* The function may have set another one. */
  MPI_Comm_get_errhandler(comm, &now);
  if (*old == MPI_ERRORS_RETURN && now == noting)
    MPI_Comm_set_errhandler(comm, *old);
  MPI_Errhandler_free(&now);
  MPI_Errhandler_free(old);
}
void comm_entry_end(void) {
  int error = firstError;
  firstError = 0;
  if (error)
    comm_entry_failed(error);
}
"""


@dataclass(frozen=True)
class Function:
    """A function: the C types of its parameters and result, and the arguments that Python accepts (Arguments.h)."""

    name: str
    types: list[str]
    parameters: list[dict[str, Any]]
    result_type: str
    results: list[dict[str, Any]]


def _declarations(dump: str) -> list[dict[str, Any]]:
    """Returns the JSON objects of a dump, which follow each other."""
    decoder, position, found = json.JSONDecoder(), dump.find("{"), []
    while position >= 0:
        value, position = decoder.raw_decode(dump, position)
        found.append(value)
        position = dump.find("{", position)
    return found


def _bare(text: str) -> str:
    """Returns a type without its top-level qualifiers."""
    text = re.sub(r"\b(restrict|__restrict|volatile)\b", "", text).strip()
    if text.endswith("const"):
        text = text[: -len("const")].strip()
    return text if "*" in text else re.sub(r"\bconst\b", "", text).strip()


def _pointee(text: str) -> str | None:
    """Returns the type that a pointer to numbers points to, or None for other types. Arrays of arrays give their
    elements."""
    rows = re.fullmatch(r"(.*)\(\*\)((?:\[\d*\])+)", text)
    if rows:
        return rows.group(1).strip()
    if text.endswith("*") and text.count("*") == 1 and "(" not in text:
        return text[:-1].strip()
    return None


def _describe(type: dict[str, str], name: str, where: str) -> dict[str, Any]:
    """Returns a description of the arguments that a parameter of that type accepts."""
    written, plain = _bare(type["qualType"]), _bare(type.get("desugaredQualType", type["qualType"]))
    result: dict[str, Any] = {"name": name, "description": f"for {written}"}
    for handle in _HANDLES:
        if written == f"MPI_{handle}":
            result["kind"], result["class"] = "handle", handle
            return result
    number = _NUMBERS.get(plain) or (("i", 4) if plain.startswith("enum ") else None)
    if number:
        if number[0] == "c":
            raise TypeError(f"{where} has the type {written}: complex numbers are passed by arrays")
        result.update(kind="float" if number[0] == "f" else "integer", bits=1 if number[0] == "b" else 8 * number[1])
        if number[0] == "i" and not plain.startswith("enum "):
            result["signed"] = not plain.startswith("unsigned ")
        return result
    element = _pointee(plain)
    if element is not None:
        unqualified = re.sub(r"\bconst\b", "", element).strip()
        kind = ("f", 0) if unqualified == "void" else _NUMBERS.get(unqualified)
        if kind:
            result.update(kind="pointer", element=kind[0], size=kind[1], writes=unqualified == element)
            return result
    raise TypeError(
        f"{where} has the type {written}, which Python cannot pass: numbers, pointers to numbers and MPI's handles"
        " can be"
    )


def find(dump: str, name: str, language: str) -> Function:
    """Returns the function of that name in clang's dump of a source."""
    found: dict[str, dict[str, Any]] = {}
    for declaration in _declarations(dump):
        if declaration.get("kind") != "FunctionDecl" or declaration.get("name") != name:
            continue
        inner = declaration.get("inner", [])
        if any(part.get("kind") == "CompoundStmt" for part in inner):
            found[declaration["type"]["qualType"]] = declaration
    if not found:
        raise ValueError(f"the source defines no function '{name}' outside of classes and namespaces")
    if len(found) > 1:
        raise ValueError(f"the source defines several functions '{name}': give one of them another name")
    (declaration,) = found.values()
    kind = declaration["type"]["qualType"]
    if declaration.get("variadic"):
        raise TypeError(f"{name}() takes any number of arguments, which Python cannot pass")
    types: list[str] = []
    parameters: list[dict[str, Any]] = []
    for part in declaration.get("inner", []):
        if part.get("kind") == "ParmVarDecl":
            i = len(types)
            parameters.append(_describe(part["type"], part.get("name", f"arg{i}"), f"parameter {i} of {name}()"))
            types.append(_bare(part["type"]["qualType"]))
    result = kind[: kind.index("(")].strip()
    desugared = declaration["type"].get("desugaredQualType", kind)
    results = []
    if _bare(result) != "void":
        plain = {"qualType": result, "desugaredQualType": desugared[: desugared.index("(")].strip()}
        results.append(_describe(plain, "", f"the result of {name}()"))
        if results[0]["kind"] == "pointer":
            raise TypeError(f"the result of {name}() is a pointer to memory whose owner is unknown")
    return Function(name, types, parameters, _bare(result), results)


def entry_source(source: Path, function: Function) -> str:
    """Returns the source followed by its entry point."""
    own = "comm_entry_"  # so that no name hides the function's
    name, escaped = function.name, str(source).replace("\\", "\\\\").replace('"', '\\"')
    lines = [f'#include "{escaped}"', "#undef main", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += ["#ifdef MPI_VERSION", "void comm_entry_watch(MPI_Comm, MPI_Errhandler *);"]
    lines += ["void comm_entry_unwatch(MPI_Comm, MPI_Errhandler *);", "void comm_entry_begin(void);"]
    lines += [
        "void comm_entry_end(void);",
        "extern int comm_entry_calls_mpi;",
        "int comm_entry_calls_mpi = 1;",
        "#endif",
    ]
    lines += [f'__attribute__((visibility("default"))) void comm_entry_{name}(unsigned long *{own}words) {{']
    for i, type in enumerate(function.types):
        lines.append(
            f"  __typeof__({type}) {own}a{i};\n  __builtin_memcpy(&{own}a{i}, &{own}words[{i}], sizeof {own}a{i});"
        )
    watched = ["MPI_COMM_WORLD", "MPI_COMM_SELF"]
    watched += [f"{own}a{i}" for i, parameter in enumerate(function.parameters) if parameter.get("class") == "Comm"]
    lines.append("#ifdef MPI_VERSION")
    lines.append(f"  MPI_Errhandler {own}handlers[{len(watched)}];\n  comm_entry_begin();")
    lines += [f"  comm_entry_watch({comm}, &{own}handlers[{i}]);" for i, comm in enumerate(watched)]
    lines.append("#endif")
    call = f"{name}({', '.join(f'{own}a{i}' for i in range(len(function.types)))});"
    lines.append(f"  __typeof__({function.result_type}) {own}result = {call}" if function.results else f"  {call}")
    lines.append("#ifdef MPI_VERSION")
    lines += [f"  comm_entry_unwatch({comm}, &{own}handlers[{i}]);" for i, comm in reversed(list(enumerate(watched)))]
    lines.append("  comm_entry_end();\n#endif")
    if function.results:
        lines.append(f"  {own}words[0] = 0;\n  __builtin_memcpy({own}words, &{own}result, sizeof {own}result);")
    lines += ["}", "#ifdef __cplusplus", "}", "#endif"]
    return "\n".join(lines) + "\n"


def load(library: Path, function: Function) -> Any:
    """Returns the function in its library. Imports mpi4py first, if it exists, because the code must call its MPI."""
    mpi = ""
    with contextlib.suppress(ImportError):
        from mpi4py import MPI

        mpi = str(MPI.__file__)
    code = _core.Code.load_library(str(library), mpi)
    return _core.CompiledFunction(code, function.name, function.parameters, function.results)
