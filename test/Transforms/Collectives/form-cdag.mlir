// Phases of messages become graphs: a branch on the rank with a loop in one arm, and straight-line code next to it.
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

// The buffer may be the same: the loop sends the received data next, and later readers must stay after it.
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

// Gets between fences: the fences go into the graph, with their assertions; others may know the window.
// CHECK-LABEL: llvm.func @gets
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i32
// CHECK: %[[WIN:.*]] = comm.cast
// CHECK: %[[LAST:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: comm.cdag win(%[[WIN]]) fences(%[[FIRST]], %[[LAST]]) epochs implied {
// CHECK-NOT: comm.win_fence
// CHECK: ^[[LOOP:bb[0-9]+]](%[[P:.*]]: i32):
// CHECK: comm.get {{.*}} target_rank(%[[P]]) {{.*}} win(%[[WIN]])
// CHECK: comm.yield
// CHECK-NOT: comm.win_fence
// CHECK: llvm.return
llvm.func @gets(%first: i32, %size: i32, %in: !llvm.ptr {llvm.noalias}, %disp: i64, %handle: !llvm.ptr) {
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %win = comm.cast %handle : !llvm.ptr to !comm.win
  comm.win_fence assert(%first) win(%win)
  llvm.br ^loop(%zero : i32)
^loop(%p: i32):
  %to = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, f64
  comm.get origin_addr(%to : !llvm.ptr) origin_count(%one) origin_datatype(%t) target_rank(%p) target_disp(%disp : i64) target_count(%one) target_datatype(%t) win(%win)
  %next = llvm.add %p, %one : i32
  %more = llvm.icmp "slt" %next, %size : i32
  llvm.cond_br %more, ^loop(%next : i32), ^done
^done:
  %last = llvm.mlir.constant(2 : i32) : i32
  comm.win_fence assert(%last) win(%win)
  llvm.return
}

// The window is private, and all operations on it are in graphs, so no epoch is needed.
// CHECK-LABEL: llvm.func @own
// CHECK: comm.cdag win(%{{.*}}) fences(%{{.*}}, %{{.*}}) implied {
// An operation outside of graphs needs them.
// CHECK-LABEL: llvm.func @not_only
// CHECK: comm.cdag win(%{{.*}}) fences(%{{.*}}, %{{.*}}) epochs implied {
llvm.func @own(%size: i32, %in: !llvm.ptr {llvm.noalias}, %memory: !llvm.ptr, %disp: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %info = comm.constant "MPI_INFO_NULL" : !comm.info
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  comm.win_create base(%memory : !llvm.ptr) size(%disp : i64) disp_unit(%one) info(%info) comm(%c) win(%slot : !llvm.ptr)
  %h0 = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %w0 = comm.cast %h0 : !llvm.ptr to !comm.win
  comm.win_fence assert(%zero) win(%w0)
  llvm.br ^loop(%zero : i32)
^loop(%p: i32):
  %h1 = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %w1 = comm.cast %h1 : !llvm.ptr to !comm.win
  comm.put origin_addr(%in : !llvm.ptr) origin_count(%one) origin_datatype(%t) target_rank(%p) target_disp(%disp : i64) target_count(%one) target_datatype(%t) win(%w1)
  %next = llvm.add %p, %one : i32
  %more = llvm.icmp "slt" %next, %size : i32
  llvm.cond_br %more, ^loop(%next : i32), ^done
^done:
  %h2 = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %w2 = comm.cast %h2 : !llvm.ptr to !comm.win
  comm.win_fence assert(%zero) win(%w2)
  comm.win_free win(%slot : !llvm.ptr)
  llvm.return
}

llvm.func @not_only(%size: i32, %in: !llvm.ptr {llvm.noalias}, %memory: !llvm.ptr, %disp: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %info = comm.constant "MPI_INFO_NULL" : !comm.info
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %win = comm.win_create base(%memory : !llvm.ptr) size(%disp : i64) disp_unit(%one) info(%info) comm(%c) -> win
  comm.win_fence assert(%zero) win(%win)
  llvm.br ^loop(%zero : i32)
^loop(%p: i32):
  comm.put origin_addr(%in : !llvm.ptr) origin_count(%one) origin_datatype(%t) target_rank(%p) target_disp(%disp : i64) target_count(%one) target_datatype(%t) win(%win)
  %next = llvm.add %p, %one : i32
  %more = llvm.icmp "slt" %next, %size : i32
  llvm.cond_br %more, ^loop(%next : i32), ^done
^done:
  comm.win_fence assert(%zero) win(%win)
  comm.put origin_addr(%in : !llvm.ptr) origin_count(%one) origin_datatype(%t) target_rank(%zero) target_disp(%disp : i64) target_count(%one) target_datatype(%t) win(%win)
  comm.win_fence assert(%zero) win(%win)
  llvm.return
}

// An existing graph stays, and the code around it is analyzed.
// CHECK-LABEL: llvm.func @there
// CHECK: comm.cdag comm(%{{.*}}) implied {
// CHECK-NEXT: %{{.*}} = comm.send async
// CHECK-NEXT: comm.yield
// CHECK-NEXT: }
// CHECK-NEXT: llvm.return
llvm.func @there(%mine: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.cdag comm(%c) implied {
    %s = comm.send async buf(%mine : !llvm.ptr) count(%one) datatype(%t) dest(%zero) tag(%zero) comm(%c) -> request
    comm.yield
  }
  llvm.return
}
