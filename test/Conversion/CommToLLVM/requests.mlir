// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 | FileCheck %s
// RUN: comm-opt %s -convert-comm-to-llvm=abi=openmpi4 -convert-func-to-llvm -finalize-memref-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o /dev/null
// RUN: not comm-opt %s -convert-comm-to-llvm=abi=mpich 2>&1 | FileCheck %s --check-prefix=MPICH

// A request for the next iteration is passed by value: the slot of the receive is reused before the wait for the
// earlier request. An earlier test may have made it null, so it is read where it is passed on.
// CHECK-LABEL: func.func @pipeline
// CHECK: %[[SLOT_BEFORE:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[FLAG:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[NULL:.*]] = llvm.mlir.addressof @ompi_request_null
// CHECK: cf.br ^bb1(%{{.*}}, %[[NULL]] : i32, !llvm.ptr)
// CHECK: ^bb1(%{{.*}}: i32, %[[BEFORE:.*]]: !llvm.ptr)
// CHECK: llvm.store %[[BEFORE]], %[[SLOT_BEFORE]]
// CHECK: llvm.call @MPI_Irecv({{.*}}, %[[SLOT]])
// CHECK: llvm.call @MPI_Test(%[[SLOT]], %[[FLAG]], %
// CHECK: llvm.call @MPI_Wait(%[[SLOT_BEFORE]], %
// CHECK: %[[NOW:.*]] = llvm.load %[[SLOT]]
// CHECK-NEXT: cf.cond_br %{{.*}}, ^bb1(%{{.*}}, %[[NOW]] : i32, !llvm.ptr), ^bb2
// CHECK: llvm.call @MPI_Wait(%[[SLOT]], %
func.func @pipeline(%buf: !llvm.ptr, %n: i32, %peer: i32, %trips: i32, %t: !comm.datatype, %c: !comm.comm) {
  %null = comm.constant "MPI_REQUEST_NULL" : !comm.request
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^loop(%zero, %null : i32, !comm.request)
^loop(%i: i32, %before: !comm.request):
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%zero) comm(%c) -> request
  %done = comm.test request(%r) -> flag
  comm.wait request(%before)
  %next = arith.addi %i, %one : i32
  %more = arith.cmpi slt, %next, %trips : i32
  cf.cond_br %more, ^loop(%next, %r : i32, !comm.request), ^exit
^exit:
  comm.wait request(%r)
  return
}

// The handles are copied to an array; MPI_Waitall leaves nothing to read back, MPI_Testany does.
// CHECK-LABEL: func.func @any
// CHECK-SAME: %[[R1:.*]]: !llvm.ptr, %[[R2:.*]]: !llvm.ptr) -> i1
// CHECK-DAG: llvm.store %[[R1]], %[[S1:.*]] :
// CHECK-DAG: llvm.store %[[R2]], %[[S2:.*]] :
// CHECK: %[[E1:.*]] = llvm.getelementptr %[[ARRAY:.*]][0]
// CHECK: %[[E2:.*]] = llvm.getelementptr %[[ARRAY]][1]
// CHECK: llvm.call @MPI_Testany(%{{.*}}, %[[ARRAY]], %{{.*}}, %[[FLAG:.*]], %
// CHECK-NEXT: %[[L1:.*]] = llvm.load %[[E1]]
// CHECK-NEXT: llvm.store %[[L1]], %[[S1]]
// CHECK-NEXT: %[[L2:.*]] = llvm.load %[[E2]]
// CHECK-NEXT: llvm.store %[[L2]], %[[S2]]
// CHECK: %[[INT:.*]] = llvm.load %[[FLAG]] : !llvm.ptr -> i32
// CHECK: %[[BOOL:.*]] = llvm.icmp "ne" %[[INT]]
// CHECK: llvm.call @MPI_Waitall(
// CHECK-NEXT: return %[[BOOL]] : i1
func.func @any(%r1: !comm.request, %r2: !comm.request) -> i1 {
  %i, %flag = comm.testany array_of_requests(%r1, %r2) -> index, flag
  comm.waitall array_of_requests(%r1, %r2)
  return %flag : i1
}

// The llvm dialect's branches do not take comm handles, but results of comm.cast. A status by value, and its
// address.
// CHECK-LABEL: llvm.func @branches
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%{{.*}} : !llvm.ptr), ^bb1(%{{.*}} : !llvm.ptr)
// CHECK: ^bb1(%{{.*}}: !llvm.ptr)
// CHECK: llvm.call @MPI_Wait(%{{.*}}, %[[STATUS:.*]]) :
// CHECK: %[[BYTES:.*]] = llvm.load %[[STATUS]] : !llvm.ptr -> !llvm.array<3 x i64>
// CHECK: llvm.store %[[BYTES]], %[[COPY:.*]] :
// CHECK: llvm.load %[[COPY]] : !llvm.ptr -> i32
llvm.func @branches(%buf: !llvm.ptr, %n: i32, %cond: i1) -> i32 {
  %null = comm.constant "MPI_REQUEST_NULL" : !comm.request
  %t = comm.constant "MPI_BYTE" : !comm.datatype
  %c = comm.constant "MPI_COMM_SELF" : !comm.comm
  %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  %null_handle = comm.cast %null : !comm.request to !llvm.ptr
  %handle = comm.cast %r : !comm.request to !llvm.ptr
  llvm.cond_br %cond, ^join(%null_handle : !llvm.ptr), ^join(%handle : !llvm.ptr)
^join(%either_handle: !llvm.ptr):
  %either = comm.cast %either_handle : !llvm.ptr to !comm.request
  %s = comm.wait request(%either) -> status
  %p = comm.cast %s : !comm.status to !llvm.ptr
  %source = llvm.load %p : !llvm.ptr -> i32
  llvm.return %source : i32
}

// MPICH: error: 'comm.cast' op takes '!comm.request' for '!llvm.ptr', but in MPICH {{.*}} it is 'i32'

// Results that C returns through pointers; a handle that C takes by its address.
// CHECK-LABEL: func.func @results
// CHECK-SAME: %[[C:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.call @MPI_Comm_dup(%[[C]], %[[NEW:.*]]) :
// CHECK-NEXT: %[[HANDLE:.*]] = llvm.load %[[NEW]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT: llvm.call @MPI_Comm_rank(%[[HANDLE]], %[[RANK:.*]]) :
// CHECK-NEXT: %[[R:.*]] = llvm.load %[[RANK]] : !llvm.ptr -> i32
// CHECK-NEXT: llvm.store %[[HANDLE]], %[[FREED:.*]] :
// CHECK-NEXT: %[[ERROR:.*]] = llvm.call @MPI_Comm_free(%[[FREED]])
func.func @results(%c: !comm.comm) -> i32 {
  %new = comm.comm_dup comm(%c) -> newcomm
  %rank = comm.comm_rank comm(%new) -> rank
  %e = comm.comm_free comm(%new : !comm.comm) -> error
  %sum = arith.addi %rank, %e : i32
  return %sum : i32
}
