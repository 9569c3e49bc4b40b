#!/usr/bin/env -S python3 -IS
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commcc, commc++ and commfort: clang or flang with MPI's flags and Comm's plugin.

A compiler wrapper like mpicc, mpicxx and mpifort, whose options MPI leaves to the implementation; this supports those
of Open MPI and MPICH. The name by which it is called selects the language. Finally it executes the compiler in its
place, which thus determines exit codes and signals.

Imports only modules that load quickly, because a build starts this program for each file.
"""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

VERSION = "@PROJECT_VERSION@"
LLVM_BIN = "@LLVM_TOOLS_BINARY_DIR@"

# From include/Comm/MPI/Headers.def: macro, least value and ABI, one header per line.
HEADERS = [(macro, int(least), abi) for macro, least, abi in map(str.split, """@COMM_MPI_HEADERS@""".splitlines())]

# From lib/Pipelines/options.json: NAME of -fcomm-NAME, its value if none is given (- if one is required), its default,
# and its values (* for file names). Options that need no value are switched by -fcomm-NAME and -fno-comm-NAME.
TABLE = """@COMM_OPTIONS@"""


class Known:
    """An option of Comm."""

    def __init__(self, line: str) -> None:
        self.name, bare, self.default, values = line.split()
        self.bare = "" if bare == "-" else bare
        self.values = tuple(values.split("|"))
        self.is_flag = self.values == ("0", "1")
        self.is_path = self.values == ("*",)

    @property
    def spelling(self) -> str:
        """The spelling in messages."""
        values = "" if self.is_flag else "=PATH" if self.is_path else "=" + "|".join(self.values)
        return f"-fcomm-{self.name}" + (f"[{values}]" if self.bare and values else values)


KNOWN = {known.name: known for known in map(Known, TABLE.splitlines())}
OWN_OPTIONS = (*(known.spelling for known in KNOWN.values()), "-Rcomm")

# Options of clang that take the next word as their value.
WITH_VALUE = frozenset(
    [
        "-o",
        "-x",
        "-I",
        "-D",
        "-U",
        "-L",
        "-l",
        "-F",
        "-u",
        "-z",
        "-T",
        "-A",
        "-B",
        "-G",
        "-e",
        "-J",
        "-module-dir",
        "-fintrinsic-modules-path",
        "-resource-dir",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-include",
        "-imacros",
        "-iprefix",
        "-iwithprefix",
        "-iwithprefixbefore",
        "-isysroot",
        "--sysroot",
        "-imultilib",
        "-include-pch",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-Xclang",
        "-Xlinker",
        "-Xassembler",
        "-Xpreprocessor",
        "-Xarch_host",
        "-Xopenmp-target",
        "-Xflang",
        "-mllvm",
        "-mmlir",
        "-target",
        "-arch",
        "-framework",
        "-ivfsoverlay",
        "--param",
        "-working-directory",
        "-serialize-diagnostics",
        "--serialize-diagnostics",
        "-dependency-file",
        "-Tbss",
        "-Tdata",
        "-Ttext",
        "-rpath",
        "-config",
        "--config",
    ]
)
NO_LINK = frozenset(
    [
        "-c",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-fsyntax-only",
        "--compile",
        "--assemble",
        "--preprocess",
        "--dependencies",
        "--user-dependencies",
        "-emit-ast",
        "-emit-pch",
        "--precompile",
        "--analyze",
    ]
)
SOURCES_OF_FORTRAN = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08")
# Queries of MPICH's wrappers.
INFO_QUERIES = ("-compile_info", "-link_info", "-compile-info", "-link-info")
# Flags that MPI wrappers print for gcc, and that clang does not support or Comm must not inherit.
DROPPED_MPI_FLAGS = ("-specs=", "-flto", "-ffat-lto-objects", "-fno-fat-lto-objects", "-fallow-argument-mismatch")


class WrapperError(Exception):
    """An error of the user or of the installation; the text says what to do."""


class Options:
    """The part of the command line that concerns Comm, and the rest for clang."""

    def __init__(self) -> None:
        # The given options of Comm, by name.
        self.given: dict[str, str] = {}
        self.shared = ""
        self.drops_sections = False
        self.inputs: list[str] = []
        self.remarks = False
        self.query = ""
        self.links = True
        self.lto = ""  # "", "full" or "thin"
        self.linker = ""
        self.sanitizers: set[str] = set()
        self.no_address = False
        self.has_inputs = False
        self.remark_patterns: dict[str, str] = {}
        self.rest: list[str] = []

    def value(self, name: str) -> str:
        return self.given.get(name, KNOWN[name].default)

    def is_on(self, name: str) -> bool:
        return self.value(name) not in ("0", "off")

    @property
    def needs_runtime(self) -> bool:
        """Whether the program calls Comm's runtime."""
        return any(map(self.is_on, ("report", "profile-generate", "check"))) or self.detects_at_run_time

    @property
    def detects_at_run_time(self) -> bool:
        return self.value("detect") not in ("off", "ahead")

    @property
    def uses_plugin(self) -> bool:
        # Also with -flto, where the plugin makes collectives match those of other files, and works at link time.
        return self.needs_runtime or any(map(self.is_on, ("mode", "detect", "ranks", "annotate")))

    @property
    def needs_lines(self) -> bool:
        """Whether the program or a profile refers to source lines."""
        return self.needs_runtime or any(map(self.is_on, ("ranks", "profile-use")))

    @property
    def adds_address(self) -> bool:
        """Whether -fcomm-check adds AddressSanitizer, which finds accesses to receive buffers: unless incompatible
        sanitizers or -fno-sanitize=address are given."""
        others = self.sanitizers & {"address", "hwaddress", "kernel-address", "memory", "thread"}
        return self.is_on("check") and not self.no_address and not others


