// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: comm-opt --comm-insert-progress %s | FileCheck %s
// RUN: comm-opt --comm-insert-progress --convert-comm-to-llvm %s | FileCheck %s --check-prefix=LOWERED

module attributes {comm.abi = "openmpi4"} {
  // A loop with a test for equality runs to the end of a block of iterations. If no message needs it, that is the end
  // of the loop.
  // CHECK-LABEL: llvm.func @equality(
  // CHECK-SAME: %[[BUF:.+]]: !llvm.ptr, %[[COUNT:.+]]: i32, %[[N:.+]]: i64, %[[DATA:.+]]: !llvm.ptr
  // CHECK: %[[REQUEST:.+]] = comm.recv async
  // CHECK: %[[HANDLE:.+]] = comm.cast %[[REQUEST]] : !comm.request to !llvm.ptr
  // CHECK: %[[WIDE:.+]] = llvm.sext %[[COUNT]] : i32 to i64
  // CHECK: %[[TYPE:.+]] = comm.cast %{{.+}} : !comm.datatype to !llvm.ptr
  // CHECK: %[[LIMIT:.+]] = llvm.mlir.constant(65480 : i64)
  // CHECK: %[[NEEDED:.+]] = llvm.call @comm.ask_progress(%[[HANDLE]], %{{.+}}, %[[TYPE]], %[[WIDE]], %[[LIMIT]], %{{.+}})
  // CHECK: %[[CREDIT:.+]] = llvm.call @comm.call_begin_progress(%[[STATE:.+]], %[[NEEDED]])
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
  // CHECK: %[[ISNEEDED:.+]] = llvm.icmp "ne" %[[NEEDED]], %[[ZERO]]
  // CHECK: llvm.store %[[CREDIT]], %[[SLOT:.+]] :
  // CHECK: llvm.br ^[[ENTER:.+]](%{{.+}} : i64)
  // CHECK: ^[[ENTER]](%[[BEGIN:.+]]: i64):
  // CHECK: %[[REST:.+]] = llvm.sub %[[N]], %[[BEGIN]]
  // CHECK: %[[LONG:.+]] = llvm.icmp "ugt" %[[REST]], %[[SIZE:.+]] : i64
  // CHECK: %[[BLOCKEND:.+]] = llvm.add %[[BEGIN]], %{{.+}} : i64
  // CHECK: %[[SPLITS:.+]] = llvm.and %[[LONG]], %[[ISNEEDED]]
  // CHECK: %[[END:.+]] = llvm.select %[[SPLITS]], %[[BLOCKEND]], %[[N]]
  // CHECK: %[[DONE:.+]] = llvm.xor %[[SPLITS]]
  // CHECK: llvm.br ^[[HEADER:.+]](%[[BEGIN]] : i64)
  // CHECK: ^[[HEADER]](%[[I:.+]]: i64):
  // CHECK-NOT: llvm.call
  // CHECK: %[[NEXT:.+]] = llvm.add %[[I]]
  // CHECK: %[[OVER:.+]] = llvm.icmp "eq" %[[NEXT]], %[[END]]
  // CHECK: llvm.cond_br %[[OVER]], ^[[LEAVE:.+]], ^[[HEADER]](%[[NEXT]] : i64)
  // CHECK: ^[[LEAVE]]:
  // CHECK: llvm.cond_br %[[DONE]], ^{{.+}}, ^[[BETWEEN:[a-z0-9]+]]
  // CHECK: ^[[BETWEEN]]:
  // CHECK: llvm.load %[[SLOT]]
  // CHECK: llvm.cond_br %{{.+}} weights([1, 1000]), ^[[SLOW:.+]], ^[[AGAIN:[a-z0-9]+]]
  // CHECK: ^[[SLOW]]:
  // CHECK: %[[NOW:.+]] = comm.cast %[[REQUEST]]
  // CHECK: llvm.store %[[NOW]], %{{.+}}
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[MORE:.+]] = llvm.call @comm.call_progress(%[[STATE]], %{{.+}}, %[[ONE]])
  // CHECK: llvm.store %[[MORE]], %[[SLOT]]
  // CHECK: ^[[AGAIN]]:
  // CHECK: llvm.br ^[[ENTER]](%[[NEXT]] : i64)
  // CHECK: comm.wait request(%[[REQUEST]])
  // The request is where MPI_Wait finds it, null once that is over.
  // LOWERED-LABEL: llvm.func @equality(
  // LOWERED: llvm.call @MPI_Irecv({{.*}}, %[[SLOT:[a-z0-9]+]]) :
  // LOWERED: llvm.call @comm.ask_progress
  // LOWERED: %[[NOW:.+]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
  // LOWERED: llvm.store %[[NOW]], %{{.+}} : !llvm.ptr, !llvm.ptr
  // LOWERED: llvm.call @comm.call_progress
  // LOWERED: llvm.call @MPI_Wait(%[[SLOT]],
  llvm.func @equality(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
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
    llvm.cond_br %last, ^end, ^loop(%next : i64)
  ^end:
    comm.wait request(%r)
    llvm.return
  }

  // Another test: iterations are counted, and whichever comes first ends a block.
  // CHECK-LABEL: llvm.func @other_test(
  // CHECK: %[[SIZE:.+]] = llvm.select %{{.+}}, %{{.+}}, %{{.+}} : i1, i64
  // CHECK: llvm.br ^[[HEADER:.+]](%{{.+}}, %{{.+}} : i64, i64)
  // CHECK: ^[[HEADER]](%[[I:.+]]: i64, %[[NUMBER:.+]]: i64):
  // CHECK: %[[GOES:.+]] = llvm.icmp "slt"
  // CHECK: %[[FOLLOWING:.+]] = llvm.add %[[NUMBER]]
  // CHECK: %[[DONE:.+]] = llvm.xor %[[GOES]]
  // CHECK: %[[FULL:.+]] = llvm.icmp "eq" %[[FOLLOWING]], %[[SIZE]]
  // CHECK: %[[OVER:.+]] = llvm.or %[[DONE]], %[[FULL]]
  // CHECK: llvm.cond_br %[[OVER]], ^[[LEAVE:.+]], ^[[HEADER]](
  // CHECK: ^[[LEAVE]]:
  // CHECK: llvm.cond_br %[[DONE]],
  llvm.func @other_test(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %three = llvm.mlir.constant(3 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %next = llvm.add %i, %three : i64
    %more = llvm.icmp "slt" %next, %n : i64
    llvm.cond_br %more, ^loop(%next : i64), ^end
  ^end:
    comm.wait request(%r)
    llvm.return
  }

  // A nest, two intervals: the outer loop runs in blocks of as many iterations as the runtime says, and the inner one
  // is unchanged. One of the two starts needs MPI, or both do.
  // CHECK-LABEL: llvm.func @nest(
  // CHECK: %[[FIRST:.+]] = comm.recv async
  // CHECK: %[[A:.+]] = llvm.call @comm.ask_progress
  // CHECK: %[[SECOND:.+]] = comm.send async
  // CHECK: %[[B:.+]] = llvm.call @comm.ask_progress
  // CHECK: llvm.select
  // CHECK: llvm.select
  // CHECK: %[[BOTH:.+]] = llvm.select
  // CHECK: llvm.call @comm.call_begin_progress(%[[STATE:.+]], %[[BOTH]])
  // CHECK: llvm.br ^[[ENTER:.+]](%{{.+}} : i64)
  // CHECK: ^[[ENTER]](%[[BEGIN:.+]]: i64):
  // CHECK: %[[SIZE:.+]] = llvm.load %[[SLOT:.+]] : !llvm.ptr -> i64
  // CHECK: %[[BLOCKS:.+]] = llvm.icmp "ule" %[[SIZE]], %{{.+}} : i64
  // CHECK: %[[DISTANCE:.+]] = llvm.mul %[[SIZE]], %{{.+}} : i64
  // CHECK: %[[LONG:.+]] = llvm.icmp "ugt" %{{.+}}, %[[DISTANCE]] : i64
  // CHECK: llvm.and %[[LONG]], %[[BLOCKS]]
  // CHECK: llvm.getelementptr
  // CHECK: llvm.cond_br %{{.+}}, ^[[ROW:[a-z0-9]+]], ^[[COLUMNS:[a-z0-9]+]](%{{.+}} : i64)
  // CHECK: ^[[ROW]]:
  // CHECK: llvm.cond_br
  // CHECK: llvm.cond_br
  // CHECK: comm.cast %[[FIRST]]
  // CHECK: comm.cast %[[SECOND]]
  // CHECK: llvm.mlir.constant(2 : i32)
  // CHECK: %[[MORE:.+]] = llvm.call @comm.call_progress
  // CHECK: llvm.store %[[MORE]], %[[SLOT]]
  // CHECK: llvm.br ^[[ENTER]](
  // CHECK-NOT: llvm.call
  // CHECK: llvm.return
  llvm.func @nest(%buf: !llvm.ptr, %other: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    %s = comm.send async buf(%other : !llvm.ptr) count(%count) datatype(%t) dest(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^rows(%zero : i64)
  ^rows(%i: i64):
    llvm.br ^columns(%zero : i64)
  ^columns(%j: i64):
    %p = llvm.getelementptr %data[%j] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %j1 = llvm.add %j, %one : i64
    %lastj = llvm.icmp "eq" %j1, %n : i64
    llvm.cond_br %lastj, ^row, ^columns(%j1 : i64)
  ^row:
    %i1 = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %i1, %n : i64
    llvm.cond_br %last, ^end, ^rows(%i1 : i64)
  ^end:
    comm.wait request(%r)
    comm.wait request(%s)
    llvm.return
  }

  // A message that is known to be short, and a loop that is.
  // CHECK-LABEL: llvm.func @short_message(
  // CHECK-NOT: progress
  // CHECK-LABEL: llvm.func @short_loop(
  // CHECK-NOT: progress
  // CHECK-LABEL: llvm.func @communicates(
  llvm.func @short_message(%buf: !llvm.ptr, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %count = llvm.mlir.constant(1000 : i32) : i32
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
    llvm.cond_br %last, ^end, ^loop(%next : i64)
  ^end:
    comm.wait request(%r)
    llvm.return
  }
  llvm.func @short_loop(%buf: !llvm.ptr, %count: i32, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %n = llvm.mlir.constant(1000 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
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

  // A loop that communicates itself lets MPI progress.
  // CHECK-NOT: progress
  // CHECK-LABEL: llvm.func @rooted(
  llvm.func @communicates(%buf: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    comm.send buf(%data : !llvm.ptr) count(%count) datatype(%t) dest(%peer) tag(%tag) comm(%c)
    %next = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %last, ^end, ^loop(%next : i64)
  ^end:
    comm.wait request(%r)
    llvm.return
  }

  // Arguments that matter only at the root are not read: at other processes the datatype may be invalid.
  // CHECK: comm.scatter async
  // CHECK: %[[UNKNOWN:.+]] = llvm.mlir.constant(-1 : i64)
  // CHECK: %[[NOTYPE:.+]] = llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.call @comm.ask_progress(%{{.+}}, %{{.+}}, %[[NOTYPE]], %[[UNKNOWN]],
  llvm.func @rooted(%in: !llvm.ptr, %out: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %root: i32, %sh: !llvm.ptr, %rh: !llvm.ptr) {
    %st = comm.cast %sh : !llvm.ptr to !comm.datatype
    %rt = comm.cast %rh : !llvm.ptr to !comm.datatype
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %r = comm.scatter async sendbuf(%in : !llvm.ptr) sendcount(%count) sendtype(%st) recvbuf(%out : !llvm.ptr) recvcount(%count) recvtype(%rt) root(%root) comm(%c) -> request
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

  // Requests in memory, started in a loop: a slot keeps the results of the starts, and is 0 if none ran.
  // CHECK-LABEL: llvm.func @memory(
  // CHECK: llvm.store %{{.+}}, %[[KEPT:.+]] : i64, !llvm.ptr
  // CHECK: comm.recv async {{.*}} request(%[[AT:.+]] : !llvm.ptr)
  // CHECK: %[[BEFORE:.+]] = llvm.load %[[KEPT]]
  // CHECK: %[[HANDLE:.+]] = llvm.load %[[AT]] : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.call @comm.ask_progress(%[[HANDLE]],
  // CHECK: llvm.store %{{.+}}, %[[KEPT]]
  // CHECK: %[[ANSWER:.+]] = llvm.load %[[KEPT]]
  // CHECK: llvm.call @comm.call_begin_progress(%{{.+}}, %[[ANSWER]])
  // CHECK: %[[NONE:.+]] = llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.call @comm.call_progress(%{{.+}}, %[[NONE]],
  // CHECK: comm.waitall
  llvm.func @memory(%buf: !llvm.ptr, %requests: !llvm.ptr, %count: i32, %n: i64, %data: !llvm.ptr, %peer: i32, %tag: i32, %k: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.br ^starts(%zero : i64)
  ^starts(%m: i64):
    %slot = llvm.getelementptr %requests[%m] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
    comm.recv async buf(%buf : !llvm.ptr) count(%count) datatype(%t) source(%peer) tag(%tag) comm(%c) request(%slot : !llvm.ptr)
    %m1 = llvm.add %m, %one : i64
    %lastm = llvm.icmp "eq" %m1, %n : i64
    llvm.cond_br %lastm, ^started, ^starts(%m1 : i64)
  ^started:
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    %p = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %p : i64, !llvm.ptr
    %next = llvm.add %i, %one : i64
    %last = llvm.icmp "eq" %next, %n : i64
    llvm.cond_br %last, ^end, ^loop(%next : i64)
  ^end:
    comm.waitall count(%k) array_of_requests(%requests : !llvm.ptr)
    llvm.return
  }
}
