# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles modules to functions of this process: `comm_mlir.compile(module)`.

    program = comm_mlir.compile(module)
    program.step(field, comm)          # NumPy arrays and mpi4py's communicators

Arrays are passed without copying. An argument that does not fit the function's type raises a TypeError, ValueError or
OverflowError that names the argument; an MPI error raises mpi4py.MPI.Exception.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from . import _cache, _core, _mpi
from ._core import CompiledFunction
from ._signature import Signature, check_lowered, find_signatures
from .ir import (
    ArrayAttr,
    Attribute,
    DictAttr,
    FlatSymbolRefAttr,
    Location,
    MemRefType,
    Module,
    Operation,
    OpResult,
    PointerType,
    StringAttr,
    Type,
    UnitAttr,
    UnrankedMemRefType,
)
from .passmanager import PassManager
from .remarks import RemarkRecord
from .tools import library_dir

__all__ = ["CompiledFunction", "Program", "compile", "lowering_pipeline", "overlap_pipeline"]

_USES_MPI = re.compile(r"(?<![\w\"#.$@%])!?comm\.[a-z]|@P?MPI_[A-Z]")
# Increment when cached programs become incompatible.
_CODE_VERSION = "2"


def overlap_pipeline(abi: str | None, observers: str = "elsewhere", cost: str = "measured") -> str:
    """Returns the pipeline that overlaps communication and computation, for operations of the comm dialect and for MPI
    calls in the llvm dialect, which it converts to such operations. Empty without an MPI. `compile` runs it on the llvm
    dialect, after LLVM has inlined and simplified the lowered code, so that loops can be split by iterations. In your
    own `pipeline` it runs on unlowered loops and memrefs.

    observers   option of the pass comm-move-slices: who can observe the order in which messages start; by default other
                code of the Python program may
    cost        'measured', or 'none' to overlap everything possible, even if processes are on one node"""
    return "" if abi is None else f"comm-overlap{{abi={abi} observers={observers} cost={cost} lower=false}}"


def lowering_pipeline(abi: str | None) -> str:
    """Returns the pipeline from func, scf, affine, memref, linalg, vector, arith and comm to the llvm dialect. It keeps
    the locations for remarks."""
    passes = ["comm-derive-strides", "convert-linalg-to-loops"]
    if abi is not None:
        passes.append(f"convert-comm-to-llvm{{abi={abi}}}")
    passes += [
        "convert-vector-to-scf",
        "convert-vector-to-llvm",
        "expand-strided-metadata",
        "lower-affine",
        "convert-scf-to-cf",
        "finalize-memref-to-llvm",
        "convert-math-to-llvm",
        "convert-math-to-libm",
        "convert-complex-to-llvm",
        "convert-arith-to-llvm",
        "convert-index-to-llvm",
        "convert-func-to-llvm",
        "convert-cf-to-llvm",
        "reconcile-unrealized-casts",
        "ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}",
    ]
    return ",".join(passes)


class Program:
    """The compiled functions of a module, by name: `program.step(...)`, `program["step"]`.

    `remarks` says what the passes did, and what they did not do and why; `from_cache` says whether the code came from
    disk.
    """

    def __init__(
        self,
        code: _core.Code,
        signatures: Sequence[Signature],
        remarks: list[RemarkRecord],
        from_cache: bool,
        distinct: bool,
    ) -> None:
        if not isinstance(code, _core.Code):
            raise TypeError("a Program is what comm_mlir.compile returns")
        self.functions: dict[str, CompiledFunction] = {
            s.name: CompiledFunction(code, s.name, s.parameters, s.results, distinct) for s in signatures
        }
        self.remarks = remarks
        self.from_cache = from_cache

    def __getitem__(self, name: str) -> CompiledFunction:
        if name not in self.functions:
            raise KeyError(f"the program has no function {name!r}: it has {', '.join(self.functions) or 'none'}")
        return self.functions[name]

    def __getattr__(self, name: str) -> CompiledFunction:
        function = self.__dict__.get("functions", {}).get(name)
        if function is None:
            raise AttributeError(f"the program has no function '{name}'")
        found: CompiledFunction = function
        return found

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]

    def __repr__(self) -> str:
        return f"<Program {', '.join(self.functions)}>"


def _build_identity() -> str:
    """Returns an identifier of the build of Comm that generates the code: a version has many builds during
    development."""
    parts = [_core.version(), _CODE_VERSION]
    for path in (Path(_core.__file__), library_dir() / "libCommC.so"):
        if path.exists():
            status = path.stat()
            parts.append(f"{status.st_size} {status.st_mtime_ns}")
    return " ".join(parts)


def _libraries(mpi: _mpi.Implementation | None) -> list[str]:
    """Returns the libraries that code links: MPI, and the functions that choose the form of a collective."""
    if mpi is None:
        return []
    archive = "libCommOverlapPointer.a" if mpi.has_pointers else "libCommOverlapInteger.a"
    return [mpi.library, os.fspath(library_dir() / archive)]


