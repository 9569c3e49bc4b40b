# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@comm_mlir.jit`: a Python function that builds IR becomes the compiled function that the IR describes.

    @comm_mlir.jit
    def double(x):                        # x: memref<?xf64> where it is called with an array of float64
        zero, one = arith.constant(IndexType.get(), 0), arith.constant(IndexType.get(), 1)
        with scf.for_(zero, memref.dim(x, zero), one) as i:
            value = memref.load(x, [i])
            memref.store(arith.addf(value, value), x, [i])

    double(numpy.ones(1000))

The function runs once for each combination of argument types, with IR values, and never again in the process. The
compiled function returns what it returns (values, none, or several).
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Sequence
from typing import Any, Callable

from . import _core
from ._signature import HANDLES
from .dialects import func
from .execution import Program, compile
from .ir import Context, FunctionType, InsertionPoint, Location, MLIRError, Module, Operation, Type, TypeAttr, Value

__all__ = ["Jit", "jit"]

_NUMBERS = {int: "index", float: "f64", bool: "i1"}
_ELEMENTS = {
    "e": "f16",
    "f": "f32",
    "d": "f64",
    "Zf": "complex<f32>",
    "Zd": "complex<f64>",
    "?": "i1",
}
_INTEGERS = "bBhHiIlLqQnN"


@functools.lru_cache(maxsize=1)
def _context() -> Context:
    """Returns the context of all functions: creating one takes longer than loading compiled code."""
    return Context()


class _Kind:
    """The inferred type of an argument without annotation: the type of its parameter, and the Python type that
    arguments must have (None for arrays and handles)."""

    __slots__ = ("python", "text")

    def __init__(self, text: str, python: type | None) -> None:
        self.text = text
        self.python = python


def _array_type(value: Any, name: str) -> str:
    try:
        view = memoryview(value)
    except (TypeError, ValueError) as error:
        what = f"expected an array, a number or a handle of mpi4py, got {type(value).__name__}"
        if hasattr(value, "dtype"):
            what += f" ({error})"
        raise TypeError(f"argument '{name}': {what}") from None
    code = view.format.lstrip("@=<")
    if code in _ELEMENTS:
        element = _ELEMENTS[code]
    elif code in tuple(_INTEGERS):
        element = f"i{8 * view.itemsize}"
    else:
        raise TypeError(f"argument '{name}': memory of MLIR has no elements of the format '{view.format}': convert it")
    layout = "" if view.c_contiguous else f", strided<[{', '.join('?' * view.ndim)}], offset: ?>"
    return f"memref<{'?x' * view.ndim}{element}{layout}>"


def _infer(value: Any, name: str) -> _Kind:
    """Infers the kind of an argument."""
    python = type(value)
    if python in _NUMBERS:
        return _Kind(_NUMBERS[python], python)
    dtype = getattr(value, "dtype", None)
    if dtype is not None and not hasattr(python, "__setitem__"):
        # A NumPy number.
        kind, size = dtype.kind, dtype.itemsize
        if kind in "iu":
            return _Kind(f"i{8 * size}", python)
        if kind == "b":
            return _Kind("i1", python)
        if kind == "f" and size in (4, 8):
            return _Kind(f"f{8 * size}", python)
        raise TypeError(f"argument '{name}': a number of the type {dtype} cannot be passed")
    for base in python.__mro__:
        if base.__module__ == "mpi4py.MPI":
            for text, handle in HANDLES.items():
                if base.__name__ == handle:
                    return _Kind(text, None)
        if base.__module__ == "mpi4py.MPI" and base.__name__ in ("Message", "Request", "Status"):
            raise TypeError(
                f"argument '{name}': a {base.__name__} cannot be passed, as its memory would be gone after the call:"
                " start and wait within a function"
            )
    return _Kind(_array_type(value, name), None)


def _declared(annotation: Any, names: dict[str, Any]) -> str | None:
    """Returns the type in an annotation: int, float, bool, MLIR's text of a type, or that text in Annotated. Returns
    None for others, such as numpy.ndarray: the argument determines the type."""
    if isinstance(annotation, str):
        # After `from __future__ import annotations` all annotations are text.
        with contextlib.suppress(Exception):
            annotation = eval(annotation, names)
    for number, text in _NUMBERS.items():
        if annotation is number:
            return text
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, str):
            annotation = extra
    if not isinstance(annotation, str):
        return None
    text = annotation
    with _context():
        try:
            Type.parse(text)
        except (MLIRError, ValueError):
            if any(character in text for character in "<>!"):
                raise TypeError(f"the annotation '{text}' is not an MLIR type") from None
            return None
    return text