# Libraries that use only what a program passes to them or defines to replace their own.
SYSTEM_LIBRARIES = frozenset(
    ["c", "m", "pthread", "rt", "dl", "stdc++", "gomp", "omp", "atomic", "mpi", "mpi_cxx", "mpi_mpifh"]
)
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")


def is_fortran_source(name: str) -> bool:
    return name.lower().endswith(SOURCES_OF_FORTRAN)


def is_whole_program(options: Options) -> bool:
    """Whether the command links an executable from one file whose functions and variables nothing else uses."""
    if not options.links or options.query or options.shared or options.lto or len(options.inputs) != 1:
        return False
    source = options.inputs[0]
    if not (source.endswith(SOURCES) or is_fortran_source(source)) or not options.is_on("mode"):
        return False
    for word, following in zip(options.rest, [*options.rest[1:], ""], strict=True):
        if word.startswith(("-Wl,", "-Xlinker", "-x", "-u", "-T", "-rdynamic", "-export", "--export", "-fplugin")):
            return False
        library = following if word == "-l" else word[2:] if word.startswith("-l") else "c"
        if library not in SYSTEM_LIBRARIES:
            return False
    return True


def expand_response_files(args: list[str], within: tuple[str, ...] = ()) -> list[str]:
    """Replaces @file by its contents, as clang does: it may contain options of Comm."""
    result: list[str] = []
    for arg in args:
        path = os.path.realpath(arg[1:]) if arg.startswith("@") else ""
        if not os.path.isfile(path):
            result.append(arg)
            continue
        if path in within:
            raise WrapperError(f"the response file {arg} contains itself: take it out of {within[-1]}")
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
        except OSError:
            result.append(arg)
            continue
        if "\0" in text:
            raise WrapperError(f"the response file {arg} is not a text file: it contains a NUL character")
        result += expand_response_files(split_words(text), (*within, path))
    return result


