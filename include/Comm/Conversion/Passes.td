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
    constants become `comm.constant`, and other handles pass through `comm.cast`; values that C returns through pointers
    stay in memory. The attribute `comm.call` keeps the details of the call site (attributes of arguments, `tail`), so
    that `convert-comm-to-llvm` restores the original call of an unchanged operation. The module gets the attribute
    `comm.abi`.

    ```mlir
    %double = llvm.mlir.addressof @ompi_mpi_double : !llvm.ptr
    llvm.call @MPI_Send(%buf, %n, %double, %peer, %tag, %handle) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
    // becomes
    %type = comm.constant "MPI_DOUBLE" : !comm.datatype
    %comm = comm.cast %handle : !llvm.ptr to !comm.comm
    comm.send buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    ```

    These remain calls: functions without an operation, PMPI functions, calls through pointers, `musttail` calls, calls
    with operand bundles, functions that the module itself defines, and large-count forms whose operands do not
    distinguish them from the usual ones (MPI_Alltoallv_c).

    These are errors and leave the module unchanged: a call that does not have the standard's parameters, handles of an
    implementation other than the module's, and a module that does not show which implementation it was compiled for.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"\"\"",
           "MPI implementation that the module was compiled for. Detected if empty">,
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
    Operations become calls of the functions of one MPI implementation, and handles get its representation: pointers or
    integers. Results that C returns through pointers, and requests, get a slot in the entry block of their function.
    A memref is passed as its aligned pointer plus offset, with its number of elements and their datatype. A request
    that passes a block argument or a function boundary passes by value.

    ```mlir
    %type = comm.constant "MPI_DOUBLE" : !comm.datatype
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    // becomes, with abi=mpich
    %type = llvm.mlir.constant(1275070475 : i32) : i32
    llvm.store %null, %slot : i32, !llvm.ptr
    llvm.call @MPI_Irecv(%buf, %n, %type, %peer, %tag, %comm, %slot) : (!llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr) -> i32
    llvm.call @MPI_Wait(%slot, %ignore) : (!llvm.ptr, !llvm.ptr) -> i32
    ```

    These are errors: a function that the implementation does not have, a memref that is not contiguous or whose
    elements have no datatype, and a declaration of an MPI function with a different type.
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
  let summary = "Choose the MPI implementation of a module that does not name one";
  let description = [{
    Sets the module's attribute `comm.abi`, which other passes use by default. Its value is that of the environment
    variable `COMM_ABI`, or else the implementation of `COMM_MPICC` or of the first `mpicc` on the path. A module that
    has the attribute, or no MPI operation, stays as it is, and so does one for which no implementation is found.

    ```mlir
    module {
      func.func private @handle(!comm.comm)
    }
    // becomes, with COMM_ABI=mpich in the environment
    module attributes {comm.abi = "mpich"} {
      func.func private @handle(!comm.comm)
    }
    ```
  }];
}

//===----------------------------------------------------------------------===//
// MPIToComm
//===----------------------------------------------------------------------===//

