// Columns by a vector datatype, elements by an index array, and unknown footprints.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// CHECK-LABEL: function columns
// CHECK: ghost
// CHECK: writes %arg0[80, +8) x %arg1 by 80
// CHECK: column
// CHECK: reads %arg0[88, +8) x %arg1 by 80
// CHECK: ghost, column: disjoint{{$}}
// CHECK-LABEL: function sparse
// CHECK: first
// CHECK: writes %arg0[0, +8)
// CHECK: rows
// CHECK: reads %arg1[0, +4) x 8 by 4
// CHECK: reads %arg0[0, +8) + 8 * i32 %arg1[0, +4) x 8 by 4
// CHECK: writes %arg2[0, +8) x 8 by 8
// CHECK: each of 8 iterations
// CHECK: reads %arg1[-4 * #0 + 28, +4)
// CHECK: reads %arg0[0, +8) + 8 * i32 %arg1[-4 * #0 + 28, +4)
// CHECK: writes %arg2[-8 * #0 + 56, +8)
// CHECK: first, rows: overlap{{$}}
// CHECK-LABEL: function wraps
// CHECK: bytes
// CHECK: writes %arg0[%arg1, +s32(%arg2 - 1) + 1) if 0 <= -%arg1 - s32(%arg2 - 1) + 2147483647 && 0 <= %arg1
// CHECK: each of s32(%arg2 - 1) + 1 iterations
// CHECK: writes %arg0[%arg1 + #0, +1) if 0 <= -%arg1 - s32(%arg2 - 1) + 2147483647 && 0 <= %arg1

module attributes {comm.abi = "openmpi4"} {
llvm.mlir.global external @ompi_mpi_double() : !llvm.array<512 x i8>
llvm.func @MPI_Type_vector(i32, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @MPI_Type_commit(!llvm.ptr) -> i32

llvm.func @columns(%u: !llvm.ptr, %rows: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %width = llvm.mlir.constant(10 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %double = llvm.mlir.addressof @ompi_mpi_double : !llvm.ptr
  %variable = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %e0 = llvm.call @MPI_Type_vector(%rows, %one, %width, %double, %variable) : (i32, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  %e1 = llvm.call @MPI_Type_commit(%variable) : (!llvm.ptr) -> i32
  %handle = llvm.load %variable : !llvm.ptr -> !llvm.ptr
  %column = comm.cast %handle : !llvm.ptr to !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %first = llvm.getelementptr inbounds %u[10] : (!llvm.ptr) -> !llvm.ptr, f64
  %second = llvm.getelementptr inbounds %u[11] : (!llvm.ptr) -> !llvm.ptr, f64
  %r0 = comm.recv async buf(%first : !llvm.ptr) count(%one) datatype(%column) source(%zero) tag(%zero) comm(%world) {tag = "ghost"} -> request
  %r1 = comm.send async buf(%second : !llvm.ptr) count(%one) datatype(%column) dest(%zero) tag(%zero) comm(%world) {tag = "column"} -> request
  comm.wait request(%r0)
  comm.wait request(%r1)
  llvm.return
}

// x[col[k]] for k from 0 to 7, downwards: the index array is known, the elements are not.
llvm.func @sparse(%x: !llvm.ptr, %col: !llvm.ptr, %y: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %seven = llvm.mlir.constant(7 : i64) : i64
  %v = llvm.mlir.constant(0.0 : f64) : f64
  llvm.store %v, %x {tag = "first"} : f64, !llvm.ptr
  llvm.br ^loop(%seven : i64) {tag = "rows"}
^loop(%k: i64):
  %p = llvm.getelementptr inbounds %col[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %c = llvm.load %p : !llvm.ptr -> i32
  %wide = llvm.sext %c : i32 to i64
  %q = llvm.getelementptr inbounds %x[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %e = llvm.load %q : !llvm.ptr -> f64
  %o = llvm.getelementptr inbounds %y[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %e, %o : f64, !llvm.ptr
  %k1 = llvm.sub %k, %one overflow<nsw> : i64
  %more = llvm.icmp "sge" %k1, %zero : i64
  llvm.cond_br %more, ^loop(%k1 : i64), ^join
^join:
  llvm.return
}

// An unsigned index of 32 bits may wrap; in that case any memory may be accessed.
llvm.func @wraps(%u: !llvm.ptr, %from: i32, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %v = llvm.mlir.constant(0 : i8) : i8
  %any = llvm.icmp "sgt" %n, %zero : i32
  llvm.cond_br %any, ^loop(%zero : i32), ^join {tag = "bytes"}
^loop(%i: i32):
  %at = llvm.add %i, %from : i32
  %wide = llvm.zext %at : i32 to i64
  %p = llvm.getelementptr inbounds %u[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.store %v, %p : i8, !llvm.ptr
  %i1 = llvm.add %i, %one overflow<nsw> : i32
  %more = llvm.icmp "slt" %i1, %n : i32
  llvm.cond_br %more, ^loop(%i1 : i32), ^join
^join:
  llvm.return
}
}
