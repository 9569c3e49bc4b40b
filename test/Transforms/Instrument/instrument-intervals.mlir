// The measurements around each kind of call, and how the runtime gets them (runtime/include/comm/report.h).
// RUN: comm-opt -comm-instrument-intervals %s | FileCheck %s --check-prefixes=CHECK,INTERVALS
// RUN: comm-opt -comm-instrument-intervals="all file=profiles/" %s | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: comm-opt -comm-instrument-intervals=all -convert-comm-to-llvm %s | FileCheck %s --check-prefix=LOWER

module attributes {comm.abi = "openmpi4"} {
// ALL-DAG: llvm.mlir.global private constant @[[FOLDER:.*]]("profiles/\00")
// ALL-DAG: llvm.mlir.global private constant @[[PATH:.*]]("solve.c:40:3 < main.c:12:5\00")
llvm.func @work()

// The time in the start, the interval, and the time in the wait; the call determines the bytes.
// CHECK-LABEL: llvm.func @interval
// CHECK: %[[SITE:.*]] = llvm.mlir.addressof @comm.report.site
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(8 : i64) : i64
// CHECK: %[[COUNT:.*]] = llvm.sext %{{.*}} : i32 to i64
// CHECK: %[[BYTES:.*]] = llvm.mul %[[COUNT]], %[[SIZE]]
// CHECK: %[[ENTERED:.*]] = llvm.call @comm_report_enter(%[[SITE]])
// CHECK-NEXT: comm.bcast async
// CHECK-NEXT: %[[BEGIN:.*]] = llvm.call @comm_report_started(%[[SITE]], %[[ENTERED]], %[[BYTES]])
// CHECK-NEXT: llvm.call @work
// CHECK-NEXT: %[[END:.*]] = llvm.call @comm_report_end(%[[SITE]], %[[BEGIN]])
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.call @comm_report_waited(%[[SITE]], %[[END]])
// LOWER-LABEL: llvm.func @interval
// LOWER: llvm.call @comm.start_MPI_Bcast
llvm.func @interval(%a: !llvm.ptr, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.bcast async buffer(%a : !llvm.ptr) count(%n) datatype(%t) root(%n) comm(%c) {comm.start_kind = "exact"} -> request
  llvm.call @work() : () -> ()
  comm.wait request(%r)
  llvm.return
}

// A wait after another one: the interval ended before both, and each measures its own time.
// CHECK-LABEL: llvm.func @two_waits
// CHECK: %[[FIRST:.*]] = llvm.call @comm_report_started
// CHECK: %[[SECOND:.*]] = llvm.call @comm_report_started
// CHECK: %[[END1:.*]] = llvm.call @comm_report_end(%{{.*}}, %[[FIRST]])
// CHECK: %[[END2:.*]] = llvm.call @comm_report_end(%{{.*}}, %[[SECOND]])
// CHECK: comm.wait
// CHECK: llvm.call @comm_report_waited(%{{.*}}, %[[END1]])
// CHECK: %[[TURN:.*]] = llvm.call @comm_report_turn(%{{.*}}, %[[END2]])
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.call @comm_report_waited(%{{.*}}, %[[TURN]])
llvm.func @two_waits(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  %s = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  llvm.call @work() : () -> ()
  comm.wait request(%r)
  comm.wait request(%s)
  llvm.return
}

// A guard right before the wait that it is the guard of, and after another wait: the interval that ends at the guard.
// CHECK-LABEL: llvm.func @guarded
// CHECK: %[[FIRST:.*]] = llvm.call @comm_report_started
// CHECK: %[[SECOND:.*]] = llvm.call @comm_report_started
// CHECK: comm.wait
// CHECK: %[[EARLY:.*]] = llvm.select %[[IF:.*]], %[[SECOND]], %[[ZERO:.*]] : i1, f64
// CHECK: %[[LATE:.*]] = llvm.select %[[IF]], %[[ZERO]], %[[SECOND]] : i1, f64
// CHECK: %[[NOW:.*]] = llvm.call @comm_report_end(%{{.*}}, %[[EARLY]])
// CHECK-NEXT: comm.wait_if
// CHECK-NEXT: llvm.call @comm_report_waited(%{{.*}}, %[[NOW]])
// CHECK-NEXT: %[[THEN:.*]] = llvm.call @comm_report_end(%{{.*}}, %[[LATE]])
// CHECK-NEXT: comm.wait
// CHECK-NEXT: llvm.call @comm_report_waited(%{{.*}}, %[[THEN]])
llvm.func @guarded(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32, %if: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  %s = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
  llvm.call @work() : () -> ()
  comm.wait request(%r)
  comm.wait_if %if request(%s)
  comm.wait request(%s)
  llvm.return
}

// Blocking calls, which a report of intervals ignores. Nothing is sent to MPI_PROC_NULL. For a datatype that is not a
// constant the runtime queries the size.
// CHECK-LABEL: llvm.func @blocking
// INTERVALS-NOT: comm_report
// ALL: %[[TYPE:.*]] = comm.cast %{{.*}} : !comm.datatype to !llvm.ptr
// ALL: %[[SIZE:.*]] = llvm.call @comm_report_size(%[[TYPE]]) : (!llvm.ptr) -> i64
// ALL: %[[ALL:.*]] = llvm.mul
// ALL: %[[NOBODY:.*]] = comm.constant "MPI_PROC_NULL"
// ALL: %[[IS:.*]] = llvm.icmp "eq" %{{.*}}, %[[NOBODY]]
// ALL: %[[BYTES:.*]] = llvm.select %[[IS]], %{{.*}}, %[[ALL]]
// ALL: %[[ENTERED:.*]] = llvm.call @comm_report_enter
// ALL-NEXT: comm.send
// ALL-NEXT: llvm.call @comm_report_blocked(%{{.*}}, %[[ENTERED]], %[[BYTES]])
// ALL: comm.barrier
// ALL-NEXT: llvm.call @comm_report_blocked
llvm.func @blocking(%a: !llvm.ptr, %n: i32, %type: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.cast %type : !llvm.ptr to !comm.datatype
  comm.send buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
  comm.barrier comm(%c)
  llvm.return
}

// Arguments that matter only at the root may be invalid elsewhere: the receive count of a scatter counts, but not in
// place. The size of an ignored datatype must not be queried.
// CHECK-LABEL: llvm.func @scatter
// ALL: llvm.sext %[[N:.*]] : i32 to i64
// ALL: comm.constant "MPI_IN_PLACE"
// ALL: llvm.call @comm_report_enter
// ALL-NEXT: comm.scatter
llvm.func @scatter(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32, %type: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %t = comm.cast %type : !llvm.ptr to !comm.datatype
  comm.scatter sendbuf(%a : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%b : !llvm.ptr) recvcount(%n) recvtype(%int) root(%n) comm(%c)
  llvm.return
}
// CHECK-LABEL: llvm.func @gather
// CHECK-NOT: comm_report_size
// ALL: llvm.mlir.constant(-1 : i64)
// ALL: comm.gather
llvm.func @gather(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32, %type: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %t = comm.cast %type : !llvm.ptr to !comm.datatype
  comm.gather sendbuf(%a : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%b : !llvm.ptr) recvcount(%n) recvtype(%int) root(%n) comm(%c)
  llvm.return
}

// The program's own requests in memory: the time of the start, and of the wait.
// CHECK-LABEL: llvm.func @own
// INTERVALS-NOT: comm_report
// ALL: %[[ENTERED:.*]] = llvm.call @comm_report_enter
// ALL-NEXT: comm.send async
// ALL-NEXT: llvm.call @comm_report_started(%{{.*}}, %[[ENTERED]], %{{.*}})
// ALL: %[[BEFORE:.*]] = llvm.call @comm_report_enter
// ALL-NEXT: comm.waitall
// ALL-NEXT: llvm.call @comm_report_blocked(%{{.*}}, %[[BEFORE]], %{{.*}})
llvm.func @own(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) request(%requests : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr)
  llvm.return
}

// Where it was inlined, and where the report goes.
// CHECK-LABEL: llvm.func @inlined
// CHECK: comm.init
// ALL: %[[NAME:.*]] = llvm.mlir.addressof @[[FOLDER]]
// ALL: llvm.call @comm_report_file(%[[NAME]])
// CHECK: llvm.call @comm_report_init
// ALL: comm.barrier
llvm.func @inlined() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %null = llvm.mlir.zero : !llvm.ptr
  comm.init argc(%null : !llvm.ptr) argv(%null : !llvm.ptr)
  comm.barrier comm(%c) loc(callsite("exchange.c":7:3 at callsite("/src/solve.c":40:3 at "main.c":12:5)))
  llvm.return
}
}

// A site that is not executed, which only a profile contains.
// ALL: llvm.mlir.global internal @comm.report.site{{.*}}alignment = 8{{.*}}section = "comm_report_v3"{{.*}} : !llvm.struct<(i32, i32, i32, i32, ptr, ptr, ptr, ptr, array<20 x i64>, ptr)>
// INTERVALS-NOT: section =
