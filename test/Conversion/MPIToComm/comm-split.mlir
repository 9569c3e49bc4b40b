// RUN: comm-opt --convert-mpi-to-comm %s | FileCheck %s
// RUN: comm-opt --convert-mpi-to-comm --canonicalize --cse %s | FileCheck %s
// Upstream declares mpi.comm_split pure, but it is collective: two equal ones are distinct, one with an unused result
// still participates, and none crosses another. After the conversion generic passes know that.

// CHECK-LABEL: func.func @splits(
// CHECK-SAME: %[[COMM:.*]]: !comm.comm, %[[COLOR:.*]]: i32, %[[KEY:.*]]: i32)
func.func @splits(%comm: !mpi.comm, %color: i32, %key: i32) -> (!mpi.comm, !mpi.comm) {
  // CHECK-NEXT: %[[A:.*]] = comm.comm_split comm(%[[COMM]]) color(%[[COLOR]]) key(%[[KEY]]) -> newcomm
  %a = mpi.comm_split(%comm, %color, %key) : !mpi.comm
  // CHECK-NEXT: comm.comm_split comm(%[[COMM]]) color(%[[KEY]]) key(%[[COLOR]]) -> newcomm
  %unused = mpi.comm_split(%comm, %key, %color) : !mpi.comm
  // CHECK-NEXT: comm.barrier comm(%[[COMM]])
  mpi.barrier(%comm)
  // CHECK-NEXT: %[[B:.*]] = comm.comm_split comm(%[[COMM]]) color(%[[COLOR]]) key(%[[KEY]]) -> newcomm
  %b = mpi.comm_split(%comm, %color, %key) : !mpi.comm
  // CHECK-NEXT: comm.comm_split comm(%[[COMM]]) color(%[[COLOR]]) key(%[[KEY]]) -> newcomm, error
  %e, %c = mpi.comm_split(%comm, %color, %key) : !mpi.retval, !mpi.comm
  // CHECK-NEXT: return %[[A]], %[[B]]
  return %a, %b : !mpi.comm, !mpi.comm
}
