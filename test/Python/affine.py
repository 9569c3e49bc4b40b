# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""Affine expressions, maps and integer sets."""

import pytest

from comm_mlir.ir import (
    AffineAddExpr,
    AffineBinaryExpr,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineMapAttr,
    AffineModExpr,
    AffineSymbolExpr,
    Attribute,
    Context,
    F64Type,
    IntegerSet,
    IntegerSetAttr,
    Location,
    MemRefType,
    Module,
)


@pytest.fixture(autouse=True)
def context():
    with Context() as context, Location.unknown():
        yield context


def test_expressions():
    i, j, n = AffineExpr.get_dim(0), AffineExpr.get_dim(1), AffineExpr.get_symbol(0)
    assert str(i + 2 * j - n) == "d0 + d1 * 2 - s0" and str(-i) == "-d0" and str(3 - i) == "-d0 + 3"
    assert (
        str((i % 4) + (j // 2)) == "d0 mod 4 + d1 floordiv 2" and str(AffineExpr.get_ceil_div(i, 2)) == "d0 ceildiv 2"
    )
    assert i + 1 == AffineExpr.get_add(i, 1) and hash(i + 1) == hash(1 + i) and i != j and i != 0
    # MLIR folds this.
    assert AffineExpr.get_constant(6) * 7 == AffineExpr.get_constant(42) and i * 1 == i
    sum_, constant = i + 5, AffineExpr.get_constant(-3)
    assert isinstance(sum_, AffineAddExpr) and isinstance(sum_, AffineBinaryExpr) and sum_.lhs == i
    assert isinstance(sum_.rhs, AffineConstantExpr) and (sum_.rhs.value, constant.value) == (5, -3)
    assert isinstance(j, AffineDimExpr) and j.position == 1 and isinstance(n, AffineSymbolExpr) and n.position == 0
    assert AffineModExpr.isinstance(i % 2) and not AffineModExpr.isinstance(i) and AffineAddExpr.get(i, 5) == sum_
    assert str((i + j).compose(AffineMap.get(1, 0, [i * 2, i + 1]))) == "d0 * 2 + d0 + 1"


def test_maps():
    i, j, n = AffineExpr.get_dim(0), AffineExpr.get_dim(1), AffineExpr.get_symbol(0)
    skewed = AffineMap.get(2, 1, [i + j, j - n, 7])
    assert str(skewed) == "(d0, d1)[s0] -> (d0 + d1, d1 - s0, 7)" and skewed.results[0] == i + j
    assert (skewed.n_dims, skewed.n_symbols, skewed.n_inputs, len(skewed.results)) == (2, 1, 3, 3)
    assert str(skewed.get_submap([2, 0])) == "(d0, d1)[s0] -> (7, d0 + d1)"
    assert AffineMap.get(2, 0, [j, i]) == AffineMap.get_permutation([1, 0]) and AffineMap.get_identity(2).is_permutation
    assert not skewed.is_permutation and AffineMap.get(2, 0, [j]).is_projected_permutation
    assert str(AffineMap.get_minor_identity(3, 2)) == "(d0, d1, d2) -> (d1, d2)"
    assert str(AffineMap.get_constant(4)) == "() -> (4)" and str(AffineMap.get_empty()) == "() -> ()"
    attribute = AffineMapAttr.get(skewed)
    assert attribute == Attribute.parse("affine_map<(i, j)[n] -> (i + j, j - n, 7)>") and attribute.value == skewed
    layout = AffineMapAttr.get(AffineMap.get(2, 0, [i + j * 8]))
    assert str(MemRefType.get([8, 4], F64Type.get(), layout=layout)) == (
        "memref<8x4xf64, affine_map<(d0, d1) -> (d0 + d1 * 8)>>"
    )


def test_sets():
    i, n = AffineExpr.get_dim(0), AffineExpr.get_symbol(0)
    interior = IntegerSet.get(1, 1, [i - 1, n - i - 2], [False, False])
    assert str(interior) == "(d0)[s0] : (d0 - 1 >= 0, -d0 + s0 - 2 >= 0)"
    assert (interior.n_dims, interior.n_symbols, interior.n_inputs) == (1, 1, 2)
    assert (interior.n_equalities, interior.n_inequalities, interior.is_canonical_empty) == (0, 2, False)
    assert [(c.expr, c.is_eq) for c in IntegerSet.get(1, 0, [i, i - 3], [True, False]).constraints] == [
        (i, True),
        (i - 3, False),
    ]
    assert IntegerSet.get_empty(1, 0).is_canonical_empty and IntegerSet.get_empty(1, 0) == IntegerSet.get_empty(1, 0)
    attribute = IntegerSetAttr.get(interior)
    assert attribute == Attribute.parse("affine_set<(i)[n] : (i - 1 >= 0, n - i - 2 >= 0)>")
    assert attribute.value == interior
    # The purpose of the map.
    module = Module.parse(
        "func.func @f(%i: index, %n: index) { affine.if affine_set<(i)[n] : (i == 0)>(%i)[%n] {} return }"
    )
    branches = []
    module.walk(lambda op: branches.append(op) if op.name == "affine.if" else None)
    branches[0].attributes["condition"] = attribute
    assert module.verify() and "d0 - 1 >= 0" in str(module)


def test_objects_outlive_their_context():
    with Context():
        map, set = AffineMap.get_identity(2), IntegerSet.get_empty(1, 0)
        expr, constraint = map.results[1], IntegerSet.get(1, 0, [AffineExpr.get_dim(0)], [True]).constraints[0]
    assert str(expr) == "d1" and str(map) == "(d0, d1) -> (d0, d1)" and set.n_dims == 1 and str(constraint.expr) == "d0"


def test_what_is_wrong():
    i, n = AffineExpr.get_dim(0), AffineExpr.get_symbol(0)
    for wrong, error, text in (
        (lambda: i % 0, ValueError, "divided by a number from 1 on"),
        (lambda: i // -2, ValueError, "divided by a number from 1 on"),
        (lambda: i + 1.5, TypeError, "expected an AffineExpr or an int, got 1.5"),
        (lambda: i + 2**70, OverflowError, "too big"),
        (lambda: AffineExpr.get_add(1, 2), TypeError, "one of the two must be an AffineExpr"),
        (lambda: AffineExpr.get_dim(-1), ValueError, "from 0 to 999"),
        (lambda: AffineMap.get(0, 0, [i]), ValueError, "have 1 dimensions and 0 symbols, and 0 and 0 are told"),
        (lambda: AffineMap.get(1, 0, [n]), ValueError, "0 dimensions and 1 symbols"),
        (lambda: AffineMap.get(-1, 0, []), ValueError, "0 to 1000 dimensions"),
        (lambda: AffineMap.get_identity(10**9), ValueError, "0 to 1000 dimensions"),
        (lambda: AffineMap.get_identity(2).get_submap([2]), IndexError, "no result 2"),
        (lambda: AffineMap.get_minor_identity(1, 2), ValueError, "not more results than dimensions"),
        (lambda: AffineExpr.get_dim(2).compose(AffineMap.get_identity(1)), ValueError, "more dimensions than"),
        (lambda: IntegerSet.get(1, 0, [], []), ValueError, "a constraint at least"),
        (lambda: IntegerSet.get(1, 0, [i], []), ValueError, "each constraint has a flag"),
        (lambda: AffineMapAttr(Attribute.parse("1 : i32")), ValueError, "is not an instance of AffineMapAttr"),
    ):
        with pytest.raises(error, match=text):
            wrong()
    with Context():
        other = AffineExpr.get_dim(0)
    for mixed in (
        lambda: i + other,
        lambda: AffineMap.get(1, 0, [other]),
        lambda: other.compose(AffineMap.get_identity(1)),
    ):
        with pytest.raises(ValueError, match="context"):
            mixed()


def test_large_expressions_are_refused():
    """MLIR prints and folds by recursion: these would end the process, or take years."""
    grown, doubled = AffineExpr.get_dim(0), AffineExpr.get_dim(0)
    with pytest.raises(ValueError, match="too large"):
        for k in range(1, 2000):
            grown = grown + AffineExpr.get_symbol(k % 999)
    with pytest.raises(ValueError, match="too large"):
        for _ in range(100):
            doubled = doubled // 3 + doubled % 7
