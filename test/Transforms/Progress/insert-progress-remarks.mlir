// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remarks on loops, and loops that must stay unchanged.
// RUN: comm-opt --comm-insert-progress --remarks-filter="comm-insert-progress" %s -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t

#scan = #llvm.loop_annotation<mustProgress = true>
module attributes {comm.abi = "openmpi4"} {
  llvm.func @__gxx_personality_v0(...) -> i32
  llvm.func @f()
  llvm.func @__kmpc_for_static_init_8(!llvm.ptr)

  // CHECK-DAG: Progress {{.*}}MPI_Recv{{.*}} progresses in the loop at
  // IR-LABEL: llvm.func @fine(
  // IR: comm.call_progress
  // IR-LABEL: llvm.func @own_operator(
  llvm.func @fine(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %next = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %last, ^end, ^loop(%next : i64) {loop_annotation = #scan}
  ^end:
    comm.wait request(%r)
    llvm.return
  }

  // An operator of the program's own runs where MPI progresses: also for the message that is under way with it.
  // CHECK-DAG: NoProgress {{.*}}MPI_Allreduce{{.*}} may not progress in the loop at {{.*}}its operator may be a function of the program
  // IR-NOT: progress
  // IR-LABEL: llvm.func @any_order(
  llvm.func @own_operator(%buf: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr, %op: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %o = comm.cast %op : !llvm.ptr to !comm.op
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    %s = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%count) datatype(%t) op(%o) comm(%c) -> request
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %next = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %last, ^end, ^loop(%next : i64)
  ^end:
    comm.wait request(%s)
    comm.wait request(%r)
    llvm.return
  }

  // Sums whose order the optimizer may change depend on where a loop begins and ends.
  // CHECK-DAG: NoProgress {{.*}}MPI_Recv{{.*}} may not progress in the loop at {{.*}}reorder its sums
  // IR-NOT: progress
  // IR-LABEL: llvm.func @in_order(
  // IR: comm.call_progress
  // IR-LABEL: llvm.func @team(
  llvm.func @any_order(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) -> f64 {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %none = llvm.mlir.constant(0.0 : f64) : f64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^loop(%zero, %none : i64, f64)
  ^loop(%i: i64, %sum: f64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
    %x = llvm.load %p : !llvm.ptr -> f64
    %more = llvm.fadd %sum, %x {fastmathFlags = #llvm.fastmath<reassoc>} : f64
    %next = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %last, ^end, ^loop(%next, %more : i64, f64)
  ^end:
    comm.wait request(%r)
    llvm.return %more : f64
  }
  llvm.func @in_order(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) -> f64 {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %none = llvm.mlir.constant(0.0 : f64) : f64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^loop(%zero, %none : i64, f64)
  ^loop(%i: i64, %sum: f64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
    %x = llvm.load %p : !llvm.ptr -> f64
    %more = llvm.fadd %sum, %x : f64
    %next = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %last, ^end, ^loop(%next, %more : i64, f64)
  ^end:
    comm.wait request(%r)
    llvm.return %more : f64
  }

  // The iterations of a worksharing loop are executed by threads that have not started anything.
  // CHECK-DAG: NoProgress {{.*}}MPI_Recv{{.*}} may not progress in the loop at {{.*}}threads of a team may execute it
  // IR-NOT: progress
  // IR-LABEL: llvm.func @pad(
  llvm.func @team(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.call @__kmpc_for_static_init_8(%data) : (!llvm.ptr) -> ()
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %next = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %last, ^end, ^loop(%next : i64)
  ^end:
    comm.wait request(%r)
    llvm.return
  }

  // Nothing can be put before a landing pad.
  // IR-NOT: progress
  llvm.func @pad(%buf: !llvm.ptr, %count: i32, %peer: i32, %tag: i32) attributes {personality = @__gxx_personality_v0} {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.invoke @f() to ^end unwind ^handler : () -> ()
  ^handler:
    %caught = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
    llvm.invoke @f() to ^end unwind ^handler : () -> ()
  ^end:
    comm.wait request(%r)
    llvm.return
  }
}
