// Rows of one array of m + 2 rows: messages send rows 1 and m and receive rows 0 and m + 1; the loop computes rows 1 to m
// of another array.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// RUN: comm-opt -test-comm-footprints=guards=true %s | FileCheck %s --check-prefix=CODE

// A condition is code before the first of two units: in 64 bits, and false if the size of the array needs more.
// CODE-LABEL: llvm.func @rows
// CODE: %[[W:.*]] = llvm.freeze %arg2 : i32
// CODE: %[[ROW:.*]] = llvm.sext %[[W]] : i32 to i64
// CODE: %[[SIZE:.*]] = llvm.mul %[[ROW]], %{{.*}} : i64
// CODE: %[[LEAST:.*]] = llvm.mlir.constant(-1125899906842624 : i64)
// CODE: %[[MOVED:.*]] = llvm.sub %[[SIZE]], %[[LEAST]]
// CODE: %[[FITS:.*]] = llvm.icmp "ult" %[[MOVED]], %{{.*}} : i64
// CODE: %[[BELOW:.*]] = llvm.icmp "sge" %{{.*}}, %{{.*}} : i64
// CODE: %[[APART:.*]] = llvm.and %[[BELOW]], %[[FITS]] : i1
// CODE: llvm.or %[[APART]], %{{.*}} {guard = "above,below"} : i1
// CODE: tag = "above"

// CHECK-LABEL: function rows
// CHECK: above
// CHECK: writes %arg0[0, +8 * %arg2)
// CHECK: below
// CHECK: writes %arg0[8 * %arg2 * %arg3 + 8 * %arg2, +8 * %arg2)
// CHECK: first
// CHECK: reads %arg0[8 * %arg2, +8 * %arg2)
// CHECK: last
// CHECK: reads %arg0[8 * %arg2 * %arg3, +8 * %arg2)
// CHECK: loop
// CHECK: reads %arg0[0, +8 * %arg2 * %arg3) if 0 <= -max(0, %arg2 * %arg3 - %arg2) + 4611686018427387904
// CHECK: reads %arg0[16 * %arg2, +8 * %arg2 * %arg3) if 0 <= -max(2 * %arg2, %arg2 * %arg3 + %arg2) + 4611686018427387904
// CHECK: writes %arg1[8 * %arg2, +8 * %arg2 * %arg3)
// CHECK: each of %arg3 iterations
// CHECK: reads %arg0[8 * #0 * %arg2, +8 * %arg2) if 0 <= -max(0, %arg2 * %arg3 - %arg2) + 4611686018427387904
// CHECK: reads %arg0[8 * #0 * %arg2 + 16 * %arg2, +8 * %arg2) if 0 <= -max(2 * %arg2, %arg2 * %arg3 + %arg2) + 4611686018427387904
// CHECK: writes %arg1[8 * #0 * %arg2 + 8 * %arg2, +8 * %arg2)
// CHECK: above, below: disjoint if 0 <= 8 * %arg2 * %arg3 || 0 <= -8 * %arg2 * %arg3 - 16 * %arg2
// CHECK: above, first: disjoint{{$}}
// CHECK: above, last: disjoint if 0 <= 8 * %arg2 * %arg3 - 8 * %arg2 || 0 <= -8 * %arg2 * %arg3 - 8 * %arg2
// CHECK: iterations of loop that meet above: [min(0, %arg3), max(min(1, %arg3), min(0, %arg3))) if 0 <= -max(0, %arg2 * %arg3 - %arg2) + 4611686018427387904 && 0 <= 8 * %arg2 - 1 && 0 <= %arg3
// CHECK: iterations of loop that meet above: [min(0, %arg3), max(min(-1, %arg3), min(0, %arg3))) if 0 <= -max(2 * %arg2, %arg2 * %arg3 + %arg2) + 4611686018427387904 && 0 <= 8 * %arg2 - 1 && 0 <= %arg3
// CHECK: below, first: disjoint if 0 <= -8 * %arg2 * %arg3 - 8 * %arg2 || 0 <= 8 * %arg2 * %arg3 - 8 * %arg2
// CHECK: below, last: disjoint{{$}}
// CHECK: iterations of loop that meet below: [min(max(0, %arg3 + 1), %arg3), max(min(max(0, %arg3 + 1), %arg3), %arg3)) if 0 <= -max(0, %arg2 * %arg3 - %arg2) + 4611686018427387904 && 0 <= 8 * %arg2 - 1 && 0 <= %arg3
// CHECK: iterations of loop that meet below: [min(max(0, %arg3 - 1), %arg3), max(min(max(0, %arg3 - 1), %arg3), %arg3)) if 0 <= -max(2 * %arg2, %arg2 * %arg3 + %arg2) + 4611686018427387904 && 0 <= 8 * %arg2 - 1 && 0 <= %arg3
// CHECK: first, last: disjoint{{$}}

