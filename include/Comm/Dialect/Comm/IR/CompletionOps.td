//===- CompletionOps.td - Waits and tests ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What completes the requests of async operations (MPI-4, 3.7). Included by CommOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMPLETIONOPS_TD
#define COMM_DIALECT_COMM_IR_COMPLETIONOPS_TD

def Comm_WaitOp : Comm_CompletionOp<MPI_Wait, "request"> {
  let hasCanonicalizeMethod = 1;
  let summary = "wait for one request";
  let description = [{
    Returns once the request is complete; its buffers belong to the program again (MPI-4, 3.7.3).

    ```mlir
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    comm.wait request(%mem : !llvm.ptr) status(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_WaitallOp : Comm_CompletionOp<MPI_Waitall, "array_of_requests"> {
  let summary = "wait for all requests";
  let description = [{
    Returns once all requests are complete (MPI-4, 3.7.5).

    ```mlir
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.waitall array_of_requests(%r)
    comm.waitall count(%n) array_of_requests(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_WaitanyOp : Comm_CompletionOp<MPI_Waitany, "array_of_requests"> {
  let summary = "wait for one of several requests";
  let description = [{
    Returns once one request is complete, and its index (MPI-4, 3.7.5).

    ```mlir
    %i = comm.waitany count(%n) array_of_requests(%mem : !llvm.ptr) -> index
    ```
  }];
}

def Comm_WaitsomeOp : Comm_CompletionOp<MPI_Waitsome, "array_of_requests"> {
  let summary = "wait for some of several requests";
  let description = [{
    Returns once at least one request is complete, and the indices of those that are (MPI-4, 3.7.5).

    ```mlir
    %c = comm.waitsome incount(%n) array_of_requests(%mem : !llvm.ptr) array_of_indices(%mem : !llvm.ptr) -> outcount
    ```
  }];
}

def Comm_TestOp : Comm_CompletionOp<MPI_Test, "request"> {
  let summary = "ask for one request";
  let description = [{
    Tells whether the request is complete (MPI-4, 3.7.3).

    ```mlir
    %done = comm.test request(%mem : !llvm.ptr) -> flag
    ```
  }];
}

def Comm_TestallOp : Comm_CompletionOp<MPI_Testall, "array_of_requests"> {
  let summary = "ask for all requests";
  let description = [{
    Tells whether all requests are complete (MPI-4, 3.7.5).

    ```mlir
    %done = comm.testall count(%n) array_of_requests(%mem : !llvm.ptr) -> flag
    ```
  }];
}

def Comm_TestanyOp : Comm_CompletionOp<MPI_Testany, "array_of_requests"> {
  let summary = "ask for one of several requests";
  let description = [{
    Tells whether one request is complete, and which (MPI-4, 3.7.5).

    ```mlir
    %i, %done = comm.testany count(%n) array_of_requests(%mem : !llvm.ptr) -> index, flag
    ```
  }];
}

def Comm_TestsomeOp : Comm_CompletionOp<MPI_Testsome, "array_of_requests"> {
  let summary = "ask for some of several requests";
  let description = [{
    Tells which requests are complete (MPI-4, 3.7.5).

    ```mlir
    %c = comm.testsome incount(%n) array_of_requests(%mem : !llvm.ptr) array_of_indices(%mem : !llvm.ptr) -> outcount
    ```
  }];
}

#endif // COMM_DIALECT_COMM_IR_COMPLETIONOPS_TD
