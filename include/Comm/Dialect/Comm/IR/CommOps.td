//===- CommOps.td - The operations of the comm dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MPI operation is one `def` here: its operands and results come from the MPI Forum's API data, by way of
// MPIFunctions.td, which the build generates. The examples are tests: test/Dialect/Comm/examples.test runs them.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMOPS_TD
#define COMM_DIALECT_COMM_IR_COMMOPS_TD

include "Comm/Dialect/Comm/IR/CommBase.td"
include "Comm/Dialect/Comm/IR/CommInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A function of the MPI standard; the records are generated.
class MPI_Function<string function, string mnemonic> {
  string functionName = function;
  string opMnemonic = mnemonic;
  dag operands = (ins);
  dag results = (outs);
}

include "MPIFunctions.td"

class Comm_Op<string mnemonic, list<Trait> traits = []> : Op<Comm_Dialect, mnemonic, traits>;

/// An operation of MPI: syntax, verifier, effects and interface methods are the same for all of them and follow from the
/// standard's tables.
class Comm_MPIOp<MPI_Function f, list<Trait> traits = []>
    : Comm_Op<f.opMnemonic,
              !if(!gt(!size(f.operands), 1), [AttrSizedOperandSegments], []<Trait>)
                  # !if(!gt(!size(f.results), 1), [AttrSizedResultSegments], []<Trait>)
                  # [Comm_MPIOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let arguments = !con(f.operands, (ins DefaultValuedAttr<Comm_Mode, "::comm::Mode::blocking">:$mode));
  let results = f.results;
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;

  /// Buffers that hold `count` elements for each process of the communicator.
  list<string> perRankBuffers = [];
  /// The tables say that a communicator takes part; this operation only asks it something.
  bit localOperation = 0;
  /// Completion tells that another process has reached some point, so it orders more than its own buffers.
  bit completesRemotely = 0;
  /// Correct only where the matching receive is known to be posted.
  bit needsPostedReceive = 0;
  /// Completes without waiting for any other process.
  bit completesAtOnce = 0;

  defvar paramNames = !foreach(i, !range(!size(f.operands)), "\"" # !getdagname(f.operands, i) # "\"");
  defvar resultNames = !foreach(i, !range(!size(f.results)), "\"" # !getdagname(f.results, i) # "\"");
  code mpiDeclarations = [{
    static ::llvm::StringRef getMPIFunctionName() { return "}] # f.functionName # [{"; }
    static ::llvm::ArrayRef<::llvm::StringRef> getParamNames();
    static ::llvm::ArrayRef<::llvm::StringRef> getOutcomeNames();
    static ::llvm::ArrayRef<::llvm::StringRef> getPerRankBuffers();
    static bool isLocalOperation() { return }] # !if(localOperation, "true", "false") # [{; }
    static bool completesRemotely() { return }] # !if(completesRemotely, "true", "false") # [{; }
    static bool needsPostedReceive() { return }] # !if(needsPostedReceive, "true", "false") # [{; }
    static bool completesAtOnce() { return }] # !if(completesAtOnce, "true", "false") # [{; }
  }];
  let extraClassDeclaration = mpiDeclarations;
  code mpiDefinitions = [{
    ::llvm::ArrayRef<::llvm::StringRef> $cppClass::getParamNames() {
      static const std::vector<::llvm::StringRef> names = {}] # !interleave(paramNames, ", ") # [{};
      return names;
    }
    ::llvm::ArrayRef<::llvm::StringRef> $cppClass::getOutcomeNames() {
      static const std::vector<::llvm::StringRef> names = ::comm::detail::stripResultSuffix(
          {}] # !interleave(resultNames, ", ") # [{});
      return names;
    }
    ::llvm::ArrayRef<::llvm::StringRef> $cppClass::getPerRankBuffers() {
      static const std::vector<::llvm::StringRef> names = {}]
        # !interleave(!foreach(n, perRankBuffers, "\"" # n # "\""), ", ") # [{};
      return names;
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      auto &properties = state.getOrAddProperties<$cppClass::Properties>();
      return ::comm::detail::parseMPIOp(parser, state, getMPIFunctionName(), getParamNames(), getOutcomeNames(),
                                        ::comm::detail::operandSegments(properties, 0),
                                        ::comm::detail::resultSegments(properties, 0), properties.mode);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { ::comm::detail::printMPIOp(printer, *this); }
    ::llvm::LogicalResult $cppClass::verify() { return ::comm::detail::verifyMPIOp(*this); }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      ::comm::detail::getMPIEffects(*this, effects);
    }
  }];
  let extraClassDefinition = mpiDefinitions;
}

