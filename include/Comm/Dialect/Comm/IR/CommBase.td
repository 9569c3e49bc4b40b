//===- CommBase.td - The comm dialect and its types --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COMMBASE_TD
#define COMM_DIALECT_COMM_IR_COMMBASE_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Comm_Dialect : Dialect {
  let name = "comm";
  let cppNamespace = "::comm";
  let summary = "MPI communication";
  let description = [{
    The `comm` dialect models MPI programs: point-to-point and collective operations, requests, statuses and
    communicators. Operations have MPI's own names, and operands have the names of the parameters in the MPI standard:

    ```mlir
    comm.allreduce sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%t) op(%sum) comm(%world)
    ```

    The blocking and nonblocking forms of an MPI operation are one operation here: with `async`, it is nonblocking and
    returns a `!comm.request` for `comm.wait`. Splitting an operation thus means making it `async` and adding a wait. A
    message is a triple (buffer, count, datatype). Its buffer is an `!llvm.ptr` or a `memref`; a memref implies count
    and datatype.

    The operands of each operation, and what MPI does with them, are generated from the MPI Forum's machine-readable
    API. Passes query interfaces and never check the kind of an operation.

    A value that C returns through a pointer (`int *rank`) is an operand in memory or an SSA result, depending on the
    program; the optional result `error` is the error code.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;

  // Communication between passes. The verifier accepts only these names.
  let discardableAttrs = (ins
    // For a module: the ABI of the MPI calls that comm ops stand for, such as "openmpi4".
    "::mlir::StringAttr":$abi,
    // For a module: a function takes the addresses of several variables, so that datatypes may lead from one to
    // another.
    "::mlir::UnitAttr":$across_variables,
    // For the branch at the end of a block: the block computes the bounds of an interior, which may be outlined.
    "::mlir::UnitAttr":$bounds,
    // For an MPI op: what its call specified besides callee and arguments. Valid as long as the op calls the function
    // that it was raised from; a pass that changes the operands removes it.
    "::mlir::DictionaryAttr":$call,
    // For a wait for requests in memory: the starts that it completes are known (RequestFlow), so that it may move.
    "::mlir::UnitAttr":$followed,
    // For such a wait: it comes after the branch that contains its start, and does nothing if its request is null.
    "::mlir::UnitAttr":$left,
    // For a function: a pass changed it.
    "::mlir::UnitAttr":$changed,
    // For a changed function: all changes split blocking operations into start and wait, and can be undone.
    "::mlir::UnitAttr":$only_split,
    // For a wait: it is on an exception path, and is not the wait that ends the interval.
    "::mlir::UnitAttr":$cleanup,
    // For an MPI op: the function that the program calls, if that is not the operation's own blocking one.
    "::mlir::StringAttr":$from,
    // For any operation, while an analysis translates it to LLVM IR: the number that its instructions get.
    "::mlir::IntegerAttr":$id,
    // For the branch that enters a loop: the loop does not conflict with the memory accesses of anything that has one
    // of these labels, including buffers in flight. Its iterations were chosen for this (comm-split-iterations).
    "::mlir::DenseI64ArrayAttr":$interior,
    // For the branch that enters a loop, or the computation of its bounds: if a branch with one of these labels is
    // entered, the loop does nothing. So the two keep no order.
    "::mlir::DenseI64ArrayAttr":$excludes,
    // For an operation, or the branch that enters a loop or branch: the number by which `interior` and `excludes` refer
    // to it. A completion shares the label of its start.
    "::mlir::IntegerAttr":$label,
    // For a load: unless something else has been stored since, it reads the rank of the process or one of its
    // coordinates.
    "::mlir::UnitAttr":$place,
    // For a start of a message whose wait is `left`: the byte that tells whether the interval was too short to hide
    // anything when it was last executed (comm-predict-intervals). If so, the start is the blocking call.
    "::mlir::FlatSymbolRefAttr":$prediction,
    // For a global: every pointer to it, or into it, is computed from its name.
    "::mlir::UnitAttr":$private,
    // For a start: its interval is the program's own, and may extend past the next operation.
    "::mlir::UnitAttr":$programs_interval,
    // For a start: it was executed before, and is repeated where all starts that its wait completes are known. It is
    // not executed (comm-erase-recalled and each lowering erase it), so its results have no uses.
    "::mlir::UnitAttr":$recalled,
    // For a start: the program records its request when it runs.
    "::mlir::UnitAttr":$recorded,
    // For a start or a wait for requests in memory that others may use, too: operations with the same number start and
    // complete the same requests whenever control passes both.
    "::mlir::IntegerAttr":$request_set,
    // For the start of a collective that was blocking: its kind ("exact", "sum", "ordered" or "either", see
    // mpi::StartKind). Whether it is nonblocking is decided at run time.
    "::mlir::StringAttr":$start_kind,
    // For an operation in a graph: memory that only the graph uses.
    "::mlir::UnitAttr":$temporary,
    // For a wait: it waits for requests that were not recorded, if there are any.
    "::mlir::UnitAttr":$unrecorded,
    // For a wait for an array of requests: the program waits for them one by one, and each has this size in bytes.
    // (comm-erase-recalled restores the loop.)
    "::mlir::IntegerAttr":$wait_loop
  );
}

class Comm_Type<string name, string typeMnemonic> : TypeDef<Comm_Dialect, name> { let mnemonic = typeMnemonic; }

def Comm_Communicator : Comm_Type<"Communicator", "comm"> {
  let summary = "an MPI communicator (MPI_Comm)";
}
def Comm_Datatype : Comm_Type<"Datatype", "datatype"> {
  let summary = "an MPI datatype (MPI_Datatype)";
}
def Comm_ReductionOp : Comm_Type<"ReductionOp", "op"> {
  let summary = "an MPI reduction operator (MPI_Op)";
}
def Comm_Request : Comm_Type<"Request", "request"> {
  let summary = "a communication that has started and is not yet complete (MPI_Request)";
  let description = [{
    From its start to its completion, a request owns the buffers of its operation: the program must not write buffers
    that MPI reads, and must not access buffers that MPI writes (MPI-4, 3.7.2 and 6.12).
  }];
}
def Comm_Message : Comm_Type<"Message", "message"> {
  let summary = "a matched message (MPI_Message)";
}
def Comm_Window : Comm_Type<"Window", "win"> {
  let summary = "memory that all processes of a communicator may access (MPI_Win)";
}
def Comm_Group : Comm_Type<"Group", "group"> {
  let summary = "an ordered set of processes (MPI_Group)";
}
def Comm_Info : Comm_Type<"Info", "info"> {
  let summary = "hints to the implementation (MPI_Info)";
}
def Comm_Status : Comm_Type<"Status", "status"> {
  let summary = "the result of a completed receive or probe (MPI_Status)";
}

def Comm_Memory : AnyTypeOf<[LLVM_AnyPointer, AnyMemRef], "an !llvm.ptr or a memref">;
def Comm_Buffer : AnyTypeOf<[LLVM_AnyPointer, AnyMemRef], "a buffer: an !llvm.ptr or a memref">;
def Comm_Integer : AnyTypeOf<[I32, I64, Index], "a 32-bit or 64-bit integer or an index">;
def Comm_RequestOrPointer : AnyTypeOf<[Comm_Request, LLVM_AnyPointer], "a !comm.request or the !llvm.ptr of one">;
def Comm_HandleOrPointer
    : AnyTypeOf<[Comm_Communicator, Comm_Datatype, Comm_ReductionOp, Comm_Request, Comm_Message, Comm_Window, Comm_Group,
                 Comm_Info, LLVM_AnyPointer],
                "a handle or the !llvm.ptr of one">;
def Comm_AnyHandle
    : AnyTypeOf<[Comm_Communicator, Comm_Datatype, Comm_ReductionOp, Comm_Request, Comm_Message, Comm_Window, Comm_Group,
                 Comm_Info, Comm_Status],
                "an MPI handle">;

def Comm_ModeEnum : I32EnumAttr<"Mode", "when the call returns", [
    I32EnumAttrCase<"blocking", 0>,  // when the operation is complete (MPI-4, 2.4.2)
    I32EnumAttrCase<"async", 1>,     // when it has started: a wait completes it
  ]> {
  let cppNamespace = "::comm";
  let genSpecializedAttr = 0;
}
def Comm_Mode : EnumAttr<Comm_Dialect, Comm_ModeEnum, "mode">;

#endif // COMM_DIALECT_COMM_IR_COMMBASE_TD