def split_words(text: str) -> list[str]:
    """Splits words like a shell: blanks separate, quotes and backslashes protect."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    chars = iter(text)
    for char in chars:
        if char == "\\" and quote != "'":
            word = (word or []) + [next(chars, "")]
        elif quote:
            if char == quote:
                quote = ""
            else:
                word = (word or []) + [char]
        elif char in "'\"":
            quote = char
            word = word or []
        elif char.isspace():
            if word is not None:
                words.append("".join(word))
            word = None
        else:
            word = (word or []) + [char]
    if word is not None:
        words.append("".join(word))
    return words


def parse(args: list[str]) -> Options:
    options = Options()
    words = iter(expand_response_files(args))
    for arg in words:
        if arg in WITH_VALUE:
            options.rest.append(arg)
            value = next(words, None)
            if value is not None:
                options.rest.append(value)
        elif arg.startswith(("-fcomm-", "-fno-comm-")) or arg in ("-Rcomm", "-Rno-comm"):
            parse_own(options, arg)
        elif arg.lstrip("-").split(":")[0] in ("show", "showme") or arg in INFO_QUERIES:
            options.query = "-" + arg.lstrip("-").replace("showme", "show").replace("_", "-")
        else:
            note_clang_option(options, arg)
            options.rest.append(arg)
    return options


def parse_own(options: Options, arg: str) -> None:
    option, equals, value = arg.partition("=")
    is_on, name = arg.startswith("-fcomm-"), option.partition("comm-")[2]
    known = KNOWN.get(name)
    if arg in ("-Rcomm", "-Rno-comm"):
        options.remarks = arg == "-Rcomm"
    elif known and is_on and equals and not known.is_flag:
        if not (value if known.is_path else value in known.values):
            if known.is_path:
                raise WrapperError(f"{option} needs a value: {known.spelling}")
            raise WrapperError(f"invalid value '{value}' for {option}; valid values are {', '.join(known.values)}")
        options.given[name] = value
    elif known and known.bare and not equals:
        options.given[name] = known.bare if is_on else known.default if known.is_path else known.values[0]
    elif known and is_on and not known.bare:
        raise WrapperError(f"{option} needs a value: {known.spelling}")
    else:
        raise WrapperError(f"unknown option '{arg}'; the options of Comm are {', '.join(OWN_OPTIONS)}")


def note_clang_option(options: Options, arg: str) -> None:
    if arg in NO_LINK or arg.startswith("--analyze"):
        options.links = False
    elif arg == "-flto" or arg.startswith("-flto="):
        options.lto = "thin" if arg == "-flto=thin" else "full"
    elif arg == "-fno-lto":
        options.lto = ""
    elif arg.startswith("-fuse-ld="):
        options.linker = arg.partition("=")[2]
    elif arg.startswith("-fsanitize="):
        options.sanitizers.update(arg.partition("=")[2].split(","))
        options.no_address = options.no_address and "address" not in options.sanitizers
    elif arg.startswith("-fno-sanitize="):
        gone = set(arg.partition("=")[2].split(","))
        options.sanitizers = set() if "all" in gone else options.sanitizers - gone
        options.no_address = options.no_address or bool(gone & {"address", "all"})
    elif arg.startswith(("-Rpass=", "-Rpass-missed=", "-Rpass-analysis=")):
        kind, _, pattern = arg.partition("=")
        options.remark_patterns[kind] = pattern
    elif arg in ("-shared", "--shared", "-static", "--static", "-static-pie", "-r"):
        options.shared = arg.replace("--", "-")
    elif arg.startswith("-Wl,") and {"-shared", "--shared", "-Bshareable"} & set(arg.split(",")):
        options.shared = "-shared"
    elif arg.startswith("-Wl,") and "--gc-sections" in arg.split(","):
        options.drops_sections = True
    if arg == "-" or not arg.startswith("-"):
        options.has_inputs = True
        options.inputs.append(arg)


def capture(command: list[str]) -> tuple[int, str]:
    """Returns the exit code and standard output. (Importing subprocess takes 10 ms.)"""
    read_end, write_end = os.pipe()
    try:
        child = os.posix_spawnp(
            command[0],
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, write_end, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
    except OSError:
        os.close(read_end)
        os.close(write_end)
        return 127, ""
    os.close(write_end)
    with open(read_end, encoding="utf-8", errors="surrogateescape") as stream:
        text = stream.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


class Language:
    """The differences between commcc, commc++ and commfort: the compiler, MPI's wrapper, and the variables that
    override them."""

    def __init__(self, compiler: str, variable: str, wrapper: str, wrapper_variable: str) -> None:
        self.compiler = compiler
        self.variable = variable
        self.wrapper = wrapper
        self.wrapper_variable = wrapper_variable

    @property
    def is_fortran(self) -> bool:
        return self is FORTRAN


C = Language("clang", "COMM_CC", "mpicc", "COMM_MPICC")
CPLUSPLUS = Language("clang++", "COMM_CXX", "mpicxx", "COMM_MPICXX")
FORTRAN = Language("flang", "COMM_FC", "mpifort", "COMM_MPIFORT")


def find_language(name: str) -> Language:
    if name.endswith(("fort", "f77", "f90")):
        return FORTRAN
    return CPLUSPLUS if name.endswith(("++", "xx", "CC")) else C


def mpi_wrapper(language: Language) -> str:
    """Returns the user's mpicc, mpicxx or mpifort: COMM_MPICC and so on, or the first on the path."""
    chosen = os.environ.get(language.wrapper_variable)
    if chosen:
        return chosen
    c_wrapper = os.environ.get("COMM_MPICC")
    if language is not C and c_wrapper:
        # The wrapper of the same MPI, whose flags match the mpi.h of COMM_MPICC.
        sibling = os.path.join(
            os.path.dirname(c_wrapper), os.path.basename(c_wrapper).replace("mpicc", language.wrapper)
        )
        return sibling if os.access(sibling, os.X_OK) or "/" not in c_wrapper else c_wrapper
    return language.wrapper


