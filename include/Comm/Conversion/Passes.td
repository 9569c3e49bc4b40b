//===- Passes.td - Conversions to and from the comm dialect *- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_PASSES_TD
#define COMM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// LLVMToComm
//===----------------------------------------------------------------------===//

def RaiseMPIToComm : Pass<"raise-mpi-to-comm", "::mlir::ModuleOp"> {
  let summary = "Raise calls of MPI functions in the llvm dialect to comm";
  let description = [{
    Each call or invoke of an MPI function that has a comm operation becomes that operation. Predefined handles and
    constants become `comm.constant`, other handles pass through `comm.cast`; values that C returns through pointers stay
    in memory. What the call site said (attributes of arguments, `tail`) is kept in the attribute `comm.call`, so that
    `convert-comm-to-llvm` gives an unchanged operation back as the call it was. The module gets the attribute
    `comm.abi`.

    Left as calls: functions without an operation, PMPI functions, calls through pointers, `musttail` calls, calls with
    operand bundles, functions that the module itself defines, and large-count forms that no operand tells from the
    usual ones (MPI_Alltoallv_c).

    An error, with the module unchanged: a call that does not have the standard's parameters, handles of another
    implementation than the module's, and a module that does not tell which implementation it was compiled for.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"\"\"",
           "MPI implementation that the module was compiled for. Found out if empty">,
  ];
  let statistics = [
    Statistic<"numRaised", "num-raised", "Number of MPI calls raised to comm">,
    Statistic<"numLeft", "num-left", "Number of MPI calls left as calls">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

//===----------------------------------------------------------------------===//
// CommToLLVM
//===----------------------------------------------------------------------===//

def ConvertCommToLLVM : Pass<"convert-comm-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert comm to calls of MPI functions in the llvm dialect";
  let description = [{
    Operations become calls of the functions of one MPI implementation, handles its representation: pointers or
    integers. Results that C returns through pointers, and requests, get a slot in the entry block of their function.
    A memref is passed as its aligned pointer plus offset, with its number of elements and their datatype. A request
    that passes a block argument or a function's boundary passes by value.

    An error: a function that the implementation does not have, a memref that is not contiguous or whose elements have
    no datatype, and a declaration of an MPI function with another type.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"\"\"",
           "MPI implementation to call. The module's attribute comm.abi if empty">,
  ];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of MPI calls made">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def CommChooseABI : Pass<"comm-choose-abi", "::mlir::ModuleOp"> {
  let summary = "Name the MPI implementation that a module is for, if nothing else has";
  let description = [{
    Sets the module's attribute `comm.abi`, which other passes go by where no option says otherwise. It is what the
    environment variable `COMM_ABI` names, else the implementation whose `mpicc` is the first on the path (or is
    `COMM_MPICC`). A module that has the attribute, or no MPI operation, stays as it is, and so does one for which no
    implementation is found.
  }];
}

//===----------------------------------------------------------------------===//
// MPIToComm
//===----------------------------------------------------------------------===//

def ConvertMPIToComm : Pass<"convert-mpi-to-comm", "::mlir::ModuleOp"> {
  let summary = "Convert MLIR's mpi dialect to comm";
  let description = [{
    Every operation and type of the upstream `mpi` dialect becomes one of `comm`, in function signatures, block arguments
    and the operations that carry them too. What has no form in `comm` stops the pass with an error that names it.

    The upstream dialect declares `mpi.comm_split` pure, although it is collective: run no generic pass (canonicalize,
    cse, anything that removes dead code) before this one. See docs/mpi-dialect.md.
  }];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def CommDeriveStrides : Pass<"comm-derive-strides", "::mlir::ModuleOp"> {
  let summary = "Compute the strides of memref parameters from their sizes";
  let description = [{
    A parameter of type `memref<?x?x?xf64>` is contiguous, but its descriptor has strides as numbers of their own, and
    nothing says after the lowering that a row is as long as the next dimension: footprints of loops and of the planes
    that are sent then have nothing in common. Run it before the memrefs are lowered, and after inlining.

    ```mlir
    func.func @f(%u: memref<?x?xf64>)
    // becomes
    func.func @f(%u: memref<?x?xf64>) {
      %rows = memref.dim %u, %c0 : memref<?x?xf64>
      %columns = memref.dim %u, %c1 : memref<?x?xf64>
      %strided = memref.reinterpret_cast %u to offset: [0], sizes: [%rows, %columns], strides: [%columns, 1]
          : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1]>>
      %v = memref.cast %strided : memref<?x?xf64, strided<[?, 1]>> to memref<?x?xf64>
    ```
  }];
  let statistics = [ Statistic<"numParameters", "num-parameters", "Number of parameters whose strides are computed"> ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

//===----------------------------------------------------------------------===//
// CommToMPI
//===----------------------------------------------------------------------===//

def ConvertCommToMPI : Pass<"convert-comm-to-mpi", "::mlir::ModuleOp"> {
  let summary = "Convert comm to MLIR's mpi dialect, as far as that goes";
  let description = [{
    The upstream `mpi` dialect models 15 operations on contiguous memrefs. What it cannot express (most collectives,
    statuses, wildcards, pointers, datatypes) stops the pass with an error that names the operation;
    `convert-comm-to-llvm` takes all of them.
  }];
  let dependentDialects = ["::mlir::mpi::MPIDialect", "::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// ShardToComm
//===----------------------------------------------------------------------===//

def DropShardGrids : Pass<"drop-shard-grids", "::mlir::ModuleOp"> {
  let summary = "Remove the grids of a shard program whose communication was converted";
  let description = [{
    Upstream's `convert-shard-to-mpi` leaves `shard.grid` in the module, which has no translation to LLVM IR. Any other
    operation of the shard dialect is an error here.
  }];
  let statistics = [
    Statistic<"numGrids", "num-grids", "Number of grids removed">,
  ];
}

//===----------------------------------------------------------------------===//
// GraphToComm
//===----------------------------------------------------------------------===//

def ConvertGraphToComm : Pass<"convert-graph-to-comm", "::mlir::ModuleOp"> {
  let summary = "Convert a graph program to code that each process runs on its vertices";
  let description = [{
    The module's function becomes `comm_graph_program`, which runs on any number of processes and calls
    `comm/graph_run.h`. What is outside of foralls is done by all processes with the same values. The iterations of an
    outermost forall are done by the processes that own their vertices, which are loops over arrays. What its iterations
    read of neighbors comes from copies that are brought up to date before the loop; what they read of any other vertex
    is fetched for many iterations together. Reductions and writes of other vertices are combined and sent once, after
    the loop. Values that all processes agree on are operations of comm: `comm.allreduce` for what iterations do to
    variables and for the end of a fixed point, `comm.bcast` for what one process owns and all need.

    An error: a module without exactly one function that has a body (`graph-select-function` and `inline` leave one), a
    race, and what is not supported yet, with its place.
  }];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops that are shared among processes">,
    Statistic<"numSweeps", "num-sweeps", "Number of those whose iterations fetch what they lack">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // COMM_CONVERSION_PASSES_TD
