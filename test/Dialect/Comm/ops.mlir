// RUN: comm-opt %s | comm-opt | FileCheck %s
// RUN: comm-opt %s --mlir-print-op-generic | comm-opt | FileCheck %s
// RUN: comm-opt %s --emit-bytecode | comm-opt | FileCheck %s

// The forms that operands and results may have; examples.test has every op.

// CHECK-LABEL: func.func @point_to_point
// CHECK-SAME: (%[[BUF:.*]]: !llvm.ptr, %[[M:.*]]: memref<16xf32>, %[[N:.*]]: i32, %[[L:.*]]: i64, %[[I:.*]]: index, %[[T:.*]]: !comm.datatype, %[[C:.*]]: !comm.comm)
func.func @point_to_point(%buf: !llvm.ptr, %m: memref<16xf32>, %n: i32, %l: i64, %i: index, %t: !comm.datatype,
                          %c: !comm.comm) {
  // Parameters in any order; printed in the standard's.
  // CHECK: comm.send buf(%[[BUF]] : !llvm.ptr) count(%[[N]]) datatype(%[[T]]) dest(%[[N]]) tag(%[[N]]) comm(%[[C]])
  comm.send comm(%c) tag(%n) dest(%n) datatype(%t) count(%n) buf(%buf : !llvm.ptr)
  // Other integers are written with their type.
  // CHECK: comm.send buf(%[[BUF]] : !llvm.ptr) count(%[[L]] : i64) datatype(%[[T]]) dest(%[[I]] : index) tag(%[[N]]) comm(%[[C]])
  comm.send buf(%buf : !llvm.ptr) count(%l : i64) datatype(%t) dest(%i : index) tag(%n : i32) comm(%c)
  // A memref implies count and datatype.
  // CHECK: comm.bsend buf(%[[M]] : memref<16xf32>) dest(%[[N]]) tag(%[[N]]) comm(%[[C]])
  comm.bsend buf(%m : memref<16xf32>) dest(%n) tag(%n) comm(%c)
  // CHECK: comm.ssend async buf(%[[M]] : memref<16xf32>) dest(%[[N]]) tag(%[[N]]) comm(%[[C]]) request(%[[BUF]] : !llvm.ptr)
  comm.ssend async buf(%m : memref<16xf32>) dest(%n) tag(%n) comm(%c) request(%buf : !llvm.ptr)
  // CHECK: comm.ssend async buf(%[[M]] : memref<16xf32>) dest(%[[N]]) tag(%[[N]]) comm(%[[C]]) request(%[[BUF]] : !llvm.ptr) -> error
  %e = comm.ssend async buf(%m : memref<16xf32>) dest(%n) tag(%n) comm(%c) request(%buf : !llvm.ptr) -> error
  // CHECK: %[[R:.*]], %{{.*}} = comm.recv async buf(%[[M]] : memref<16xf32>) source(%[[N]]) tag(%[[N]]) comm(%[[C]]) -> request, error
  %r, %e2 = comm.recv async buf(%m : memref<16xf32>) source(%n) tag(%n) comm(%c) -> request, error
  // CHECK: %{{.*}}, %{{.*}} = comm.wait request(%[[R]]) -> status, error
  %s, %e3 = comm.wait request(%r) -> status, error
  // CHECK: comm.recv buf(%[[M]] : memref<16xf32>) source(%[[N]]) tag(%[[N]]) comm(%[[C]]) {note = "kept"} -> status, error
  %s2, %e4 = comm.recv buf(%m : memref<16xf32>) source(%n) tag(%n) comm(%c) {note = "kept"} -> status, error
  return
}

// CHECK-LABEL: func.func @completion
// CHECK-SAME: (%[[MEM:.*]]: !llvm.ptr, %[[N:.*]]: i32, %[[R1:.*]]: !comm.request, %[[R2:.*]]: !comm.request)
func.func @completion(%mem: !llvm.ptr, %n: i32, %r1: !comm.request, %r2: !comm.request) {
  // CHECK: comm.waitall array_of_requests(%[[R1]], %[[R2]])
  comm.waitall array_of_requests(%r1, %r2)
  // CHECK: comm.waitall
  // CHECK-NOT: (
  comm.waitall
  // CHECK: comm.waitall count(%[[N]]) array_of_requests(%[[MEM]] : !llvm.ptr) array_of_statuses(%[[MEM]] : !llvm.ptr)
  comm.waitall count(%n) array_of_requests(%mem : !llvm.ptr) array_of_statuses(%mem : !llvm.ptr)
  // CHECK: comm.waitany count(%[[N]]) array_of_requests(%[[MEM]] : !llvm.ptr) index(%[[MEM]] : !llvm.ptr) -> status
  %s = comm.waitany count(%n) array_of_requests(%mem : !llvm.ptr) index(%mem : !llvm.ptr) -> status
  // CHECK: comm.test request(%[[MEM]] : !llvm.ptr) flag(%[[MEM]] : !llvm.ptr) status(%[[MEM]] : !llvm.ptr) -> error
  %e = comm.test request(%mem : !llvm.ptr) flag(%mem : !llvm.ptr) status(%mem : !llvm.ptr) -> error
  return
}

