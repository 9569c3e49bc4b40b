// The named pipeline, from calls of MPI to calls of MPI.
// RUN: comm-opt -pass-pipeline="builtin.module(comm-overlap{mode=extended abi=openmpi4})" %s | FileCheck %s --check-prefix=EXTENDED
// RUN: comm-opt -pass-pipeline="builtin.module(comm-overlap{mode=off abi=openmpi4})" %s | FileCheck %s --check-prefix=OFF
// RUN: comm-opt -pass-pipeline="builtin.module(comm-overlap{mode=extended abi=openmpi4 report=true})" %s | FileCheck %s --check-prefix=REPORT
// RUN: not comm-opt -pass-pipeline="builtin.module(comm-overlap{mode=wide})" %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: mode
llvm.mlir.global external @ompi_mpi_comm_world() {addr_space = 0 : i32} : !llvm.struct<"ompi_predefined_communicator_t", opaque>
llvm.mlir.global external @ompi_mpi_int() {addr_space = 0 : i32} : !llvm.struct<"ompi_predefined_datatype_t", opaque>
llvm.func @MPI_Recv(!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @work() attributes {passthrough = ["comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"]}
// EXTENDED-LABEL: llvm.func @f
// EXTENDED: llvm.call @MPI_Irecv
// EXTENDED: llvm.call @work
// EXTENDED: llvm.call @MPI_Wait
// OFF-LABEL: llvm.func @f
// OFF: llvm.call @MPI_Recv
// OFF-NEXT: llvm.call @work
// REPORT-LABEL: llvm.func @f
// REPORT: llvm.call @comm_report_enter
// REPORT: llvm.call @MPI_Irecv
// REPORT: llvm.call @comm_report_started
// REPORT: llvm.call @work
// REPORT: llvm.call @comm_report_end
// REPORT: llvm.call @MPI_Wait
// REPORT: llvm.call @comm_report_waited
llvm.func @f() {
  %n = llvm.mlir.constant(4 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %world = llvm.mlir.addressof @ompi_mpi_comm_world : !llvm.ptr
  %int = llvm.mlir.addressof @ompi_mpi_int : !llvm.ptr
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  %e = llvm.call @MPI_Recv(%a, %n, %int, %n, %n, %world, %null) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.call @work() : () -> ()
  llvm.return
}
