// Memory that memrefs may share: the units for which a and b of each function must keep their order, and others.
// RUN: comm-opt -test-comm-scopes=dependences=true %s -o /dev/null | grep -E '^(function| +[a-z]+ -> [a-z])' \
// RUN:   | sed -e '/^function/i end' -e '$a end' | FileCheck %s

memref.global @table : memref<8xf32>
memref.global @other : memref<8xf32>

// Arguments may be one buffer.
// CHECK-LABEL: function plain_arguments{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: end
func.func @plain_arguments(%x: f32, %i: index, %p: memref<8xf32>, %q: memref<8xf32>) {
  memref.store %x, %p[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "b"} : memref<8xf32>
  return
}

// Unless one of them is promised to be distinct.
// CHECK-LABEL: function noalias_argument{{$}}
// CHECK-NEXT: a -> c: may touch
// CHECK-NEXT: end
func.func @noalias_argument(%x: f32, %i: index, %p: memref<8xf32> {llvm.noalias}, %q: memref<8xf32>) {
  %view = memref.subview %p[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.store %x, %p[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "b"} : memref<8xf32>
  memref.store %x, %view[%i] {tag = "c"} : memref<4xf32, strided<[1], offset: 4>>
  return
}

// A pointer from memory may be based on such an argument, and so may the result of a function.
func.func private @get() -> memref<8xf32>
// CHECK-LABEL: function noalias_unknown{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: a -> c: may touch
// CHECK-NEXT: b -> c: may touch
// CHECK-NEXT: end
func.func @noalias_unknown(%x: f32, %i: index, %p: memref<8xf32> {llvm.noalias}, %pointers: memref<8xmemref<8xf32>>) {
  %q = memref.load %pointers[%i] : memref<8xmemref<8xf32>>
  %r = func.call @get() : () -> memref<8xf32>
  memref.store %x, %p[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "b"} : memref<8xf32>
  memref.store %x, %r[%i] {tag = "c"} : memref<8xf32>
  return
}

// Fresh memory is private. Globals are distinct from each other, but not from arguments.
// CHECK-LABEL: function allocations{{$}}
// CHECK-NEXT: p -> g: may touch
// CHECK-NEXT: p -> h: may touch
// CHECK-NEXT: end
func.func @allocations(%x: f32, %i: index, %p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloca() : memref<8xf32>
  %g = memref.get_global @table : memref<8xf32>
  %h = memref.get_global @other : memref<8xf32>
  memref.store %x, %p[%i] {tag = "p"} : memref<8xf32>
  memref.store %x, %a[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %b[%i] {tag = "b"} : memref<8xf32>
  memref.store %x, %g[%i] {tag = "g"} : memref<8xf32>
  memref.store %x, %h[%i] {tag = "h"} : memref<8xf32>
  return
}

// The same global, by two names for its address.
// CHECK-LABEL: function one_global{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: end
func.func @one_global(%x: f32, %i: index, %p: memref<8xf32> {llvm.noalias}) {
  %g = memref.get_global @table : memref<8xf32>
  %h = memref.get_global @table : memref<8xf32>
  memref.store %x, %g[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %h[%i] {tag = "b"} : memref<8xf32>
  memref.store %x, %p[%i] {tag = "p"} : memref<8xf32>
  return
}

// Results of memref.distinct_objects are distinct from each other; nothing is said about others.
// CHECK-LABEL: function distinct{{$}}
// CHECK-NEXT: a -> c: may touch
// CHECK-NEXT: b -> c: may touch
// CHECK-NEXT: a -> d: may touch
// CHECK-NEXT: b -> d: may touch
// CHECK-NEXT: c -> d: may touch
// CHECK-NEXT: end
func.func @distinct(%x: f32, %i: index, %p: memref<8xf32>, %q: memref<8xf32>) {
  %d:2 = memref.distinct_objects %p, %q : memref<8xf32>, memref<8xf32>
  memref.store %x, %d#0[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %d#1[%i] {tag = "b"} : memref<8xf32>
  memref.store %x, %p[%i] {tag = "c"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "d"} : memref<8xf32>
  return
}

// In a loop this applies to one iteration: the second result of the last one may be the first of this one.
// CHECK-LABEL: function distinct_in_loop{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: end
func.func @distinct_in_loop(%x: f32, %i: index, %n: index, %p: memref<8xf32>, %q: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %own = memref.alloc() : memref<8xf32>
  scf.for %k = %zero to %n step %i iter_args(%last = %own) -> memref<8xf32> {
    %even = arith.cmpi ult, %k, %n : index
    %first = arith.select %even, %p, %q : memref<8xf32>
    %second = arith.select %even, %q, %p : memref<8xf32>
    %d:2 = memref.distinct_objects %first, %second : memref<8xf32>, memref<8xf32>
    memref.store %x, %last[%i] {tag = "a"} : memref<8xf32>
    memref.store %x, %d#0[%i] {tag = "b"} : memref<8xf32>
    scf.yield %d#1 : memref<8xf32>
  }
  return
}

// Two paths to one buffer, one of which lacks the promise.
// CHECK-LABEL: function distinct_by_one_way{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: end
func.func @distinct_by_one_way(%x: f32, %i: index, %c: i1, %p: memref<8xf32>, %q: memref<8xf32>) {
  %d:2 = memref.distinct_objects %p, %q : memref<8xf32>, memref<8xf32>
  %s = arith.select %c, %d#0, %p : memref<8xf32>
  memref.store %x, %s[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %d#1[%i] {tag = "b"} : memref<8xf32>
  return
}

// Through selects, branches and loops: buffers that a loop rotates are two of three.
// CHECK-LABEL: function rotated{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: end
func.func @rotated(%x: f32, %i: index, %n: index) {
  %zero = arith.constant 0 : index
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  scf.for %k = %zero to %n step %i iter_args(%old = %p, %new = %q) -> (memref<8xf32>, memref<8xf32>) {
    memref.store %x, %old[%i] {tag = "a"} : memref<8xf32>
    memref.store %x, %new[%i] {tag = "b"} : memref<8xf32>
    memref.store %x, %r[%i] {tag = "c"} : memref<8xf32>
    scf.yield %new, %old : memref<8xf32>, memref<8xf32>
  }
  return
}

// CHECK-LABEL: function branches{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: end
func.func @branches(%x: f32, %i: index, %c: i1) {
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %s = scf.if %c -> memref<8xf32> {
    scf.yield %p : memref<8xf32>
  } else {
    scf.yield %q : memref<8xf32>
  }
  cf.cond_br %c, ^next(%s : memref<8xf32>), ^next(%p : memref<8xf32>)
^next(%t: memref<8xf32>):
  memref.store %x, %t[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "b"} : memref<8xf32>
  memref.store %x, %r[%i] {tag = "c"} : memref<8xf32>
  return
}

// An allocation in a loop has different memory each time, but one name.
// CHECK-LABEL: function allocation_in_loop{{$}}
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: end
func.func @allocation_in_loop(%x: f32, %i: index, %n: index, %p: memref<8xf32>) {
  %zero = arith.constant 0 : index
  scf.for %k = %zero to %n step %i iter_args(%last = %p) -> memref<8xf32> {
    %new = memref.alloc() : memref<8xf32>
    memref.store %x, %last[%i] {tag = "a"} : memref<8xf32>
    memref.store %x, %new[%i] {tag = "b"} : memref<8xf32>
    scf.yield %new : memref<8xf32>
  }
  return
}

// memref.realloc may return its argument.
// CHECK-LABEL: function reallocation{{$}}
// CHECK-NEXT: a -> r: may touch
// CHECK-NEXT: a -> b: may touch
// CHECK-NEXT: r -> b: uses or
// CHECK-NEXT: end
func.func @reallocation(%x: f32, %i: index) {
  %p = memref.alloc() : memref<8xf32>
  memref.store %x, %p[%i] {tag = "a"} : memref<8xf32>
  %r = memref.realloc %p {tag = "r"} : memref<8xf32> to memref<16xf32>
  memref.store %x, %r[%i] {tag = "b"} : memref<16xf32>
  return
}

// CHECK-LABEL: function frees{{$}}
// CHECK-NEXT: a -> f: may touch
// CHECK-NEXT: end
func.func @frees(%x: f32, %i: index, %q: memref<8xf32>) {
  %p = memref.alloc() : memref<8xf32>
  memref.store %x, %p[%i] {tag = "a"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "b"} : memref<8xf32>
  memref.dealloc %p {tag = "f"} : memref<8xf32>
  return
}

// linalg and vector operations declare their effects.
// CHECK-LABEL: function structured{{$}}
// CHECK-NEXT: fill -> matmul: may touch
// CHECK-NEXT: a -> matmul: may touch
// CHECK-NEXT: matmul -> vector: may touch
// CHECK-NEXT: end
func.func @structured(%x: f32, %i: index, %v: vector<8xf32>) {
  %p = memref.alloc() : memref<8x8xf32>
  %q = memref.alloc() : memref<8x8xf32>
  %r = memref.alloc() : memref<8x8xf32>
  %s = memref.alloc() : memref<8x8xf32>
  linalg.fill {tag = "fill"} ins(%x : f32) outs(%r : memref<8x8xf32>)
  memref.store %x, %p[%i, %i] {tag = "a"} : memref<8x8xf32>
  linalg.matmul {tag = "matmul"} ins(%p, %q : memref<8x8xf32>, memref<8x8xf32>) outs(%r : memref<8x8xf32>)
  vector.store %v, %q[%i, %i] {tag = "vector"} : memref<8x8xf32>, vector<8xf32>
  linalg.fill {tag = "apart"} ins(%x : f32) outs(%s : memref<8x8xf32>)
  return
}

// Calls have the effects of their callee.
func.func private @writes_first(%x: f32, %i: index, %p: memref<8xf32>, %q: memref<8xf32>) {
  %own = memref.alloc() : memref<8xf32>
  %v = memref.load %q[%i] : memref<8xf32>
  memref.store %v, %own[%i] : memref<8xf32>
  %view = memref.subview %p[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.store %x, %view[%i] : memref<4xf32, strided<[1], offset: 4>>
  memref.dealloc %own : memref<8xf32>
  return
}
func.func private @calls_it(%x: f32, %i: index, %p: memref<8xf32>, %q: memref<8xf32>) {
  func.call @writes_first(%x, %i, %q, %p) : (f32, index, memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @reads_table(%i: index) -> f32 {
  %g = memref.get_global @table : memref<8xf32>
  %v = memref.load %g[%i] : memref<8xf32>
  return %v : f32
}
func.func private @recursive(%i: index) {
  func.call @recursive(%i) : (index) -> ()
  return
}
func.func private @outside(%p: memref<8xf32>)
func.func private @sends(%p: memref<8xf32>, %n: i32, %c: !comm.comm) {
  comm.send buf(%p : memref<8xf32>) dest(%n) tag(%n) comm(%c)
  return
}
// CHECK-LABEL: function calls{{$}}
// CHECK-NEXT: p -> call: may touch
// CHECK-NEXT: q -> call: may touch
// CHECK-NEXT: p -> readp: may touch
// CHECK-NEXT: p -> again: may touch
// CHECK-NEXT: q -> again: may touch
// CHECK-NEXT: call -> again: may touch
// CHECK-NEXT: g -> table: may touch
// CHECK-NEXT: end
func.func @calls(%x: f32, %i: index) {
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  %g = memref.get_global @table : memref<8xf32>
  memref.store %x, %p[%i] {tag = "p"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "q"} : memref<8xf32>
  func.call @calls_it(%x, %i, %p, %q) {tag = "call"} : (f32, index, memref<8xf32>, memref<8xf32>) -> ()
  %v = memref.load %p[%i] {tag = "readp"} : memref<8xf32>
  func.call @calls_it(%x, %i, %p, %q) {tag = "again"} : (f32, index, memref<8xf32>, memref<8xf32>) -> ()
  memref.store %x, %g[%i] {tag = "g"} : memref<8xf32>
  %w = func.call @reads_table(%i) {tag = "table"} : (index) -> f32
  return
}

// The effects of external and recursive functions are unknown; messages in a callee keep their order.
// CHECK-LABEL: function unknown_calls{{$}}
// CHECK-NEXT: recv -> sends: communicates, and
// CHECK-NEXT: recv -> recursive: may not
// CHECK-NEXT: sends -> recursive: may not
// CHECK-NEXT: p -> recursive: may not
// CHECK-NEXT: recv -> outside: may not
// CHECK-NEXT: sends -> outside: may not
// CHECK-NEXT: p -> outside: may not
// CHECK-NEXT: recursive -> outside: may not
// CHECK-NEXT: end
func.func @unknown_calls(%x: f32, %i: index, %n: i32, %c: !comm.comm) {
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  comm.recv buf(%q : memref<8xf32>) source(%n) tag(%n) comm(%c) {tag = "recv"}
  func.call @sends(%r, %n, %c) {tag = "sends"} : (memref<8xf32>, i32, !comm.comm) -> ()
  memref.store %x, %p[%i] {tag = "p"} : memref<8xf32>
  func.call @recursive(%i) {tag = "recursive"} : (index) -> ()
  func.call @outside(%q) {tag = "outside"} : (memref<8xf32>) -> ()
  return
}

// Atomic and volatile accesses order memory for other threads.
// CHECK-LABEL: function threads{{$}}
// CHECK-NEXT: a -> atomic: may synchronize
// CHECK-NEXT: a -> volatile: may not
// CHECK-NEXT: atomic -> volatile: may not
// CHECK-NEXT: end
func.func @threads(%x: f32, %i: index, %pointer: !llvm.ptr) {
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  memref.store %x, %p[%i] {tag = "a"} : memref<8xf32>
  %old = memref.atomic_rmw addf %x, %q[%i] {tag = "atomic"} : (f32, memref<8xf32>) -> f32
  llvm.store volatile %x, %pointer {tag = "volatile"} : f32, !llvm.ptr
  return
}

// An operation that changes memory may also print.
// CHECK-LABEL: function prints{{$}}
// CHECK-NEXT: recv -> print: is input
// CHECK-NEXT: end
func.func @prints(%b: i1, %n: i32, %c: !comm.comm) {
  %p = memref.alloc() : memref<8xf32>
  comm.recv buf(%p : memref<8xf32>) source(%n) tag(%n) comm(%c) {tag = "recv"}
  cf.assert %b, "message" {tag = "print"}
  return
}

// Values that other regions pass on: two of three buffers, on either path.
// CHECK-LABEL: function regions{{$}}
// CHECK-NEXT: p -> while: may touch
// CHECK-NEXT: q -> while: may touch
// CHECK-NEXT: p -> switch: may touch
// CHECK-NEXT: r -> switch: may touch
// CHECK-NEXT: while -> switch: may touch
// CHECK-NEXT: q -> region: may touch
// CHECK-NEXT: r -> region: may touch
// CHECK-NEXT: while -> region: may touch
// CHECK-NEXT: switch -> region: may touch
// CHECK-NEXT: r -> affine: may touch
// CHECK-NEXT: switch -> affine: may touch
// CHECK-NEXT: region -> affine: may touch
// CHECK-NEXT: end
func.func @regions(%x: f32, %i: index, %c: i1) {
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %w:2 = scf.while (%a = %p, %b = %q) : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
    scf.condition(%c) %b, %a : memref<8xf32>, memref<8xf32>
  } do {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>):
    scf.yield %a, %b : memref<8xf32>, memref<8xf32>
  }
  %s = scf.index_switch %i -> memref<8xf32>
  case 1 {
    scf.yield %p : memref<8xf32>
  }
  default {
    scf.yield %r : memref<8xf32>
  }
  %e = scf.execute_region -> memref<8xf32> {
    cf.cond_br %c, ^one, ^two
  ^one:
    scf.yield %q : memref<8xf32>
  ^two:
    scf.yield %r : memref<8xf32>
  }
  %f = affine.for %k = 0 to 8 iter_args(%last = %r) -> memref<8xf32> {
    affine.yield %last : memref<8xf32>
  }
  memref.store %x, %p[%i] {tag = "p"} : memref<8xf32>
  memref.store %x, %q[%i] {tag = "q"} : memref<8xf32>
  memref.store %x, %r[%i] {tag = "r"} : memref<8xf32>
  memref.store %x, %w#0[%i] {tag = "while"} : memref<8xf32>
  memref.store %x, %s[%i] {tag = "switch"} : memref<8xf32>
  memref.store %x, %e[%i] {tag = "region"} : memref<8xf32>
  memref.store %x, %f[%i] {tag = "affine"} : memref<8xf32>
  return
}
