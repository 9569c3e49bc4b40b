// An index of 32 bits that is a multiple of four: LLVM widens it and masks the product (x * 4) & 0xfffffffc, which is
// four times x as long as 30 bits hold x. If the mask leaves fewer bits than an index has, it is a mask of the program,
// and the elements are a range.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// CHECK-LABEL: function cells
// CHECK: ahead
// CHECK: reads %arg0[0, +1) x max(1, %arg1) by 4 if 0 <= -max(1, %arg1) + 536870912
// CHECK-LABEL: function hashed
// CHECK: ahead
// CHECK: reads %arg0[0, +1) x 1024 by 4{{$}}

module attributes {comm.abi = "openmpi4"} {
llvm.func @cells(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %mask = llvm.mlir.constant(4294967292 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %scaled = llvm.shl %i, %two : i64
  %index = llvm.and %scaled, %mask : i64
  %p = llvm.getelementptr %u[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

llvm.func @hashed(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %mask = llvm.mlir.constant(4092 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %scaled = llvm.shl %i, %two : i64
  %index = llvm.and %scaled, %mask : i64
  %p = llvm.getelementptr %u[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}
}