def ConvertMPIToComm : Pass<"convert-mpi-to-comm", "::mlir::ModuleOp"> {
  let summary = "Convert MLIR's mpi dialect to comm";
  let description = [{
    Every operation and type of the upstream `mpi` dialect becomes one of `comm`, including types in function
    signatures, block arguments and other operations. Anything without a counterpart in `comm` is an error that names
    it.

    ```mlir
    %r = mpi.isend(%buf, %tag, %peer, %comm) : memref<100xf32>, i32, i32 -> !mpi.request
    mpi.wait(%r) : !mpi.request
    // becomes
    %r = comm.send async buf(%buf : memref<100xf32>) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```

    The upstream dialect declares `mpi.comm_split` pure although it is collective: run no generic pass (canonicalize,
    cse, anything that removes dead code) before this one. See docs/mpi-dialect.md.
  }];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def CommDeriveStrides : Pass<"comm-derive-strides", "::mlir::ModuleOp"> {
  let summary = "Compute the strides of memref parameters from their sizes";
  let description = [{
    A parameter of type `memref<?x?x?xf64>` is contiguous, but its descriptor stores the strides as separate numbers.
    After the lowering, nothing shows that a stride equals the size of the next dimension: footprints of loops and of
    the planes that are sent then have nothing in common. Run this pass after inlining and before the memrefs are
    lowered.

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
  let summary = "Convert comm to MLIR's mpi dialect, as far as possible";
  let description = [{
    The upstream `mpi` dialect models 15 operations on contiguous memrefs. Anything that it cannot express (most
    collectives, statuses, wildcards, pointers, datatypes) is an error that names the operation; `convert-comm-to-llvm`
    converts all operations.

    ```mlir
    %sum = comm.constant "MPI_SUM" : !comm.op
    comm.allreduce sendbuf(%buf : memref<100xf32>) recvbuf(%out : memref<100xf32>) op(%sum) comm(%comm)
    // becomes
    mpi.allreduce(%buf, %out, MPI_SUM, %comm) : memref<100xf32>, memref<100xf32>
    ```
  }];
  let dependentDialects = ["::mlir::mpi::MPIDialect", "::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// ShardToComm
//===----------------------------------------------------------------------===//

def DropShardGrids : Pass<"drop-shard-grids", "::mlir::ModuleOp"> {
  let summary = "Remove the grids of a shard program after its communication was converted";
  let description = [{
    Upstream's `convert-shard-to-mpi` leaves `shard.grid` in the module, which has no translation to LLVM IR. Any other
    remaining operation of the shard dialect is an error.

    ```mlir
    shard.grid @grid(shape = 2)
    func.func @converted() {
      return
    }
    // becomes
    func.func @converted() {
      return
    }
    ```
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
    `comm/graph_run.h`. All processes execute the code outside of foralls, with the same values. Each iteration of an
    outermost forall runs on the process that owns its vertex, as part of a loop over arrays. Values of neighbors come
    from copies that are updated before the loop; values of any other vertex are fetched for many iterations together.
    Reductions and writes of other vertices are combined and sent once, after the loop. Processes agree on values with
    operations of comm: `comm.allreduce` combines variables that iterations change and detects the end of a fixed point,
    and `comm.bcast` distributes values that one process owns and all need.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      %x = graph.load %p[%v] {graph.local} : <vertex, f64>
      graph.accumulate sum %c, %x : <f64>, f64
    }
    // becomes, on a process with %n vertices
    scf.for %i = %zero to %n step %step : i64 {
      %place = llvm.getelementptr %values[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
      %x = llvm.load %place : !llvm.ptr -> f64
      // ... is added to %mine
    }
    comm.allreduce sendbuf(%mine : !llvm.ptr) recvbuf(%all : !llvm.ptr) count(%one) datatype(%type) op(%add) comm(%world)
    // ... and %all to %c
    ```

    Loops that are marked `graph.overlapped` exchange ghosts and updates by operations of comm as well. With
    `exchange=messages` these are `comm.alltoall` and `comm.alltoallv`. With `exchange=window` the program makes a window
    (`comm.win_allocate`), takes a shared lock of all processes without checks (`comm.win_lock_all`), and a pulse is
    `comm.put`, `comm.win_flush_all`, `comm.allreduce` and `comm.win_sync`.

    These are errors: a module that does not have exactly one function with a body (`graph-select-function` and `inline`
    leave one), a race, and anything that is not supported yet, which is reported with its location.
  }];
  let options = [
    Option<"exchange", "exchange", "::comm::GraphExchange", /*default=*/"::comm::GraphExchange::Messages",
           "how overlapped loops exchange ghosts and updates",
           [{::llvm::cl::values(clEnumValN(::comm::GraphExchange::Messages, "messages", "all-to-all messages"),
             clEnumValN(::comm::GraphExchange::Window, "window", "puts into a window"))}]>,
    Option<"abi", "abi", "std::string", /*default=*/"",
           "the MPI implementation, which determines the size of the window's handle; that of the module if empty">,
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops whose iterations are distributed over processes">,
    Statistic<"numSweeps", "num-sweeps", "Number of those whose iterations fetch values of other processes">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // COMM_CONVERSION_PASSES_TD
