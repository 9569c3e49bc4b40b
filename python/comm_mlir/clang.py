# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles C and C++ programs with Comm, as commcc and commc++ do.

    program = comm_mlir.clang.compile_file("heat.c")
    program.before, program.after      # LLVM IR without and with Comm
    program.remarks                    # what overlaps, and what does not and why
    program.executable("heat")         # to run under mpirun
    program.function("step")(field, MPI.COMM_WORLD)

The MPI is that of `mpicc` (COMM_MPICC). A function to be called from Python must use the same MPI as mpi4py.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _c_functions, _optimization_records
from .remarks import RemarkRecord
from .tools import command

__all__ = ["ClangError", "Compilation", "compile", "compile_file"]

_SUFFIXES = {"c": ".c", "c++": ".cpp"}


class ClangError(Exception):
    """The compiler failed: `diagnostics` is its output, `command` the command line."""

    def __init__(self, what: str, diagnostics: str, command: Sequence[str]) -> None:
        super().__init__(f"{what}:\n{diagnostics.strip()}" if diagnostics.strip() else what)
        self.diagnostics = diagnostics
        self.command = list(command)


class Compilation:
    """A source file and the results of compiling it with Comm. Each result is computed on first use."""

    def __init__(self, path: Path, language: str, options: Sequence[str], text: str | None = None) -> None:
        if language not in _SUFFIXES:
            raise ValueError(f"the language is 'c' or 'c++', not {language!r}")
        if isinstance(options, (str, bytes)) or not all(isinstance(option, str) for option in options):
            raise TypeError(f"options are a list of strings, such as ['-O2'], not {options!r}")
        if text is not None and not isinstance(text, str):
            raise TypeError(f"the source is a string, not {text!r}; compile_file takes a file")
        self.path = path
        self.language = language
        self.options = list(options)
        # Deleted with this object.
        self._folder = tempfile.TemporaryDirectory(prefix="comm-clang-")
        if text is not None:
            self.path = Path(self._folder.name) / path
            self.path.write_text(text)
            # Make the reports of two compilations of a text name the same file.
            self.options.append(f"-ffile-prefix-map={self._folder.name}/=")
        self._parts: dict[str, str] = {}
        self._remarks: list[RemarkRecord] | None = None
        self._functions: dict[str, Any] = {}

    @property
    def _compiler(self) -> str:
        return "commc++" if self.language == "c++" else "commcc"

    def _run(self, *arguments: str) -> str:
        """Runs the compiler with the options. Returns its warnings."""
        line = [*command(self._compiler), *self.options, *arguments]
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise ClangError(f"{self._compiler} does not compile {self.path.name}", self._said(done.stderr), line)
        return self._said(done.stderr)

    def _said(self, diagnostics: str) -> str:
        """Replaces the temporary folder in diagnostics, so that they name the file as the user did."""
        return diagnostics.replace(f"{self._folder.name}{os.sep}", "")

    def _emit(self, *arguments: str) -> str:
        """Returns LLVM IR for these options, which are the key of the stored result."""
        key = shlex.join(arguments)
        if key not in self._parts:
            target = Path(self._folder.name) / "module.ll"
            self._run(*arguments, "-S", "-emit-llvm", str(self.path), "-o", str(target))
            self._parts[key] = target.read_text(errors="replace")
        return self._parts[key]

    @property
    def before(self) -> str:
        """The LLVM IR that clang generates without Comm."""
        return self._emit("-fcomm-mode=off")

    @property
    def after(self) -> str:
        """The LLVM IR that clang generates with Comm."""
        return self._emit()

    @property
    def remarks(self) -> list[RemarkRecord]:
        """What Comm's passes did, and what they did not do and why."""
        if self._remarks is None:
            record = Path(self._folder.name) / "remarks.yaml"
            # Generate an object that is not used: records are complete only after code generation.
            self._run(
                "-fsave-optimization-record=yaml",
                "-foptimization-record-passes=^comm",
                f"-foptimization-record-file={record}",
                *("-c", str(self.path), "-o", os.devnull),
            )
            self._remarks = _optimization_records.parse(record.read_text()) if record.exists() else []
        return self._remarks

    def executable(self, path: str | os.PathLike[str], *options: str) -> Path:
        """Links a program at that path, with further options (libraries, other sources)."""
        target = Path(path)
        self._run(str(self.path), *options, "-o", str(target))
        return target.resolve()

    def function(self, name: str) -> Any:
        """Returns the function of that name, which Python can call with numbers, arrays for pointers to numbers, and
        mpi4py's objects for MPI's handles. Raises ValueError if the source does not define the function, and TypeError
        if its type cannot be passed.

        Arrays are checked for element type and contiguity, but not for size, because it is unknown how many elements
        the function accesses. The function stays loaded until the process ends."""
        if name not in self._functions:
            found = _c_functions.find(self._ast(name), name, self.language)
            self._functions[name] = self._load(found)
        return self._functions[name]

    def _ast(self, name: str) -> str:
        line = [*command(self._compiler), *self.options, "-fcomm-mode=off", "-fsyntax-only", str(self.path)]
        line += ["-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={name}"]
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise ClangError(f"{self._compiler} does not compile {self.path.name}", self._said(done.stderr), line)
        return done.stdout

    def _load(self, function: _c_functions.Function) -> Any:
        with tempfile.TemporaryDirectory(prefix="comm-clang-") as where:
            folder = Path(where)
            entry = folder / f"entry{_SUFFIXES[self.language]}"
            entry.write_text(_c_functions.entry_source(self.path.resolve(), function))
            (folder / "errors.c").write_text(_c_functions.ERRORS)
            # The markers of this file would say that the program has error handlers, so it is compiled without Comm.
            line = [*command("commcc"), "-fcomm-mode=off", "-O2", "-fPIC", "-c", str(folder / "errors.c")]
            done = subprocess.run([*line, "-o", str(folder / "errors.o")], capture_output=True, text=True, check=False)
            if done.returncode:
                raise ClangError("commcc does not compile what calls a function", done.stderr, line)
            self._run("-fPIC", "-shared", str(entry), str(folder / "errors.o"), "-o", str(folder / "function.so"))
            # Once the library is loaded, its file is no longer needed.
            return _c_functions.load(folder / "function.so", function)


def compile_file(path: str | os.PathLike[str], *, options: Sequence[str] = ("-O2",)) -> Compilation:
    """Compiles a file of C (.c) or C++ (.cc, .cpp, .cxx, .C). `options` are commcc's: "-O2", "-fcomm-mode=basic",
    "-I..."."""
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    return Compilation(file, "c" if file.suffix == ".c" else "c++", options)


def compile(source: str, *, language: str = "c", options: Sequence[str] = ("-O2",), name: str = "") -> Compilation:
    """Compiles text in C or C++ (`language="c++"`). `name` is the file name in remarks and diagnostics."""
    if language not in _SUFFIXES:
        raise ValueError(f"the language is 'c' or 'c++', not {language!r}")
    if os.path.basename(name) != name:
        raise ValueError(f"the name is a file's without a folder, not {name!r}")
    return Compilation(Path(name or "program" + _SUFFIXES[language]), language, options, source)
