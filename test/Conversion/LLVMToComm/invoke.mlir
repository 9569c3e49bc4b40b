// RUN: comm-opt %s -raise-mpi-to-comm | FileCheck %s
// MPI's C functions do not throw: an invoke continues at its normal destination, and an otherwise unreachable landing
// pad is removed, with its MPI calls.
llvm.mlir.global external @ompi_mpi_comm_world() : !llvm.array<1 x i8>
llvm.func @MPI_Barrier(!llvm.ptr) -> i32
llvm.func @MPI_Finalize() -> i32
llvm.func @may_throw()
llvm.func @__gxx_personality_v0(...) -> i32

// CHECK-LABEL: llvm.func @only
// CHECK: comm.barrier comm(%{{.*}}) {{.*}} -> error
// CHECK-NEXT: llvm.br ^bb1
// CHECK: ^bb1:
// CHECK-NEXT: llvm.return
// CHECK-NOT: landingpad
llvm.func @only() -> i32 attributes {personality = @__gxx_personality_v0} {
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %e = llvm.invoke @MPI_Barrier(%world) to ^ok unwind ^pad {branch_weights = array<i32: 100, 1>} : (!llvm.ptr {llvm.noundef}) -> i32
^ok:
  llvm.return %e : i32
^pad:
  %lp = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
  %f = llvm.call @MPI_Finalize() : () -> i32
  llvm.br ^loop
^loop:
  %z = llvm.mlir.constant(true) : i1
  llvm.cond_br %z, ^loop, ^resume
^resume:
  llvm.resume %lp : !llvm.struct<(ptr, i32)>
}

// CHECK-LABEL: llvm.func @shared
// CHECK: comm.barrier
// CHECK-NEXT: llvm.br
// CHECK: llvm.invoke @may_throw
// CHECK: landingpad
// CHECK: comm.finalize
// CHECK: llvm.resume
llvm.func @shared() attributes {personality = @__gxx_personality_v0} {
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %e = llvm.invoke @MPI_Barrier(%world) to ^ok unwind ^pad : (!llvm.ptr) -> i32
^ok:
  llvm.invoke @may_throw() to ^done unwind ^pad : () -> ()
^done:
  llvm.return
^pad:
  %lp = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
  %f = llvm.call @MPI_Finalize() : () -> i32
  llvm.resume %lp : !llvm.struct<(ptr, i32)>
}
