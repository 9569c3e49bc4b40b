// Loops over tiles. LLVM compares the low bits of a longer counter: the number of tiles is right if the limit and a step
// are a number of 32 bits, which the condition asks. A tile ends at the end of the array, so all tiles touch what a loop
// without tiles does. If the counter goes down by the same test, the number is unknown.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// CHECK-LABEL: function counted
// CHECK: ahead
// CHECK: reads %arg0[0, +1) x max(0, floordiv(%arg1 - 1, 8)) + 1 by 8 if 0 <= -%arg1 + 2147483640
// CHECK-LABEL: function tiled
// CHECK: ahead
// CHECK: reads %arg0[0, +max(min(%arg1, 8 * max(0, floordiv(%arg1 - 1, 8)) + 8), 8 * max(0, floordiv(%arg1 - 1, 8)) + 1)) if 0 <= -%arg1 + 2147483640
// CHECK-LABEL: function down
// CHECK: ahead
// CHECK: reads %arg0{{$}}

module attributes {comm.abi = "openmpi4"} {
llvm.func @counted(%u: !llvm.ptr, %n: i32, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %next = llvm.add %i, %eight overflow<nsw, nuw> : i64
  %narrow = llvm.trunc %next : i64 to i32
  %done = llvm.icmp "sge" %narrow, %n : i32
  llvm.cond_br %done, ^join, ^loop(%next : i64)
^join:
  llvm.return
}

llvm.func @tiled(%u: !llvm.ptr, %n: i32, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %n64 = llvm.sext %n : i32 to i64
  llvm.br ^tiles(%zero : i64) {tag = "ahead"}
^tiles(%ii: i64):
  %after = llvm.add %ii, %eight overflow<nsw, nuw> : i64
  %end = llvm.intr.smin(%after, %n64) : (i64, i64) -> i64
  llvm.br ^loop(%ii : i64)
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw, nuw> : i64
  %more = llvm.icmp "slt" %i1, %end : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^latch
^latch:
  %narrow = llvm.trunc %after : i64 to i32
  %done = llvm.icmp "sge" %narrow, %n : i32
  llvm.cond_br %done, ^join, ^tiles(%after : i64)
^join:
  llvm.return
}

llvm.func @down(%u: !llvm.ptr, %n: i32, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %eight = llvm.mlir.constant(-8 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %next = llvm.add %i, %eight overflow<nsw> : i64
  %narrow = llvm.trunc %next : i64 to i32
  %done = llvm.icmp "sge" %narrow, %n : i32
  llvm.cond_br %done, ^join, ^loop(%next : i64)
^join:
  llvm.return
}
}