# Arguments of compile that the function determines.
_OWN = ("module", "functions", "parameters")


class Jit:
    """A function that is compiled at its first call with each combination of argument types (see jit)."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        unknown = [name for name in options if name not in inspect.signature(compile).parameters or name in _OWN]
        if unknown:
            raise TypeError(f"jit has no option '{unknown[0]}': it takes those of comm_mlir.compile")
        self._function = function
        self._options = options
        self._signature = inspect.signature(function)
        for parameter in self._signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(f"{function.__name__}() has the parameter '{parameter}': each must be named")
        self._names = list(self._signature.parameters)
        names = getattr(function, "__globals__", {})
        self._declared = [_declared(p.annotation, names) for p in self._signature.parameters.values()]
        self._programs: dict[tuple[tuple[str, type | None], ...], Program] = {}
        # The newest first.
        self._attempts: list[Callable[..., Any]] = []
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            for attempt in self._attempts:
                result = attempt(*args)
                if result is not NotImplemented:
                    return result
        values = self._bind(args, kwargs)
        return self._program(values).functions[self._symbol](*values)

    @property
    def _symbol(self) -> str:
        return self._function.__name__

    def _bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return [bound.arguments[name] for name in self._names]

    def _kinds(self, values: Sequence[Any]) -> list[_Kind]:
        return [
            _Kind(declared, None) if declared is not None else _infer(value, name)
            for declared, value, name in zip(self._declared, values, self._names)
        ]

    def _program(self, values: Sequence[Any]) -> Program:
        kinds = self._kinds(values)
        key = tuple((kind.text, kind.python) for kind in kinds)
        if key not in self._programs:
            with _context():
                program = compile(self._build(kinds), functions=[self._symbol], parameters=self._names, **self._options)
            function = program.functions[self._symbol]
            for position, (kind, declared) in enumerate(zip(kinds, self._declared)):
                if declared is None:
                    function.restrict(position, kind.python)
            self._programs[key] = program
            self._attempts.insert(0, function.try_call)
        return self._programs[key]

    def _build(self, kinds: Sequence[_Kind]) -> Module:
        code = getattr(self._function, "__code__", None)
        place = Location.file(code.co_filename, code.co_firstlineno, 1) if code else Location.unknown()
        with place:
            module = Module.create()
            types = [Type.parse(kind.text) for kind in kinds]
            with InsertionPoint(module.body):
                function = func.FuncOp(self._symbol, (types, []))
            block = function.add_entry_block()
            with InsertionPoint(block):
                _core.trace_lines(place)
                try:
                    returned = self._function(*block.arguments)
                finally:
                    _core.trace_lines(None)
                results = _values(returned, self._symbol)
                last = list(block)[-1:]
                if last and last[0].name == "func.return":
                    if results:
                        raise ValueError(f"{self._symbol}() returns values and has built a func.return as well")
                    results = list(last[0].operands)
                else:
                    func.return_(results)
            found = FunctionType.get(types, [value.type for value in results])
            function.attributes["function_type"] = TypeAttr.get(found)
        return module

    def trace(self, *args: Any, **kwargs: Any) -> str:
        """Returns the IR that the function builds for these arguments, before any pass."""
        with _context():
            return str(self._build(self._kinds(self._bind(args, kwargs))))

    def compiled(self, *args: Any, **kwargs: Any) -> Program:
        """Returns the program for these arguments, compiling it if necessary. It has the remarks and says if it was
        cached."""
        return self._program(self._bind(args, kwargs))


def _values(returned: Any, name: str) -> list[Value]:
    if returned is None:
        return []
    items = returned if isinstance(returned, (list, tuple)) else [returned]
    values: list[Value] = []
    for item in items:
        if isinstance(item, Operation):
            values += item.results
        elif isinstance(item, Value):
            values.append(item)
        else:
            raise TypeError(f"{name}() returns {item!r}: it is to return values of the IR")
    return values


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorates a function that builds IR: `@jit`, or `@jit(uniform_collectives=True)` with the options of compile.

    The type of a parameter is that of its annotation, `x: Annotated[Value, "memref<8xf64>"]` or `n: int`, or else that
    of the argument: arrays become memrefs of their element type and rank, contiguous or strided; int becomes index,
    float f64, bool i1; NumPy's numbers keep their types; mpi4py's communicators, datatypes, operators, groups, windows
    and infos become types of the comm dialect. Each combination of types is compiled once. `trace(...)` returns the IR,
    and `compiled(...)` the program for such arguments. Errors and remarks refer to lines of the function.
    """
    if function is None:
        return lambda decorated: Jit(decorated, **options)
    if not callable(function):
        raise TypeError("jit decorates a function")
    return Jit(function, **options)
