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
    communicators. Operations carry MPI's own names, and their operands the names of the parameters in the MPI
    standard:

    ```mlir
    comm.allreduce sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%t) op(%sum) comm(%world)
    ```

    An MPI operation that the dialect has is one operation here, blocking or, with `async`, nonblocking: then
    it returns a `!comm.request` that `comm.wait` takes, so that splitting an operation is making it `async` and adding
    a wait. A message is a triple (buffer, count, datatype). Its buffer is an `!llvm.ptr` or a `memref`; a memref implies
    count and datatype.

    Which operands an operation has, and what MPI does with each, is generated from the MPI Forum's machine-readable
    API. Passes ask interfaces and never the kind of an operation.

    A value that C returns through a pointer (`int *rank`) is an operand in memory or an SSA result, whichever the
    program uses; the optional result `error` is the error code.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;

  // What passes tell each other. The verifier knows these names and no others.
  let discardableAttrs = (ins
    // Of a module: the ABI of the MPI calls that comm ops stand for, e.g. "openmpi4".
    "::mlir::StringAttr":$abi,
    // Of a module: it asks for addresses of several variables in one function, of which datatypes may be made that lead
    // from one to the other.
    "::mlir::UnitAttr":$across_variables,
    // Of an MPI op: what its call said besides callee and arguments, for as long as the op calls the function that it
    // was raised from. A pass that gives the op other operands removes it.
    "::mlir::DictionaryAttr":$call,
    // Of a wait for requests in memory: which starts it completes is known (RequestFlow), so that it may move.
    "::mlir::UnitAttr":$followed,
    // Of such a wait: it comes after the branch that its start is in. It does nothing where its request is null.
    "::mlir::UnitAttr":$left,
    // Of a function: a pass changed it.
    "::mlir::UnitAttr":$changed,
    // Of a changed function: all that changed is that blocking operations became start and wait, which can be undone.
    "::mlir::UnitAttr":$only_split,
    // Of a wait: it is on the path of an exception, and not the wait that ends the interval.
    "::mlir::UnitAttr":$cleanup,
    // Of an MPI op: the function that the program calls, where that is not the operation's own blocking one.
    "::mlir::StringAttr":$from,
    // Of any operation, for as long as an analysis asks LLVM: its instructions get its number.
    "::mlir::IntegerAttr":$id,
    // Of the branch that enters a loop: the loop writes no byte that what has one of these labels touches, and touches
    // none that it writes, buffers in flight included. Its iterations were chosen so (comm-split-iterations).
    "::mlir::DenseI64ArrayAttr":$interior,
    // Of an operation, or of the branch that enters a loop or branch: the number by which `interior` names it. The
    // label of a start is also that of its completion.
    "::mlir::IntegerAttr":$label,
    // Of a load: what it loads is the place of the process among others, its rank or one of its coordinates, unless
    // something else was stored there since.
    "::mlir::UnitAttr":$place,
    // Of a global: whoever points to it, or into it, computed the pointer from its name.
    "::mlir::UnitAttr":$private,
    // Of a start: its interval is the program's own, and may be longer than from one to the next operation.
    "::mlir::UnitAttr":$programs_interval,
    // Of a start: it was executed before, and is said again where all that its wait completes is known. It is not
    // executed (comm-erase-recalled, and each lowering), so none of its results is used.
    "::mlir::UnitAttr":$recalled,
    // Of a start: the program records its request where it runs.
    "::mlir::UnitAttr":$recorded,
    // Of a start and of a wait for requests in memory that others may use, too: what has this number starts and
    // completes the same requests, whenever control comes past both.
    "::mlir::IntegerAttr":$request_set,
    // Of the start of a collective that was blocking: what is known of it ("exact", "sum", "ordered" or "either", see
    // mpi::StartKind). Whether it is nonblocking is decided at run time.
    "::mlir::StringAttr":$start_kind,
    // Of an operation in a graph: memory that only the graph uses.
    "::mlir::UnitAttr":$temporary,
    // Of a wait: it waits for requests that were not recorded, if there are any.
    "::mlir::UnitAttr":$unrecorded,
    // Of a wait for an array of requests: the program waits for one after the other, and each has so many bytes
    // (comm-erase-recalled makes the loop again).
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
  let summary = "a communication that was started and not yet completed (MPI_Request)";
  let description = [{
    From its start to its completion a request owns the buffers of its operation: what MPI reads must not be written, and
    what MPI writes must not be touched (MPI-4, 3.7.2 and 6.12).
  }];
}
def Comm_Message : Comm_Type<"Message", "message"> {
  let summary = "a matched message (MPI_Message)";
}
def Comm_Window : Comm_Type<"Window", "win"> {
  let summary = "memory of all processes of a communicator that they may access (MPI_Win)";
}
def Comm_Group : Comm_Type<"Group", "group"> {
  let summary = "an ordered set of processes (MPI_Group)";
}
def Comm_Info : Comm_Type<"Info", "info"> {
  let summary = "hints to the implementation (MPI_Info)";
}
def Comm_Status : Comm_Type<"Status", "status"> {
  let summary = "what a completed receive or probe found (MPI_Status)";
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
    I32EnumAttrCase<"blocking", 0>,  // once the operation is complete (MPI-4, 2.4.2)
    I32EnumAttrCase<"async", 1>,     // once it is started: a wait completes it
  ]> {
  let cppNamespace = "::comm";
  let genSpecializedAttr = 0;
}
def Comm_Mode : EnumAttr<Comm_Dialect, Comm_ModeEnum, "mode">;

#endif // COMM_DIALECT_COMM_IR_COMMBASE_TD