class MPIFlags:
    """The flags that an MPI compiler wrapper adds for compiling and linking."""

    def __init__(self, wrapper: str, variable: str) -> None:
        self.compile: list[str] = []
        self.link: list[str] = []
        # The only query that Open MPI, MPICH and their derivatives all support.
        code, text = capture([wrapper, "-show"])
        if code != 0 or not text.strip():
            raise WrapperError(
                f"'{wrapper} -show' does not work: install an MPI whose compiler wrapper is on the path, or name the"
                f" wrapper in the environment variable {variable}"
            )
        words = split_words(text)
        while words and not words[0].startswith("-"):
            words.pop(0)  # the compiler that MPI was built with
        self.sort(words)

    def sort(self, words: list[str]) -> None:
        iterator = iter(words)
        for word in iterator:
            if word.startswith(DROPPED_MPI_FLAGS):
                continue
            if word in ("-Xlinker", "-L", "-l", "-rpath"):
                self.link += [word, next(iterator, "")]
            elif word in WITH_VALUE:
                self.compile += [word, next(iterator, "")]
            elif word.startswith(("-L", "-l", "-Wl,", "-rdynamic", "-static", "-shared", "-B")):
                self.link.append(word)
            elif not word.startswith("-"):
                self.link.append(word)  # an archive given by path
            else:
                self.compile.append(word)
                if word in ("-pthread", "-fopenmp"):
                    self.link.append(word)


def identify_header(text: str) -> str:
    """Returns the MPI with that text of mpi.h, "" if unknown: mpi::identifyHeader in Python."""
    for macro, least, abi in HEADERS:
        _, found, rest = f"\n{text}".partition(f"\n#define {macro} ")
        value = rest.partition("\n")[0].strip()
        if found and value and (least == 0 or (value.isdecimal() and int(value) >= least)):
            return abi
    return ""


def find_abi(compile_flags: list[str]) -> str:
    """Returns the MPI whose mpi.h a compilation sees. Handles do not identify it in a file that receives its
    communicators and datatypes as arguments."""
    folders = [flag[2:] for flag in compile_flags if flag.startswith("-I")]
    for folder in [*folders, "/usr/local/include", "/usr/include"]:
        try:
            with open(os.path.join(folder, "mpi.h"), encoding="utf-8", errors="replace") as header:
                return identify_header(header.read()) or "auto"
        except OSError:
            continue
    return "auto"


