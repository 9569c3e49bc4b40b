// The reasons for units to keep their order: memory according to LLVM's alias analysis, and the effects of calls.
// RUN: comm-opt -test-comm-scopes=dependences=true %s -o /dev/null | grep -v -E '^ +[0-9]+( ->|:)' | FileCheck %s

llvm.func @malloc(i64) -> (!llvm.ptr {llvm.noalias}) attributes {passthrough = ["nounwind", "willreturn", ["allockind", "9"], ["alloc-family", "malloc"]], memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = readwrite, errnoMem = none, targetMem0 = none, targetMem1 = none>}
llvm.func @free(!llvm.ptr) attributes {passthrough = ["nounwind", "willreturn", ["allockind", "4"], ["alloc-family", "malloc"]]}
llvm.func @printf(!llvm.ptr, ...) -> i32 attributes {passthrough = ["nounwind"]}
llvm.func @unknown()
llvm.func @summarized() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
llvm.func @may_throw() attributes {passthrough = ["comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
llvm.func @may_sync() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-no-io", "comm-no-mpi"]}
llvm.func @may_print() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-mpi"]}
llvm.func @may_send() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io"]}
llvm.func @keep(!llvm.ptr)
llvm.func @MPI_Wtime() -> f64
llvm.func @MPI_Buffer_attach(!llvm.ptr, i32) -> i32
llvm.func @MPI_Get_count(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Abort(!llvm.ptr, i32) -> i32
llvm.mlir.global internal @table() : !llvm.array<64 x i32> { %0 = llvm.mlir.zero : !llvm.array<64 x i32>  llvm.return %0 : !llvm.array<64 x i32> }
llvm.mlir.global external @shown() : !llvm.array<64 x i32>

// Four ints of sixteen: the rest is free. Byte 16 is after the message, byte 12 in it.
// CHECK-LABEL: function sizes{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     outside: llvm.store
// CHECK-NEXT:     inside: llvm.store
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     recv -> inside: may touch a buffer of the communication
// CHECK-NEXT:     recv -> wait: uses or computes a value of the communication
// CHECK-NEXT:     inside -> wait: may touch a buffer of the communication
llvm.func @sizes(%x: i32, %user: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.cast %user : !llvm.ptr to !comm.datatype
  %n16 = llvm.mlir.constant(16 : i32) : i32
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n16 x i32 : (i32) -> !llvm.ptr
  %p3 = llvm.getelementptr %a[3] : (!llvm.ptr) -> !llvm.ptr, i32
  %p4 = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, i32
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  llvm.store %x, %p4 {tag = "outside"} : i32, !llvm.ptr
  llvm.store %x, %p3 {tag = "inside"} : i32, !llvm.ptr
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// A send only reads, so others may read too.
// CHECK-LABEL: function send_reads{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     load: llvm.load
// CHECK-NEXT:     noalias: llvm.store
// CHECK-NEXT:     store: llvm.store
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     send -> store: may touch a buffer of the communication
// CHECK-NEXT:     load -> store: may touch a buffer of the communication
// CHECK-NEXT:     send -> wait: uses or computes a value of the communication
// CHECK-NEXT:     store -> wait: may touch a buffer of the communication
llvm.func @send_reads(%x: i32, %a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"} -> request
  %v = llvm.load %a {tag = "load"} : !llvm.ptr -> i32
  llvm.store %x, %b {tag = "noalias"} : i32, !llvm.ptr
  llvm.store %x, %a {tag = "store"} : i32, !llvm.ptr
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// A derived datatype may access memory on both sides.
// CHECK-LABEL: function datatype{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     before: llvm.store
// CHECK-NEXT:     other: llvm.store
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     recv -> before: may touch a buffer of the communication
// CHECK-NEXT:     recv -> wait: uses or computes a value of the communication
// CHECK-NEXT:     before -> wait: may touch a buffer of the communication
llvm.func @datatype(%x: i32, %user: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.cast %user : !llvm.ptr to !comm.datatype
  %n16 = llvm.mlir.constant(16 : i32) : i32
  %a = llvm.alloca %n16 x i32 : (i32) -> !llvm.ptr
  %b = llvm.alloca %n16 x i32 : (i32) -> !llvm.ptr
  %p8 = llvm.getelementptr %a[8] : (!llvm.ptr) -> !llvm.ptr, i32
  %r = comm.recv async buf(%p8 : !llvm.ptr) count(%n16) datatype(%t) source(%n16) tag(%n16) comm(%c) {tag = "recv"} -> request
  llvm.store %x, %a {tag = "before"} : i32, !llvm.ptr
  llvm.store %x, %b {tag = "other"} : i32, !llvm.ptr
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}

// Absolute addresses access any memory.
// CHECK-LABEL: function bottom{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     store: llvm.store
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     store -> recv: may touch a buffer of the communication
llvm.func @bottom(%x: i32, %user: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.cast %user : !llvm.ptr to !comm.datatype
  %n = llvm.mlir.constant(1 : i32) : i32
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %bottom = comm.constant "MPI_BOTTOM" : !llvm.ptr
  llvm.store %x, %a {tag = "store"} : i32, !llvm.ptr
  comm.recv buf(%bottom : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) {tag = "recv"}
  llvm.return
}

// Heap, globals, and an escaped pointer. A function that frees memory accesses no other memory except for variables.
// CHECK-LABEL: function objects{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     malloc: llvm.call
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     internal: llvm.store
// CHECK-NEXT:     external: llvm.store
// CHECK-NEXT:     argument: llvm.store
// CHECK-NEXT:     free: llvm.call
// CHECK-NEXT:     malloc -> recv: uses or computes a value of the communication
// CHECK-NEXT:     internal -> argument: may touch a buffer of the communication
// CHECK-NEXT:     external -> argument: may touch a buffer of the communication
// CHECK-NEXT:     malloc -> free: uses or computes a value of the communication
// CHECK-NEXT:     recv -> free: may touch a buffer of the communication
// CHECK-NEXT:     internal -> free: may touch a buffer of the communication
// CHECK-NEXT:     external -> free: may touch a buffer of the communication
llvm.func @objects(%x: i32, %arg: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %int = comm.constant "MPI_INT" : !comm.datatype
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %shown = llvm.mlir.addressof @shown : !llvm.ptr
  %heap = llvm.call @malloc(%bytes) {tag = "malloc"} : (i64) -> !llvm.ptr
  comm.recv buf(%heap : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"}
  llvm.store %x, %table {tag = "internal"} : i32, !llvm.ptr
  llvm.store %x, %shown {tag = "external"} : i32, !llvm.ptr
  llvm.store %x, %arg {tag = "argument"} : i32, !llvm.ptr
  llvm.call @free(%heap) {tag = "free"} : (!llvm.ptr) -> ()
  llvm.return
}

// A pointer from before the allocation does not point into it; one that is loaded after it may.
// CHECK-LABEL: function made_after{{$}}
// CHECK: free: llvm.call
// CHECK-NOT: known -> free
// CHECK: loaded -> free
// CHECK-NOT: known -> free
llvm.func @made_after(%x: i32, %where: !llvm.ptr) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %old = llvm.load %where {tag = "old"} : !llvm.ptr -> !llvm.ptr
  %heap = llvm.call @malloc(%bytes) {tag = "malloc"} : (i64) -> !llvm.ptr
  llvm.store %heap, %where {tag = "shown"} : !llvm.ptr, !llvm.ptr
  %new = llvm.load %where {tag = "new"} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %old {tag = "known"} : i32, !llvm.ptr
  llvm.store %x, %new {tag = "loaded"} : i32, !llvm.ptr
  llvm.call @free(%heap) {tag = "free"} : (!llvm.ptr) -> ()
  llvm.return
}

// Units after memory is freed do not access that memory, whatever their pointer. A replaced operator delete may count
// in a global variable. Earlier units may access the memory.
// CHECK-LABEL: function given_back{{$}}
// CHECK: delete: llvm.call
// CHECK-NOT: delete -> after
// CHECK: before -> delete
// CHECK-NOT: delete -> after
// CHECK: delete -> count
llvm.mlir.global external @deleted() : i32
llvm.func @_ZdaPv(!llvm.ptr) attributes {no_unwind, passthrough = ["nobuiltin", "comm-no-mpi", "comm-no-throw", "comm-returns"]}
llvm.func @given_back(%x: i32, %p: !llvm.ptr, %q: !llvm.ptr) {
  %counter = llvm.mlir.addressof @deleted : !llvm.ptr
  llvm.store %x, %q {tag = "before"} : i32, !llvm.ptr
  llvm.call @_ZdaPv(%p) {tag = "delete"} : (!llvm.ptr) -> ()
  llvm.store %x, %q {tag = "after"} : i32, !llvm.ptr
  %n = llvm.load %counter {tag = "count"} : !llvm.ptr -> i32
  llvm.return
}

// A message arrives in memory that the loop allocates. A pointer from before the allocation points elsewhere, even if a
// surrounding loop loads it; one that is loaded afterwards may point there.
// CHECK-LABEL: function older{{$}}
// CHECK: receive: comm.recv
// CHECK-NOT: receive -> {{old|around}}
// CHECK: receive -> loaded
// CHECK-NOT: receive -> {{old|around}}
llvm.func @older(%x: i64, %where: !llvm.ptr, %n: i32, %c: i1, %old: !llvm.ptr) {
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %type = comm.constant "MPI_LONG" : !comm.datatype
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.br ^outer
^outer:
  %last = llvm.load %where : !llvm.ptr -> !llvm.ptr
  llvm.br ^loop
^loop:
  %heap = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  llvm.store %heap, %where : !llvm.ptr, !llvm.ptr
  llvm.cond_br %c, ^receive(%heap : !llvm.ptr), ^receive(%null : !llvm.ptr)
^receive(%buffer: !llvm.ptr):
  %new = llvm.load %where : !llvm.ptr -> !llvm.ptr
  comm.recv buf(%buffer : !llvm.ptr) count(%n) datatype(%type) source(%n) tag(%n) comm(%comm) {tag = "receive"}
  llvm.store %x, %old {tag = "old"} : i64, !llvm.ptr
  llvm.store %x, %last {tag = "around"} : i64, !llvm.ptr
  llvm.store %x, %new {tag = "loaded"} : i64, !llvm.ptr
  llvm.cond_br %c, ^loop, ^next
^next:
  llvm.cond_br %c, ^outer, ^end
^end:
  llvm.return
}

// The allocation of an iteration is the array of the next one. The two of one iteration are distinct; the array and
// earlier allocations may be equal, in one iteration or after the loop.
// CHECK-LABEL: function turned{{$}}
// CHECK: in_loop -> after
// CHECK: receive: comm.recv
// CHECK-NOT: receive -> {{allocation|fresh}}
// CHECK: receive -> last
// CHECK-NOT: receive -> {{allocation|fresh}}
llvm.func @turned(%x: i64, %n: i32, %c: i1) {
  %comm = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %type = comm.constant "MPI_LONG" : !comm.datatype
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %first = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  llvm.br ^loop(%first, %first : !llvm.ptr, !llvm.ptr)
^loop(%array: !llvm.ptr, %earlier: !llvm.ptr):
  comm.recv buf(%array : !llvm.ptr) count(%n) datatype(%type) source(%n) tag(%n) comm(%comm) {tag = "receive"}
  %next = llvm.call @malloc(%bytes) {tag = "allocation"} : (i64) -> !llvm.ptr
  llvm.store %x, %next {tag = "fresh"} : i64, !llvm.ptr
  llvm.store %x, %earlier {tag = "last"} : i64, !llvm.ptr
  llvm.cond_br %c, ^loop(%next, %next : !llvm.ptr, !llvm.ptr), ^second(%next : !llvm.ptr)
^second(%made: !llvm.ptr):
  llvm.br ^inner(%made : !llvm.ptr) {tag = "in_loop"}
^inner(%now: !llvm.ptr):
  comm.recv buf(%now : !llvm.ptr) count(%n) datatype(%type) source(%n) tag(%n) comm(%comm)
  %after = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  llvm.cond_br %c, ^inner(%after : !llvm.ptr), ^end
^end:
  llvm.store %x, %after {tag = "after"} : i64, !llvm.ptr
  llvm.return
}

// The life of a variable ends after the message.
// CHECK-LABEL: function lifetime{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     begin: llvm.intr.lifetime.start
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     end: llvm.intr.lifetime.end
// CHECK-NEXT:     begin -> send: may touch a buffer of the communication
// CHECK-NEXT:     begin -> end: may touch a buffer of the communication
// CHECK-NEXT:     send -> end: may touch a buffer of the communication
llvm.func @lifetime() {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  llvm.intr.lifetime.start %a {tag = "begin"} : !llvm.ptr
  comm.send buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"}
  llvm.intr.lifetime.end %a {tag = "end"} : !llvm.ptr
  llvm.return
}

// CHECK-LABEL: function stack{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     save: llvm.intr.stacksave
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     restore: llvm.intr.stackrestore
// CHECK-NEXT:     save -> send: may not return normally (it may throw, exit or jump)
// CHECK-NEXT:     save -> restore: uses or computes a value of the communication
// CHECK-NEXT:     send -> restore: may not return normally (it may throw, exit or jump)
llvm.func @stack(%a: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %sp = llvm.intr.stacksave {tag = "save"} : !llvm.ptr
  comm.send buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"}
  llvm.intr.stackrestore %sp {tag = "restore"} : !llvm.ptr
  llvm.return
}

// In iteration i, the loop stores to p, then changes p. The two are distinct within an iteration, not over all.
// CHECK-LABEL: function across_iterations{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     loop: llvm.br and 1 blocks, loop
// CHECK-NEXT:     after: comm.send
// CHECK-NEXT:     before: comm.send
// CHECK-NEXT:     loop -> after: uses or computes a value of the communication
// CHECK-NEXT:     loop -> before: may touch a buffer of the communication
// CHECK-NEXT:     after -> before: communicates, and messages could be matched differently
// CHECK-NEXT:   chain of 1 blocks
llvm.func @across_iterations(%x: i32, %a: !llvm.ptr, %k: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(1 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %first = llvm.getelementptr %a[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.br ^loop(%first : !llvm.ptr) {tag = "loop"}
^loop(%p: !llvm.ptr):
  llvm.store %x, %p : i32, !llvm.ptr
  %next = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.cond_br %k, ^loop(%next : !llvm.ptr), ^exit
^exit:
  comm.send buf(%next : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "after"}
  comm.send buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "before"}
  llvm.return
}

// The buffer is private, so only the other effects of calls matter.
// CHECK-LABEL: function calls{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     start: comm.recv
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     summarized: llvm.call
// CHECK-NEXT:     throw: llvm.call
// CHECK-NEXT:     start -> wait: uses or computes a value of the communication
// CHECK-NEXT:     start -> throw: may not return normally (it may throw, exit or jump)
// CHECK-NEXT:     wait -> throw: may not return normally (it may throw, exit or jump)
// CHECK-NEXT:     summarized -> throw: may not return normally (it may throw, exit or jump)
llvm.func @calls(%f: !llvm.ptr, %x: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "start"} -> request
  comm.wait request(%r) {tag = "wait"}
  llvm.call @summarized() {tag = "summarized"} : () -> ()
  llvm.call @may_throw() {tag = "throw"} : () -> ()
  llvm.return
}
// CHECK-LABEL: function synchronizing{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     start: comm.recv
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     sync: llvm.call
// CHECK-NEXT:     start -> wait: uses or computes a value of the communication
// CHECK-NEXT:     start -> sync: may synchronize with another thread
// CHECK-NEXT:     wait -> sync: may synchronize with another thread
llvm.func @synchronizing(%f: !llvm.ptr, %x: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "start"} -> request
  comm.wait request(%r) {tag = "wait"}
  llvm.call @may_sync() {tag = "sync"} : () -> ()
  llvm.return
}
// CHECK-LABEL: function fence{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     start: comm.recv
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     fence: llvm.fence
// CHECK-NEXT:     atomic: llvm.load
// CHECK-NEXT:     volatile: llvm.store
// CHECK-NEXT:     start -> wait: uses or computes a value of the communication
// CHECK-NEXT:     start -> fence: may synchronize with another thread
// CHECK-NEXT:     wait -> fence: may synchronize with another thread
// CHECK-NEXT:     start -> atomic: may synchronize with another thread
// CHECK-NEXT:     wait -> atomic: may synchronize with another thread
// CHECK-NEXT:     fence -> atomic: may synchronize with another thread
// CHECK-NEXT:     start -> volatile: may synchronize with another thread
// CHECK-NEXT:     wait -> volatile: may synchronize with another thread
// CHECK-NEXT:     fence -> volatile: may synchronize with another thread
// CHECK-NEXT:     atomic -> volatile: may synchronize with another thread
llvm.func @fence(%f: !llvm.ptr, %x: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "start"} -> request
  comm.wait request(%r) {tag = "wait"}
  llvm.fence release {tag = "fence"}
  %v = llvm.load %f atomic monotonic {tag = "atomic", alignment = 4 : i64} : !llvm.ptr -> i32
  llvm.store volatile %x, %f {tag = "volatile"} : i32, !llvm.ptr
  llvm.return
}
// A received message may announce a file, and so may a sent one. While a process waits for input, or for a reader of
// its output, its messages make no progress. A receive may be started early.
// CHECK-LABEL: function output{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     print0: llvm.call
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     waitrecv: comm.wait
// CHECK-NEXT:     print1: llvm.call
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     waitsend: comm.wait
// CHECK-NEXT:     print2: llvm.call
// CHECK-NEXT:     print0 -> waitrecv: is input or output
// CHECK-NEXT:     recv -> waitrecv: uses or computes a value of the communication
// CHECK-NEXT:     print0 -> print1: is observable (input, output or volatile)
// CHECK-NEXT:     recv -> print1: is input or output
// CHECK-NEXT:     waitrecv -> print1: is input or output
// CHECK-NEXT:     print0 -> send: is input or output
// CHECK-NEXT:     recv -> send: communicates, and messages could be matched differently
// CHECK-NEXT:     print1 -> send: is input or output
// CHECK-NEXT:     print0 -> waitsend: is input or output
// CHECK-NEXT:     recv -> waitsend: communicates, and messages could be matched differently
// CHECK-NEXT:     print1 -> waitsend: is input or output
// CHECK-NEXT:     send -> waitsend: uses or computes a value of the communication
// CHECK-NEXT:     print0 -> print2: is observable (input, output or volatile)
// CHECK-NEXT:     recv -> print2: is input or output
// CHECK-NEXT:     waitrecv -> print2: is input or output
// CHECK-NEXT:     print1 -> print2: is observable (input, output or volatile)
// CHECK-NEXT:     send -> print2: is input or output
// CHECK-NEXT:     waitsend -> print2: is input or output
llvm.func @output(%f: !llvm.ptr, %x: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %p0 = llvm.call @printf(%f) vararg(!llvm.func<i32 (ptr, ...)>) {tag = "print0"} : (!llvm.ptr) -> i32
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  comm.wait request(%r) {tag = "waitrecv"}
  %p = llvm.call @printf(%f) vararg(!llvm.func<i32 (ptr, ...)>) {tag = "print1"} : (!llvm.ptr) -> i32
  %s = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"} -> request
  comm.wait request(%s) {tag = "waitsend"}
  llvm.call @may_print() {tag = "print2"} : () -> ()
  llvm.return
}
// CHECK-LABEL: function mpi_calls{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     time: llvm.call
// CHECK-NEXT:     attach: llvm.call
// CHECK-NEXT:     bsend: comm.bsend
// CHECK-NEXT:     count: llvm.call
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     other: llvm.call
// CHECK-NEXT:     time -> attach: reads a clock (-fcomm-relax-timers lets communications cross it)
// CHECK-NEXT:     time -> bsend: reads a clock (-fcomm-relax-timers lets communications cross it)
// CHECK-NEXT:     attach -> bsend: communicates, and messages could be matched differently
// CHECK-NEXT:     time -> count: reads a clock (-fcomm-relax-timers lets communications cross it)
// CHECK-NEXT:     attach -> count: may touch a buffer of the communication
// CHECK-NEXT:     time -> send: reads a clock (-fcomm-relax-timers lets communications cross it)
// CHECK-NEXT:     attach -> send: communicates, and messages could be matched differently
// CHECK-NEXT:     bsend -> send: communicates, and messages could be matched differently
// CHECK-NEXT:     time -> wait: reads a clock (-fcomm-relax-timers lets communications cross it)
// CHECK-NEXT:     bsend -> wait: communicates, and messages could be matched differently
// CHECK-NEXT:     send -> wait: uses or computes a value of the communication
// CHECK-NEXT:     time -> other: reads a clock (-fcomm-relax-timers lets communications cross it)
// CHECK-NEXT:     attach -> other: may touch a buffer of the communication
// CHECK-NEXT:     bsend -> other: communicates, and messages could be matched differently
// CHECK-NEXT:     count -> other: may touch a buffer of the communication
// CHECK-NEXT:     send -> other: communicates, and messages could be matched differently
// CHECK-NEXT:     wait -> other: communicates, and messages could be matched differently
llvm.func @mpi_calls(%f: !llvm.ptr, %x: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %t = llvm.call @MPI_Wtime() {tag = "time"} : () -> f64
  %1 = llvm.call @MPI_Buffer_attach(%f, %n) {tag = "attach"} : (!llvm.ptr, i32) -> i32
  comm.bsend buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "bsend"}
  %2 = llvm.call @MPI_Get_count(%f, %f, %f) {tag = "count"} : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %s = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"} -> request
  comm.wait request(%s) {tag = "wait"}
  llvm.call @may_send() {tag = "other"} : () -> ()
  llvm.return
}
// CHECK-LABEL: function abort{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     abort: llvm.call
// CHECK-NEXT:     divide: llvm.sdiv
// CHECK-NEXT:     abort -> divide: may not return normally (it may throw, exit or jump)
llvm.func @abort(%c: !llvm.ptr, %x: i32, %y: i32) {
  %0 = llvm.call @MPI_Abort(%c, %x) {tag = "abort"} : (!llvm.ptr, i32) -> i32
  %d = llvm.sdiv %x, %y {tag = "divide"} : i32
  llvm.return
}
// Starts keep their order, completions are free. Ready sends rely on earlier units; synchronous sends are observable.
// CHECK-LABEL: function communication{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     waitrecv: comm.wait
// CHECK-NEXT:     ssend: comm.ssend
// CHECK-NEXT:     waitssend: comm.wait
// CHECK-NEXT:     send: comm.send
// CHECK-NEXT:     waitsend: comm.wait
// CHECK-NEXT:     rsend: comm.rsend
// CHECK-NEXT:     barrier: comm.barrier
// CHECK-NEXT:     recv -> waitrecv: uses or computes a value of the communication
// CHECK-NEXT:     recv -> ssend: communicates, and messages could be matched differently
// CHECK-NEXT:     recv -> waitssend: communicates, and messages could be matched differently
// CHECK-NEXT:     ssend -> waitssend: uses or computes a value of the communication
// CHECK-NEXT:     recv -> send: communicates, and messages could be matched differently
// CHECK-NEXT:     ssend -> send: communicates, and messages could be matched differently
// CHECK-NEXT:     waitssend -> send: communicates, and messages could be matched differently
// CHECK-NEXT:     recv -> waitsend: communicates, and messages could be matched differently
// CHECK-NEXT:     ssend -> waitsend: communicates, and messages could be matched differently
// CHECK-NEXT:     send -> waitsend: uses or computes a value of the communication
// CHECK-NEXT:     recv -> rsend: communicates, and messages could be matched differently
// CHECK-NEXT:     waitrecv -> rsend: communicates, and messages could be matched differently
// CHECK-NEXT:     ssend -> rsend: communicates, and messages could be matched differently
// CHECK-NEXT:     waitssend -> rsend: communicates, and messages could be matched differently
// CHECK-NEXT:     send -> rsend: communicates, and messages could be matched differently
// CHECK-NEXT:     waitsend -> rsend: communicates, and messages could be matched differently
// CHECK-NEXT:     recv -> barrier: may synchronize with another thread
// CHECK-NEXT:     waitrecv -> barrier: may synchronize with another thread
// CHECK-NEXT:     ssend -> barrier: may synchronize with another thread
// CHECK-NEXT:     waitssend -> barrier: may synchronize with another thread
// CHECK-NEXT:     send -> barrier: may synchronize with another thread
// CHECK-NEXT:     waitsend -> barrier: may synchronize with another thread
// CHECK-NEXT:     rsend -> barrier: may synchronize with another thread
llvm.func @communication(%n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %d = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %e = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  comm.wait request(%r) {tag = "waitrecv"}
  %s = comm.ssend async buf(%b : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "ssend"} -> request
  comm.wait request(%s) {tag = "waitssend"}
  %q = comm.send async buf(%d : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "send"} -> request
  comm.wait request(%q) {tag = "waitsend"}
  comm.rsend buf(%e : !llvm.ptr) count(%n) datatype(%int) dest(%n) tag(%n) comm(%c) {tag = "rsend"}
  comm.barrier comm(%c) {tag = "barrier"}
  llvm.return
}

// No memory access and no other communication crosses an operation on a window, even if it names another buffer or
// none.
// CHECK-LABEL: function windows{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     put: comm.put
// CHECK-NEXT:     other: llvm.store
// CHECK-NEXT:     fence: comm.win_fence
// CHECK-NEXT:     noalias: llvm.load
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     create: comm.win_create
// CHECK-NEXT:     recv -> put: communicates, and messages could be matched differently
// CHECK-NEXT:     put -> other: may touch a buffer of the communication
// CHECK-NEXT:     recv -> fence: communicates, and messages could be matched differently
// CHECK-NEXT:     put -> fence: is observable (input, output or volatile)
// CHECK-NEXT:     other -> fence: may touch a buffer of the communication
// CHECK-NEXT:     put -> noalias: may touch a buffer of the communication
// CHECK-NEXT:     other -> noalias: may touch a buffer of the communication
// CHECK-NEXT:     fence -> noalias: may touch a buffer of the communication
// CHECK-NEXT:     recv -> wait: uses or computes a value of the communication
// CHECK-NEXT:     put -> wait: communicates, and messages could be matched differently
// CHECK-NEXT:     fence -> wait: communicates, and messages could be matched differently
// CHECK-NEXT:     recv -> create: communicates, and messages could be matched differently
// CHECK-NEXT:     put -> create: is observable (input, output or volatile)
// CHECK-NEXT:     other -> create: may touch a buffer of the communication
// CHECK-NEXT:     fence -> create: is observable (input, output or volatile)
// CHECK-NEXT:     noalias -> create: may touch a buffer of the communication
// CHECK-NEXT:     wait -> create: communicates, and messages could be matched differently
llvm.func @windows(%x: i32, %a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %d: !llvm.ptr {llvm.noalias},
                   %handle: !llvm.ptr, %l: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %win = comm.cast %handle : !llvm.ptr to !comm.win
  %info = comm.constant "MPI_INFO_NULL" : !comm.info
  %n = llvm.mlir.constant(4 : i32) : i32
  %int = comm.constant "MPI_INT" : !comm.datatype
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  comm.put origin_addr(%b : !llvm.ptr) origin_count(%n) origin_datatype(%int) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%int) win(%win) {tag = "put"}
  llvm.store %x, %d {tag = "other"} : i32, !llvm.ptr
  comm.win_fence assert(%n) win(%win) {tag = "fence"}
  %y = llvm.load %d {tag = "noalias"} : !llvm.ptr -> i32
  comm.wait request(%r) {tag = "wait"}
  comm.win_create base(%d : !llvm.ptr) size(%l : i64) disp_unit(%n) info(%info) comm(%c) win(%handle : !llvm.ptr) {tag = "create"}
  llvm.return
}

// A copy of memory does not synchronize, unless it is volatile.
// CHECK-LABEL: function copies{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     recv: comm.recv
// CHECK-NEXT:     copy: llvm.intr.memcpy
// CHECK-NEXT:     volatile: llvm.intr.memcpy
// CHECK-NEXT:     wait: comm.wait
// CHECK-NEXT:     recv -> volatile: may synchronize with another thread
// CHECK-NEXT:     copy -> volatile: may
// CHECK-NEXT:     recv -> wait: uses or computes a value of the communication
// CHECK-NEXT:     volatile -> wait: may synchronize with another thread
llvm.func @copies(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %int = comm.constant "MPI_INT" : !comm.datatype
  %n = llvm.mlir.constant(4 : i32) : i32
  %bytes = llvm.mlir.constant(16 : i64) : i64
  %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%int) source(%n) tag(%n) comm(%c) {tag = "recv"} -> request
  "llvm.intr.memcpy"(%a, %b, %bytes) <{isVolatile = false}> {tag = "copy"} : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm.intr.memcpy"(%a, %b, %bytes) <{isVolatile = true}> {tag = "volatile"} : (!llvm.ptr, !llvm.ptr, i64) -> ()
  comm.wait request(%r) {tag = "wait"}
  llvm.return
}
// Both are in flight before either wait, so messages may arrive in any order.
// CHECK-LABEL: function together
// CHECK-NOT: first -> second
llvm.func @together(%a: !llvm.ptr, %b: !llvm.ptr, %x: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%x : i32) tag(%n) comm(%w) -> request
  %q = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%x) tag(%n) comm(%w) -> request
  comm.wait request(%r) {tag = "first"}
  comm.wait request(%q) {tag = "second"}
  llvm.return
}

