# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: env COMM_CACHE_DIR=%t.cache %pytest %s
"""Contents of modules that can be compiled: vector, parallel loops, math; divisions of 128 bits."""

import numpy as np
import pytest

import comm_mlir
from comm_mlir.ir import Context, Module


def compile_text(text, **options):
    with Context():
        return comm_mlir.compile(Module.parse(text), **options)


def test_vectors():
    f = compile_text("""
    func.func @f(%a: memref<?xf64>, %i: index) -> f64 {
      %p = arith.constant 10.0 : f64
      %0 = vector.load %a[%i] : memref<?xf64>, vector<2xf64>
      %t = vector.transfer_read %a[%i], %p : memref<?xf64>, vector<4xf64>
      %r = vector.reduction <add>, %t : vector<4xf64> into f64
      %one = vector.extract %0[1] : f64 from vector<2xf64>
      %twice = arith.addf %0, %0 : vector<2xf64>
      vector.transfer_write %twice, %a[%i] {in_bounds = [true]} : vector<2xf64>, memref<?xf64>
      %s = arith.addf %one, %r : f64
      return %s : f64
    }""").f
    data = np.arange(4.0)
    # 2, and 1 + 2 + 3 and the padding after the last element.
    assert f(data, 1) == 18 and data.tolist() == [0, 2, 4, 3]


def test_parallel_loops_and_mathematics():
    g = compile_text("""
    func.func @g(%a: memref<4x4xf64>, %b: memref<4x4xf64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      affine.parallel (%i, %j) = (0, 0) to (4, 4) {
        %v = affine.load %a[%i, %j] : memref<4x4xf64>
        affine.store %v, %b[%j, %i] : memref<4x4xf64>
      }
      scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
        %v = memref.load %a[%i, %i] : memref<4x4xf64>
        %w = math.sqrt %v : f64
        memref.store %w, %b[%i, %i] : memref<4x4xf64>
        scf.reduce
      }
      return
    }""").g
    a, b = np.arange(16.0).reshape(4, 4), np.zeros((4, 4))
    expected = a.T.copy()
    np.fill_diagonal(expected, np.sqrt(a.diagonal()))
    g(a, b)
    assert (b == expected).all()


def test_functions_of_the_compiler():
    """A division of 128 bits is a call of the compiler's runtime."""
    divide = compile_text("""
    func.func @divide(%a: i64, %b: i64) -> i64 {
      %x = arith.extsi %a : i64 to i128
      %y = arith.extsi %b : i64 to i128
      %z = arith.divsi %x, %y : i128
      %r = arith.trunci %z : i128 to i64
      return %r : i64
    }""").divide
    assert divide(10**18, -7) == -(10**18 // 7)


def test_options_of_jit():
    for name in ("frob", "module", "functions"):
        with pytest.raises(TypeError, match=f"jit has no option '{name}'"):
            comm_mlir.jit(**{name: 1})(lambda a: None)
