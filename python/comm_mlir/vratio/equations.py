# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The equations of Nigay, Schneider, Hoefler: MS13 - TinyMPI tasking prototype (Mont-Blanc 3, 2018), section 2.2, with
the paper's symbols, and the terms that this project uses instead of equation 4. Times are in seconds, sizes in bytes,
bandwidths in bytes per second. N nodes, C cores in each, V ranks on each core.
"""

from __future__ import annotations


def computation(p: int, *, t_serial: float, iters: float, gxsz: float, gysz: float, kmax: float, tsc: float) -> float:
    """Equation 1: computation of each of P ranks, on a CPU of `tsc` Hz."""
    return t_serial + iters * gxsz * gysz * kmax / (tsc * 1024) / p


def shared_memory(*, iters: float, halo: float, gxsz: float, l_s: float, b_s: float) -> float:
    """Equation 2: communication of each rank in shared memory, four messages per iteration."""
    return iters * 4 * (l_s + 4 * halo * gxsz / b_s)


def network(
    c: int, v: int, *, iters: float, halo: float, gysz: float, l_n: float, b_nic_nic: float, b_core_nic: float
) -> float:
    """Equation 3: communication of each rank over the network, with the maxrate model of Gropp et al."""
    volume = c * (8 * halo * gysz / (c * v))
    return iters * 4 * (l_n + volume / min(b_nic_nic, c * b_core_nic))


def cpu(v: int, *, t_comp: float, t_shmem: float, calls: float = 0.0, t_ovhd: float = 0.0) -> float:
    """Equation 5: the time of a core for its V ranks. Without `calls` (the paper's K), the second line of equation
    4."""
    return v * t_comp + v * t_shmem + v * calls * t_ovhd


def virtualized(v: int, *, cpu_s: float, t_net: float, t_comp: float) -> float:
    """Equation 4: the running time. The core overlaps with the network, except for half of a rank's computation, during
    which messages wait to be handled."""
    return max(cpu_s, v * t_net) + t_comp / 2


def overlapped(v: int, *, computation_s: float, wait_s: float, wire_s: float = 0.0, overhead_s: float = 0.0) -> float:
    """Used instead of equation 4: max(C, C/V + L, B) + o.

    A core computes for C in total, whatever V is. A rank at the border of its node computes its part, C/V, and waits
    for the network, L: the other ranks of its core hide that latency, but do not shorten the chain of its own
    iterations. Equation 4 instead counts the latency V times, as if the messages of V ranks were sent one after
    another, plus half of C/V. The wire needs at least B for its data. The overhead o that V ranks add to the core's
    work is never hidden.
    """
    return max(computation_s, computation_s / v + wait_s, wire_s) + overhead_s
