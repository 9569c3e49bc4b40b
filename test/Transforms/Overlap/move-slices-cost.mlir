// Whether an interval pays: the time that it hides compared with the additional cost of the nonblocking form.
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4" %s | FileCheck %s --check-prefixes=CHECK,MEASURED
// RUN: comm-opt -comm-move-slices="cost=none abi=openmpi4" %s | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: comm-opt -comm-move-slices="cost=measured abi=openmpi4" --remark-format=emitRemark --remarks-filter=comm-move.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not comm-opt -comm-move-slices=cost=much %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: Cannot find option named 'much'

llvm.func @work() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
llvm.func @comm.ask_observes_starts() -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}

// Some stores take a few nanoseconds, and a sum of one number hundreds more as MPI_Iallreduce.
// CHECK-LABEL: llvm.func @statements
// CHECK: comm.allreduce async
// MEASURED-NEXT: comm.wait
// NONE-NEXT: llvm.store
// REMARK-DAG: Function=statements{{.*}}MPI_Allreduce{{.*}}stays blocking: its interval {{.*}}hides at most about {{[0-9]+}} ns, and its nonblocking form costs {{[0-9]+}} ns more
llvm.func @statements(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.store %n, %a : i32, !llvm.ptr
  llvm.return
}

// So does a loop that runs four times.
// CHECK-LABEL: llvm.func @short_loop
// CHECK: comm.allreduce async
// MEASURED-NEXT: comm.wait
// NONE-NOT: comm.wait
// NONE: llvm.br
// REMARK-DAG: Function=short_loop{{.*}}MPI_Allreduce{{.*}}stays blocking: its interval {{.*}}hides at most about
llvm.func @short_loop(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %times = llvm.mlir.constant(4 : i32) : i32
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  llvm.store %i, %a : i32, !llvm.ptr
  %next = llvm.add %i, %n : i32
  %more = llvm.icmp "slt" %next, %times : i32
  llvm.cond_br %more, ^loop(%next : i32), ^end
^end:
  llvm.return
}

// A million times is another thing.
// CHECK-LABEL: llvm.func @long_loop
// CHECK: comm.allreduce async
// CHECK-NOT: comm.wait
// CHECK: llvm.br
// CHECK: comm.wait
llvm.func @long_loop(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %times = llvm.mlir.constant(1000000 : i32) : i32
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  llvm.store %i, %a : i32, !llvm.ptr
  %next = llvm.add %i, %n : i32
  %more = llvm.icmp "slt" %next, %times : i32
  llvm.cond_br %more, ^loop(%next : i32), ^end
^end:
  llvm.return
}

// And a trip count that is not known may be anything.
// CHECK-LABEL: llvm.func @unknown_loop
// CHECK: comm.allreduce async
// CHECK-NOT: comm.wait
// CHECK: llvm.br
// CHECK: comm.wait
llvm.func @unknown_loop(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %a: !llvm.ptr {llvm.noalias}, %times: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  llvm.store %i, %a : i32, !llvm.ptr
  %next = llvm.add %i, %n : i32
  %more = llvm.icmp "slt" %next, %times : i32
  llvm.cond_br %more, ^loop(%next : i32), ^end
^end:
  llvm.return
}

// MPI_COMM_SELF has no other process to wait for, whatever work there is.
// CHECK-LABEL: llvm.func @alone
// CHECK: comm.allreduce async
// MEASURED-NEXT: comm.wait
// NONE-NEXT: llvm.call @work
// REMARK-DAG: Function=alone{{.*}}involves a single process
llvm.func @alone(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_SELF" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %max = comm.constant "MPI_MAX" : !comm.op
  %n = llvm.mlir.constant(1 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.allreduce async sendbuf(%a : !llvm.ptr) recvbuf(%a : !llvm.ptr) count(%n) datatype(%int) op(%max) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// A long message arrives when its sender waits for it: the wait stays before the following computation. The start still
// moves up.
// CHECK-LABEL: llvm.func @long_send
// CHECK: comm.send async
// CHECK-NEXT: llvm.call @work
// MEASURED-NEXT: comm.wait
// MEASURED-NEXT: llvm.call @work
// NONE-NEXT: llvm.call @work
// NONE-NEXT: comm.wait
llvm.func @long_send() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1025 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  llvm.call @work() : () -> ()
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// So may one of a length that is not known.
// CHECK-LABEL: llvm.func @unknown_send
// CHECK: comm.send async
// MEASURED-NEXT: comm.wait
// MEASURED-NEXT: llvm.call @work
// NONE-NEXT: llvm.call @work
llvm.func @unknown_send(%n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// A short one arrives by itself.
// CHECK-LABEL: llvm.func @short_send
// CHECK: comm.send async
// CHECK-NEXT: llvm.call @work
// CHECK-NEXT: comm.wait
llvm.func @short_send() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(16 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// No process waits for a receive.
// CHECK-LABEL: llvm.func @long_receive
// CHECK: comm.recv async
// CHECK-NEXT: llvm.call @work
// CHECK-NEXT: comm.wait
llvm.func @long_receive() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1000000 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}

// A branch that communicates keeps no receiver waiting: MPI progresses in it, and a question to the runtime is short.
// CHECK-LABEL: llvm.func @communicating_branch
// CHECK: comm.send async
// CHECK-NOT: comm.wait request
// CHECK: llvm.cond_br
// CHECK: comm.recv async
// CHECK: ^bb2:
// CHECK-NEXT: comm.wait
llvm.func @communicating_branch(%n: i32, %isInner: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.zero : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %isInner, ^inner, ^end
^inner:
  %s = comm.recv async buf(%b : !llvm.ptr) count(%n) datatype(%int) source(%zero) tag(%n) comm(%c) -> request
  %answer = llvm.call @comm.ask_observes_starts() : () -> i32
  %observes = llvm.icmp "ne" %answer, %zero : i32
  comm.wait_if %observes request(%s)
  comm.wait request(%s)
  llvm.br ^end
^end:
  llvm.return
}

// One that computes as well does.
// CHECK-LABEL: llvm.func @computing_branch
// CHECK: comm.send async
// MEASURED-NEXT: comm.wait
// MEASURED-NEXT: llvm.cond_br
// NONE-NOT: comm.wait request
// NONE: llvm.cond_br
llvm.func @computing_branch(%n: i32, %isInner: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.zero : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %isInner, ^inner, ^end
^inner:
  %s = comm.recv async buf(%b : !llvm.ptr) count(%n) datatype(%int) source(%zero) tag(%n) comm(%c) -> request
  comm.wait request(%s)
  llvm.call @work() : () -> ()
  llvm.br ^end
^end:
  llvm.return
}

// In an MPI_Sendrecv both sides wait for each other, and compute at the same time.
// CHECK-LABEL: llvm.func @exchange
// CHECK: comm.recv async
// CHECK-NEXT: comm.send async
// CHECK-NEXT: llvm.call @work
// CHECK-NEXT: comm.wait
// CHECK-NEXT: comm.wait
llvm.func @exchange() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(1000000 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {comm.from = "MPI_Sendrecv"} -> request
  %s = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {comm.from = "MPI_Sendrecv"} -> request
  comm.wait request(%s)
  comm.wait request(%r)
  llvm.call @work() : () -> ()
  llvm.return
}
