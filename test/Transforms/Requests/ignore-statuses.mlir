// RUN: comm-opt %s -comm-ignore-statuses | FileCheck %s

// CHECK-LABEL: llvm.func @ignored
// CHECK-DAG: %[[IGNORE:.*]] = comm.constant "MPI_STATUS_IGNORE" : !llvm.ptr
// CHECK-DAG: %[[ELEMENT:.*]] = comm.constant "MPI_STATUS_IGNORE" : !llvm.ptr
// CHECK-DAG: %[[ALL:.*]] = comm.constant "MPI_STATUSES_IGNORE" : !llvm.ptr
// CHECK: comm.recv {{.*}} status(%{{.*}} : !llvm.ptr)
// CHECK: comm.recv {{.*}} status(%{{.*}} : !llvm.ptr)
// CHECK: comm.waitall {{.*}} array_of_statuses(%[[ALL]] : !llvm.ptr)
llvm.func @ignored(%a: !llvm.ptr, %requests: !llvm.ptr, %n: i32, %i: i64) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %status = llvm.alloca %one x !llvm.array<24 x i8> : (i32) -> !llvm.ptr
  %statuses = llvm.alloca %n x !llvm.array<24 x i8> : (i32) -> !llvm.ptr
  llvm.intr.lifetime.start %status : !llvm.ptr
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%status : !llvm.ptr)
  %element = llvm.getelementptr %statuses[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<24 x i8>
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%element : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr) array_of_statuses(%statuses : !llvm.ptr)
  llvm.intr.lifetime.end %status : !llvm.ptr
  llvm.return
}

// It is read: by a load, MPI, a function, or code that finds its address.
// CHECK-LABEL: llvm.func @read
// CHECK-NOT: MPI_STATUS_IGNORE
// CHECK: llvm.return
llvm.func @look(!llvm.ptr)
llvm.func @MPI_Get_count(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @read(%a: !llvm.ptr, %n: i32) -> i32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %loaded = llvm.alloca %one x !llvm.array<24 x i8> : (i32) -> !llvm.ptr
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%loaded : !llvm.ptr)
  %source = llvm.load %loaded : !llvm.ptr -> i32
  %counted = llvm.alloca %one x !llvm.array<24 x i8> : (i32) -> !llvm.ptr
  %count = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%counted : !llvm.ptr)
  llvm.call @MPI_Get_count(%counted, %a, %count) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %given = llvm.alloca %one x !llvm.array<24 x i8> : (i32) -> !llvm.ptr
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%given : !llvm.ptr)
  llvm.call @look(%given) : (!llvm.ptr) -> ()
  %kept = llvm.alloca %one x !llvm.array<24 x i8> : (i32) -> !llvm.ptr
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%kept : !llvm.ptr)
  llvm.store %kept, %a : !llvm.ptr, !llvm.ptr
  llvm.return %source : i32
}
