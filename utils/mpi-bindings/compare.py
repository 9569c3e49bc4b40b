#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two bindings and prints the entries that one lacks or spells differently.

Exit code 0 if they are equal, 1 if they differ, 2 if a file is unreadable.
The name of the ABI and of the library are not compared.
"""

import argparse
import json
import sys


def flatten(value, path=""):
    """{path: leaf}; a list counts as a set of names."""
    if isinstance(value, list):
        value = dict.fromkeys(value, "present")
    if not isinstance(value, dict):
        return {path: value}
    result = {}
    for key, inner in value.items():
        result.update(flatten(inner, f"{path}.{key}" if path else key))
    return result


def load(path):
    with open(path) as f:
        binding = json.load(f)
    if not isinstance(binding, dict) or "handles" not in binding:
        raise ValueError("not a binding")
    return {k: v for k, v in flatten(binding).items() if k not in ("name", "library")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    args = parser.parse_args()
    sides = []
    for path in (args.old, args.new):
        try:
            sides.append(load(path))
        except (OSError, ValueError) as error:
            what = getattr(error, "strerror", None) or error
            print(f"{parser.prog}: error: {path}: {what}", file=sys.stderr)
            sys.exit(2)
    old, new = sides
    differences = 0
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) == new.get(key):
            continue
        differences += 1
        if key not in new:
            print(f"- {key}: {old[key]}")
        elif key not in old:
            print(f"+ {key}: {new[key]}")
        else:
            print(f"! {key}: {old[key]} -> {new[key]}")
    print(f"{differences} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
