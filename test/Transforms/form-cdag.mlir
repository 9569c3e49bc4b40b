// Phases of messages become graphs: a branch on the rank with a loop in one arm, and straight-line code beside it.
// RUN: comm-opt -comm-form-cdag %s | FileCheck %s

// CHECK-LABEL: llvm.func @gather
// CHECK: %[[COMM:.*]] = comm.constant "MPI_COMM_WORLD"
// CHECK: comm.cdag comm(%[[COMM]]) implied {
// CHECK:   llvm.cond_br %{{.*}}, ^[[LOOP:bb[0-9]+]](%{{.*}} : i32), ^[[SEND:bb[0-9]+]]
// CHECK: ^[[LOOP]](%[[P:.*]]: i32):
// CHECK:   %{{.*}} = comm.recv async buf({{.*}}) count({{.*}}) datatype({{.*}}) source(%[[P]]) {{.*}} -> request
// CHECK: ^[[SEND]]:
// CHECK:   %{{.*}} = comm.send async
// CHECK:   comm.yield
// CHECK: }
// CHECK-NOT: comm.wait
// CHECK: llvm.return
llvm.func @gather(%rank: i32, %size: i32, %mine: !llvm.ptr {llvm.noalias},
                  %all: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %root = llvm.icmp "eq" %rank, %zero : i32
  llvm.cond_br %root, ^loop(%one : i32), ^send
^loop(%p: i32):
  %to = llvm.getelementptr %all[%p] : (!llvm.ptr, i32) -> !llvm.ptr, f64
  comm.recv buf(%to : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c)
  %next = llvm.add %p, %one : i32
  %more = llvm.icmp "slt" %next, %size : i32
  llvm.cond_br %more, ^loop(%next : i32), ^done
^send:
  comm.send buf(%mine : !llvm.ptr) count(%one) datatype(%t) dest(%zero) tag(%zero) comm(%c)
  llvm.br ^done
^done:
  llvm.return
}

// Values that the phase computes are its results; messages of requests in SSA form lose their waits.
// CHECK-LABEL: llvm.func @results
// CHECK: %[[RESULTS:.*]]:2 = comm.cdag comm(%{{.*}}) implied -> i32, i64 {
// CHECK:   comm.recv async
// CHECK:   comm.send async
// CHECK-NOT: comm.wait
// CHECK:   comm.yield %{{.*}}, %{{.*}} : i32, i64
// CHECK: }
// CHECK-NEXT: llvm.br
// CHECK: llvm.call @use(%[[RESULTS]]#0, %[[RESULTS]]#1)
llvm.func @use(i32, i64)
llvm.func @results(%size: i32, %in: !llvm.ptr {llvm.noalias},
                   %out: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %wide = llvm.sext %size : i32 to i64
  llvm.br ^loop(%zero : i32)
^loop(%p: i32):
  %from = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, f64
  %r = comm.recv async buf(%from : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
  %s = comm.send async buf(%out : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
  comm.wait request(%r)
  comm.wait request(%s)
  %next = llvm.add %p, %one : i32
  %square = llvm.mul %wide, %wide : i64
  %more = llvm.icmp "slt" %next, %size : i32
  llvm.cond_br %more, ^loop(%next : i32), ^done(%next : i32)
^done(%last: i32):
  llvm.call @use(%last, %square) : (i32, i64) -> ()
  llvm.return
}

// The same buffer may be both: what the loop receives is what it sends next, and who reads it later must come later.
// CHECK-LABEL: llvm.func @reads_what_came
// CHECK-NOT: comm.cdag
// CHECK: llvm.return
llvm.func @reads_what_came(%size: i32, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^loop(%zero, %zero : i32, i32)
^loop(%p: i32, %sum: i32):
  comm.send buf(%out : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c)
  comm.recv buf(%in : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c)
  %x = llvm.load %in : !llvm.ptr -> i32
  %total = llvm.add %sum, %x : i32
  %next = llvm.add %p, %one : i32
  %more = llvm.icmp "slt" %next, %size : i32
  llvm.cond_br %more, ^loop(%next, %total : i32, i32), ^done
^done:
  llvm.return %total : i32
}
