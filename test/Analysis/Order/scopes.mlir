// Which statements, loops and branches are units of one chain, for each shape of control flow.
// RUN: comm-opt -test-comm-scopes %s -o /dev/null | FileCheck %s

llvm.func @use()

// CHECK-LABEL: function straight{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     a: llvm.call
// CHECK-NEXT:     b: llvm.call
llvm.func @straight() {
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function if{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     a: llvm.call
// CHECK-NEXT:     if: llvm.cond_br and 1 blocks
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     then: llvm.call
llvm.func @if(%c: i1) {
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.cond_br %c, ^then, ^join {tag = "if"}
^then:
  llvm.call @use() {tag = "then"} : () -> ()
  llvm.br ^join
^join:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function if_else{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     if: llvm.cond_br and 2 blocks
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     then: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     else: llvm.call
llvm.func @if_else(%c: i1) {
  llvm.cond_br %c, ^then, ^else {tag = "if"}
^then:
  llvm.call @use() {tag = "then"} : () -> ()
  llvm.br ^join
^else:
  llvm.call @use() {tag = "else"} : () -> ()
  llvm.br ^join
^join:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function rotated_loop{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     a: llvm.call
// CHECK-NEXT:     loop: llvm.br and 1 blocks, loop
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     body: llvm.call
llvm.func @rotated_loop(%c: i1) {
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.br ^body {tag = "loop"}
^body:
  llvm.call @use() {tag = "body"} : () -> ()
  llvm.cond_br %c, ^body, ^exit
^exit:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function while_loop{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     loop: llvm.br and 2 blocks, loop
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     body: llvm.call
llvm.func @while_loop(%c: i1) {
  llvm.br ^header {tag = "loop"}
^header:
  llvm.cond_br %c, ^body, ^exit
^body:
  llvm.call @use() {tag = "body"} : () -> ()
  llvm.br ^header
^exit:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function nested_loops{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     outer: llvm.br and 3 blocks, loop
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     before: llvm.call
// CHECK-NEXT:     inner: llvm.br and 1 blocks, loop
// CHECK-NEXT:     after: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     body: llvm.call
llvm.func @nested_loops(%c: i1) {
  llvm.br ^outer {tag = "outer"}
^outer:
  llvm.call @use() {tag = "before"} : () -> ()
  llvm.br ^inner {tag = "inner"}
^inner:
  llvm.call @use() {tag = "body"} : () -> ()
  llvm.cond_br %c, ^inner, ^latch
^latch:
  llvm.call @use() {tag = "after"} : () -> ()
  llvm.cond_br %c, ^outer, ^exit
^exit:
  llvm.return
}

// CHECK-LABEL: function two_exits{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     loop: llvm.br and 2 blocks, loop
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     body: llvm.call
llvm.func @two_exits(%c: i1, %d: i1) {
  llvm.br ^header {tag = "loop"}
^header:
  llvm.cond_br %c, ^body, ^exit
^body:
  llvm.call @use() {tag = "body"} : () -> ()
  llvm.cond_br %d, ^header, ^exit
^exit:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function switch{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     switch: llvm.switch and 2 blocks
// CHECK-NEXT:     default: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     zero: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     one: llvm.call
llvm.func @switch(%n: i32) {
  llvm.switch %n : i32, ^default [0: ^zero, 1: ^one] {tag = "switch"}
^zero:
  llvm.call @use() {tag = "zero"} : () -> ()
  llvm.br ^one
^one:
  llvm.call @use() {tag = "one"} : () -> ()
  llvm.br ^default
^default:
  llvm.call @use() {tag = "default"} : () -> ()
  llvm.return
}

// Two returns: no code after the branch is certain to run.
// CHECK-LABEL: function early_return{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     a: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     leave: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     stay: llvm.call
llvm.func @early_return(%c: i1) {
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.cond_br %c, ^leave, ^stay
^leave:
  llvm.call @use() {tag = "leave"} : () -> ()
  llvm.return
^stay:
  llvm.call @use() {tag = "stay"} : () -> ()
  llvm.return
}

llvm.func @personality(...) -> i32
// CHECK-LABEL: function invoke{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     invoke: llvm.invoke and 0 blocks, leaves
// CHECK-NEXT:     next: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     0: llvm.landingpad
llvm.func @invoke() attributes {personality = @personality} {
  llvm.invoke @use() to ^next unwind ^pad {tag = "invoke"} : () -> ()
^next:
  llvm.call @use() {tag = "next"} : () -> ()
  llvm.return
^pad:
  %e = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
  llvm.resume %e : !llvm.struct<(ptr, i32)>
}

// The handler returns to the code, like any other branch.
// CHECK-LABEL: function catch{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     0: llvm.mlir.zero
// CHECK-NEXT:     invoke: llvm.invoke and 1 blocks
// CHECK-NEXT:     next: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     0: llvm.landingpad
llvm.func @catch() attributes {personality = @personality} {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.invoke @use() to ^next unwind ^pad {tag = "invoke"} : () -> ()
^pad:
  %e = llvm.landingpad (catch %null : !llvm.ptr) : !llvm.struct<(ptr, i32)>
  llvm.br ^next
^next:
  llvm.call @use() {tag = "next"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function unreachable{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     assert: llvm.cond_br and 0 blocks, leaves
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     die: llvm.call
llvm.func @unreachable(%c: i1) {
  llvm.cond_br %c, ^die, ^join {tag = "assert"}
^die:
  llvm.call @use() {tag = "die"} : () -> ()
  llvm.unreachable
^join:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// Two entries into a cycle: one piece, a loop.
// CHECK-LABEL: function irreducible{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     a: llvm.call
// CHECK-NEXT:     cycle: llvm.cond_br and 2 blocks, loop
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     one: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     two: llvm.call
llvm.func @irreducible(%c: i1) {
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.cond_br %c, ^one, ^two {tag = "cycle"}
^one:
  llvm.call @use() {tag = "one"} : () -> ()
  llvm.br ^two
^two:
  llvm.call @use() {tag = "two"} : () -> ()
  llvm.cond_br %c, ^one, ^exit
^exit:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function infinite{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     a: llvm.call
// CHECK-NEXT:     maybe: llvm.cond_br and 0 blocks, leaves
// CHECK-NEXT:     b: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     forever: llvm.call
llvm.func @infinite(%c: i1) {
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.cond_br %c, ^forever, ^exit {tag = "maybe"}
^forever:
  llvm.call @use() {tag = "forever"} : () -> ()
  llvm.br ^forever
^exit:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}
// CHECK-LABEL: function server{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     a: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     forever: llvm.call
llvm.func @server() {
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.br ^forever
^forever:
  llvm.call @use() {tag = "forever"} : () -> ()
  llvm.br ^forever
}

// The body of a loop that branches is a separate chain, from the header to the latch.
// CHECK-LABEL: function branch_in_loop{{$}}
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     loop: llvm.br and 3 blocks, loop
// CHECK-NEXT:   chain of 2 blocks
// CHECK-NEXT:     first: llvm.call
// CHECK-NEXT:     if: llvm.cond_br and 1 blocks
// CHECK-NEXT:     last: llvm.call
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     then: llvm.call
llvm.func @branch_in_loop(%c: i1, %d: i1) {
  llvm.br ^body {tag = "loop"}
^body:
  llvm.call @use() {tag = "first"} : () -> ()
  llvm.cond_br %d, ^then, ^latch {tag = "if"}
^then:
  llvm.call @use() {tag = "then"} : () -> ()
  llvm.br ^latch
^latch:
  llvm.call @use() {tag = "last"} : () -> ()
  llvm.cond_br %c, ^body, ^exit
^exit:
  llvm.return
}

// CHECK-LABEL: function regions{{$}}
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     zero: arith.constant
// CHECK-NEXT:     one: arith.constant
// CHECK-NEXT:     for: scf.for
// CHECK-NEXT:     after: memref.store
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     if: scf.if
// CHECK-NEXT:   chain of 1 blocks
// CHECK-NEXT:     store: memref.store
func.func @regions(%n: index, %m: memref<8xi32>, %c: i1, %x: i32) {
  %zero = arith.constant {tag = "zero"} 0 : index
  %one = arith.constant {tag = "one"} 1 : index
  scf.for %i = %zero to %n step %one {
    scf.if %c {
      memref.store %x, %m[%i] {tag = "store"} : memref<8xi32>
    } {tag = "if"}
  } {tag = "for"}
  memref.store %x, %m[%zero] {tag = "after"} : memref<8xi32>
  return
}

// Nothing to do.
// CHECK-LABEL: function empty{{$}}
// CHECK-NEXT:   chain of 1 blocks
llvm.func @empty() {
  llvm.return
}

llvm.func @exit(i32) attributes {passthrough = ["noreturn"]}

// A function without a return ends where the program ends successfully.
// CHECK-LABEL: function ends_by_exit{{$}}
// CHECK:       chain of 2 blocks
// CHECK:         a: llvm.call
// CHECK-NEXT:    if: llvm.cond_br and 1 blocks
// CHECK-NEXT:    b: llvm.call
// CHECK-NEXT:    exit: llvm.call
llvm.func @ends_by_exit(%c: i1) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.cond_br %c, ^then, ^join {tag = "if"}
^then:
  llvm.call @use() {tag = "then"} : () -> ()
  llvm.br ^join
^join:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.call @exit(%zero) {tag = "exit"} : (i32) -> ()
  llvm.unreachable
}

// An exit with an error is not an end of the function, nor is one in addition to a return.
// CHECK-LABEL: function exits{{$}}
// CHECK:       chain of 2 blocks
// CHECK:         a: llvm.call
// CHECK-NEXT:    if: llvm.cond_br and 0 blocks, leaves
// CHECK-NEXT:    b: llvm.call
llvm.func @exits(%c: i1) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.cond_br %c, ^then, ^join {tag = "if"}
^then:
  llvm.call @exit(%zero) : (i32) -> ()
  llvm.unreachable
^join:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.return
}

// CHECK-LABEL: function fails{{$}}
// CHECK:       chain of 2 blocks
// CHECK:         a: llvm.call
// CHECK-NEXT:    if: llvm.cond_br and 0 blocks, leaves
// CHECK-NEXT:    b: llvm.call
llvm.func @fails(%c: i1) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.call @use() {tag = "a"} : () -> ()
  llvm.cond_br %c, ^then, ^join {tag = "if"}
^then:
  llvm.call @exit(%one) : (i32) -> ()
  llvm.unreachable
^join:
  llvm.call @use() {tag = "b"} : () -> ()
  llvm.call @exit(%zero) : (i32) -> ()
  llvm.unreachable
}
