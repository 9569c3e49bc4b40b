//===- CommInterfaces.td - Interfaces of comm ops ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMINTERFACES_TD
#define COMM_DIALECT_COMM_IR_COMMINTERFACES_TD

include "mlir/IR/OpBase.td"

def Comm_MPIOpInterface : OpInterface<"MPIOpInterface"> {
  let description = [{
    An operation of the MPI standard. Operands and results are looked up by the standard's parameter names. The other
    methods describe what MPI does with them, according to the standard's tables.
  }];
  let cppNamespace = "::comm";
  let methods = [
    StaticInterfaceMethod<"Returns the function of the blocking form, e.g. `MPI_Send`.",
      "::llvm::StringRef", "getMPIFunctionName">,
    StaticInterfaceMethod<"Returns the names of the operand groups, in order.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getParamNames">,
    StaticInterfaceMethod<"Returns the names of the result groups, in order, without their suffix `_result`.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getOutcomeNames">,
    InterfaceMethod<"Returns the operands of the parameter with that index: none if it is absent.",
      "::mlir::OperandRange", "getParamOperands", (ins "unsigned":$index), [{ return $_op.getODSOperands(index); }]>,
    InterfaceMethod<"Returns the results of the outcome with that index: none if it is absent.",
      "::mlir::ResultRange", "getOutcomeResults", (ins "unsigned":$index), [{ return $_op.getODSResults(index); }]>,
    InterfaceMethod<"Returns whether the operation is blocking or async.", "::comm::Mode", "getMode">,
    StaticInterfaceMethod<"Returns the parameters whose buffers hold `count` elements for each process of the "
      "communicator.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getPerRankBuffers">,
    StaticInterfaceMethod<"Returns true if no other process takes part although the operation has a communicator.",
      "bool", "isLocalOperation">,
    StaticInterfaceMethod<"Returns true if its completion implies that another process has reached some point "
      "(ssend, barrier).",
      "bool", "completesRemotely">,
    StaticInterfaceMethod<"Returns true if it is correct only if the matching receive is known to be posted (rsend).",
      "bool", "needsPostedReceive">,
    StaticInterfaceMethod<"Returns true if it completes without waiting for any other process (bsend).",
      "bool", "completesAtOnce">,
    StaticInterfaceMethod<"Returns true if it communicates with the neighbors in a topology, whose number is not an "
      "operand.",
      "bool", "isNeighborhood">,
    StaticInterfaceMethod<"Returns true if no process gets a result that depends on any other process before all "
      "processes of its group have started (allreduce and alltoall, but not alltoallv, where some processes may get "
      "nothing, or scan, where ranks get different parts).", "bool", "joinsAll">,
  ];
  let extraSharedClassDeclaration = [{
    /// Returns the standard's description of this operation's blocking form.
    const ::comm::mpi::Function &getFunction() {
      return *::comm::mpi::lookupFunction($_op.getMPIFunctionName());
    }
    /// Returns the MPI function that this operation calls, according to its mode: `MPI_Isend` for an async send.
    const ::comm::mpi::Function &getCalledFunction() {
      const ::comm::mpi::Function &function = getFunction();
      return isAsync() ? *::comm::mpi::lookupFunction(function.nonblocking) : function;
    }
    bool isAsync() { return $_op.getMode() == ::comm::Mode::async; }
    /// Returns the only operand of that parameter, or null. `name` is the standard's.
    ::mlir::Value getParam(::llvm::StringRef name) {
      return ::comm::detail::getParam($_op.getOperation(), name);
    }
    /// Returns the result for that OUT parameter, `request` or `error`, or null.
    ::mlir::Value getOutcome(::llvm::StringRef name) {
      return ::comm::detail::getOutcome($_op.getOperation(), name);
    }
    /// Returns the communicator, or null if the operation has none.
    ::mlir::Value getCommunicator() { return getParam("comm"); }
    /// Returns MPI's reads and writes of memory (see BufferAccess), including argument arrays.
    ::llvm::SmallVector<::comm::BufferAccess> getAccesses() {
      return ::comm::getAccesses($_op.getOperation());
    }
    /// Returns which messages it can be matched with.
    ::comm::Matching getMatching() { return ::comm::getMatching($_op.getOperation()); }
    /// Returns what a get or put copies.
    ::comm::RemoteAccess getRemoteAccess() { return ::comm::getRemoteAccess($_op.getOperation()); }
    /// Returns true if no other process can take part or notice.
    bool isLocal() { return ::comm::isLocal($_op.getOperation()); }
    /// Returns true if it creates, uses, synchronizes or frees a window: its memory accesses, in this process and
    /// others, last until a synchronization that may be anywhere in the program.
    bool isOneSided() { return getFunction().isOneSided(); }
    /// Returns true if each element of the result depends only on the elements at the same position of the
    /// contributions, so that a vector may be reduced in pieces: a reduction with a predefined operator (MPI-4, 6.9.1)
    /// of the same number of elements in all processes.
    bool isElementwiseReduction() { return ::comm::isElementwiseReduction($_op.getOperation()); }
    /// Returns true if it may access memory that none of its operands points to, apart from completed requests and
    /// windows: memory that its function keeps, or that belongs to an operation started earlier.
    bool reachesBeyondArguments() { return ::comm::reachesBeyondArguments($_op.getOperation()); }
    /// Returns true if it can be made async, that is, if MPI has a nonblocking form.
    bool hasAsyncForm() { return getFunction().hasNonblocking(); }
  }];
}

def Comm_CompletionOpInterface : OpInterface<"CompletionOpInterface"> {
  let description = [{ An operation that completes requests or tests whether they are complete: wait, test and their
    any, some and all forms (MPI-4, 3.7.3 and 3.7.5). }];
  let cppNamespace = "::comm";
  let methods = [
    InterfaceMethod<"Returns the requests: `!comm.request` values, or one pointer to the first in memory.",
      "::mlir::OperandRange", "getRequests">,
    InterfaceMethod<"Returns true if all requests are complete when it returns: wait and waitall.",
      "bool", "completesAll">,
    InterfaceMethod<"Returns true if it waits only under a condition, and another wait for the same requests follows.",
      "bool", "isConditional", (ins), "", [{ return false; }]>,
  ];
}

#endif // COMM_DIALECT_COMM_IR_COMMINTERFACES_TD
