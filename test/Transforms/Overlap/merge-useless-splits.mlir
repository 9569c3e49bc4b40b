// A function in which all split operations are blocking again counts as unchanged; one that keeps a start and a wait
// counts as changed, and so does one that was changed earlier.
// RUN: comm-opt -split-input-file -comm-split-blocking -comm-move-slices -comm-merge-useless-splits %s | FileCheck %s
// RUN: comm-opt -split-input-file -comm-split-blocking -comm-leave-branches=abi=openmpi4 -comm-move-slices \
// RUN:   -comm-return-waits -comm-merge-useless-splits %s | FileCheck %s --check-prefix=LEFT

// CHECK-LABEL: func.func @merged
// CHECK-NOT: comm.changed
// CHECK: comm.recv buf
// CHECK: return
func.func @merged(%m: memref<8xf32>, %n: i32, %c: !comm.comm) -> f32 {
  %zero = arith.constant 0 : index
  comm.recv buf(%m : memref<8xf32>) source(%n) tag(%n) comm(%c)
  %v = memref.load %m[%zero] : memref<8xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @overlaps
// CHECK-SAME: attributes {comm.changed} {
// CHECK: comm.recv async
// CHECK: scf.for
// CHECK: comm.wait
func.func @overlaps(%n: index, %rank: i32, %c: !comm.comm) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  comm.recv buf(%a : memref<16xf32>) source(%rank) tag(%rank) comm(%c)
  scf.for %i = %zero to %n step %one {
    memref.store %x, %b[%i] : memref<16xf32>
  }
  %v = memref.load %a[%zero] : memref<16xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @before
// CHECK-SAME: attributes {comm.changed} {
// CHECK: comm.recv buf
func.func @before(%m: memref<8xf32>, %n: i32, %c: !comm.comm) -> f32 attributes {comm.changed} {
  %zero = arith.constant 0 : index
  comm.recv buf(%m : memref<8xf32>) source(%n) tag(%n) comm(%c)
  %v = memref.load %m[%zero] : memref<8xf32>
  return %v : f32
}

// -----

// A wait that left its branch and follows other code there.
// LEFT-LABEL: llvm.func @left
// LEFT-SAME: attributes {comm.changed} {
// LEFT: comm.recv async
// LEFT: comm.wait
llvm.func @left(%a: !llvm.ptr {llvm.noalias}, %x: !llvm.ptr {llvm.noalias}, %status: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%status : !llvm.ptr)
  llvm.br ^join
^join:
  %y = llvm.getelementptr %x[1] : (!llvm.ptr) -> !llvm.ptr, i32
  %z = llvm.getelementptr %x[2] : (!llvm.ptr) -> !llvm.ptr, i32
  %old = llvm.load %y : !llvm.ptr -> i32
  llvm.store %n, %x : i32, !llvm.ptr
  llvm.store %n, %y : i32, !llvm.ptr
  llvm.store %old, %z : i32, !llvm.ptr
  llvm.return
}

// A wait that returned.
// LEFT-LABEL: llvm.func @back
// LEFT-NOT: comm.changed
// LEFT: comm.recv buf
// LEFT-NOT: comm.wait
llvm.func @back(%a: !llvm.ptr {llvm.noalias}, %status: !llvm.ptr {llvm.noalias}, %p: i1, %n: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  llvm.cond_br %p, ^arm, ^join
^arm:
  comm.recv buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) status(%status : !llvm.ptr)
  llvm.br ^join
^join:
  llvm.return
}
