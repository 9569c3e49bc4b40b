// RUN: comm-opt %s -convert-comm-to-llvm=abi=mpich | FileCheck %s
// RUN: comm-opt %s -convert-comm-to-llvm=abi=mpi-abi | FileCheck %s --check-prefix=ABI

// Requests of MPICH are integers, the standard ABI's are pointers, and so are block arguments.
// CHECK-LABEL: func.func @pipeline
// CHECK-SAME: %{{.*}}: i32, %{{.*}}: i32) {
// CHECK: %[[NULL:.*]] = llvm.mlir.constant(738197504 : i32)
// CHECK: cf.br ^bb1(%[[NULL]] : i32)
// CHECK: ^bb1(%[[BEFORE:.*]]: i32)
// CHECK: llvm.store %[[BEFORE]], %{{.*}} : i32, !llvm.ptr
// CHECK: llvm.call @MPI_Wait
// CHECK-NEXT: %[[R:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: cf.cond_br %{{.*}}, ^bb1(%[[R]] : i32), ^bb2
// ABI-LABEL: func.func @pipeline
// ABI-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) {
// ABI: llvm.inttoptr
// ABI: ^bb1(%{{.*}}: !llvm.ptr)
func.func @pipeline(%buf: !llvm.ptr, %n: i32, %more: i1, %t: !comm.datatype, %c: !comm.comm) {
  %null = comm.constant "MPI_REQUEST_NULL" : !comm.request
  cf.br ^loop(%null : !comm.request)
^loop(%before: !comm.request):
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%before)
  cf.cond_br %more, ^loop(%r : !comm.request), ^exit
^exit:
  comm.wait request(%r)
  return
}

// Handles through other dialects' ops.
// CHECK-LABEL: func.func @select
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %{{.*}} = scf.for {{.*}} -> (i32)
// CHECK: call @callee(%{{.*}}) : (i32) -> i32
// CHECK-LABEL: func.func private @callee(i32) -> i32
func.func @select(%a: !comm.comm, %b: !comm.comm, %which: i1, %n: index) -> !comm.comm {
  %c = arith.select %which, %a, %b : !comm.comm
  %from = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last = scf.for %i = %from to %n step %step iter_args(%d = %c) -> (!comm.comm) {
    comm.barrier comm(%d)
    %new = comm.comm_dup comm(%d) -> newcomm
    scf.yield %new : !comm.comm
  }
  %r = call @callee(%last) : (!comm.comm) -> !comm.comm
  return %r : !comm.comm
}
func.func private @callee(!comm.comm) -> !comm.comm
