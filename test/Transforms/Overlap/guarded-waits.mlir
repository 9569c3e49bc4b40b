// A wait may pass a later start that answers if starts are not observed. A test at the original wait checks whether
// another file observes.
// RUN: comm-opt %s --comm-move-slices=observers=elsewhere | FileCheck %s
// RUN: comm-opt %s --comm-move-slices="observers=elsewhere mode=basic" | FileCheck %s --check-prefix=BASIC
// RUN: comm-opt %s --comm-move-slices=observers=here | FileCheck %s --check-prefix=HERE
// RUN: comm-opt %s --comm-move-slices=observers=never | FileCheck %s --check-prefix=NEVER
// RUN: comm-opt %s --comm-move-slices=observers=elsewhere --convert-comm-to-llvm=abi=openmpi4 | FileCheck %s --check-prefix=LLVM
// RUN: comm-opt %s --comm-move-slices=observers=elsewhere --comm-instrument-intervals | FileCheck %s --check-prefix=REPORT
// RUN: comm-opt %s --comm-move-slices=observers=elsewhere --comm-instrument-checks | FileCheck %s --check-prefix=WATCH

module attributes {comm.abi = "openmpi4"} {
llvm.func @work(!llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"], memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}

// The test has no operands, and later passes can move code across it.
// CHECK: llvm.func @comm.ask_world_meets_others() -> i32
// CHECK: llvm.func @comm.ask_observes_starts() -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none,
// CHECK-SAME: passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]
// CHECK-LABEL: llvm.func @exchange
// CHECK: %[[R:.*]] = comm.recv async
// CHECK: %[[ANSWER:.*]] = llvm.call @comm.ask_observes_starts()
// CHECK: %[[NO:.*]] = llvm.mlir.zero
// CHECK: %[[DEFINED:.*]] = llvm.icmp "ne" %[[ANSWER]], %[[NO]]
// CHECK: %[[OTHERS:.*]] = llvm.call @comm.ask_world_meets_others()
// CHECK: %[[MEETS:.*]] = llvm.icmp "ne" %[[OTHERS]]
// CHECK: %[[HOLDS:.*]] = llvm.or %[[DEFINED]], %[[MEETS]]
// CHECK: %[[IGNORE:.*]] = comm.constant "MPI_STATUS_IGNORE"
// CHECK: %[[STATUS:.*]] = llvm.select %[[HOLDS]], %[[IGNORE]], %[[GIVEN:.*]] : i1
// CHECK: comm.wait_if %[[HOLDS]] request(%[[R]]) status(%[[GIVEN]] : !llvm.ptr)
// CHECK: comm.send async
// CHECK: comm.wait request(%[[R]]) status(%[[STATUS]] : !llvm.ptr)

// BASIC-LABEL: llvm.func @exchange
// BASIC: comm.recv async
// BASIC: comm.wait_if
// BASIC: comm.send async
// BASIC: llvm.call @work
// BASIC: comm.wait request

// HERE-LABEL: llvm.func @exchange
// HERE-NOT: comm.wait_if
// HERE: comm.recv async
// HERE: comm.wait request
// HERE: comm.send async

// NEVER-LABEL: llvm.func @exchange
// NEVER-NOT: comm.wait_if
// NEVER: comm.recv async
// NEVER: comm.send async
// NEVER: llvm.call @work
// NEVER: comm.wait request

// The request that is not waited for is null; the two waits are of one request.
// LLVM-LABEL: llvm.func @exchange
// LLVM: llvm.call @MPI_Irecv({{.*}}, %[[SLOT:[^,)]*]]) :
// LLVM: %[[IF:.*]] = llvm.or
// LLVM: %[[REQUEST:.*]] = llvm.select %[[IF]], %[[SLOT]], %{{.*}} : i1, !llvm.ptr
// LLVM: %[[EARLY:.*]] = llvm.select %[[IF]], %{{.*}}, %{{.*}} : i1, !llvm.ptr
// LLVM: llvm.call @MPI_Wait(%[[REQUEST]], %[[EARLY]])
// LLVM: llvm.call @MPI_Isend
// LLVM: llvm.call @MPI_Wait(%[[SLOT]], %{{.*}})

// REPORT-LABEL: llvm.func @exchange
// REPORT: %[[BEGIN:.*]] = llvm.call @comm_report_started
// REPORT: %[[ENDED:.*]] = llvm.select %[[IF:.*]], %[[BEGIN]], %[[ZERO:.*]] : i1, f64
// REPORT: %[[LATE:.*]] = llvm.select %[[IF]], %[[ZERO]], %[[BEGIN]] : i1, f64
// REPORT: %[[EARLY:.*]] = llvm.call @comm_report_end(%{{.*}}, %[[ENDED]])
// REPORT: comm.wait_if %[[IF]]
// REPORT-NEXT: llvm.call @comm_report_waited(%{{.*}}, %[[EARLY]])
// REPORT: %[[NOW:.*]] = llvm.call @comm_report_end(%{{.*}}, %[[LATE]])
// REPORT: comm.wait request
// REPORT-NEXT: llvm.call @comm_report_waited(%{{.*}}, %[[NOW]])

// WATCH-LABEL: llvm.func @exchange
// WATCH: llvm.select {{.*}} : i1, !llvm.ptr
// WATCH: %[[FINISHED:.*]] = llvm.select %[[IF:.*]], %[[KEY:.*]], %{{.*}} : i1, !llvm.ptr
// WATCH: llvm.call @comm_check_finish(%[[FINISHED]])
// WATCH: comm.wait_if %[[IF]]
// WATCH: llvm.call @comm_check_finish(%[[KEY]])
llvm.func @exchange(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %status: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%w) -> request
  comm.wait request(%r) status(%status : !llvm.ptr)
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// The buffer, which the condition does not concern, keeps its order without a guard.
// CHECK-LABEL: llvm.func @needs_none
// CHECK-NOT: comm.wait_if
// CHECK: llvm.return
llvm.func @needs_none(%buf: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  %s = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// A status that is a value is the wait's alone: it is not split in two.
// CHECK-LABEL: llvm.func @status_value
// CHECK: comm.recv async
// CHECK-NOT: comm.wait_if
// CHECK: comm.wait request
// CHECK: comm.send async
// CHECK: llvm.return
llvm.func @status_value(%in: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %own: !llvm.ptr {llvm.noalias}, %kept: !llvm.ptr {llvm.noalias}) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%w) -> request
  %st = comm.wait request(%r) -> status
  %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  %p = comm.cast %st : !comm.status to !llvm.ptr
  llvm.return
}
}
