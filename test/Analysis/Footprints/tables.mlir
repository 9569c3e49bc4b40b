// Entries of a constant table are between the least and the largest one; with a step, those of the step.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// CHECK-LABEL: function axis
// CHECK: ahead
// CHECK: reads %arg0[-16, +24) x max(1, %arg1) by 32{{$}}
// CHECK-LABEL: function vector
// CHECK: ahead
// CHECK: reads %arg0[-8, +24){{$}}
// CHECK-LABEL: function wrapping
// CHECK: ahead
// CHECK: reads %arg0[-56, +96){{$}}
// CHECK-LABEL: function variable
// CHECK: ahead
// CHECK: reads %arg0[0, +8) + 8 * i64
// CHECK-LABEL: function shifted
// CHECK: ahead
// CHECK: reads %arg0[-1152921504606846976, +

module attributes {comm.abi = "openmpi4"} {
llvm.mlir.global internal constant @numbers(dense<[0, -2, 0]> : tensor<3xi64>) : !llvm.array<3 x i64>
llvm.mlir.global internal constant @vectors(dense<[[1, -7, 4], [-1, 3, 4]]> : tensor<2x3xi64>) : !llvm.array<2 x array<3 x i64>>
llvm.mlir.global external @table(dense<[0, -1]> : tensor<2xi64>) : !llvm.array<2 x i64>

llvm.func @axis(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %table = llvm.mlir.addressof @numbers : !llvm.ptr
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %entry = llvm.getelementptr inbounds %table[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %d = llvm.load %entry : !llvm.ptr -> i64
  %first = llvm.mul %i, %four overflow<nsw> : i64
  %at = llvm.add %first, %d overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %e = llvm.load %p : !llvm.ptr -> i64
  llvm.store %e, %out : i64, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

llvm.func @vector(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %table = llvm.mlir.addressof @vectors : !llvm.ptr
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %entry = llvm.getelementptr inbounds %table[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i64>
  %d = llvm.load %entry : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %e = llvm.load %p : !llvm.ptr -> i64
  llvm.store %e, %out : i64, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

// Without `inbounds`, 24 * i may be anything modulo 2^64 that is a multiple of 8.
llvm.func @wrapping(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %table = llvm.mlir.addressof @vectors : !llvm.ptr
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %entry = llvm.getelementptr %table[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i64>
  %d = llvm.load %entry : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %e = llvm.load %p : !llvm.ptr -> i64
  llvm.store %e, %out : i64, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

llvm.func @variable(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %table = llvm.mlir.addressof @table : !llvm.ptr
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %entry = llvm.getelementptr inbounds %table[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %d = llvm.load %entry : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %e = llvm.load %p : !llvm.ptr -> i64
  llvm.store %e, %out : i64, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

// Bytes of two entries may be read as one number.
llvm.func @shifted(%u: !llvm.ptr, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %table = llvm.mlir.addressof @numbers : !llvm.ptr
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %product = llvm.mul %i, %m : i64
  %entry = llvm.getelementptr inbounds %table[%product] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %d = llvm.load %entry : !llvm.ptr -> i64
  %p = llvm.getelementptr inbounds %u[%d] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %e = llvm.load %p : !llvm.ptr -> i64
  llvm.store %e, %out : i64, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}
}
