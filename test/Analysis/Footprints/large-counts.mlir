// MPI_Type_create_hvector_c has its stride in bytes, as the form with small counts has; MPI_Type_vector_c in elements.
// RUN: comm-opt -test-comm-footprints %s -o /dev/null | FileCheck %s
// CHECK-LABEL: function columns
// CHECK: bytes
// CHECK: writes %arg0[0, +8) x %arg1 by 80
// CHECK: elements
// CHECK: writes %arg0[0, +8) x %arg1 by 640

module attributes {comm.abi = "mpich"} {
llvm.func @MPI_Type_create_hvector_c(i64, i64, i64, i32, !llvm.ptr) -> i32
llvm.func @MPI_Type_vector_c(i64, i64, i64, i32, !llvm.ptr) -> i32

llvm.func @columns(%u: !llvm.ptr, %rows: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %count = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %width = llvm.mlir.constant(80 : i64) : i64
  %double = llvm.mlir.constant(1275070475 : i32) : i32
  %first = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  %second = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  %e0 = llvm.call @MPI_Type_create_hvector_c(%rows, %one, %width, %double, %first) : (i64, i64, i64, i32, !llvm.ptr) -> i32
  %e1 = llvm.call @MPI_Type_vector_c(%rows, %one, %width, %double, %second) : (i64, i64, i64, i32, !llvm.ptr) -> i32
  %h0 = llvm.load %first : !llvm.ptr -> i32
  %h1 = llvm.load %second : !llvm.ptr -> i32
  %bytes = comm.cast %h0 : i32 to !comm.datatype
  %elements = comm.cast %h1 : i32 to !comm.datatype
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %r0 = comm.recv async buf(%u : !llvm.ptr) count(%count) datatype(%bytes) source(%zero) tag(%zero) comm(%world) {tag = "bytes"} -> request
  comm.wait request(%r0)
  %r1 = comm.recv async buf(%u : !llvm.ptr) count(%count) datatype(%elements) source(%zero) tag(%zero) comm(%world) {tag = "elements"} -> request
  comm.wait request(%r1)
  llvm.return
}
}