class Installation:
    """The locations of Comm's libraries and clang, relative to this program, in a build tree or an installation."""

    def __init__(self, language: Language) -> None:
        here = os.path.dirname(os.path.realpath(__file__))
        self.lib = os.path.join(os.path.dirname(here), "lib")
        chosen = os.environ.get(language.variable, "")
        self.compiler = [word for word in split_words(chosen) if word] or [self.find(language.compiler)]

    @staticmethod
    def find(name: str) -> str:
        for candidate in (os.path.join(LLVM_BIN, name), name + "-22"):
            if os.access(candidate, os.X_OK) or "/" not in candidate:
                return candidate
        return name

    def plugin(self) -> str:
        return self.require("libCommPlugin.so")

    def require_library(self, name: str) -> str:
        self.require(name)
        return name

    def runtime(self) -> str:
        self.require("libCommRuntime.a")
        return self.lib

    def ranks_headers(self) -> str:
        """Returns the folder with mpi.h of the MPI standard ABI."""
        folder = os.path.join(os.path.dirname(self.lib), "include", "comm-ranks")
        self.require(os.path.join(folder, "mpi.h"), "-fno-comm-ranks")
        return folder

    def fortran_headers(self) -> str:
        """Returns the folder with the replacements for mpif.h and the module `mpi`."""
        return os.path.join(os.path.dirname(self.lib), "include", "comm-fortran")

    def ranks_library(self) -> str:
        return self.require("libCommRanks.so", "-fno-comm-ranks")

    def ranks_start(self, shared: bool) -> list[str]:
        """Returns the start file and libraries of programs, or shared libraries, with ranks. Uses -l, which a -x of
        the user does not turn into source files."""
        names = ("libCommRanksLibrary.a", "libCommRanksState.so") if shared else ("libCommRanksStart.a",)
        for name in names:
            self.require(name, "-fno-comm-ranks")
        library = os.path.dirname(self.ranks_library())
        flags = ["-L" + library, "-l:" + names[0], "-lCommRanks", "-Wl,-rpath," + library]
        if not shared:
            # Libraries opened later find the C library's state in the executable.
            return [*flags, "-Wl,--export-dynamic-symbol=comm_ranks_*", "-lm"]
        # Ranks have copies of a library's variables, so it must not be unloaded.
        return [*flags, "-Wl,--push-state,--as-needed,-lCommRanksState,--pop-state", "-Wl,-z,nodelete", "-lm"]

    def require(self, name: str, without: str = "-fcomm-mode=off") -> str:
        path = os.path.join(self.lib, name)
        if not os.path.exists(path):
            raise WrapperError(
                f"{path} is missing: the installation of Comm is not complete; {without} compiles without it"
            )
        return path


def comm_compile_flags(options: Options, installation: Installation) -> list[str]:
    if not options.uses_plugin:
        return []
    flags = ["-fpass-plugin=" + installation.plugin()]
    # Omit defaults, so that optimized code is the same with and without the wrapper.
    for name in KNOWN:
        if name in options.given and options.given[name] != "auto":
            flags += ["-mllvm", f"-comm-{name}={options.given[name]}"]
    if options.is_on("ranks"):
        flags += ["-mllvm", "-comm-ranks-library=" + installation.ranks_library()]
    for kind in ("-Rpass", "-Rpass-missed", "-Rpass-analysis"):
        pattern = options.remark_patterns.get(kind)
        if options.remarks:
            flags.append(f"{kind}=({pattern})|^comm" if pattern else f"{kind}=^comm")
        elif kind == "-Rpass-analysis" and not options.remark_patterns and options.needs_lines:
            # Without -g, clang tracks lines only for remarks. This enables none, and leaves no trace in the object.
            flags.append("-Rpass-analysis=^comm-lines-only$")
    return flags


def lto_compile_flags(options: Options, language: Language) -> list[str]:
    """Disables vectorization and the unrolling of long loops until link time, where the plugin sees the program with
    its original loops; they happen after that. -fno-unroll-loops would be recorded in each loop and affect the
    linker, so this uses LLVM's own options."""
    if options.lto != "full" or not options.uses_plugin:
        return []
    # Only for the compiler: the driver would pass -mllvm to the linker.
    flags = ["-fno-vectorize", "-fno-slp-vectorize"]
    for word in ("-mllvm", "-unroll-runtime=false", "-mllvm", "-unroll-allow-partial=false"):
        flags += ["-Xflang", word] if language.is_fortran else [f"-Xclang={word}"]
    return flags


def move_to_environment(flags: list[str]) -> list[str]:
    """Passes the plugin's options among the flags through the environment, and returns the other flags."""
    words = iter(flags)
    kept = []
    for word in words:
        if word == "-mllvm":
            name, _, value = next(words)[1:].partition("=")
            os.environ[name.upper().replace("-", "_")] = value
        else:
            kept.append(word)
    return kept


