# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many files, each in several forms, in one program and one mpirun for each number of ranks (driver.c)."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .files import SUFFIX, Options
from .program import program
from .runner import REPORT, SHOW_CRASHES, Result, complaints, cxx_command, execute, mpirun_flags, split_command

DRIVER = Path(__file__).resolve().parents[1] / "driver.c"
# The reference, and the form of other processes in a mixed run: commcc's query for collectives works there as well.
PLAIN, OFF = "mpicc -O0", "commcc -O0"
# The known detectors of hangs and their time limit: a case takes milliseconds.
CPU_LIMIT, WALL_LIMIT = 5, 1200.0
# A busy machine may starve a compiler for a long time.
COMPILER_LIMIT = 3600.0


@dataclass(frozen=True)
class Mode:
    """How a batch is compiled and started."""

    name: str
    flags: str
    kinds: tuple[str, ...] = ("mixed", "halo", "loops")
    mixed: bool = False  # also a run in which half of the processes use the code of `OFF`
    mpmd: bool = False  # two programs in one mpirun

    @property
    def checks(self) -> bool:
        return "-fcomm-check" in self.flags

    @property
    def links(self) -> bool:
        """True if the flags are for the linker as well."""
        return self.checks or "-fcomm-detect" in self.flags


MODES = (
    Mode("extended", "-O2 -fcomm-cost=none", mixed=True),
    Mode("known", "-O2 -fcomm-cost=none -fcomm-known-sources", ("halo", "loops"), mixed=True),
    Mode("check", "-O1 -g1 -fcomm-cost=none -fcomm-check", ("mixed", "halo")),
    Mode("basic", "-O2 -fcomm-cost=none -fcomm-mode=basic", ("mixed", "halo"), mixed=True),
    Mode("told", "-O2 -fcomm-cost=none -fcomm-known-sources -fcomm-annotate -fcomm-errors-are-fatal", ("halo",)),
    Mode("check-known", "-O2 -g1 -fcomm-cost=none -fcomm-known-sources -fcomm-check", ("halo",)),
    Mode("annotated", "-O3 -fcomm-cost=none -fcomm-annotate", mixed=True),
    Mode("mpmd", "-O2 -fcomm-cost=none", mpmd=True),
    Mode("measured", "-O2", ("mixed", "halo")),
    Mode("detect", "-O2 -fcomm-cost=none -fcomm-detect=all", ("loops",)),
    Mode("ahead", "-O2 -fcomm-detect=ahead", ("loops",)),
)


def modes_of(kind: str) -> list[Mode]:
    return [mode for mode in MODES if kind in mode.kinds]


@dataclass
class Trouble:
    """A failure of a case with a seed (-1: of the file or the batch)."""

    seed: int
    case: int
    ranks: int
    what: str
    detail: str = ""


