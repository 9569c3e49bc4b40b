# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs Comm's tests: make check, or .venv/bin/lit build/test/Dialect for some of them.

Substitutions that RUN lines may use:
  %clang %clangxx %flang       the compilers that Comm builds on (flang: feature `flang`)
  %mpicc %mpicxx               the MPI library's wrappers, around those compilers
  %mpirun -n 2 PROGRAM         runs PROGRAM, also as root, on few cores, for two minutes at most
  %commcc %commcxx %commfort   Comm's compiler drivers
  %plugin                      the LLVM pass plugin
  %comm_runtime_lib            the runtime's archive; its headers are in %comm_runtime_include
  %commreport %python %cmake   programs
  %comm_src_root %comm_obj_root %comm_lib_dir %comm_include %llvm_include

By PATH: comm-opt, FileCheck, not, split-file, count, mlir-opt, mlir-translate, mlir-tblgen.
A folder whose tests run under mpirun says so in its lit.local.cfg: config.parallelism_group = "mpi".
"""

import os
import shlex
import shutil
import subprocess

import lit.formats

config.name = "Comm"
config.suffixes = [".mlir", ".c", ".cpp", ".test", ".td", ".f90"]
config.excludes = ["Inputs", "lib", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.comm_build_dir, "test")
# lit's own shell: pipes, redirections, `env`, `cd`, `export`, && and || work; a failing part of a pipe fails the test.
config.test_format = lit.formats.ShTest(execute_external=False)

# Every test ends: a hang is a failure, not a stuck machine.
if lit_config.maxIndividualTestTime == 0:
    supported, message = lit_config.maxIndividualTestTimeIsSupported
    if supported:
        lit_config.maxIndividualTestTime = 300 * int(os.environ.get("COMM_SAME_RUNS", "1"))
    else:
        lit_config.warning("no time limit for tests: " + message)

# Tests that start several processes wait a third of the time, for each other and for mpirun: run two more at a time
# than there are cores. (run_tests.py runs more other tests at a time.)
lit_config.parallelism_groups["mpi"] = len(os.sched_getaffinity(0)) + 2

build, bin_dir = config.comm_build_dir, os.path.join(config.comm_build_dir, "bin")
lib_dir = os.path.join(build, "lib")
# commcc and the other tools are scripts of `env python3`: a version manager's would take longer than clang.
python_dir = os.path.dirname(config.python)
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_bin_dir, python_dir, os.environ["PATH"]])
for name in ("CCACHE_DIR", "CCACHE_DISABLE", "COMM_SAME_MODES", "COMM_SAME_RUNS", "COMM_SAME_TCP"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def preloading(program, name, flags=""):
    """A script that is the program with AddressSanitizer's runtime, which an instrumented plugin needs; its options are
    those that LLVM's libraries need, as in cmake/modules/SanitizerOptions.cpp."""
    query = [config.clang, f"-print-file-name=libclang_rt.asan-{os.uname().machine}.so"]
    runtime = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    script = os.path.join(build, "test", "preloading", name)
    options = "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0"
    os.makedirs(os.path.dirname(script), exist_ok=True)
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nASAN_OPTIONS={options} LD_PRELOAD={runtime} exec {program} {flags} "$@"\n')
    os.chmod(script, 0o755)
    return script


def preloading_python(python):
    """As preloading, for an interpreter that loads instrumented modules. The programs that it starts are not preloaded,
    as those of ours have the runtime already; other interpreters are, by sys.executable."""
    folder = os.path.join(build, "test", "preloading", "site")
    os.makedirs(folder, exist_ok=True)
    script = preloading(f"env PYTHONPATH={folder}${{PYTHONPATH:+:$PYTHONPATH}} {python}", "python")
    with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
        file.write(f"import os, sys\nos.environ.pop('LD_PRELOAD', None)\nsys.executable = {script!r}\n")
    return script


if config.sanitize:
    config.python = preloading_python(config.python)
    opt = preloading(os.path.join(config.llvm_bin_dir, "opt"), "opt")
    config.environment["PATH"] = os.pathsep.join([os.path.dirname(opt), config.environment["PATH"]])
    config.clang, config.clangxx = preloading(config.clang, "clang"), preloading(config.clangxx, "clang++")
    config.environment.update({"COMM_CC": config.clang, "COMM_CXX": config.clangxx})
    if config.flang:
        config.flang = preloading(config.flang, "flang")
        config.environment["COMM_FC"] = config.flang
    # For programs that link instrumented code.
    sanitize = f"-fsanitize={config.sanitize} -fno-sanitize-recover=undefined -Wno-unused-command-line-argument"
    config.sanitizing_clang = preloading(config.clang, "sanitizing-clang", sanitize)
    config.sanitizing_clangxx = preloading(config.clangxx, "sanitizing-clang++", sanitize)
    # For folders whose tests link instrumented archives by a wrapper of MPI or a driver of ours.
    names = [f"{library}_{language}" for library in ("OMPI", "MPICH") for language in ("CC", "CXX")] + [
        "COMM_CC",
        "COMM_CXX",
    ]
    config.sanitizing_environment = {
        name: config.sanitizing_clangxx if name.endswith("CXX") else config.sanitizing_clang for name in names
    }
