# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write a program that calls each function of MPI which the runtime of ranks exports, with right arguments and with one
wrong argument at a time, and checks the error class that comes back.

    calls.py GENERATE_HEADER_PY MPI_ABI_JSON LIBRARY NM TESTS > calls.c

The functions and their prototypes are the standard's (pympistandard); what is a right or wrong argument follows from a
parameter's type and name. All that communicates does so on a duplicate of MPI_COMM_SELF or with MPI_PROC_NULL, so
that no call waits for another rank. A function that needs more than that has its right call in another test: one
that no C or C++ file below the folder TESTS names is an error.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

# These begin or end the program, or print, or have error codes of their own (tools.test).
LEFT_OUT = re.compile(r"MPI_(T_\w+|Init|Init_thread|Finalize|Abort|Pcontrol|\w*call_errhandler)$")
# With right arguments these wait for another rank, or need objects that only other calls make.
NO_BASELINE = re.compile(
    r"MPI_(Intercomm_\w+|Buffer_\w+|Start(all)?|Grequest_\w+|Mrecv\w*|Imrecv\w*|Mprobe|Improbe|Comm_(connect|accept|join)|"
    r"Cancel|Request_free|Type_(create|get_contents|get_envelope|match)\w*|Type_(vector|indexed|hvector)\w*|"
    r"Free_mem|\w*[Nn]eighbor\w*|\w*keyval\w*|\w*_attr|Attr_\w+|Cart_\w+|Cartdim_get|Graph\w*|Dist_graph\w*|Dims_create|"
    r"Comm_(create_from_group|remote_\w+|create_group|create|free|disconnect|split_type)|"
    r"Group_(incl|excl|range\w+|translate_ranks|free)|Op_free|Type_free|Errhandler_free|Error_string|Add_error_string|"
    r"\w*[Gg]atherv\w*|\w*[Ss]catterv\w*|\w*[Aa]lltoall[vw]\w*|Info_\w+|Keyval_\w+|Type_commit|Pack_external\w*|Unpack\w*|"
    r"Pack|Status_\w+|Test_cancelled|\w*_some|\w*some)$"
)
HANDLES = {  # type: a right value, wrong ones, the error classes of these
    "MPI_Comm": ("comm", ["MPI_COMM_NULL", "(MPI_Comm)999"], ["MPI_ERR_COMM"]),
    "MPI_Datatype": ("MPI_INT", ["MPI_DATATYPE_NULL", "(MPI_Datatype)1023"], ["MPI_ERR_TYPE", "MPI_ERR_ARG"]),
    "MPI_Op": ("MPI_SUM", ["MPI_OP_NULL", "(MPI_Op)255"], ["MPI_ERR_OP", "MPI_ERR_ARG"]),
    "MPI_Group": ("group", ["MPI_GROUP_NULL", "(MPI_Group)999"], ["MPI_ERR_GROUP"]),
    "MPI_Win": (None, ["MPI_WIN_NULL"], ["MPI_ERR_WIN", "MPI_ERR_ARG"]),
    "MPI_File": (None, [], []),
    "MPI_Session": (None, [], []),
    "MPI_Request": ("MPI_REQUEST_NULL", [], []),
    "MPI_Message": ("MPI_MESSAGE_NO_PROC", [], []),
    "MPI_Info": ("MPI_INFO_NULL", [], []),
    "MPI_Errhandler": ("MPI_ERRORS_RETURN", ["MPI_ERRHANDLER_NULL"], ["MPI_ERR_ERRHANDLER", "MPI_ERR_ARG"]),
}
# int parameters by name: a right value, wrong ones, their classes.
NUMBERS = {
    "dest": ("MPI_PROC_NULL", ["77", "-55"], ["MPI_ERR_RANK"]),
    "source": ("MPI_PROC_NULL", ["77", "-55"], ["MPI_ERR_RANK"]),
    "root": ("0", ["77", "-55"], ["MPI_ERR_ROOT"]),
    "tag": ("0", ["-55"], ["MPI_ERR_TAG"]),
    "sendtag": ("0", ["-55"], ["MPI_ERR_TAG"]),
    "recvtag": ("0", ["-55"], ["MPI_ERR_TAG"]),
}
COUNTS = ("count", "sendcount", "recvcount", "incount")
PARAMETER = re.compile(r"^(const )?(.*?)(\**)\s*(\w+)(\[.*\])?$")
SINGLE = re.compile(r"MPI_(Type_|Op_|Comm_|Attr_|Keyval_|Errhandler_|Group_|Info_|Win_|Request_|Message_)")


NULL_OBJECTS = {"MPI_Win": "MPI_ERR_WIN", "MPI_File": "MPI_ERR_FILE"}


def parameters(text: str) -> list[tuple[str, bool, str]]:
    """Type, whether it is a pointer or array, name."""
    inside = text[text.index("(") + 1 : text.rindex(")")]
    if inside.strip() == "void":
        return []
    found = []
    for part in inside.split(","):
        match = PARAMETER.match(part.strip())
        found.append((match[2].strip(), bool(match[3] or match[5]) or "function" in match[2], match[4]))
    return found


