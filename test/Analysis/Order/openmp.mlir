// Which communication may cross a parallel region of OpenMP, and why other communication may not.
// RUN: comm-opt -test-comm-scopes=dependences=true %s -o /dev/null | grep -v -E '^ +[0-9]+( ->|:)' | FileCheck %s

llvm.func @__kmpc_fork_call(!llvm.ptr, i32, !llvm.ptr, ...) attributes {passthrough = ["nounwind"]}
llvm.func @__kmpc_barrier(!llvm.ptr, i32) attributes {passthrough = ["nounwind"]}
llvm.func @__kmpc_critical(!llvm.ptr, i32, !llvm.ptr) attributes {passthrough = ["nounwind"]}
llvm.func @__kmpc_push_num_threads(!llvm.ptr, i32, i32) attributes {passthrough = ["nounwind"]}
llvm.func @__kmpc_omp_taskwait(!llvm.ptr, i32) -> i32 attributes {passthrough = ["nounwind"]}
llvm.func @omp_get_wtime() -> f64
llvm.func @omp_get_max_threads() -> i32
llvm.mlir.global internal constant @where() : !llvm.array<24 x i8> { %0 = llvm.mlir.zero : !llvm.array<24 x i8>  llvm.return %0 : !llvm.array<24 x i8> }
llvm.mlir.global common @lock() : !llvm.array<8 x i32> { %0 = llvm.mlir.zero : !llvm.array<8 x i32>  llvm.return %0 : !llvm.array<8 x i32> }
llvm.mlir.global external @table() : !llvm.array<64 x i32>
llvm.mlir.global external @other() : !llvm.array<64 x i32>

