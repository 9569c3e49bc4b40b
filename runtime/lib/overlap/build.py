#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles what decides about collectives: bitcode, which lib/Plugin/Utils embeds into the plugin, and archives.

Linking an archive member adds its note to the program (Overlap.h), so each function is a separate member.
"""

import argparse
import os
import re
import subprocess

HANDLES = {"Pointer": ["-DCOMM_HANDLES_ARE_POINTERS"], "Integer": []}
# Code that any program can link: position independent, hidden, with unwind tables for exceptions in callbacks.
FLAGS = ["-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-fexceptions", "-Wall", "-Wextra", "-Werror"]


def run(*command):
    subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--llvm", "--work", "--archives"):
        parser.add_argument(name, required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("sources", nargs="+")
    args = parser.parse_args()
    tool = lambda name: os.path.join(args.llvm, name)
    include = [f"-I{folder}" for folder in args.include]
    for handles, defines in HANDLES.items():
        compile_command = [tool("clang"), *FLAGS, *defines, *include, "-c"]
        folder = os.path.join(args.work, handles)
        os.makedirs(folder, exist_ok=True)
        modules, members = [], []
        for source in args.sources:
            stem = os.path.join(folder, os.path.basename(source))
            run(*compile_command, "-emit-llvm", source, "-o", stem + ".bc")
            modules.append(stem + ".bc")
            with open(source, encoding="utf-8") as file:
                parts = re.search(r"/\* parts: (\d+) \*/", file.read())
            for part in range(int(parts.group(1))) if parts else [None]:
                members.append(f"{stem}.{part or 0}.o")
                options = [f"-DCOMM_PART={part}"] if parts else []
                # MLIR's execution engine cannot relocate variables of threads.
                run(*compile_command, "-femulated-tls", *options, source, "-o", members[-1])
        run(tool("llvm-link"), *modules, "-o", os.path.join(folder, "Overlap.bc"))
        archive = os.path.join(args.archives, f"libCommOverlap{handles}.a")
        os.makedirs(args.archives, exist_ok=True)
        if os.path.exists(archive):
            os.remove(archive)
        run(tool("llvm-ar"), "rcsD", archive, *members)


if __name__ == "__main__":
    main()