// Both write one status.
// CHECK-LABEL: function together_status
// CHECK: first -> second: may touch a buffer of the communication
llvm.func @together_status(%a: !llvm.ptr, %b: !llvm.ptr, %status: !llvm.ptr, %x: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%x : i32) tag(%n) comm(%w) -> request
  %q = comm.recv async buf(%b : !llvm.ptr) count(%n) datatype(%t) source(%x : i32) tag(%n) comm(%w) -> request
  comm.wait request(%r) status(%status : !llvm.ptr) {tag = "first"}
  comm.wait request(%q) status(%status : !llvm.ptr) {tag = "second"}
  llvm.return
}

// The second message starts after the first one has completed.
// CHECK-LABEL: function one_by_one
// CHECK: first -> start: may touch a buffer of the communication
// CHECK: first -> second: may touch a buffer of the communication
llvm.func @one_by_one(%a: !llvm.ptr, %b: !llvm.ptr, %x: i32) {
  %n = llvm.mlir.constant(4 : i32) : i32
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r = comm.send async buf(%a : !llvm.ptr) count(%n) datatype(%t) dest(%x) tag(%n) comm(%w) -> request
  comm.wait request(%r) {tag = "first"}
  %q = comm.recv async buf(%b : !llvm.ptr) count(%n) datatype(%t) source(%x : i32) tag(%n) comm(%w) {tag = "start"} -> request
  comm.wait request(%q) {tag = "second"}
  llvm.return
}
