// Remainders of a loop's counter may have any possible value: less than a positive divisor, and nonnegative if the
// dividend is. Masks may yield any value that they allow.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// CHECK-LABEL: function signed
// CHECK: ahead
// CHECK: reads %arg0[%arg2, +%arg1) if 0 <= %arg1 - 1{{$}}
// CHECK-LABEL: function backward
// CHECK: ahead
// CHECK: reads %arg0[-%arg1 + 1, +2 * %arg1 - 1) if 0 <= %arg1 - 1{{$}}
// CHECK-LABEL: function unsigned
// CHECK: ahead
// CHECK: reads %arg0[0, +%arg1) if {{.*}}0 <= %arg1 - 1{{$}}
// CHECK-LABEL: function mask
// CHECK: ahead
// CHECK: reads %arg0[0, +8){{$}}
// CHECK-LABEL: function product
// CHECK: ahead
// CHECK: reads %arg0{{$}}
// CHECK-LABEL: function varying
// CHECK: ahead
// CHECK: reads %arg0{{$}}

module attributes {comm.abi = "openmpi4"} {
llvm.func @signed(%u: !llvm.ptr, %n: i64, %by: i64, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %constant = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %x = llvm.add %i, %one overflow<nsw> : i64
  %r = llvm.srem %x, %n : i64
  %at = llvm.add %r, %by overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

llvm.func @backward(%u: !llvm.ptr, %n: i64, %by: i64, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %constant = llvm.mlir.constant(-7 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %x = llvm.add %i, %constant overflow<nsw> : i64
  %r = llvm.srem %x, %n : i64
  %p = llvm.getelementptr inbounds %u[%r] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

llvm.func @unsigned(%u: !llvm.ptr, %n: i64, %by: i64, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %constant = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %x = llvm.mul %i, %by : i64
  %r = llvm.urem %x, %n : i64
  %p = llvm.getelementptr inbounds %u[%r] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

llvm.func @mask(%u: !llvm.ptr, %n: i64, %by: i64, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %constant = llvm.mlir.constant(7 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %x = llvm.mul %i, %by : i64
  %r = llvm.and %x, %constant : i64
  %p = llvm.getelementptr inbounds %u[%r] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

llvm.func @product(%u: !llvm.ptr, %n: i64, %by: i64, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %constant = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %x = llvm.mul %i, %by : i64
  %first = llvm.srem %i, %n : i64
  %second = llvm.urem %x, %n : i64
  %r = llvm.mul %first, %second overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%r] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}

// The divisor differs in each iteration.
llvm.func @varying(%u: !llvm.ptr, %n: i64, %by: i64, %m: i64, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %constant = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^loop(%zero : i64) {tag = "ahead"}
^loop(%i: i64):
  %x = llvm.mul %i, %by : i64
  %d = llvm.add %i, %n overflow<nsw> : i64
  %r = llvm.urem %x, %d : i64
  %p = llvm.getelementptr inbounds %u[%r] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %e = llvm.load %p : !llvm.ptr -> i8
  llvm.store %e, %out : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %i1, %m : i64
  llvm.cond_br %more, ^loop(%i1 : i64), ^join
^join:
  llvm.return
}
}
