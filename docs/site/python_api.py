# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference of the Python package, from its sources and stubs: a page for each module, in reStructuredText.

Nothing is imported: signatures are those of the stubs, with their types, and docstrings are plain text, of which
indented lines are code and columns ("name   what") are lists.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

# In the order of the navigation; names of dialects follow.
MODULES = ["ir", "passmanager", "compile", "clang", "cdag", "graph", "report", "vratio", "tools"] + [
    f"dialects.{name}" for name in ["comm", "graph", "func", "arith", "scf", "cf", "memref", "linalg", "llvm"]
]
# Where a page's objects are, if not in the module of that name; and what names the page has, if not `__all__`.
FILES = {
    "compile": ["execution.py", "tracing.py"],
    "report": ["report/__init__.py", "report/reading.py", "report/merging.py"],
    "vratio": ["vratio/__init__.py", "vratio/model.py", "vratio/calibration.py", "vratio/profile.py"],
    "passmanager": ["passmanager.py", "remarks.py"],
}
_COLUMN = re.compile(r"(\S+(?:, \S+)*) {2,}(\S.*)")
_FIELD = re.compile(r"(\w+): (.*)")


class Source:
    """A file of the package: its classes and functions by name."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.doc = ast.get_docstring(tree) or ""
        self.names: list[str] | None = None
        self.imported: list[str] = []
        self.nodes: dict[str, ast.ClassDef | ast.FunctionDef] = {}
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                self.nodes[node.name] = node
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                try:
                    self.names = ast.literal_eval(node.value)
                except ValueError:
                    self.names = None
            elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and node.module:
                self.imported.append(node.module)


def _escape(text: str) -> str:
    """A line of a docstring: `code` becomes literal, the rest is text."""
    parts = re.split(r"`([^`]+)`", text)
    return "".join(
        f"``{part}``" if i % 2 else re.sub(r"([*|\\]|_(?=\W|$))", r"\\\1", part) for i, part in enumerate(parts)
    ).replace("````", "``")


def _paragraph(lines: list[str]) -> list[str]:
    if all(line.startswith("    ") for line in lines):
        if all(_FIELD.match(line.strip()) for line in lines):
            return [f"- ``{m[1]}``: {_escape(m[2])}" for line in lines if (m := _FIELD.match(line.strip()))]
        return ["::", "", *lines]
    if len(lines) > 1 and lines[0].endswith(":") and all(line.startswith("    ") for line in lines[1:]):
        return [_escape(lines[0]), "", *_paragraph(lines[1:])]
    if _COLUMN.match(lines[0]) and all(_COLUMN.match(line) or line.startswith("    ") for line in lines):
        out: list[str] = []
        for line in lines:
            match = _COLUMN.match(line)
            out += [f"``{match[1]}``", f"    {_escape(match[2])}"] if match else [f"    {_escape(line.strip())}"]
        return out
    return [_escape(line) for line in lines]


def _text(doc: str) -> list[str]:
    out: list[str] = []
    for block in re.split(r"\n\s*\n", doc.strip()):
        out += [*_paragraph(block.rstrip().splitlines()), ""]
    return out


def _signature(node: ast.FunctionDef, is_method: bool) -> str:
    arguments = node.args
    static = any(ast.unparse(d) in ("staticmethod",) for d in node.decorator_list)
    if is_method and not static:
        for group in (arguments.posonlyargs, arguments.args):
            if group:
                group.pop(0)
                break
    # Of `self, /` the slash stays otherwise.
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(arguments)}){returns}"


def _indent(lines: list[str]) -> list[str]:
    return ["   " + line if line else "" for line in lines]


def _function(node: ast.FunctionDef, kind: str) -> list[str]:
    decorators = [ast.unparse(d) for d in node.decorator_list]
    doc = _text(ast.get_docstring(node) or "")
    if "property" in decorators:
        returns = ast.unparse(node.returns) if node.returns else "Any"
        head = [f".. py:property:: {node.name}", f"   :type: {returns}"]
    else:
        head = [f".. py:{kind}:: {node.name}{_signature(node, kind == 'method')}"]
        head += ["   :staticmethod:"] if "staticmethod" in decorators else []
    return [*head, "", *_indent(doc), ""]


def _class(node: ast.ClassDef) -> list[str]:
    bases = [ast.unparse(base) for base in node.bases]
    body = ([f"Bases: {', '.join(f'``{base}``' for base in bases)}", ""] if bases else []) + _text(
        ast.get_docstring(node) or ""
    )
    seen: set[str] = set()
    for member in node.body:
        if (
            isinstance(member, ast.FunctionDef)
            and member.name not in seen
            and (not member.name.startswith("_") or member.name in ("__call__",))
        ):
            seen.add(member.name)
            body += _function(member, "method")
        elif isinstance(member, ast.Assign) and not ast.unparse(member.targets[0]).startswith("_"):
            body += [f".. py:attribute:: {ast.unparse(member.targets[0])}", ""]
        elif isinstance(member, ast.AnnAssign) and not ast.unparse(member.target).startswith("_"):
            target, annotation = ast.unparse(member.target), ast.unparse(member.annotation)
            if not annotation.startswith("ClassVar"):
                body += [f".. py:attribute:: {target}", f"   :type: {annotation}", ""]
    return [f".. py:class:: {node.name}", "", *_indent(body), ""]


def _page(package: Path, module: str, core: Source) -> list[str]:
    files = FILES.get(module, [module.replace(".", "/") + ".py"])
    sources = [Source(package / file) for file in files]
    title = "comm_mlir" if module == "compile" else f"comm_mlir.{module}"
    heading = "comm_mlir: compile and jit" if module == "compile" else title
    out = [heading, "=" * len(heading), "", f".. py:module:: {title}", ""]
    listed: set[str] = set()
    for number, source in enumerate(sources):
        if number == 0 or module == "compile":
            out += _text(source.doc)
        nodes = dict(source.nodes)
        for star in source.imported:
            nodes = {**Source(package / "dialects" / f"{star}.py").nodes, **nodes}
        for name in source.names or [name for name in nodes if not name.startswith("_")]:
            node = nodes.get(name) or core.nodes.get(name)
            if node is None or name in listed:
                continue
            # Of an operation's class and its builder the builder says all.
            if module.startswith("dialects.") and isinstance(node, ast.ClassDef):
                continue
            listed.add(name)
            out += _class(node) if isinstance(node, ast.ClassDef) else _function(node, "function")
    return out


def write(package: Path, out: Path) -> set[str]:
    """Writes the pages of the package in a folder (of the build tree: it has the builders of dialects). Returns their
    names, relative to the folder's parent."""
    out.mkdir(parents=True, exist_ok=True)
    core = Source(package / "_core.pyi")
    for module in MODULES:
        (out / f"{module}.rst").write_text("\n".join(_page(package, module, core)), encoding="utf-8")
    title = "Reference of comm_mlir"
    index = [title, "=" * len(title), ""]
    index += _text(Source(package / "__init__.py").doc.replace("\n\n", "\n\n", 1))
    index += [".. toctree::", "   :maxdepth: 1", "", *(f"   {module}" for module in MODULES), ""]
    (out / "index.rst").write_text("\n".join(index), encoding="utf-8")
    return {f"{out.name}/index"}