module attributes {comm.abi = "openmpi4"} {
llvm.func @rows(%u: !llvm.ptr, %v: !llvm.ptr, %count: i32, %rows: i32) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.mlir.constant(0 : i32) : i32
  %w = llvm.sext %count : i32 to i64
  %m = llvm.sext %rows : i32 to i64
  %first = llvm.getelementptr inbounds %u[%w] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %mw = llvm.mul %m, %w overflow<nsw> : i64
  %last = llvm.getelementptr inbounds %u[%mw] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %m1 = llvm.add %m, %one overflow<nsw> : i64
  %m1w = llvm.mul %m1, %w overflow<nsw> : i64
  %below = llvm.getelementptr inbounds %u[%m1w] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %r0 = comm.recv async buf(%u : !llvm.ptr) count(%count) datatype(%double) source(%n) tag(%n) comm(%world) {tag = "above"} -> request
  %r1 = comm.recv async buf(%below : !llvm.ptr) count(%count) datatype(%double) source(%n) tag(%n) comm(%world) {tag = "below"} -> request
  %r2 = comm.send async buf(%first : !llvm.ptr) count(%count) datatype(%double) dest(%n) tag(%n) comm(%world) {tag = "first"} -> request
  %r3 = comm.send async buf(%last : !llvm.ptr) count(%count) datatype(%double) dest(%n) tag(%n) comm(%world) {tag = "last"} -> request
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^outer(%one : i64), ^join {tag = "loop"}
^outer(%i: i64):
  %any = llvm.icmp "sgt" %w, %zero : i64
  llvm.cond_br %any, ^inner(%zero : i64), ^next
^inner(%j: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %x = llvm.mul %im, %w overflow<nsw> : i64
  %xj = llvm.add %x, %j overflow<nsw> : i64
  %px = llvm.getelementptr inbounds %u[%xj] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %a = llvm.load %px : !llvm.ptr -> f64
  %ip = llvm.add %i, %one overflow<nsw> : i64
  %y = llvm.mul %ip, %w overflow<nsw> : i64
  %yj = llvm.add %y, %j overflow<nsw> : i64
  %py = llvm.getelementptr inbounds %u[%yj] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %b = llvm.load %py : !llvm.ptr -> f64
  %s = llvm.fadd %a, %b : f64
  %z = llvm.mul %i, %w overflow<nsw> : i64
  %zj = llvm.add %z, %j overflow<nsw> : i64
  %pz = llvm.getelementptr inbounds %v[%zj] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %s, %pz : f64, !llvm.ptr
  %j1 = llvm.add %j, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %j1, %w : i64
  llvm.cond_br %more, ^inner(%j1 : i64), ^next
^next:
  %i1 = llvm.add %i, %one overflow<nsw> : i64
  %again = llvm.icmp "sle" %i1, %m : i64
  llvm.cond_br %again, ^outer(%i1 : i64), ^join
^join:
  llvm.return
}
}
