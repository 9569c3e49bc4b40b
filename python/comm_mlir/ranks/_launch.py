# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs mpirun for commrun, with the same signals, output and exit code, and reports lost processes."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import re
import select
import signal
import subprocess
import sys

# Signals that a user or a batch system sends to a job.
FORWARDED = {
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP,
    signal.SIGCONT,
}  # fmt: skip
KEPT = 64 << 10  # bytes of stderr: mpirun's message about a lost process comes last
DRAIN_SECONDS = 2.0  # a process that outlives mpirun may hold the pipe open
PR_SET_PDEATHSIG = 1
F_SETPIPE_SZ = 1031

# Open MPI 4 (mpirun) and 5 (prterun).
BY_SIGNAL = re.compile(
    rb"noticed\s+that\s+process\s+rank\s+(\d+)\s+with\s+PID\s+\d+\s+on\s+node\s+(\S+)\s+exited\s+on\s+signal\s+(\d+)"
    rb"\s+\(([^)]*)\)"
)
# Open MPI 4 reports a process that is killed early as one that returned.
RETURNED = re.compile(rb"but\s+\d+\s+process(?:es)?\s+returned\s+a\s+non-zero\s+exit\s+code")
IMPROPERLY = re.compile(rb"has\s+exited\s+due\s+to\s+process\s+rank\s+(\d+)\s+with\s+PID\s+\d+\s+on\s+node\s+(\S+)")


def lost(text: bytes, code: int, processes: int, ranks: int) -> str | None:
    """Returns a message about a lost process, from mpirun's last output and its exit code; `ranks` per process."""
    others = "; the other processes were ended, too" if processes > 1 else ""
    for pattern in (BY_SIGNAL, IMPROPERLY):
        found = pattern.search(text)
        if not found:
            continue
        process = int(found[1])
        first, last = process * ranks, (process + 1) * ranks - 1
        which = f"rank {first}" if ranks == 1 else f"ranks {first} to {last}"
        node = found[2].decode(errors="replace")
        how = "ended without MPI_Finalize"
        if pattern is BY_SIGNAL:
            how = f"was ended by signal {int(found[3])} ({found[4].decode(errors='replace')})"
        return f"process {process} of {processes}, with {which}, on node {node}, {how}{others}"
    number = code - 128
    if number in signal.valid_signals() and RETURNED.search(text):
        how = f"ended as signal {number} ({signal.strsignal(number)}) ends it; mpirun does not say which"
        return f"a process of {processes} {how}{others}"
    return None


def relay(source: int, result: int) -> None:
    """Copies data from a pipe to stderr and finally writes the last part of it to `result`. Runs in a process of its
    own, because mpirun gets SIGTERM for each thread of commrun that ends before it, and treats a second one as
    urgent."""
    kept, writable = b"", True
    while data := os.read(source, 1 << 16):
        kept = (kept + data)[-KEPT:]
        while data and writable:
            try:
                data = data[os.write(2, data) :]
            except OSError:  # the reader is gone; mpirun must not block for that
                writable = False
    os.write(result, kept)


def start_relay() -> tuple[int, int]:
    """Returns the pipe for mpirun's stderr and the one from which the last part of it can be read."""
    source, stderr = os.pipe()
    end, result = os.pipe()
    fcntl.fcntl(result, F_SETPIPE_SZ, KEPT)
    if os.fork() == 0:
        try:
            os.close(stderr)
            os.close(end)
            relay(source, result)
        finally:
            os._exit(0)
    os.close(source)
    os.close(result)
    return stderr, end


def read_end(end: int) -> bytes:
    text = b""
    while select.select([end], [], [], DRAIN_SECONDS)[0]:
        data = os.read(end, KEPT)
        if not data:
            break
        text += data
    return text


def in_child() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    # If commrun is killed, its job ends as well.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(command: list[str], processes: int, ranks: int) -> int:
    """Runs the command to its end and returns its exit code. Raises OSError if it cannot be started. Only for commrun,
    whose process it takes over."""
    waited = FORWARDED | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    stderr, end = start_relay()
    try:
        child = subprocess.Popen(command, stderr=stderr, preexec_fn=in_child)
    except BaseException:
        os.close(end)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise
    finally:
        os.close(stderr)
    while True:
        came = signal.sigwaitinfo(waited)
        if came.si_signo != signal.SIGCHLD:
            # mpirun gets the terminal's signals directly.
            if came.si_code <= 0:
                os.kill(child.pid, came.si_signo)
            continue
        pid, status = os.waitpid(child.pid, os.WNOHANG | os.WUNTRACED)  # it may be the relay's
        if pid and os.WIFSTOPPED(status):
            os.kill(os.getpid(), signal.SIGSTOP)
        elif pid:
            break
    text = read_end(end)
    code = os.waitstatus_to_exitcode(status)
    if code:
        told = lost(text, code, processes, ranks)
        if told:
            print(f"commrun: error: {told}", file=sys.stderr, flush=True)
    if code < 0:
        print(f"commrun: error: {command[0]} was ended by signal {-code} ({signal.strsignal(-code)})", file=sys.stderr)
        # End as mpirun would have ended in commrun's place.
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        os.kill(os.getpid(), -code)
    return code