def argument(kind: str, pointer: bool, name: str, index: int) -> str | None:
    if pointer:
        return f"(void *)room[{index}]"
    if kind in HANDLES:
        return HANDLES[kind][0]
    if name in NUMBERS:
        return NUMBERS[name][0]
    return "1" if name in COUNTS or "size" in name or name in ("nnodes", "ndims", "blocklength", "stride") else "0"


def wrong(kind: str, pointer: bool, name: str, function: str) -> tuple[list[str], list[str]]:
    if pointer:
        return [], []
    if kind in HANDLES:
        # The communicator is checked first, and it has no topology.
        also = ["MPI_ERR_TOPOLOGY"] if "eighbor" in function else []
        if function in ("MPI_Comm_get_name", "MPI_Type_get_name", "MPI_Win_get_name"):
            also = ["MPI_SUCCESS"]  # MPI-4, 7.8: null handles have names
        return HANDLES[kind][1], HANDLES[kind][2] + also
    if name in NUMBERS and not function.startswith(("MPI_Intercomm", "MPI_Comm_create", "MPI_Status_set")):
        return NUMBERS[name][1], NUMBERS[name][2]
    if name in COUNTS:
        return ["-1"], ["MPI_ERR_COUNT", "MPI_ERR_ARG"] + (["MPI_ERR_TOPOLOGY"] if "eighbor" in function else [])
    return [], []


PROLOGUE = """\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long room[24][4096];
static MPI_Comm comm;
static MPI_Group group;
static int rank, wrong, calls;

static void begin(void) {
  memset(room, 0, sizeof room);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_group(MPI_COMM_SELF, &group);
  ++calls;
}
static void expect(const char *call, int code, int count, const int *classes) {
  int class = -1, known = 0;
  MPI_Error_class(code, &class);
  for (int i = 0; i < count; ++i)
    known |= class == classes[i];
  if (!count)
    known = class >= 0 && class <= MPI_ERR_LASTCODE;
  if (!known) {
    printf("rank %d: %s: class %d\\n", rank, call, class);
    ++wrong;
  }
  if (comm != MPI_COMM_NULL && comm != MPI_COMM_SELF)
    MPI_Comm_free(&comm);
}
static void finish(MPI_Request *request) {
  MPI_Status status;
  MPI_Wait(request, &status);
  if (*request != MPI_REQUEST_NULL)
    MPI_Request_free(request);
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  setvbuf(stdout, NULL, _IOLBF, 0);
"""
EPILOGUE = """\
  printf("rank %d: %d calls, %d wrong\\n", rank, calls, wrong);
  MPI_Finalize();
  return wrong != 0;
}
"""


def main() -> None:
    generator, abi, library, nm, tests = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("generate_header", generator)
    header = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(header)
    with open(abi, encoding="utf-8") as file:
        functions = set(json.load(file)["functions"])
    symbols = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = set(re.findall(r"\bcomm_ranks_(MPI_\w+)", symbols))
    sources = (path for path in Path(tests).rglob("*") if path.suffix in (".c", ".cpp", ".h"))
    named = {name for path in sources for name in re.findall(r"\bMPI_\w+", path.read_text(encoding="utf-8"))}
    without = []
    print(PROLOGUE)
    for name, text in header.procedures(functions):
        if name not in exported or LEFT_OUT.match(name) or not text.startswith("int "):
            continue
        all_parameters = parameters(text)
        right = [argument(*p, i) for i, p in enumerate(all_parameters)]

        def emit(arguments: list[str], what: str, classes: list[str], name: str = name) -> None:
            call = f"{name}({', '.join(arguments)})"
            print(f'  if (argc > 1) puts("{name}: {what}");')
            print("  begin();")
            listed = f"(int[]){{{', '.join(classes)}}}" if classes else "NULL"
            print(f'  expect("{name}: {what}", {call}, {len(classes)}, {listed});')

        safe = all(value is not None for value in right)
        # Windows and files have tests of their own.
        if safe and not NO_BASELINE.match(name.removesuffix("_c")) and not name.startswith(("MPI_Win_", "MPI_File_")):
            emit(right, "right", ["MPI_SUCCESS"])
            for i, (kind, pointer, parameter) in enumerate(all_parameters):
                if kind == "MPI_Request" and pointer and parameter == "request":
                    print(f"  finish((MPI_Request *)room[{i}]);")
        elif name not in named:
            without.append(name)
        # A window or file, which is null here, is checked first.
        first = [NULL_OBJECTS[kind] for kind, _, _ in all_parameters if kind in NULL_OBJECTS]
        for i, parameter in enumerate(all_parameters):
            values, classes = wrong(*parameter, name)
            classes = classes + first if classes else classes
            for value in values:
                arguments = [argument or "0" for argument in right]
                arguments[i] = value
                emit(arguments, f"{parameter[2]} is {value}", classes)
    print(EPILOGUE)
    if without:
        sys.exit(f"error: no test calls these functions with right arguments: {', '.join(without)}")


if __name__ == "__main__":
    main()