@dataclass
class Batch:
    kind: str
    lang: str
    seeds: Sequence[int]
    cases: int
    mode: Mode
    work: Path
    ranks: Sequence[int]
    mpirun: str
    commcc: str = "commcc"
    troubles: list[Trouble] = field(default_factory=list)

    def options(self, seed: int) -> Options:
        return Options(seed, self.cases, self.lang, kind=self.kind)

    def command(self, flags: str) -> str:
        text = flags.replace("commcc", self.commcc, 1)
        return cxx_command(text) if self.lang == "c++" else text

    def run(self) -> int:
        """Returns the number of compared cases; failures are in `troubles`."""
        objects: list[Path] = []
        sound: list[int] = []
        for seed in self.seeds:
            made = self._compile(seed)
            if made:
                sound.append(seed)
                objects += made
        if not sound:
            return 0
        binary = self.work / "batch"
        flags = shlex.split(self.mode.flags) if self.mode.links else []
        name = split_command(self.command("commcc"))[1]
        objects.append(_driver(self.work))
        built = execute([*name, *flags, *map(str, objects), "-o", str(binary)], 600, dict(os.environ), self.work)
        if built.code != 0:
            self.troubles.append(Trouble(-1, -1, 0, "does not link", built.err[-3000:]))
            return 0
        for number in self.ranks:
            if not self.mode.mpmd or number > 1:
                self._run_all(binary, number, sound)
        bad = {(t.seed, t.case) for t in self.troubles if t.seed in sound}
        return len(sound) * self.cases - len(bad)

    def _compile(self, seed: int) -> list[Path]:
        source = self.work / f"fuzz_{seed}{SUFFIX[self.lang]}"
        source.write_text(program(self.options(seed)))
        forms = {"plain": self.command(PLAIN), "cand": self.command(f"commcc {self.mode.flags}")}
        if self.mode.mixed:
            forms["off"] = self.command(OFF)
        objects: list[Path] = []
        for form, command in forms.items():
            target = source.with_suffix(f".{form}.o")
            env, words = split_command(command)
            defines = [f"-DFUZZ_FORM={form}_{seed}", f"-DFUZZ_FORM_NAME={form}"]
            argv = [*words, "-w", *defines, "-c", str(source), "-o", str(target)]
            built = execute(argv, COMPILER_LIMIT, {**SHOW_CRASHES, **os.environ, **env}, self.work)
            if built.code != 0 or complaints(built):
                what = f"compiler exit code {built.code}" if built.code else "left alone"
                what = "compiler exceeds its time limit" if built.code == -1 else what
                self.troubles.append(Trouble(seed, -1, 0, f"{what}: {command}", built.err[-3000:]))
            if built.code != 0:
                return []
            objects.append(target)
        return objects

    def _run_all(self, binary: Path, ranks: int, seeds: Sequence[int]) -> None:
        """Runs all cases at one number of ranks; continues with the rest after a crash."""
        begin, total = 0, len(seeds) * self.cases
        while begin < total:
            got = self._start(binary, ranks, ["--from", str(begin)])
            told = _differences(got.out)
            for seed, case, index, text in told:
                self._add(binary, ranks, seed, case, index, text)
            if got.code == 0 and f"done {total - begin}" in got.out:
                return
            at = _place(self.work / "progress")
            if not at:
                what = f"exit code {got.code} before the first case"
                self.troubles.append(Trouble(-1, -1, ranks, what, got.err[-3000:]))
                return
            seed, case, index, text = at
            ends = sorted({x for x in got.out.splitlines() if x.startswith("ended")})
            why = "; ".join(ends) or _report(got) or f"exit code {got.code}, {text}"
            if got.code == 0:
                why = "ends too early: " + why
            self._add(binary, ranks, seed, case, index, why, got)
            begin = index + 1

    def _add(
        self, binary: Path, ranks: int, seed: int, case: int, index: int, what: str, got: Result | None = None
    ) -> None:
        """Reports the failure of a case, and whether the case alone has it as well."""
        alone = self._start(binary, ranks, ["--only", str(index)])
        same = "the same alone" if alone.code or _differences(alone.out) else "fine alone"
        errors = (got.err if got else "")[-3000:] + "\nalone:\n" + alone.out[-1000:] + alone.err[-3000:]
        errors += "".join(f"\nprinted: {path.read_text(errors='replace')[-300:]}" for path in self.work.glob("text.*"))
        if not any((t.seed, t.case) == (seed, case) for t in self.troubles):
            self.troubles.append(Trouble(seed, case, ranks, f"{what} ({same})", errors))

    def _start(self, binary: Path, ranks: int, arguments: Sequence[str]) -> Result:
        own = [str(binary), *arguments, "--text", str(self.work / "text"), "--limit", str(CPU_LIMIT)]
        own += ["--mixed"] if self.mode.mixed else []
        own += ["--no-signals"] if self.mode.checks else []
        first = [*own, "--progress", str(self.work / "progress")]
        (self.work / "progress").unlink(missing_ok=True)
        start = [self.mpirun, *mpirun_flags(self.mpirun)]
        if self.mode.mpmd:
            other = binary.with_name("partner")
            if not other.exists():
                other.hardlink_to(binary)
            half = ranks // 2
            start += ["-n", str(ranks - half), *first, ":", "-n", str(half), str(other), *own[1:], "--as", "plain"]
        else:
            start += ["-n", str(ranks), *first]
        env = dict(os.environ)
        env.setdefault("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
        env.setdefault("OMP_NUM_THREADS", "2")
        return execute(start, WALL_LIMIT, env, self.work)


@cache
def _driver(work: Path) -> Path:
    target = work / "driver.o"
    built = execute(["mpicc", "-O1", "-w", "-c", str(DRIVER), "-o", str(target)], 300, dict(os.environ), work)
    if built.code != 0:
        raise RuntimeError(built.err)
    return target


_PLACE = re.compile(r"seed (\d+) case (\d+) form .* index (\d+) rank")


def _differences(text: str) -> list[tuple[int, int, int, str]]:
    """Keeps one per case: all processes and numbers may report it."""
    found: dict[int, tuple[int, int, int, str]] = {}
    for line in text.splitlines():
        at = _PLACE.search(line)
        if line.startswith("differs") and at:
            found.setdefault(int(at[3]), (int(at[1]), int(at[2]), int(at[3]), line))
    return list(found.values())


def _place(progress: Path) -> tuple[int, int, int, str] | None:
    if not progress.exists():
        return None
    text = progress.read_bytes().split(b"\0")[0].decode("utf-8", "replace").strip()
    at = _PLACE.search(text)
    return (int(at[1]), int(at[2]), int(at[3]), text) if at else None


def _report(got: Result) -> str:
    lines = [x for x in got.err.splitlines() if REPORT.search(x) or x.startswith("comm:")]
    return lines[0] if lines else ""