// One-sided: displacements have 64 bits. The origin may be a memref; the target is always described explicitly.
// CHECK-LABEL: func.func @one_sided
// CHECK-SAME: (%[[MEM:.*]]: !llvm.ptr, %[[M:.*]]: memref<16xf32>, %[[N:.*]]: i32, %[[L:.*]]: i64, %[[T:.*]]: !comm.datatype, %[[C:.*]]: !comm.comm, %[[I:.*]]: !comm.info, %[[G:.*]]: !comm.group)
func.func @one_sided(%mem: !llvm.ptr, %m: memref<16xf32>, %n: i32, %l: i64, %t: !comm.datatype, %c: !comm.comm,
                     %i: !comm.info, %g: !comm.group) {
  // CHECK: %[[W:.*]], %{{.*}} = comm.win_create base(%[[MEM]] : !llvm.ptr) size(%[[L]] : i64) disp_unit(%[[N]]) info(%[[I]]) comm(%[[C]]) -> win, error
  %w, %e = comm.win_create base(%mem : !llvm.ptr) size(%l : i64) disp_unit(%n) info(%i) comm(%c) -> win, error
  // CHECK: comm.win_create base(%[[MEM]] : !llvm.ptr) size(%[[L]] : i64) disp_unit(%[[N]]) info(%[[I]]) comm(%[[C]]) win(%[[MEM]] : !llvm.ptr)
  comm.win_create base(%mem : !llvm.ptr) size(%l : i64) disp_unit(%n) info(%i) comm(%c) win(%mem : !llvm.ptr)
  // CHECK: comm.put origin_addr(%[[M]] : memref<16xf32>) target_rank(%[[N]]) target_disp(%[[L]] : i64) target_count(%[[N]]) target_datatype(%[[T]]) win(%[[W]])
  comm.put origin_addr(%m : memref<16xf32>) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) win(%w)
  // CHECK: comm.rget {{.*}} win(%[[W]]) request(%[[MEM]] : !llvm.ptr)
  comm.rget origin_addr(%mem : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) win(%w) request(%mem : !llvm.ptr)
  // CHECK: comm.win_post group(%[[G]]) assert(%[[N]]) win(%[[W]])
  comm.win_post group(%g) assert(%n) win(%w)
  // CHECK: comm.win_free win(%[[MEM]] : !llvm.ptr)
  comm.win_free win(%mem : !llvm.ptr)
  // CHECK: comm.cast %{{.*}} : !llvm.ptr to !comm.win
  %x = comm.cast %mem : !llvm.ptr to !comm.win
  // CHECK: comm.constant "MPI_INFO_NULL" : !comm.info
  %none = comm.constant "MPI_INFO_NULL" : !comm.info
  return
}

// CHECK-LABEL: func.func @objects
func.func @objects(%mem: !llvm.ptr, %i: i32, %l: i64) -> (!comm.request, !comm.message, !comm.status) {
  // CHECK: comm.constant "MPI_COMM_WORLD" : !comm.comm
  %w = comm.constant "MPI_COMM_WORLD" : !comm.comm
  // CHECK: comm.constant "MPI_SUM" : !comm.op
  %o = comm.constant "MPI_SUM" : !comm.op
  // CHECK: comm.constant "MPI_ANY_SOURCE" {note} : i32
  %a = comm.constant "MPI_ANY_SOURCE" {note} : i32
  // CHECK: comm.constant "MPI_BOTTOM" : !llvm.ptr
  %b = comm.constant "MPI_BOTTOM" : !llvm.ptr
  // CHECK: comm.cast %{{.*}} : i32 to !comm.request
  %r = comm.cast %i : i32 to !comm.request
  // CHECK: comm.cast %{{.*}} : i64 to !comm.message
  %m = comm.cast %l : i64 to !comm.message
  // CHECK: comm.cast %{{.*}} : !llvm.ptr to !comm.status
  %s = comm.cast %mem : !llvm.ptr to !comm.status
  return %r, %m, %s : !comm.request, !comm.message, !comm.status
}

// CHECK-LABEL: func.func @communicators
// CHECK-SAME: (%[[C:.*]]: !comm.comm, %[[MEM:.*]]: !llvm.ptr, %[[N:.*]]: i32)
func.func @communicators(%c: !comm.comm, %mem: !llvm.ptr, %n: i32) {
  // CHECK: comm.comm_rank comm(%[[C]]) rank(%[[MEM]] : !llvm.ptr)
  comm.comm_rank comm(%c) rank(%mem : !llvm.ptr)
  // CHECK: %{{.*}}, %{{.*}} = comm.comm_size comm(%[[C]]) -> size, error
  %s, %e = comm.comm_size comm(%c) -> size, error
  // CHECK: comm.comm_split comm(%[[C]]) color(%[[N]]) key(%[[N]]) newcomm(%[[MEM]] : !llvm.ptr)
  comm.comm_split comm(%c) color(%n) key(%n) newcomm(%mem : !llvm.ptr)
  // CHECK: comm.comm_free comm(%[[C]] : !comm.comm)
  comm.comm_free comm(%c : !comm.comm)
  return
}
