// The MPI on the path determines the ABI of every module whose lowering needs one: operations, constants, and handles
// that functions take or pass on.
// REQUIRES: openmpi
// RUN: comm-opt %s -split-input-file -comm-choose-abi | FileCheck %s

// CHECK: module attributes {comm.abi = "openmpi{{[45]}}"}
module {
  func.func @operation(%c: !comm.comm) {
    comm.barrier comm(%c)
    return
  }
}

// -----

// CHECK: module attributes {comm.abi = "openmpi{{[45]}}"}
module {
  func.func @constant() {
    %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
    return
  }
}

// -----

// CHECK: module attributes {comm.abi = "openmpi{{[45]}}"}
module {
  func.func private @handle(!comm.comm)
}

// -----

// CHECK: module attributes {comm.abi = "openmpi{{[45]}}"}
module {
  func.func @requests() {
    %none = comm.constant "MPI_REQUEST_NULL" : !comm.request
    return
  }
}

// -----

// CHECK: module attributes {comm.abi = "mpich"}
module attributes {comm.abi = "mpich"} {
  func.func private @named(!comm.comm)
}

// -----

// CHECK: module {
// CHECK-NOT: comm.abi
module {
  func.func @other(%n: index) -> index {
    return %n : index
  }
}
