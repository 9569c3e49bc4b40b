# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""comm_mlir.vratio.growth on figures of programs that stay the same, grow, or are undecided."""

from comm_mlir.vratio import growth
from comm_mlir.vratio.growth import Work

MIB = 1 << 20


def of(v: int, work: float, steps: list[float], complete: bool = False, mib: float = 1, calls: float = 100) -> Work:
    """Two processes of one core."""
    return Work(2 * v, 2, complete, work, tuple(steps), mib * MIB, calls)


def check(name: str, first: Work, second: Work, grows: bool | None, measure: str = "", factor: float = 0) -> None:
    verdict = growth.compare(first, second)
    told = None if verdict.factor is None else verdict.grows
    assert told is grows and verdict.measure == measure, (name, verdict)
    assert not factor or abs(verdict.factor - factor) < 1e-9, (name, verdict)


# To the end: all the computation.
check("same", of(1, 1.0, [0.1], True), of(4, 1.1, [0.1], True), False, "compute", 1.1)
check("grows", of(1, 1.0, [0.1], True), of(4, 4.0, [0.1], True), True, "compute", 4)
# Some work is repeated by each rank: up to the geometric mean it counts as the same problem.
check("some again", of(1, 1.0, [], True), of(4, 1.9, [], True), False, "compute")
check("much again", of(1, 1.0, [], True), of(4, 2.1, [], True), True, "compute")
# Ended early: both worked for as long, but not as far. At the 8th and the 2nd collective.
check("same, early", of(1, 2.0, [0.2, 0.4, 0.8, 1.6]), of(4, 2.0, [0.2, 0.4, 0.8, 1.6]), False, "compute", 1)
check("grows, early", of(1, 2.0, [0.2, 0.4, 0.8, 1.6]), of(4, 2.0, [0.8, 1.6]), True, "compute", 4)
# One ran to its end, the other did not.
check("grows, one early", of(1, 0.5, [0.2, 0.4], True), of(4, 2.0, [0.8, 1.6]), True, "compute", 4)
# Collectives only at the start say nothing about the loop after them; memory does, if there is enough of it.
check("start", of(1, 2.0, [0.01]), of(4, 2.0, [0.01]), None)
check("start, memory", of(1, 2.0, [0.01], mib=100), of(4, 2.0, [0.01], mib=102), False, "take memory for")
check("start, more memory", of(1, 2.0, [0.01], mib=100), of(4, 2.0, [0.01], mib=401.5), True, "take memory for", 4)
# The second run has not come as far: not all of its ranks may have their memory.
check("late", of(1, 2.0, [], mib=100), of(4, 2.0, [], mib=120, calls=49), None)
check("slow", of(1, 2.0, [], mib=100), of(4, 2.0, [], mib=120, calls=51), False, "take memory for")
check("late and larger", of(1, 2.0, [], mib=100), of(4, 2.0, [], mib=320, calls=2), True, "take memory for")
check("no collective", of(1, 2.0, []), of(4, 2.0, []), None)
# Memory that ranks take anyway does not count.
check("stacks", of(1, 2.0, [], mib=10), of(16, 2.0, [], mib=17), False, "take memory for", 0.95)
# Too short for a decision.
check("short", of(1, 0.001, [0.001], True), of(4, 0.004, [0.004], True), None)
# The profiler's lines for two processes; one had not come as far.
line = {"processes": 2, "threads": 1, "per_thread": 2, "complete": True, "work_s": 1.5, "memory_bytes": 10}
line |= {"sends": 5, "receives": 4, "collectives": 3}
lines = [line | {"steps_s": [0.5, 1.0, 1.25]}, line | {"steps_s": [0.25, 0.5], "complete": False}]
assert growth.from_lines(lines) == Work(4, 2, False, 3.0, (0.75, 1.5), 20, 6), growth.from_lines(lines)
print("growth: as expected")
