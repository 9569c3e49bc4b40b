// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// comm-isolate-loops in functions of the func dialect.
// RUN: comm-opt -comm-isolate-loops -verify-each %s | FileCheck %s
// RUN: comm-opt -comm-isolate-loops -comm-move-slices %s | FileCheck %s --check-prefix=MOVED

// CHECK-LABEL: func.func @standard
// CHECK: %[[P:.*]] = ub.poison : index
// CHECK-NEXT: cf.cond_br %[[C:.*]], ^{{.*}}, ^[[MIDDLE:bb[0-9]+]](%[[P]] : index)
// CHECK: ^[[MIDDLE]](%[[J:.*]]: index):
// CHECK-NEXT: cf.cond_br %[[C]], ^
// CHECK: memref.store %{{.*}}[%[[J]]]
// MOVED-LABEL: func.func @standard
// MOVED: comm.bcast async
// MOVED: memref.store
// MOVED: comm.wait
// MOVED: memref.load
func.func @standard(%buf: memref<16xf64>, %n: index) {
  %other = memref.alloc() : memref<16xf64>
  %root = arith.constant 0 : i32
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %f = arith.constant 1.0 : f64
  %r = comm.bcast async buffer(%buf : memref<16xf64>) root(%root : i32) comm(%comm) -> request
  comm.wait request(%r)
  %c = arith.cmpi sgt, %n, %zero : index
  cf.cond_br %c, ^enter, ^join
^enter:
  cf.br ^loop(%zero : index)
^loop(%i: index):
  memref.store %f, %other[%i] : memref<16xf64>
  %next = arith.addi %i, %one : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^loop(%next : index), ^use(%next : index)
^use(%j: index):
  %x = memref.load %buf[%zero] : memref<16xf64>
  memref.store %x, %other[%j] : memref<16xf64>
  cf.br ^join
^join:
  return
}