def lto_link_flags(options: Options, installation: Installation) -> list[str]:
    """Loads the plugin in lld, for the whole program. Its options are in the environment because lld parses -mllvm
    before it loads plugins."""
    if options.lto != "full" or not options.uses_plugin or not options.is_on("mode") or options.shared == "-r":
        return []
    if options.linker not in ("", "lld") and not options.linker.endswith("ld.lld"):
        raise WrapperError(
            f"-fuse-ld={options.linker} cannot be combined with -flto: only lld loads Comm's plugin; leave -fuse-ld"
            " out, or give -fcomm-mode=off to the command that links"
        )
    patterns = dict(options.remark_patterns)
    for flag in move_to_environment(comm_compile_flags(options, installation)):
        name, _, value = flag.partition("=")
        if name.startswith("-Rpass"):
            patterns[name] = value
    remarks = []
    for name, pattern in patterns.items():
        remarks += ["-Xlinker", "-mllvm", "-Xlinker", f"-pass-remarks{name.removeprefix('-Rpass')}={pattern}"]
    linker = [] if options.linker else ["-fuse-ld=lld"]
    return [*linker, "-Wl,--load-pass-plugin=" + installation.plugin(), *remarks]


def check_compile_flags(options: Options) -> list[str]:
    """Flags of AddressSanitizer for the checker (docs/report.md): accesses within bounds may be illegal, too."""
    flags = ["-fsanitize=address"] if options.adds_address else []
    if options.is_on("check") and (flags or "address" in options.sanitizers):
        flags += ["-mllvm", "-asan-opt-globals=0", "-mllvm", "-asan-use-stack-safety=0"]
    return flags


def comm_link_flags(options: Options, installation: Installation) -> list[str]:
    if options.lto == "thin" or not options.needs_runtime:
        return []
    # Users who did not request AddressSanitizer do not want leak reports about MPI.
    address = ["-fsanitize=address", "-Wl,-u,comm_check_asan_options"] if options.adds_address else []
    # AddressSanitizer asks for suppressions at program start: a library opened later is too late.
    if options.is_on("check") and (address or "address" in options.sanitizers):
        address.append("-Wl,-u,comm_check_asan_suppressions")
    graphs = ["-l:libCommCDagRun.a", "-l:libCommCDag.a"] if options.detects_at_run_time else []
    # The wrappers of collectives belong in the program: libraries call those, too.
    wraps = options.is_on("check") and not options.shared.startswith("-shared")
    wrappers = ["-l:" + installation.require_library("libCommCheckWrappers.a")] if wraps else []
    return [*address, "-L" + installation.runtime(), *graphs, *wrappers, "-l:libCommRuntime.a"]


def check_ranks_options(options: Options) -> None:
    """Rejects options that do not work with -fcomm-ranks, with a clearer error than clang's."""
    conflicts = (
        (options.lto, "-flto: the variables of ranks are found file by file"),
        (options.is_on("report"), "-fcomm-report, which measures MPI processes"),
        (options.is_on("profile-generate"), "-fcomm-profile-generate, which measures MPI processes"),
        (options.is_on("check"), "-fcomm-check, which checks MPI processes"),
        (options.is_on("detect"), "-fcomm-detect, whose graphs are of MPI processes"),
        (
            options.value("abi") not in ("auto", "mpi-abi"),
            f"-fcomm-abi={options.value('abi')}: ranks have the MPI standard ABI",
        ),
        (options.shared.startswith("-static"), f"{options.shared}: the runtime is a shared library"),
    )
    for conflict, text in conflicts:
        if conflict:
            raise WrapperError("-fcomm-ranks cannot be combined with " + text)


def runs_assembler(options: Options) -> bool:
    """Returns whether clang runs its assembler as a step of its own."""
    return any(name.endswith((".s", ".S", ".sx")) for name in options.inputs) or any(
        word in ("-via-file-asm", "--save-temps") or word.startswith(("-save-temps", "--save-temps="))
        for word in options.rest
    )


def plugin_flags(options: Options, installation: Installation) -> list[str]:
    """Returns the plugin's flags. If clang runs its assembler, passes options through the environment, because the
    assembler also gets -mllvm and does not know them."""
    flags = comm_compile_flags(options, installation)
    return move_to_environment(flags) if runs_assembler(options) else flags


def find_libraries(words: list[str]) -> list[str]:
    """Returns the shared libraries that -l names in the user's folders."""

    def values(option: str) -> list[str]:
        after = [value for word, value in zip(words, words[1:], strict=False) if word == option]
        return after + [word[2:] for word in words if word.startswith(option) and word != option]

    paths = [os.path.join(folder, f"lib{library}.so") for library in values("-l") for folder in values("-L")]
    return [path for path in paths if os.path.isfile(path)]