def _find_mpi(text: str, abi: str | None) -> _mpi.Implementation | None:
    if not _USES_MPI.search(text):
        return None
    mpi = _mpi.find()
    if abi is not None and abi != mpi.abi:
        raise ValueError(f"the code is to be for {abi}, but mpi4py has {mpi.abi}: leave the abi out")
    return mpi


def _parse(pipeline: str, module: Module) -> PassManager:
    """Returns a pass manager for the module, or for operations in it."""
    manager = PassManager.parse(pipeline, module.context)
    if manager.anchor in ("builtin.module", "any"):
        return manager
    return PassManager.parse(f"builtin.module({pipeline})", module.context)


def _mark_distinct(module: Module, signatures: list[Signature]) -> None:
    """Marks arrays that share no memory."""
    names = {signature.name for signature in signatures}
    for op in module.body:
        symbol = op.attributes.get("sym_name")
        if not isinstance(symbol, StringAttr) or symbol.value not in names or not len(op.regions[0]):
            continue
        old = op.attributes.get("arg_attrs")
        texts = []
        for i, argument in enumerate(op.regions[0].blocks[0].arguments):
            given = old[i] if isinstance(old, ArrayAttr) else None
            known = {name: given[name] for name in given} if isinstance(given, DictAttr) else {}
            if isinstance(argument.type, (MemRefType, PointerType)):
                known["llvm.noalias"] = UnitAttr.get(module.context)
            texts.append(str(DictAttr.get(known, module.context)))
        op.attributes["arg_attrs"] = Attribute.parse(f"[{', '.join(texts)}]", module.context)


def _words(type: Type) -> int:
    """Returns the number of llvm dialect parameters for a parameter."""
    if isinstance(type, MemRefType):
        return 3 + 2 * type.rank
    return 2 if isinstance(type, UnrankedMemRefType) else 1


def _frees_others(module: Module) -> bool:
    """Returns True if a function frees memory that it did not allocate, such as an argument's."""
    found = False

    def look(op: Operation) -> None:
        nonlocal found
        if op.name in ("memref.realloc", "bufferization.dealloc"):
            found = True
        elif op.name == "memref.dealloc":
            memory = op.operands[0]
            found |= not isinstance(memory, OpResult) or memory.owner.name != "memref.alloc"

    module.walk(look)
    return found


def _find_distinct(module: Module) -> dict[str, list[int]]:
    """For each function, returns the llvm dialect parameters that are pointers of an llvm.noalias memref. The
    conversion drops the attribute because a memref becomes several values. Only the second of its two pointers is used
    to read and write memory. The first one is used to free it, so nothing is returned if that happens."""
    found: dict[str, list[int]] = {}
    if _frees_others(module):
        return found
    for op in module.body:
        symbol, given = op.attributes.get("sym_name"), op.attributes.get("arg_attrs")
        if op.name != "func.func" or not isinstance(symbol, StringAttr) or not isinstance(given, ArrayAttr):
            continue
        position = 0
        for argument, attributes in zip(op.regions[0].blocks[0].arguments if len(op.regions[0]) else [], given):
            marked = isinstance(attributes, DictAttr) and "llvm.noalias" in attributes
            if marked and isinstance(argument.type, MemRefType):
                found.setdefault(symbol.value, []).append(position + 1)
            position += _words(argument.type)
    return found


def _keep_distinct(module: Module, found: dict[str, list[int]]) -> None:
    """Marks these parameters of lowered functions."""
    for op in module.body:
        symbol = op.attributes.get("sym_name")
        if op.name != "llvm.func" or not isinstance(symbol, StringAttr) or symbol.value not in found:
            continue
        arguments = op.regions[0].blocks[0].arguments
        old = op.attributes.get("arg_attrs")
        texts = [str(attributes) for attributes in old] if isinstance(old, ArrayAttr) else ["{}"] * len(arguments)
        for position in found[symbol.value]:
            # A pipeline may have changed the types of functions.
            if position < len(arguments) and isinstance(arguments[position].type, PointerType):
                texts[position] = "{llvm.noalias}"
        op.attributes["arg_attrs"] = Attribute.parse(f"[{', '.join(texts)}]", module.context)


def _place_calls(module: Module) -> None:
    """Gives calls of the module's functions a location if they have none: lowered functions have a debug info scope, in
    which a call without a location is not valid."""
    defined = set()
    for op in module.body:
        symbol = op.attributes.get("sym_name")
        if isinstance(symbol, StringAttr) and len(op.regions) and len(op.regions[0]):
            defined.add(symbol.value)
    nowhere, generated = Location.unknown(module.context), Location.file("<unknown>", 0, 0, module.context)

    def look(op: Operation) -> None:
        if op.name in ("func.call", "llvm.call") and op.location == nowhere:
            callee = op.attributes.get("callee")
            if isinstance(callee, FlatSymbolRefAttr) and callee.value in defined:
                op.location = generated

    module.walk(look)


@dataclass(frozen=True)
class _Plan:
    """How a module is compiled."""

    # Before lowering, and after lowering on the llvm dialect.
    pipelines: list[str]
    overlap: str
    level: int
    calls_mpi: bool
    uniform: bool
    distinct: bool


