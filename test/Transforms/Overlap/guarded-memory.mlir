// Units that access one array are distinguished by their bytes: at compile time, or at the original wait.
// RUN: comm-opt %s --comm-move-slices=observers=never | FileCheck %s

module attributes {comm.abi = "openmpi4"} {
llvm.func @work(!llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"], memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}

// Row m + 1 is received, row m is changed and sent meanwhile: no number is in both.
// CHECK-LABEL: llvm.func @known
// CHECK: comm.recv async
// CHECK-NOT: comm.wait
// CHECK: llvm.store
// CHECK: comm.send async
// CHECK: llvm.call @work
// CHECK: comm.wait request
llvm.func @known(%u: !llvm.ptr, %m: i32, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(100 : i32) : i32
  %x = llvm.mlir.constant(1.0 : f64) : f64
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %m64 = llvm.sext %m : i32 to i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %m64, %one overflow<nsw> : i64
  %row = llvm.getelementptr inbounds %u[%m64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<100 x f64>
  %ghost = llvm.getelementptr inbounds %u[%next] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<100 x f64>
  %r = comm.recv async buf(%ghost : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  llvm.store %x, %row : f64, !llvm.ptr
  %s = comm.send async buf(%row : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// Row 0 is received and row m is sent: they are two if m is not 0.
// CHECK-LABEL: llvm.func @asked
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[M:[^:]*]]: i32
// CHECK: comm.recv async
// CHECK: llvm.freeze %[[M]]
// CHECK: llvm.icmp "sge"
// CHECK: %[[APART:.*]] = llvm.or
// CHECK: %[[MEET:.*]] = llvm.xor %[[APART]]
// CHECK: comm.wait_if %[[MEET]]
// CHECK: comm.send async
// CHECK: llvm.call @work
// CHECK: comm.wait request
llvm.func @asked(%u: !llvm.ptr, %m: i32, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(100 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %m64 = llvm.sext %m : i32 to i64
  %row = llvm.getelementptr inbounds %u[%m64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<100 x f64>
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%row : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// The same row.
// CHECK-LABEL: llvm.func @same
// CHECK-NOT: comm.wait_if
// CHECK: comm.recv async
// CHECK: comm.wait request
// CHECK: comm.send async
llvm.func @same(%u: !llvm.ptr, %m: i32, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(100 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %m64 = llvm.sext %m : i32 to i64
  %row = llvm.getelementptr inbounds %u[%m64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<100 x f64>
  %r = comm.recv async buf(%row : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  %s = comm.send async buf(%row : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%n) comm(%w) -> request
  comm.wait request(%s)
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}

// A loop fills row k while row m arrives, if they are two.
// CHECK-LABEL: llvm.func @loop
// CHECK: comm.recv async
// CHECK: llvm.call @work
// CHECK: comm.wait_if
// CHECK: llvm.store
// CHECK: comm.wait request
llvm.func @loop(%u: !llvm.ptr, %m: i32, %k: i32, %own: !llvm.ptr {llvm.noalias}, %p: i32) {
  %n = llvm.mlir.constant(100 : i32) : i32
  %x = llvm.mlir.constant(1.0 : f64) : f64
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %m64 = llvm.sext %m : i32 to i64
  %k64 = llvm.sext %k : i32 to i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %end = llvm.mlir.constant(100 : i64) : i64
  %ghost = llvm.getelementptr inbounds %u[%m64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<100 x f64>
  %row = llvm.getelementptr inbounds %u[%k64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<100 x f64>
  %r = comm.recv async buf(%ghost : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%n) comm(%w) -> request
  comm.wait request(%r)
  llvm.br ^bb1(%zero : i64)
^bb1(%j: i64):
  %at = llvm.getelementptr inbounds %row[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %at : f64, !llvm.ptr
  %next = llvm.add %j, %one overflow<nsw, nuw> : i64
  %more = llvm.icmp "slt" %next, %end : i64
  llvm.cond_br %more, ^bb1(%next : i64), ^bb2
^bb2:
  llvm.call @work(%own) : (!llvm.ptr) -> ()
  llvm.return
}
}
