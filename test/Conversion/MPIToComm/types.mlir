// RUN: comm-opt --convert-mpi-to-comm %s | FileCheck %s --implicit-check-not=mpi. --implicit-check-not=unrealized
// Types are converted wherever such values are used: signatures, calls, branches, loops, and operations of any dialect.

// CHECK-LABEL: func.func private @external(!comm.comm, !comm.request, !comm.status) -> i32
func.func private @external(!mpi.comm, !mpi.request, !mpi.status) -> !mpi.retval

// CHECK-LABEL: func.func private @nested(tuple<!comm.comm, i32>, tensor<4x!comm.request>)
func.func private @nested(tuple<!mpi.comm, !mpi.retval>, tensor<4x!mpi.request>)

// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[C:.*]]: !comm.comm, %[[R:.*]]: !comm.request, %[[S:.*]]: !comm.status) -> i32
func.func @calls(%c: !mpi.comm, %r: !mpi.request, %s: !mpi.status) -> !mpi.retval {
  // CHECK: call @external(%[[C]], %[[R]], %[[S]]) : (!comm.comm, !comm.request, !comm.status) -> i32
  %e = call @external(%c, %r, %s) : (!mpi.comm, !mpi.request, !mpi.status) -> !mpi.retval
  // CHECK: %[[F:.*]] = constant @external : (!comm.comm, !comm.request, !comm.status) -> i32
  %f = constant @external : (!mpi.comm, !mpi.request, !mpi.status) -> !mpi.retval
  // CHECK: call_indirect %[[F]](%[[C]], %[[R]], %[[S]]) : (!comm.comm, !comm.request, !comm.status) -> i32
  %e1 = call_indirect %f(%c, %r, %s) : (!mpi.comm, !mpi.request, !mpi.status) -> !mpi.retval
  return %e1 : !mpi.retval
}

// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[C:.*]]: i1, %[[A:.*]]: !comm.comm, %[[B:.*]]: !comm.comm)
func.func @branches(%c: i1, %a: !mpi.comm, %b: !mpi.comm) -> !mpi.comm {
  // CHECK: %[[S:.*]] = arith.select %[[C]], %[[A]], %[[B]] : !comm.comm
  %s = arith.select %c, %a, %b : !mpi.comm
  // CHECK: cf.cond_br %[[C]], ^bb1(%[[S]] : !comm.comm), ^bb2(%[[B]] : !comm.comm)
  cf.cond_br %c, ^bb1(%s: !mpi.comm), ^bb2(%b: !mpi.comm)
// CHECK: ^bb1(%[[X:.*]]: !comm.comm):
^bb1(%x: !mpi.comm):
  // CHECK: comm.barrier comm(%[[X]])
  mpi.barrier(%x)
  cf.br ^bb2(%x: !mpi.comm)
// CHECK: ^bb2(%[[Y:.*]]: !comm.comm):
^bb2(%y: !mpi.comm):
  // CHECK: return %[[Y]] : !comm.comm
  return %y : !mpi.comm
}

// CHECK-LABEL: func.func @structured(
func.func @structured(%c: i1, %n: index, %buf: memref<4xf32>, %i: i32, %comm: !mpi.comm) -> !mpi.comm {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = mpi.isend(%buf, %i, %i, %comm) : memref<4xf32>, i32, i32 -> !mpi.request
  // CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[R:.*]] = %{{.*}}) -> (!comm.request)
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%r = %first) -> (!mpi.request) {
    // CHECK: comm.wait request(%[[R]])
    mpi.wait(%r) : !mpi.request
    %next = mpi.isend(%buf, %i, %i, %comm) : memref<4xf32>, i32, i32 -> !mpi.request
    // CHECK: scf.yield %{{.*}} : !comm.request
    scf.yield %next : !mpi.request
  }
  // CHECK: comm.wait request(%[[LAST]])
  mpi.wait(%last) : !mpi.request
  // CHECK: scf.if %{{.*}} -> (!comm.comm)
  %sub = scf.if %c -> (!mpi.comm) {
    %new = mpi.comm_split(%comm, %i, %i) : !mpi.comm
    scf.yield %new : !mpi.comm
  } else {
    scf.yield %comm : !mpi.comm
  }
  // CHECK: scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32
  %e0 = mpi.barrier(%sub) -> !mpi.retval
  %e = scf.while (%x = %e0) : (!mpi.retval) -> !mpi.retval {
    %ok = mpi.retval_check %x = <MPI_SUCCESS> : i1
    scf.condition(%ok) %x : !mpi.retval
  } do {
  // CHECK: ^bb0(%{{.*}}: i32):
  ^bb0(%y: !mpi.retval):
    %z = mpi.barrier(%sub) -> !mpi.retval
    scf.yield %z : !mpi.retval
  }
  // CHECK: scf.index_switch %{{.*}} -> !comm.comm
  %sw = scf.index_switch %n -> !mpi.comm
  case 0 {
    scf.yield %sub : !mpi.comm
  }
  default {
    scf.yield %comm : !mpi.comm
  }
  // CHECK: scf.execute_region -> !comm.comm
  %ex = scf.execute_region -> !mpi.comm {
    cf.br ^bb1(%sw : !mpi.comm)
  // CHECK: ^bb1(%{{.*}}: !comm.comm):
  ^bb1(%w: !mpi.comm):
    scf.yield %w : !mpi.comm
  }
  return %ex : !mpi.comm
}

// Upstream has no pattern for the loops of affine: the general one takes them.
// CHECK-LABEL: func.func @affine(
func.func @affine(%r: !mpi.request) -> !mpi.request {
  // CHECK: affine.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (!comm.request)
  %0 = affine.for %i = 0 to 4 iter_args(%x = %r) -> (!mpi.request) {
    // CHECK: comm.wait request(%[[X]])
    mpi.wait(%x) : !mpi.request
    // CHECK: affine.yield %[[X]] : !comm.request
    affine.yield %x : !mpi.request
  }
  return %0 : !mpi.request
}
