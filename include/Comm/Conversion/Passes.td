//===- Passes.td - Conversions to and from comm ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_PASSES_TD
#define COMM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

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

#endif // COMM_CONVERSION_PASSES_TD
