//===- CompletionOps.td - Waits and tests ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that complete the requests of async operations (MPI-4, 3.7). Included by CommOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMPLETIONOPS_TD
#define COMM_DIALECT_COMM_IR_COMPLETIONOPS_TD

def Comm_WaitOp : Comm_CompletionOp<MPI_Wait, "request"> {
  let hasCanonicalizeMethod = 1;
  let summary = "wait for one request";
  let description = [{
    Returns once the request is complete; its buffers then belong to the program again (MPI-4, 3.7.3).

    ```mlir
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    comm.wait request(%mem : !llvm.ptr) status(%mem : !llvm.ptr)
    ```
  }];
}

/// An early wait under a condition, which is not an MPI parameter. `requests` is the index of the operand with the
/// requests.
class Comm_ConditionalWaitOp<string mnemonic, string function, int requests>
    : Comm_Op<mnemonic, [Comm_MPIOpInterface, Comm_CompletionOpInterface,
                         DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let extraClassDeclaration = [{
    static ::llvm::StringRef getMPIFunctionName() { return "}] # function # [{"; }
    static ::llvm::ArrayRef<::llvm::StringRef> getParamNames();
    static ::llvm::ArrayRef<::llvm::StringRef> getOutcomeNames() { return {}; }
    static ::llvm::ArrayRef<::llvm::StringRef> getPerRankBuffers() { return {}; }
    static bool isLocalOperation() { return false; }
    static bool completesRemotely() { return false; }
    static bool needsPostedReceive() { return false; }
    static bool completesAtOnce() { return false; }
    static bool isNeighborhood() { return false; }
    static bool joinsAll() { return false; }
    ::comm::Mode getMode() { return ::comm::Mode::blocking; }
    ::mlir::OperandRange getRequests() { return getODSOperands(}] # requests # [{); }
    /// It may complete all of them, which matters for the order of operations.
    bool completesAll() { return true; }
    bool isConditional() { return true; }
  }];
}

def Comm_WaitIfOp : Comm_ConditionalWaitOp<"wait_if", "MPI_Wait", 0> {
  let summary = "wait for one request early if a condition holds";
  let description = [{
    Waits for the request if the condition is true, and does nothing otherwise. A `comm.wait` for the same request
    follows. If the request is complete by then, its handle is null, and MPI returns immediately (MPI-4, 3.7.3).

    Code motion leaves this operation at the original place of a wait that has passed other operations, if it may pass
    them only under a condition that is known at run time. The operation that actually waits writes the status. If the
    request is in memory, its wait has left the branch of its start (`comm.left`).

    ```mlir
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.wait_if %condition request(%r)
    comm.wait_if %condition request(%r) status(%mem : !llvm.ptr)
    comm.wait_if %condition request(%mem : !llvm.ptr)
    ```
  }];
  let arguments = (ins AnyTypeOf<[Comm_Request, LLVM_AnyPointer]>:$request,
                   Optional<AnyTypeOf<[LLVM_AnyPointer]>>:$status, I1:$condition);
  let assemblyFormat = [{ $condition `request` `(` custom<Request>($request, type($request)) `)`
                          (`status` `(` $status^ `:` type($status) `)`)? attr-dict }];
}

def Comm_WaitallIfOp : Comm_ConditionalWaitOp<"waitall_if", "MPI_Waitall", 1> {
  let summary = "wait for requests in memory early if a condition holds";
  let description = [{
    Waits for all of the requests if the condition is true, and does nothing otherwise. A `comm.waitall` or `comm.wait`
    for the same requests follows. It then finds null or inactive requests, for which MPI returns immediately (MPI-4,
    3.7.3 and 3.9).

    Code motion leaves this operation at the original place of a wait that has moved, like `comm.wait_if` for a request
    that is a value. Nothing reads the statuses.

    ```mlir
    comm.waitall_if %condition count(%n : i32) array_of_requests(%mem : !llvm.ptr)
    ```
  }];
  let arguments = (ins AnySignlessInteger:$count, AnyTypeOf<[LLVM_AnyPointer]>:$array_of_requests, I1:$condition);
  let assemblyFormat = [{ $condition `count` `(` $count `:` type($count) `)`
                          `array_of_requests` `(` $array_of_requests `:` type($array_of_requests) `)` attr-dict }];
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
    Returns the index of a request once one is complete (MPI-4, 3.7.5).

    ```mlir
    %i = comm.waitany count(%n) array_of_requests(%mem : !llvm.ptr) -> index
    ```
  }];
}

def Comm_WaitsomeOp : Comm_CompletionOp<MPI_Waitsome, "array_of_requests"> {
  let summary = "wait for some of several requests";
  let description = [{
    Returns the indices of the complete requests once there is at least one (MPI-4, 3.7.5).

    ```mlir
    %c = comm.waitsome incount(%n) array_of_requests(%mem : !llvm.ptr) array_of_indices(%mem : !llvm.ptr) -> outcount
    ```
  }];
}

def Comm_TestOp : Comm_CompletionOp<MPI_Test, "request"> {
  let summary = "test one request";
  let description = [{
    Returns whether the request is complete (MPI-4, 3.7.3).

    ```mlir
    %done = comm.test request(%mem : !llvm.ptr) -> flag
    ```
  }];
}

def Comm_TestallOp : Comm_CompletionOp<MPI_Testall, "array_of_requests"> {
  let summary = "test all requests";
  let description = [{
    Returns whether all requests are complete (MPI-4, 3.7.5).

    ```mlir
    %done = comm.testall count(%n) array_of_requests(%mem : !llvm.ptr) -> flag
    ```
  }];
}

def Comm_TestanyOp : Comm_CompletionOp<MPI_Testany, "array_of_requests"> {
  let summary = "test for one of several requests";
  let description = [{
    Returns whether a request is complete, and which one (MPI-4, 3.7.5).

    ```mlir
    %i, %done = comm.testany count(%n) array_of_requests(%mem : !llvm.ptr) -> index, flag
    ```
  }];
}

def Comm_TestsomeOp : Comm_CompletionOp<MPI_Testsome, "array_of_requests"> {
  let summary = "test for some of several requests";
  let description = [{
    Returns which requests are complete (MPI-4, 3.7.5).

    ```mlir
    %c = comm.testsome incount(%n) array_of_requests(%mem : !llvm.ptr) array_of_indices(%mem : !llvm.ptr) -> outcount
    ```
  }];
}

#endif // COMM_DIALECT_COMM_IR_COMPLETIONOPS_TD
