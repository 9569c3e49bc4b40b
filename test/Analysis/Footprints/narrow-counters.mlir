// A counter that is widened, and narrowed again in each iteration (LLVM's form of `buffer[n++]` in a nest whose inner
// loop is unrolled): it grows by 2 as long as 32 bits hold it, which the condition asks. One that grows by another
// number in each iteration is unknown.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// CHECK-LABEL: function pairs
// CHECK: ahead
// CHECK: reads %arg0[0, +1) x max(1, %arg1) by 2 if 0 <= -2 * max(1, %arg1) + 2147483649{{$}}
// CHECK-LABEL: function growing
// CHECK: ahead
// CHECK: reads %arg0{{$}}

module attributes {comm.abi = "openmpi4"} {
llvm.func @pairs(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %bits = llvm.mlir.constant(32 : i64) : i64
  llvm.br ^loop(%zero, %zero : i64, i64) {tag = "ahead"}
^loop(%i: i64, %n: i64):
  %shifted = llvm.shl %n, %bits : i64
  %narrow = llvm.ashr %shifted, %bits : i64
  %p = llvm.getelementptr inbounds %u[%narrow] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %next = llvm.add %narrow, %two overflow<nsw> : i64
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1, %next : i64, i64), ^join
^join:
  llvm.return
}

llvm.func @growing(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %bits = llvm.mlir.constant(32 : i64) : i64
  llvm.br ^loop(%zero, %zero : i64, i64) {tag = "ahead"}
^loop(%i: i64, %n: i64):
  %shifted = llvm.shl %n, %bits : i64
  %narrow = llvm.ashr %shifted, %bits : i64
  %p = llvm.getelementptr inbounds %u[%narrow] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %next = llvm.add %narrow, %i overflow<nsw> : i64
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1, %next : i64, i64), ^join
^join:
  llvm.return
}
}
