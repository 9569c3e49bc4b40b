# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frame of a generated file around its cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .ast import Node, render
from .prelude import COMMON, FORMS, MAIN_HEAD, REGISTER

SUFFIX = {"c": ".c", "c++": ".cpp"}
KINDS = ("mixed", "halo", "loops")


@dataclass(frozen=True)
class Options:
    seed: int
    cases: int = 30
    lang: str = "c"
    openmp: bool = False
    errors: bool = True
    outside: bool = True
    kind: str = "mixed"  # or halo, loops


def write(
    options: Options,
    head: Sequence[str],
    nodes: Sequence[Node],
    names: Sequence[str],
    start: Sequence[str],
    before: str = "",
) -> str:
    """A whole file: a program with a main function, or one of several forms of one (driver.c) if FUZZ_FORM is defined.
    `names` are visible to other files, `start` has the statements at the beginning of main, and
    `before` those at the beginning of each case if there are several forms."""
    classes = ["Trouble", "Sweeper", "Owner", "pick_ref"] if options.lang == "c++" else []
    shared = ["g_side", "g_shared", *classes, *names]
    what = "".join((f"seed {options.seed}, {options.cases} cases, {options.lang}", ", openmp" * options.openmp))
    lines = [f"// Generated: {options.kind}, {what}.", *FORMS.strip().split("\n")]
    lines += [f"#define {name} FUZZ_NAME({name})" for name in shared]
    lines += ["#endif", COMMON.strip(), *head]
    lines += render(nodes)
    lines += [REGISTER.strip(), "static void fuzz_start(void) {", *(f"  {text}" for text in start), "}"]
    for number in range(options.cases):
        call = f"g_case = {number}; g_salt = 3; g_side = 1; g_shared = 5; g_volatile = 0; g_atomic = 0;"
        call += before.format(number)
        lines += [f"static void fuzz_case_{number}(unsigned *out) {{ {call} case_{number}(out); }} //@case {number}"]
    lines += ["static void (*const fuzz_cases[])(unsigned *) = {"]
    lines += [f"  fuzz_case_{number}, //@case {number}" for number in range(options.cases)]
    lines += ["};"]
    count = "(int)(sizeof fuzz_cases / sizeof *fuzz_cases)"
    entry = f"FUZZ_TEXT(FUZZ_FORM_NAME), {options.seed}L, {count}, fuzz_cases, fuzz_start"
    lines += [f"static const FuzzFile fuzz_file = {{{entry}}};"]
    lines += ["__attribute__((constructor)) static void fuzz_enter(void) { fuzz_register(&fuzz_file); }", "#else"]
    lines += [MAIN_HEAD.strip()]
    if options.openmp:
        lines += ["  int provided;", "  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);"]
    else:
        lines += ["  MPI_Init(&argc, &argv);"]
    lines += [f"  {text}" for text in start]
    for number in range(options.cases):
        lines += [f"  if (only < 0 || only == {number}) run({number}, case_{number}); //@case {number}"]
    lines += ["  MPI_Finalize();", "  return 0;", "}", "#endif", ""]
    return "\n".join(lines)