// The plugin's declarations of regions in an extract.
llvm.func @by_argument(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", "comm-team-sync", ["comm-touches", "0=r;2=r;3=w;*="]]}
llvm.func @by_name(!llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", "comm-team-sync", ["comm-touches", "@table=w;*="]]}
llvm.func @by_unknown_name(!llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", "comm-team-sync", ["comm-touches", "@elsewhere=w;*="]]}
llvm.func @through_memory(!llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", "comm-team-sync", ["comm-touches", "2=r;*=rw"]]}
llvm.func @keeps(!llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", "comm-team-sync", ["comm-touches", "2=k;*="]]}
llvm.func @synchronizes(!llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi", ["comm-touches", "*="], ["comm-obstacle", "enters a critical section at x.c:3"]]}
llvm.func @prints(!llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-mpi", "comm-team-sync", ["comm-touches", "*="]]}
llvm.func @exits(!llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-no-io", "comm-no-mpi", "comm-team-sync", ["comm-touches", "*="]]}
llvm.func @sends(!llvm.ptr, !llvm.ptr) attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-team-sync", ["comm-touches", "*="]]}
llvm.func @unknown(!llvm.ptr, !llvm.ptr)
llvm.func @reader() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}

// One argument is the buffer, read or written.
// CHECK-LABEL: function arguments{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     apart: llvm.call
// CHECK-NEXT:     reads: llvm.call
// CHECK-NEXT:     writes: llvm.call
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     recv -> reads: may touch
// CHECK-NEXT:     apart -> reads: may touch
// CHECK-NEXT:     recv -> writes: may touch
// CHECK-NEXT:     apart -> writes: may touch
// CHECK-NEXT:     reads -> writes: may touch
// CHECK-NEXT:     recv -> wait: uses or computes
// CHECK-NEXT:     reads -> wait: may touch
// CHECK-NEXT:     writes -> wait: may touch
llvm.func @arguments(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %d: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @by_argument : !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  llvm.call @__kmpc_fork_call(%w, %n, %f, %b, %d) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "apart"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f, %a, %d) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "reads"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f, %b, %a) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "writes"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// A buffer that is being sent may be read.
// CHECK-LABEL: function sent{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     reads: llvm.call
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     send -> wait: uses or computes
llvm.func @sent(%a: !llvm.ptr {llvm.noalias}, %d: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @by_argument : !llvm.ptr
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"} -> request
  llvm.call @__kmpc_fork_call(%w, %n, %f, %a, %d) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "reads"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// A variable that the region names; one that is not in the module may be any memory.
// CHECK-LABEL: function names{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     names: llvm.call
// CHECK-NEXT:     unknown: llvm.call
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     recv -> names: may touch
// CHECK-NEXT:     recv -> unknown: may touch
// CHECK-NEXT:     names -> unknown: may touch
// CHECK-NEXT:     recv -> wait: uses or computes
// CHECK-NEXT:     names -> wait: may touch
// CHECK-NEXT:     unknown -> wait: may touch
llvm.func @names() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @by_name : !llvm.ptr
  %g = llvm.mlir.addressof @by_unknown_name : !llvm.ptr
  %a = llvm.mlir.addressof @table : !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  llvm.call @__kmpc_fork_call(%w, %n, %f) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "names"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %g) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "unknown"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// CHECK-LABEL: function other_names{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     names: llvm.call
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     recv -> wait: uses or computes
llvm.func @other_names() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @by_name : !llvm.ptr
  %a = llvm.mlir.addressof @other : !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  llvm.call @__kmpc_fork_call(%w, %n, %f) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "names"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// Pointers in memory do not point to a local variable, unless a region has kept its address.
// CHECK-LABEL: function kept{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     lent: llvm.call
// CHECK-NEXT:     first: comm.recv
// CHECK-NEXT:     apart: llvm.call
// CHECK-NEXT:     done: comm.wait
// CHECK-NEXT:     kept: llvm.call
// CHECK-NEXT:     second: comm.recv
// CHECK-NEXT:     leads: llvm.call
// CHECK-NEXT:     looks: llvm.call
// CHECK-NEXT:     wait: comm.wait
// CHECK-NOT:     {{first -> apart|apart -> done}}
// CHECK:         second -> leads: may touch
// CHECK-NOT:     {{first -> apart|apart -> done}}
// CHECK:         second -> looks: may touch
// CHECK-NOT:     {{first -> apart|apart -> done}}
// CHECK:         leads -> wait: may touch
// CHECK-NEXT:    looks -> wait: may touch
llvm.func @kept(%holder: !llvm.ptr, %d: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %n16 = llvm.mlir.constant(16 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %lends = llvm.mlir.addressof @by_argument : !llvm.ptr
  %leads = llvm.mlir.addressof @through_memory : !llvm.ptr
  %keeps = llvm.mlir.addressof @keeps : !llvm.ptr
  %a = llvm.alloca %n16 x i32 : (i32) -> !llvm.ptr
  llvm.call @__kmpc_fork_call(%w, %n, %lends, %a, %d) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "lent"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "first"} -> request
  llvm.call @__kmpc_fork_call(%w, %n, %leads, %holder) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "apart"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  comm.wait request(%r) {tag = "done"}
  llvm.call @__kmpc_fork_call(%w, %n, %keeps, %a) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "kept"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  %s = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "second"} -> request
  llvm.call @__kmpc_fork_call(%w, %n, %leads, %holder) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "leads"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @reader() {tag = "looks"} : () -> ()
  comm.wait request(%s) {tag = "wait"}
  llvm.return
}

// CHECK-LABEL: function behavior{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     threads: llvm.call
// CHECK-NEXT:     ask: llvm.call
// CHECK-NEXT:     synchronizes: llvm.call
// CHECK-NEXT:     prints: llvm.call
// CHECK-NEXT:     exits: llvm.call
// CHECK-NEXT:     sends: llvm.call
// CHECK-NEXT:     unknown: llvm.call
// CHECK-NEXT:     barrier: llvm.call
// CHECK-NEXT:     critical: llvm.call
// CHECK-NEXT:     tasks: llvm.call
// CHECK-NEXT:     time: llvm.call
// CHECK-NEXT:     wait: comm.wait
// CHECK-NOT:      {{recv -> (threads|ask)}}
// CHECK:          recv -> synchronizes: may synchronize
// CHECK:          recv -> prints: is input or output
// CHECK:          recv -> exits: may not return normally
// CHECK:          recv -> sends: communicates
// CHECK:          recv -> unknown: may not return normally
// CHECK:          recv -> barrier: may synchronize
// CHECK:          recv -> critical: may synchronize
// CHECK:          recv -> tasks: may not return normally
// CHECK:          recv -> time: reads a clock
// CHECK-NOT:      {{(threads|ask) -> wait}}
// CHECK:          synchronizes -> wait: may synchronize
llvm.func @behavior(%a: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %lock = llvm.mlir.addressof @lock : !llvm.ptr
  %f1 = llvm.mlir.addressof @synchronizes : !llvm.ptr
  %f2 = llvm.mlir.addressof @prints : !llvm.ptr
  %f3 = llvm.mlir.addressof @exits : !llvm.ptr
  %f4 = llvm.mlir.addressof @sends : !llvm.ptr
  %f5 = llvm.mlir.addressof @unknown : !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  llvm.call @__kmpc_push_num_threads(%w, %n, %n) {tag = "threads"} : (!llvm.ptr, i32, i32) -> ()
  %0 = llvm.call @omp_get_max_threads() {tag = "ask"} : () -> i32
  llvm.call @__kmpc_fork_call(%w, %n, %f1) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "synchronizes"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f2) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "prints"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f3) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "exits"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f4) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "sends"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f5) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "unknown"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  llvm.call @__kmpc_barrier(%w, %n) {tag = "barrier"} : (!llvm.ptr, i32) -> ()
  llvm.call @__kmpc_critical(%w, %n, %lock) {tag = "critical"} : (!llvm.ptr, i32, !llvm.ptr) -> ()
  %1 = llvm.call @__kmpc_omp_taskwait(%w, %n) {tag = "tasks"} : (!llvm.ptr, i32) -> i32
  %2 = llvm.call @omp_get_wtime() {tag = "time"} : () -> f64
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// A region in the module has the effects of its body.
llvm.func internal @computes(%gtid: !llvm.ptr, %btid: !llvm.ptr, %from: !llvm.ptr, %to: !llvm.ptr) attributes {passthrough = ["nounwind"]} {
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %t = llvm.load %gtid : !llvm.ptr -> i32
  llvm.call @__kmpc_barrier(%w, %t) : (!llvm.ptr, i32) -> ()
  %x = llvm.load %from : !llvm.ptr -> i32
  llvm.store %x, %to : i32, !llvm.ptr
  llvm.return
}
// CHECK-LABEL: function bodies{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     reads: llvm.call
// CHECK-NEXT:     writes: llvm.call
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     send -> writes: may touch
// CHECK-NEXT:     reads -> writes: may touch
// CHECK-NEXT:     send -> wait: uses or computes
// CHECK-NEXT:     writes -> wait: may touch
llvm.func @bodies(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %w = llvm.mlir.addressof @where : !llvm.ptr
  %f = llvm.mlir.addressof @computes : !llvm.ptr
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"} -> request
  llvm.call @__kmpc_fork_call(%w, %n, %f, %a, %b) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "reads"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @__kmpc_fork_call(%w, %n, %f, %b, %a) vararg(!llvm.func<void (ptr, i32, ptr, ...)>) {tag = "writes"} : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}