# A test sees MPI wrappers as they are installed, whatever the caller has set for a build of their own.
config.environment.update(
    {
        "OMPI_CC": config.clang,
        "OMPI_CXX": config.clangxx,
        "MPICH_CC": config.clang,
        "MPICH_CXX": config.clangxx,
        # Open MPI as root, on fewer cores than ranks, in a container, without a second machine to reach.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        # Searching for missing networks takes a second and most of the processor time of a short program.
        "OMPI_MCA_btl": "^openib,ofi",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_osc": "^ucx",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        "OMPI_MCA_plm": "isolated",
        # That each process lists the PCI devices doubles what a short program costs on a virtual machine.
        "HWLOC_COMPONENTS": "-pci,-linuxio",
        "OMP_NUM_THREADS": "2",
        # The shared libraries of LLVM and MLIR are not instrumented: memory that they allocate and we free looks wrong.
        "ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }
)


def works(command):
    """True if the program can be run."""
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


mpirun = [config.mpirun or "mpirun"]
version = ""
if config.mpirun:
    version = subprocess.run([config.mpirun, "--version"], capture_output=True, text=True).stdout
if "Open MPI" in version or "OpenRTE" in version:
    config.available_features.add("openmpi")
    # These two are options for old and new releases alike; the rest is in the environment.
    mpirun += ["--allow-run-as-root", "--oversubscribe"]
elif "HYDRA" in version or "mpich" in version.lower():
    config.available_features.add("mpich")

# Other projects' compilers (requirements-embedding.txt) are in .venv-embedding, which make check creates.
extra_python = os.environ.get("COMM_EXTRA_PYTHON")
if not extra_python:
    extra_python = os.path.join(config.comm_source_dir, ".venv-embedding", "bin", "python3")
for package in ("devito", "xdsl"):
    finder = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec('{package}'))"
    if works([extra_python, "-c", finder]):
        config.available_features.add(package)

# Longer names first where one begins another: lit replaces in this order.
for name, value in (
    ("%clangxx", config.clangxx),
    ("%clang", config.clang),
    ("%flang", config.flang),
    ("%mpicxx", config.mpicxx),
    ("%mpicc", config.mpicc),
    ("%mpirun", shlex.join(["timeout", "-k", "5", "120", *mpirun])),
    ("%comm_runtime_include", os.path.join(config.comm_source_dir, "runtime", "include")),
    ("%comm_runtime_lib", os.path.join(lib_dir, "libCommRuntime.a")),
    ("%comm_src_root", config.comm_source_dir),
    ("%comm_obj_root", build),
    ("%comm_lib_dir", lib_dir),
    ("%comm_include", os.path.join(config.comm_source_dir, "include")),
    ("%llvm_include", os.path.join(os.path.dirname(config.llvm_bin_dir), "include")),
    ("%comm-opt", os.path.join(bin_dir, "comm-opt")),
    ("%commreport", os.path.join(bin_dir, "commreport")),
    ("%commcxx", os.path.join(bin_dir, "commc++")),
    ("%commcc", os.path.join(bin_dir, "commcc")),
    ("%commfort", os.path.join(bin_dir, "commfort")),
    ("%plugin", os.path.join(lib_dir, "libCommPlugin.so")),
    ("%python", config.python),
    ("%extra_python", extra_python),
    ("%cmake", config.cmake),
):
    config.substitutions.append((name + r"\b", value))

# What a test may ask for with REQUIRES or UNSUPPORTED.
if os.geteuid() == 0:
    config.available_features.add("root")
if shutil.which("ld.lld", path=os.pathsep.join([config.llvm_bin_dir, os.environ.get("PATH", "")])):
    config.available_features.add("lld")
if config.sanitize:
    config.available_features.add("asan")
elif os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES") > 12 << 30:
    config.available_features.add("much-memory")  # free, without what the system caches
if works(["git", "-C", config.comm_source_dir, "rev-parse", "HEAD"]):
    config.available_features.add("git-clone")
# The charts of commreport and comm-vratio.
if works([config.python, "-c", "import matplotlib"]):
    config.available_features.add("matplotlib")
if config.flang and works([config.flang, "--version"]):
    config.available_features.add("flang")