def check_ranks_inputs(name: str, options: Options) -> None:
    """Checks for files built without -fcomm-ranks: MPI calls are an error, shared variables a warning."""
    files = [name for name in options.inputs if name.endswith((".o", ".a", ".lo", ".obj", ".so")) or ".so." in name]
    files += find_libraries(options.rest)
    if not files:
        return
    here = os.path.dirname(os.path.realpath(__file__))
    root = os.path.dirname(here)
    # In a wheel, this program is inside the package.
    inside = os.path.basename(root) == "comm_mlir" and os.path.isdir(os.path.join(root, "ranks"))
    sys.path.insert(0, os.path.dirname(root) if inside else os.path.join(root, "share", "comm", "python"))
    from comm_mlir.ranks import elf

    for path in files:
        for member in elf.objects(path):
            if member.is_for_ranks:
                continue
            for symbol in member.undefined:
                if symbol.startswith(("MPI_", "PMPI_")):
                    raise WrapperError(
                        f"{member.name} calls {symbol} and was built without -fcomm-ranks: compile it with {name}"
                        " -fcomm-ranks as well"
                    )
            if member.variables:
                print(
                    f"{name}: warning: {member.name} was built without -fcomm-ranks: all ranks of a process share its"
                    f" variables ({', '.join(member.variables[:3])}{', ...' if len(member.variables) > 3 else ''})",
                    file=sys.stderr,
                )


def run_ranks(name: str, options: Options, installation: Installation) -> None:
    """Handles -fcomm-ranks: ranks are user-level threads, and the runtime is the program's MPI."""
    check_ranks_options(options)
    options.given.setdefault("mode", "off")  # a rank that waits lets others run
    headers = ["-I" + installation.ranks_headers()]
    plugin = plugin_flags(options, installation)
    link_flags: list[str] = []
    links = options.links and options.shared != "-r"
    if links or options.query.startswith("-show:"):
        # Before the user's archives, one of which may contain main.
        is_shared = options.shared == "-shared"
        headers.append("-Wl,-u," + ("comm_ranks_linked_image" if is_shared else "comm_ranks_main"))
        link_flags = installation.ranks_start(is_shared)
        if options.drops_sections:
            # Otherwise the tables would keep unused symbols.
            link_flags.append("-Wl,-z,start-stop-gc")
    rest = [arg for arg in options.rest if arg not in ("-lmpi", "-lmpi_cxx", "-lmpicxx", "-lpmpi")]
    if options.query:
        command = [*installation.compiler, *headers, *rest, *plugin, *link_flags]
        answer(options, command, [*headers, *plugin], link_flags, mpi_wrapper(C))
        return
    if links:
        check_ranks_inputs(name, options)
    os.environ["COMM_ABI"] = "mpi-abi"
    become([*installation.compiler, *quiet(headers), *rest, *quiet(plugin), *quiet(link_flags)])


def answer(options: Options, command: list[str], compile_flags: list[str], link_flags: list[str], wrapper: str) -> None:
    """Answers -show, -showme:... and MPICH's -compile_info."""
    topic = options.query.partition(":")[2]
    if options.query in ("-compile-info", "-link-info"):
        print(" ".join(command))
    elif not topic or topic == "command":
        print(" ".join(command) if not topic else command[0])
    elif topic == "compile":
        print(" ".join(compile_flags))
    elif topic == "link":
        print(" ".join(link_flags))
    elif topic in ("incdirs", "libdirs", "libs"):
        prefix = {"incdirs": "-I", "libdirs": "-L", "libs": "-l"}[topic]
        print(" ".join(flag[2:] for flag in compile_flags + link_flags if flag.startswith(prefix)))
    elif topic == "version":
        below = capture([wrapper, "-showme:version"])
        print(f"commcc: Comm {VERSION}" + (f" ({below[1].strip()})" if below[0] == 0 else ""))
    else:
        topics = "command, compile, link, incdirs, libdirs, libs, version"
        raise WrapperError(f"unknown query '{options.query}'; after -showme: there may be {topics}")


