//===- CommOps.td - The operations of the comm dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each `def` here is an MPI operation: its operands and results come from the MPI Forum's API data through
// MPIFunctions.td, which the build generates. The examples are tests: test/Dialect/Comm/examples.test runs them.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMOPS_TD
#define COMM_DIALECT_COMM_IR_COMMOPS_TD

include "Comm/Dialect/Comm/IR/CommBase.td"
include "Comm/Dialect/Comm/IR/CommInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A function of the MPI standard. The build generates the records.
class MPI_Function<string function, string mnemonic> {
  string functionName = function;
  string opMnemonic = mnemonic;
  dag operands = (ins);
  dag results = (outs);
}

include "MPIFunctions.td"

class Comm_Op<string mnemonic, list<Trait> traits = []> : Op<Comm_Dialect, mnemonic, traits>;

/// An MPI operation. Syntax, verifier, effects and interface methods are the same for all of them and follow from the
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
  /// This operation only queries something, although it has a communicator according to the tables.
  bit localOperation = 0;
  /// Completion implies that another process has reached some point, so it orders more than its own buffers.
  bit completesRemotely = 0;
  /// Correct only if the matching receive is known to be posted.
  bit needsPostedReceive = 0;
  /// Completes without waiting for any other process.
  bit completesAtOnce = 0;
  /// Communicates with the neighbors in a topology.
  bit isNeighborhood = 0;
  /// No process gets a result that depends on any other process before all processes of its group have started.
  bit joinsAll = 0;

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
    static bool isNeighborhood() { return }] # !if(isNeighborhood, "true", "false") # [{; }
    static bool joinsAll() { return }] # !if(joinsAll, "true", "false") # [{; }
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

/// An operation that completes the requests in its parameter `requests`.
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
    its name in the MPI standard. The lowering of comm decides how the implementation represents it.

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

include "Comm/Dialect/Comm/IR/PointToPointOps.td"
include "Comm/Dialect/Comm/IR/CollectiveOps.td"
include "Comm/Dialect/Comm/IR/CompletionOps.td"

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
    Creates a communicator for each color; collective (MPI-4, 7.4.2).

    ```mlir
    %new = comm.comm_split comm(%comm) color(%n) key(%n) -> newcomm
    ```
  }];
}

def Comm_CommDupOp : Comm_MPIOp<MPI_Comm_dup> {
  let summary = "duplicate a communicator";
  let description = [{
    Creates a communicator of the same processes, whose messages only match each other; collective (MPI-4, 7.4.2).

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