def _compile(module: Module, signatures: list[Signature], plan: _Plan) -> tuple[bytes, list[RemarkRecord]]:
    """Returns the object file of a copy of the module, and the remarks of the passes."""
    copy = module.clone()
    if plan.distinct:
        _mark_distinct(copy, signatures)
    distinct = _find_distinct(copy)
    remarks: list[RemarkRecord] = []
    for pipeline in plan.pipelines:
        _place_calls(copy)
        manager = _parse(pipeline, copy)
        manager.enable_remarks("comm-.*")
        manager.run(copy)
        remarks += [RemarkRecord.of(remark) for remark in manager.remarks]
    check_lowered(copy, signatures)
    _keep_distinct(copy, distinct)
    found, read_only, said = _core.compile_module(
        copy, [s.name for s in signatures], plan.level, plan.calls_mpi, plan.uniform, plan.overlap
    )
    for signature in signatures:
        signature.mark_read_only({argument for name, argument in read_only if name == signature.name})
    return found, remarks + [RemarkRecord._make(*remark) for remark in said]


def compile(
    module: Module,
    *,
    functions: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    pipeline: str | None = None,
    abi: str | None = None,
    level: int = 3,
    uniform_collectives: bool = False,
    observers: str = "elsewhere",
    cost: str = "measured",
    distinct: bool = False,
    cache: bool = True,
) -> Program:
    """Compiles a module, which stays unchanged, for this machine and mpi4py's MPI.

    functions             those to be called; by default all public ones whose types Python can pass
    parameters            the names of their parameters, for keywords and errors
    pipeline              passes to run before lowering, instead of Comm's overlap, which by default runs after it; ''
                          for none
    level                 0 to 3, that of LLVM's optimizer; at 0, where nothing is simplified, Comm's overlap runs
                          before lowering (overlap_pipeline), and no loop is split by iterations
    uniform_collectives   a promise: all processes call each collective at the same place of this program. Without it
                          a collective stays blocking, because other code of a Python program may call the same one,
                          and blocking and nonblocking collectives never match
    observers             'never' is a promise: nothing in the program observes which message started first (probes,
                          receives from any source)
    cost                  'none': overlap everything possible, even if the processes are on one node and nothing is
                          gained, for tests
    distinct              arrays for different parameters share no memory, unless neither of the two is written: more
                          can overlap, and each call checks it
    cache                 keep the code on disk (COMM_CACHE_DIR)

    Raises MLIRError if the module is not valid, a pass fails, or something cannot be lowered; TypeError if Python
    cannot pass a parameter; ImportError if the module communicates and mpi4py is missing.
    """
    if not isinstance(module, Module):
        raise TypeError(f"expected a comm_mlir.ir.Module, got {type(module).__name__}")
    if level not in (0, 1, 2, 3):
        raise ValueError(f"the level is 0, 1, 2 or 3, not {level!r}")
    if observers not in ("never", "elsewhere", "here", "infer"):
        raise ValueError(f"observers are 'never', 'elsewhere', 'here' or 'infer', not {observers!r}")
    if cost not in ("measured", "none"):
        raise ValueError(f"the cost is 'measured' or 'none', not {cost!r}")
    module.verify()
    text = str(module)
    mpi = _find_mpi(text, abi)
    signatures = find_signatures(
        module, None if functions is None else list(functions), None if parameters is None else list(parameters)
    )
    name = mpi.abi if mpi else None
    # Without optimization, loops do not have the form that the passes on the llvm dialect expect.
    overlap = overlap_pipeline(name, observers, cost) if pipeline is None else ""
    before = (overlap if level == 0 else "") if pipeline is None else pipeline
    plan = _Plan(
        [text for text in (before, lowering_pipeline(name)) if text],
        overlap.replace(" lower=false", "") if level else "",
        level,
        mpi is not None,
        uniform_collectives,
        distinct,
    )
    managers = [_parse(text, module) for text in plan.pipelines]
    keeps = cache and not any(manager.has_python_passes for manager in managers)
    key = ""
    if keeps:
        kind = f"{plan}|{[asdict(s) for s in signatures]}"
        key = _cache.key(
            module.operation.to_bytecode(), kind, mpi.version if mpi else "", _core.target(), _build_identity()
        )
        kept = _cache.load(key)
        if kept is not None:
            data, content = kept
            code = _core.Code.load_object(content, _libraries(mpi), mpi is not None)
            return Program(
                code,
                [Signature(**s) for s in data["signatures"]],
                [RemarkRecord(**r) for r in data["remarks"]],
                True,
                distinct,
            )
    content, remarks = _compile(module, signatures, plan)
    if keeps:
        _cache.store(
            key, {"signatures": [asdict(s) for s in signatures], "remarks": [asdict(r) for r in remarks]}, content
        )
    return Program(
        _core.Code.load_object(content, _libraries(mpi), mpi is not None), signatures, remarks, False, distinct
    )