/// An operation that completes requests, which are its parameter `requests`.
class Comm_CompletionOp<MPI_Function f, string requests> : Comm_MPIOp<f, [Comm_CompletionOpInterface]> {
  let extraClassDeclaration = mpiDeclarations # [{
    ::mlir::OperandRange getRequests() { return ::comm::detail::getParamOperands(*this, "}] # requests # [{"); }
    bool completesAll() { return ::comm::detail::completesAll(*this); }
  }];
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

def Comm_ConstantOp : Comm_Op<"constant", [Pure, ConstantLike]> {
  let summary = "a predefined object or constant of MPI";
  let description = [{
    A predefined communicator, datatype, operator or request, or a constant such as MPI_ANY_SOURCE or MPI_IN_PLACE, by
    its name in the MPI standard. How an implementation spells it is decided when comm is lowered.

    ```mlir
    %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %double = comm.constant "MPI_DOUBLE" : !comm.datatype
    %any = comm.constant "MPI_ANY_SOURCE" : i32
    %place = comm.constant "MPI_IN_PLACE" : !llvm.ptr
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$name attr-dict `:` type($value)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Comm_CastOp : Comm_Op<"cast", [Pure]> {
  let summary = "a handle as its implementation's representation, or back";
  let description = [{
    MPI handles are pointers in some implementations and integers in others. This operation turns such a value into a
    typed handle, or a typed handle into such a value.

    ```mlir
    %c = comm.cast %ptr : !llvm.ptr to !comm.comm
    %h = comm.cast %c : !comm.comm to !llvm.ptr
    ```
  }];
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($output)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Operations of MPI
//===----------------------------------------------------------------------===//

def Comm_SendOp : Comm_MPIOp<MPI_Send> {
  let summary = "standard send";
  let description = [{
    Sends a message in standard mode (MPI-4, 3.4). It may return before the message is received; MPI decides whether
    to buffer it.

    ```mlir
    comm.send buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_BsendOp : Comm_MPIOp<MPI_Bsend> {
  let summary = "buffered send";
  let description = [{
    Sends a message in buffered mode (MPI-4, 3.4). It completes locally: the message is copied to the buffer that
    the program attached.

    ```mlir
    comm.bsend buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.bsend async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let completesAtOnce = 1;
}

def Comm_SsendOp : Comm_MPIOp<MPI_Ssend> {
  let summary = "synchronous send";
  let description = [{
    Sends a message in synchronous mode (MPI-4, 3.4). It completes only once the matching receive has started, so it
    orders the two processes.

    ```mlir
    comm.ssend buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.ssend async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let completesRemotely = 1;
}

def Comm_RsendOp : Comm_MPIOp<MPI_Rsend> {
  let summary = "ready send";
  let description = [{
    Sends a message in ready mode (MPI-4, 3.4). It is correct only if the matching receive is already posted.

    ```mlir
    comm.rsend buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.rsend async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let needsPostedReceive = 1;
}

def Comm_RecvOp : Comm_MPIOp<MPI_Recv> {
  let summary = "receive";
  let description = [{
    Receives a message (MPI-4, 3.2.4). The status tells source, tag and size; without it MPI is given
    MPI_STATUS_IGNORE.

    ```mlir
    comm.recv buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) status(%mem : !llvm.ptr)
    %r = comm.recv async buf(%m : memref<16xf32>) source(%peer) tag(%tag) comm(%comm) -> request
    %s = comm.wait request(%r) -> status
    ```
  }];
}

def Comm_SendrecvOp : Comm_MPIOp<MPI_Sendrecv> {
  let summary = "send and receive";
  let description = [{
    Sends one message and receives another, as if by two concurrent processes (MPI-4, 3.10).

    ```mlir
    comm.sendrecv sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) dest(%peer) sendtag(%tag) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) source(%peer) recvtag(%tag) comm(%comm)
    ```
  }];
}

def Comm_SendrecvReplaceOp : Comm_MPIOp<MPI_Sendrecv_replace> {
  let summary = "send and receive in one buffer";
  let description = [{
    Sends the content of a buffer and receives another message into the same buffer (MPI-4, 3.10).

    ```mlir
    comm.sendrecv_replace buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) sendtag(%tag) source(%peer) recvtag(%tag) comm(%comm)
    ```
  }];
}

def Comm_ProbeOp : Comm_MPIOp<MPI_Probe> {
  let summary = "wait for a message without receiving it";
  let description = [{
    Returns once a matching message could be received; the status describes it (MPI-4, 3.8.1).

    ```mlir
    %s = comm.probe source(%peer) tag(%tag) comm(%comm) -> status
    ```
  }];
}

def Comm_IprobeOp : Comm_MPIOp<MPI_Iprobe> {
  let summary = "ask for a message without receiving it";
  let description = [{
    Tells whether a matching message could be received now (MPI-4, 3.8.1).

    ```mlir
    %flag, %s = comm.iprobe source(%peer) tag(%tag) comm(%comm) -> flag, status
    ```
  }];
}

def Comm_MprobeOp : Comm_MPIOp<MPI_Mprobe> {
  let summary = "wait for a message and take it";
  let description = [{
    Like probe; the message found is given only to the `comm.mrecv` that is passed it (MPI-4, 3.8.2).

    ```mlir
    %msg, %s = comm.mprobe source(%peer) tag(%tag) comm(%comm) -> message, status
    comm.mrecv buf(%buf : !llvm.ptr) count(%n) datatype(%type) message(%msg)
    ```
  }];
}

def Comm_ImprobeOp : Comm_MPIOp<MPI_Improbe> {
  let summary = "ask for a message and take it";
  let description = [{
    Like iprobe; a message that was found is given only to the `comm.mrecv` that is passed it (MPI-4, 3.8.2).

    ```mlir
    %flag, %msg, %s = comm.improbe source(%peer) tag(%tag) comm(%comm) -> flag, message, status
    ```
  }];
}

def Comm_MrecvOp : Comm_MPIOp<MPI_Mrecv> {
  let summary = "receive a matched message";
  let description = [{
    Receives the message that a matched probe took (MPI-4, 3.8.3).

    ```mlir
    comm.mrecv buf(%buf : !llvm.ptr) count(%n) datatype(%type) message(%mem : !llvm.ptr)
    %r = comm.mrecv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) message(%mem : !llvm.ptr) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_BarrierOp : Comm_MPIOp<MPI_Barrier> {
  let summary = "wait for all processes";
  let description = [{
    Returns once all processes of the communicator have entered it (MPI-4, 6.3). It moves no data: what it orders is
    everything else.

    ```mlir
    comm.barrier comm(%comm)
    %r = comm.barrier async comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let completesRemotely = 1;
}

def Comm_BcastOp : Comm_MPIOp<MPI_Bcast> {
  let summary = "one process to all";
  let description = [{
    Sends the root's buffer to all processes (MPI-4, 6.4). Read at the root, written elsewhere.

    ```mlir
    comm.bcast buffer(%buf : !llvm.ptr) count(%n) datatype(%type) root(%root) comm(%comm)
    %r = comm.bcast async buffer(%buf : !llvm.ptr) count(%n) datatype(%type) root(%root) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_GatherOp : Comm_MPIOp<MPI_Gather> {
  let summary = "all processes to one";
  let description = [{
    Collects one block from each process at the root, in rank order (MPI-4, 6.5).

    ```mlir
    comm.gather sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) root(%root) comm(%comm)
    %r = comm.gather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) root(%root) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let perRankBuffers = ["recvbuf"];
}

def Comm_GathervOp : Comm_MPIOp<MPI_Gatherv> {
  let summary = "all processes to one, sizes vary";
  let description = [{
    Collects a block from each process at the root; its counts and displacements are arrays (MPI-4, 6.5).

    ```mlir
    comm.gatherv sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) root(%root) comm(%comm)
    %r = comm.gatherv async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) root(%root) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_ScatterOp : Comm_MPIOp<MPI_Scatter> {
  let summary = "one process to all, a block each";
  let description = [{
    Sends block i of the root's buffer to process i (MPI-4, 6.6).

    ```mlir
    comm.scatter sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) root(%root) comm(%comm)
    %r = comm.scatter async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) root(%root) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let perRankBuffers = ["sendbuf"];
}

def Comm_ScattervOp : Comm_MPIOp<MPI_Scatterv> {
  let summary = "one process to all, a block each, sizes vary";
  let description = [{
    Sends a block of the root's buffer to each process; counts and displacements are arrays (MPI-4, 6.6).

    ```mlir
    comm.scatterv sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) root(%root) comm(%comm)
    %r = comm.scatterv async sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) root(%root) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_AllgatherOp : Comm_MPIOp<MPI_Allgather> {
  let summary = "all processes to all, one block each";
  let description = [{
    A gather whose result all processes receive (MPI-4, 6.7).

    ```mlir
    comm.allgather sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm)
    %r = comm.allgather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let perRankBuffers = ["recvbuf"];
}

def Comm_AllgathervOp : Comm_MPIOp<MPI_Allgatherv> {
  let summary = "all processes to all, sizes vary";
  let description = [{
    A gatherv whose result all processes receive (MPI-4, 6.7).

    ```mlir
    comm.allgatherv sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) comm(%comm)
    %r = comm.allgatherv async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_AlltoallOp : Comm_MPIOp<MPI_Alltoall> {
  let summary = "each process to each";
  let description = [{
    Process i receives block i of every process (MPI-4, 6.8).

    ```mlir
    comm.alltoall sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm)
    %r = comm.alltoall async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let perRankBuffers = ["sendbuf", "recvbuf"];
}

def Comm_AlltoallvOp : Comm_MPIOp<MPI_Alltoallv> {
  let summary = "each process to each, sizes vary";
  let description = [{
    An alltoall whose counts and displacements are arrays (MPI-4, 6.8).

    ```mlir
    comm.alltoallv sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtype(%type) comm(%comm)
    %r = comm.alltoallv async sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_AlltoallwOp : Comm_MPIOp<MPI_Alltoallw> {
  let summary = "each process to each, sizes and datatypes vary";
  let description = [{
    An alltoall whose counts, byte displacements and datatypes are arrays (MPI-4, 6.8).

    ```mlir
    comm.alltoallw sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtypes(%mem : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtypes(%mem : !llvm.ptr) comm(%comm)
    %r = comm.alltoallw async sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtypes(%mem : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtypes(%mem : !llvm.ptr) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_ReduceOp : Comm_MPIOp<MPI_Reduce> {
  let summary = "combine at one process";
  let description = [{
    Combines the buffers of all processes element by element at the root (MPI-4, 6.9.1).

    ```mlir
    comm.reduce sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) root(%root) comm(%comm)
    %r = comm.reduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) root(%root) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_AllreduceOp : Comm_MPIOp<MPI_Allreduce> {
  let summary = "combine at all processes";
  let description = [{
    A reduce whose result all processes receive (MPI-4, 6.9.6).

    ```mlir
    comm.allreduce sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) comm(%comm)
    %r = comm.allreduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_ReduceScatterBlockOp : Comm_MPIOp<MPI_Reduce_scatter_block> {
  let summary = "combine and scatter, equal blocks";
  let description = [{
    A reduce whose result is scattered in blocks of one size (MPI-4, 6.10.1).

    ```mlir
    comm.reduce_scatter_block sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcount(%n) datatype(%type) op(%op) comm(%comm)
    %r = comm.reduce_scatter_block async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcount(%n) datatype(%type) op(%op) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let perRankBuffers = ["sendbuf"];
}

def Comm_ReduceScatterOp : Comm_MPIOp<MPI_Reduce_scatter> {
  let summary = "combine and scatter, sizes vary";
  let description = [{
    A reduce whose result is scattered in blocks whose sizes are an array (MPI-4, 6.10.2).

    ```mlir
    comm.reduce_scatter sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) datatype(%type) op(%op) comm(%comm)
    %r = comm.reduce_scatter async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) datatype(%type) op(%op) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_ReduceLocalOp : Comm_MPIOp<MPI_Reduce_local> {
  let summary = "combine two buffers of one process";
  let description = [{
    `inoutbuf` becomes the combination of `inbuf` and `inoutbuf`, element by element; local (MPI-4, 6.9.7).

    ```mlir
    comm.reduce_local inbuf(%in : !llvm.ptr) inoutbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op)
    ```
  }];
}

def Comm_ScanOp : Comm_MPIOp<MPI_Scan> {
  let summary = "inclusive prefix combination";
  let description = [{
    Process i receives the combination of the buffers of processes 0 to i (MPI-4, 6.11.1).

    ```mlir
    comm.scan sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) comm(%comm)
    %r = comm.scan async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_ExscanOp : Comm_MPIOp<MPI_Exscan> {
  let summary = "exclusive prefix combination";
  let description = [{
    Process i receives the combination of the buffers of processes 0 to i - 1 (MPI-4, 6.11.2).

    ```mlir
    comm.exscan sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) comm(%comm)
    %r = comm.exscan async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%type) op(%op) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_NeighborAllgatherOp : Comm_MPIOp<MPI_Neighbor_allgather> {
  let summary = "one block to all neighbours";
  let description = [{
    Sends one block to the neighbours in the communicator's topology (MPI-4, 8.6).

    ```mlir
    comm.neighbor_allgather sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm)
    %r = comm.neighbor_allgather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_NeighborAllgathervOp : Comm_MPIOp<MPI_Neighbor_allgatherv> {
  let summary = "one block to all neighbours, sizes vary";
  let description = [{
    Sends one block to the neighbours in the communicator's topology (MPI-4, 8.6); the counts and displacements of
    what is received are arrays.

    ```mlir
    comm.neighbor_allgatherv sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) comm(%comm)
    %r = comm.neighbor_allgatherv async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_NeighborAlltoallOp : Comm_MPIOp<MPI_Neighbor_alltoall> {
  let summary = "a block to each neighbour";
  let description = [{
    Sends a block each to the neighbours in the communicator's topology (MPI-4, 8.6).

    ```mlir
    comm.neighbor_alltoall sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm)
    %r = comm.neighbor_alltoall async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_NeighborAlltoallvOp : Comm_MPIOp<MPI_Neighbor_alltoallv> {
  let summary = "a block to each neighbour, sizes vary";
  let description = [{
    Sends a block each to the neighbours in the communicator's topology (MPI-4, 8.6); counts and displacements are
    arrays.

    ```mlir
    comm.neighbor_alltoallv sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtype(%type) comm(%comm)
    %r = comm.neighbor_alltoallv async sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_NeighborAlltoallwOp : Comm_MPIOp<MPI_Neighbor_alltoallw> {
  let summary = "a block to each neighbour, sizes and datatypes vary";
  let description = [{
    Sends a block each to the neighbours in the communicator's topology (MPI-4, 8.6); counts, byte displacements and
    datatypes are arrays.

    ```mlir
    comm.neighbor_alltoallw sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtypes(%mem : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtypes(%mem : !llvm.ptr) comm(%comm)
    %r = comm.neighbor_alltoallw async sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtypes(%mem : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtypes(%mem : !llvm.ptr) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

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

def Comm_CommRankOp : Comm_MPIOp<MPI_Comm_rank> {
  let summary = "this process's rank";
  let description = [{
    The rank of the calling process in the communicator, from 0 (MPI-4, 7.4.1).

    ```mlir
    %rank = comm.comm_rank comm(%comm) -> rank
    ```
  }];
  let localOperation = 1;
}

def Comm_CommSizeOp : Comm_MPIOp<MPI_Comm_size> {
  let summary = "number of processes";
  let description = [{
    The number of processes of the communicator (MPI-4, 7.4.1).

    ```mlir
    %size = comm.comm_size comm(%comm) -> size
    ```
  }];
  let localOperation = 1;
}

def Comm_CommSplitOp : Comm_MPIOp<MPI_Comm_split> {
  let summary = "partition a communicator";
  let description = [{
    Makes a communicator for each color; collective (MPI-4, 7.4.2).

    ```mlir
    %new = comm.comm_split comm(%comm) color(%n) key(%n) -> newcomm
    ```
  }];
}

def Comm_CommDupOp : Comm_MPIOp<MPI_Comm_dup> {
  let summary = "duplicate a communicator";
  let description = [{
    Makes a communicator of the same processes, whose messages match only each other; collective (MPI-4, 7.4.2).

    ```mlir
    %new = comm.comm_dup comm(%comm) -> newcomm
    ```
  }];
}

def Comm_CommFreeOp : Comm_MPIOp<MPI_Comm_free> {
  let summary = "free a communicator";
  let description = [{
    Marks the communicator for deallocation; pending operations complete normally; collective (MPI-4, 7.4.3).

    ```mlir
    comm.comm_free comm(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_ErrorClassOp : Comm_MPIOp<MPI_Error_class> {
  let summary = "the class of an error code";
  let description = [{
    Maps the error code of an implementation to one of the standard's error classes, which `comm.constant` names
    (MPI-4, 9.4). An error class is mapped to itself.

    ```mlir
    %class = comm.error_class errorcode(%n) -> errorclass
    ```
  }];
}

def Comm_InitOp : Comm_MPIOp<MPI_Init> {
  let summary = "begin the use of MPI";
  let description = [{
    Initializes MPI; `argc` and `argv` are the addresses of main's, or absent for NULL (MPI-4, 11.2.1).

    ```mlir
    comm.init
    comm.init argc(%mem : !llvm.ptr) argv(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_InitThreadOp : Comm_MPIOp<MPI_Init_thread> {
  let summary = "begin the use of MPI with threads";
  let description = [{
    Initializes MPI with a level of thread support, and returns the level provided (MPI-4, 11.2.1).

    ```mlir
    %level = comm.init_thread required(%n) -> provided
    ```
  }];
}

def Comm_FinalizeOp : Comm_MPIOp<MPI_Finalize> {
  let summary = "end the use of MPI";
  let description = [{
    Ends the use of MPI; all communication of the process must be complete (MPI-4, 11.2.2).

    ```mlir
    comm.finalize
    ```
  }];
}

include "Comm/Dialect/Comm/IR/RMAOps.td"

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

include "Comm/Dialect/Comm/IR/CDagOps.td"

#endif // COMM_DIALECT_COMM_IR_COMMOPS_TD