def become(command: list[str]) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by the caller
            stream.flush()
    try:
        try:
            os.execvp(command[0], command)
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            # Expanded response files may exceed the system's limit for command lines.
            os.execvp(command[0], [command[0], "@" + response_file(command[1:])])
    except OSError as error:
        raise WrapperError(
            f"cannot run {command[0]} ({error.strerror}): install clang 22 (flang 22 for Fortran), or name it in"
            " COMM_CC, COMM_CXX or COMM_FC"
        ) from None


def response_file(words: list[str]) -> str:
    """Returns the name of a memory file with these words, each quoted; it exists as long as this process."""
    text = "\n".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    with open(os.memfd_create("commcc", 0), "wb", closefd=False) as file:
        file.write(os.fsencode(text))
        return f"/proc/self/fd/{file.fileno()}"


def quiet(flags: list[str]) -> list[str]:
    """Suppresses clang's warnings about unused flags for ours."""
    return ["--start-no-unused-arguments", *flags, "--end-no-unused-arguments"] if flags else []


def fortran_compile_flags(compile_flags: list[str], installation: Installation) -> list[str]:
    """Adds the folder of mpif.h, which is that of mpi.h and which some wrappers omit, and puts flang's replacement
    before Open MPI's."""
    flags = list(compile_flags)
    if not any(os.path.exists(os.path.join(flag[2:], "mpif.h")) for flag in flags if flag.startswith("-I")):
        flags += [flag for flag in MPIFlags(mpi_wrapper(C), C.wrapper_variable).compile if flag.startswith("-I")]
    if any(os.path.exists(os.path.join(flag[2:], "mpif-sizeof.h")) for flag in flags if flag.startswith("-I")):
        flags.insert(0, "-I" + installation.fortran_headers())
    return flags


def check_fortran_options(options: Options) -> None:
    """Rejects options that Fortran does not support, with a clearer error than flang's."""
    missing = (
        (options.is_on("ranks"), "-fcomm-ranks, whose ranks are of C and C++"),
        (options.is_on("check"), "-fcomm-check, which needs clang's AddressSanitizer"),
        (options.is_on("detect"), "-fcomm-detect, which recognizes patterns of C and C++"),
    )
    for is_given, text in missing:
        if is_given:
            raise WrapperError("Fortran does not support " + text)


def run(name: str, args: list[str]) -> None:
    language = find_language(name)
    options = parse(args)
    installation = Installation(language)
    if language.is_fortran:
        check_fortran_options(options)
    if not options.has_inputs and not options.query:
        become([*installation.compiler, *options.rest])  # --version, -v, --help, -print-...
    if options.is_on("ranks"):
        run_ranks(name, options, installation)
        return
    if options.lto and options.is_on("check"):
        raise WrapperError(
            "-fcomm-check cannot be combined with -flto: it instruments each file separately; add -fno-lto"
        )
    if is_whole_program(options):
        options.given.setdefault("whole-program", "1")
    wrapper = mpi_wrapper(language)
    mpi = MPIFlags(wrapper, language.wrapper_variable)
    compile_flags = [
        *(fortran_compile_flags(mpi.compile, installation) if language.is_fortran else mpi.compile),
        *lto_compile_flags(options, language),
        *plugin_flags(options, installation),
        *check_compile_flags(options),
    ]
    links = (options.links or options.query.startswith("-show:")) and options.query != "-compile-info"
    link_flags = (
        [*lto_link_flags(options, installation), *comm_link_flags(options, installation), *mpi.link] if links else []
    )
    if options.query:
        command = [*installation.compiler, *options.rest, *compile_flags, *link_flags]
        answer(options, command, compile_flags, link_flags, wrapper)
        return
    if options.uses_plugin and options.value("abi") == "auto" and not os.environ.get("COMM_ABI"):
        # Not with -mllvm: if clang only assembles, it does not load the plugin and does not know its options.
        os.environ["COMM_ABI"] = find_abi(compile_flags)
    if not language.is_fortran:
        compile_flags, link_flags = quiet(compile_flags), quiet(link_flags)
    elif not any(map(is_fortran_source, options.inputs)):
        compile_flags = []  # flang cannot suppress warnings about unused flags
    become([*installation.compiler, *options.rest, *compile_flags, *link_flags])


def main() -> int:
    name = os.path.basename(sys.argv[0])
    try:
        run(name, sys.argv[1:])
    except WrapperError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
