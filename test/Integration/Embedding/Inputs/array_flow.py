"""Programs of the array language, compared with NumPy by process 0."""

import numpy
from mpi4py import MPI
from slabs import Slab, distributed, largest, roll, total

WORLD = MPI.COMM_WORLD


@distributed
def relax(u, v):
    v[:] = 0.25 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 0, 1) + roll(u, 0, -1))
    return largest(abs(v - u))


@distributed
def wave(u, last, after, speed):
    after[:] = 2 * u - last + speed * (roll(u, 1, 0) + roll(u, -1, 0) - 2 * u)
    last[:] = u
    u[:] = after
    return total(u * u), total(u + roll(last, -1, 3) / 2)


@distributed
def both(u, v):
    v[:] = v + roll(u, 1, 1)
    u[:] = u - roll(v, -1, -70)


def refused(function, *arguments):
    try:
        function(*arguments)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


def run(shape):
    start = numpy.random.default_rng(7).random(shape)
    u, v, w = Slab.of(start, WORLD), Slab.of(start, WORLD), Slab(shape, WORLD)
    a, b = start.copy(), start.copy()
    for _ in range(5):
        change = relax(u, v)
        b = 0.25 * (numpy.roll(a, 1, 0) + numpy.roll(a, -1, 0) + numpy.roll(a, 1, 1) + numpy.roll(a, -1, 1))
        assert change == numpy.abs(b - a).max(), (change, numpy.abs(b - a).max())
        a, b = b, a
        u, v = v, u
    assert (u.gather() == a).all()
    for _ in range(3):
        squares, sums = wave(u, v, w, 0.25)
        after = 2 * a - b + 0.25 * (numpy.roll(a, 1, 0) + numpy.roll(a, -1, 0) - 2 * a)
        a, b = after, a
        assert numpy.allclose(u.gather(), a, rtol=1e-14)
        assert numpy.isclose(squares, (a * a).sum())
        assert numpy.isclose(sums, (a + numpy.roll(b, (-1, 3), (0, 1)) / 2).sum())
    a, b = u.gather(), v.gather()
    both(u, v)
    b = b + numpy.roll(a, (1, 1), (0, 1))
    a = a - numpy.roll(b, (-1, -70), (0, 1))
    assert (v.gather() == b).all() and (u.gather() == a).all()
    return u, v


u, v = run((40, 33))
run((WORLD.size, 5))  # a row each
run((WORLD.size + 1, 64))


@distributed
def rolled_target(u):
    u[:] = roll(u, 1, 0)


@distributed
def condition(u):
    if u:
        u[:] = 1


@distributed
def element(u):
    return u


errors = [
    refused(relax, u, u),
    refused(relax, u, Slab((40, 32), WORLD)),
    refused(relax, 1, 2),
    refused(rolled_target, u),
    refused(condition, u),
    refused(element, u),
    refused(roll, u, 2, 0),
    refused(Slab, (0, 4), WORLD),
]
if WORLD.rank == 0:
    print(*errors, sep="\n")
    for remark in relax.program((u, v)).remarks:
        print("remark:", remark.function, remark.message)
    print("passed on", WORLD.size)
