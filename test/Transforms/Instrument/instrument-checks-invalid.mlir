// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: comm-opt --comm-instrument-checks --split-input-file --verify-diagnostics %s

module attributes {comm.abi = "openmpi4"} {
  func.func @outside(%buf: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    // expected-error @+1 {{'comm.send' op cannot be watched outside an llvm.func: convert the function to the llvm dialect first}}
    %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    comm.wait request(%r)
    return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @memref(%p: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %m = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<8xi32>
    // expected-error @+1 {{'comm.send' op cannot be watched with 'buf' of type 'memref<8xi32>': convert it to the llvm dialect first}}
    %r = comm.send async buf(%m : memref<8xi32>) dest(%n) tag(%n) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
}

// -----

// expected-error @+1 {{has no attribute comm.abi, which determines how handles are passed to the checker: name the MPI implementation in it}}
module {
  llvm.func @no_abi(%buf: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
}

// -----

// expected-error @+1 {{no MPI implementation is called 'lam'}}
module attributes {comm.abi = "lam"} {
  llvm.func @unknown_abi(%buf: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
}

// -----

// Nothing in flight: nothing to do, and no need to know the implementation.
module {
  llvm.func @blocking(%buf: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    comm.send buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
    llvm.return
  }
}
