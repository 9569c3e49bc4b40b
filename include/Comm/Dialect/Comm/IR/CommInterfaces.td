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
    An operation of the MPI standard. Operands are found by the standard's parameter names, results likewise; the rest
    of the methods say what MPI does with them, from the standard's tables.
  }];
  let cppNamespace = "::comm";
  let methods = [
    StaticInterfaceMethod<"The function of the blocking form, e.g. `MPI_Send`.",
      "::llvm::StringRef", "getMPIFunctionName">,
    StaticInterfaceMethod<"The names of the operand groups, in order.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getParamNames">,
    StaticInterfaceMethod<"The names of the result groups, in order, without their suffix `_result`.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getOutcomeNames">,
    InterfaceMethod<"The operands of the parameter of that index: none if it is absent.",
      "::mlir::OperandRange", "getParamOperands", (ins "unsigned":$index), [{ return $_op.getODSOperands(index); }]>,
    InterfaceMethod<"The results of the outcome of that index: none if it is absent.",
      "::mlir::ResultRange", "getOutcomeResults", (ins "unsigned":$index), [{ return $_op.getODSResults(index); }]>,
    InterfaceMethod<"Blocking or async.", "::comm::Mode", "getMode">,
    StaticInterfaceMethod<"Parameters whose buffers hold `count` elements for each process of the communicator.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getPerRankBuffers">,
    StaticInterfaceMethod<"It has a communicator, yet no other process takes part.", "bool", "isLocalOperation">,
    StaticInterfaceMethod<"Its completion tells that another process reached some point (ssend, barrier).",
      "bool", "completesRemotely">,
    StaticInterfaceMethod<"It is correct only where the matching receive is known to be posted (rsend).",
      "bool", "needsPostedReceive">,
    StaticInterfaceMethod<"It completes without waiting for any other process (bsend).", "bool", "completesAtOnce">,
    StaticInterfaceMethod<"It exchanges with the neighbors of a topology, whose number no operand tells.",
      "bool", "isNeighborhood">,
    StaticInterfaceMethod<"It is over nowhere before all processes of a group have started it, if its end tells of any of "
      "them (allreduce, alltoall; not where somebody may get nothing while others do, as by alltoallv, or a rank gets "
      "less than others, as by scan).", "bool", "joinsAll">,
  ];
  let extraSharedClassDeclaration = [{
    /// What the standard says of this operation's blocking form.
    const ::comm::mpi::Function &getFunction() {
      return *::comm::mpi::lookupFunction($_op.getMPIFunctionName());
    }
    /// The MPI function that this operation calls, its mode considered: `MPI_Isend` for an async send.
    const ::comm::mpi::Function &getCalledFunction() {
      const ::comm::mpi::Function &function = getFunction();
      return isAsync() ? *::comm::mpi::lookupFunction(function.nonblocking) : function;
    }
    bool isAsync() { return $_op.getMode() == ::comm::Mode::async; }
    /// The only operand of that parameter, or null. `name` is the standard's.
    ::mlir::Value getParam(::llvm::StringRef name) {
      return ::comm::detail::getParam($_op.getOperation(), name);
    }
    /// The result that stands for that OUT parameter, or null; also `request` and `error`.
    ::mlir::Value getOutcome(::llvm::StringRef name) {
      return ::comm::detail::getOutcome($_op.getOperation(), name);
    }
    /// The communicator, or null where the operation has none.
    ::mlir::Value getCommunicator() { return getParam("comm"); }
    /// What MPI reads and writes in memory (see BufferAccess), buffers and argument arrays alike.
    ::llvm::SmallVector<::comm::BufferAccess> getAccesses() {
      return ::comm::getAccesses($_op.getOperation());
    }
    /// Which messages it can be matched with.
    ::comm::Matching getMatching() { return ::comm::getMatching($_op.getOperation()); }
    /// What a get or put copies.
    ::comm::RemoteAccess getRemoteAccess() { return ::comm::getRemoteAccess($_op.getOperation()); }
    /// True if no other process can take part or notice.
    bool isLocal() { return ::comm::isLocal($_op.getOperation()); }
    /// True if it makes, uses, synchronizes or ends a window: what it does to memory goes on, here and elsewhere, until a
    /// synchronization that may be anywhere in the program.
    bool isOneSided() { return getFunction().isOneSided(); }
    /// True if each element of the result depends on the elements at the same place of the contributions alone, so that
    /// a vector may be reduced in pieces: a reduction by a predefined operator (MPI-4, 6.9.1) of as many elements
    /// everywhere.
    bool isElementwiseReduction() { return ::comm::isElementwiseReduction($_op.getOperation()); }
    /// True if it may touch memory that none of its operands points to, completed requests and windows aside: what its
    /// function keeps, or what another operation started.
    bool reachesBeyondArguments() { return ::comm::reachesBeyondArguments($_op.getOperation()); }
    /// True if it can be made async: MPI has a nonblocking form.
    bool hasAsyncForm() { return getFunction().hasNonblocking(); }
  }];
}

def Comm_CompletionOpInterface : OpInterface<"CompletionOpInterface"> {
  let description = [{ An operation that completes requests, or asks whether they are complete: wait, test and their
    any, some and all forms (MPI-4, 3.7.3 and 3.7.5). }];
  let cppNamespace = "::comm";
  let methods = [
    InterfaceMethod<"The requests: `!comm.request` values, or one pointer to the first in memory.",
      "::mlir::OperandRange", "getRequests">,
    InterfaceMethod<"True if all requests are complete when it returns: wait and waitall.", "bool", "completesAll">,
    InterfaceMethod<"True if it waits under a condition alone, and another wait for the same requests comes later.",
      "bool", "isConditional", (ins), "", [{ return false; }]>,
  ];
}

#endif // COMM_DIALECT_COMM_IR_COMMINTERFACES_TD
