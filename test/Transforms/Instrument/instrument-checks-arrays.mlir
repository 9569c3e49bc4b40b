// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts, displacements and types in arrays: the buffers that they describe, and the arrays themselves.
//
// RUN: comm-opt --comm-instrument-checks %s | FileCheck %s

module attributes {comm.abi = "openmpi4"} {
  // CHECK-LABEL: llvm.func @gatherv(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %{{.+}}: i32, %[[COUNTS:.+]]: !llvm.ptr, %[[DISPLS:.+]]: !llvm.ptr, %[[ROOT:.+]]: i32)
  // CHECK: comm.gatherv async
  // CHECK: llvm.call @comm_check_buffer(%[[SITE:.+]], %[[KEY:.+]], %[[IN]],
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @comm_check_buffer_v(%[[SITE]], %[[KEY]], %[[OUT]], %[[COUNTS]], %[[DISPLS]], %{{.+}}, %{{.+}}, %[[ROOT]], %[[WRITE]])
  // The arrays matter only at the root, like the buffer; for a buffer in place they are ignored.
  // CHECK: %[[INPLACE:.+]] = comm.constant "MPI_IN_PLACE"
  // CHECK: %[[IGNORED:.+]] = llvm.icmp "eq" %[[OUT]], %[[INPLACE]]
  // CHECK: %[[NONE:.+]] = llvm.mlir.constant(0 : i64)
  // CHECK: %[[INT:.+]] = llvm.mlir.constant(4 : i64)
  // CHECK: %[[SIZE:.+]] = llvm.select %[[IGNORED]], %[[NONE]], %[[INT]]
  // CHECK: comm.constant "MPI_BYTE"
  // CHECK: %[[READ:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[RANKS:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%[[SITE]], %[[KEY]], %[[COUNTS]], %[[SIZE]], %{{.+}}, %{{.+}}, %[[RANKS]], %[[ROOT]], %[[READ]])
  // CHECK: llvm.call @comm_check_buffer(%[[SITE]], %[[KEY]], %[[DISPLS]],
  // CHECK-NOT: comm_check_buffer
  // CHECK: comm_check_finish(%[[KEY]])
  llvm.func @gatherv(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32, %counts: !llvm.ptr, %displs: !llvm.ptr, %root: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.gatherv async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%out : !llvm.ptr) recvcounts(%counts : !llvm.ptr) displs(%displs : !llvm.ptr) recvtype(%t) root(%root) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // CHECK-LABEL: llvm.func @alltoallw(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[SN:.+]]: !llvm.ptr, %[[SD:.+]]: !llvm.ptr, %[[ST:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[RN:.+]]: !llvm.ptr, %[[RD:.+]]: !llvm.ptr, %[[RT:.+]]: !llvm.ptr)
  // CHECK: comm.alltoallw async
  // CHECK: llvm.call @comm_check_buffer_w(%{{.+}}, %{{.+}}, %[[IN]], %[[SN]], %[[SD]], %[[ST]], %{{.+}}, %{{.+}})
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[SN]],
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[SD]],
  // An MPI_Datatype of Open MPI has 8 bytes.
  // CHECK: llvm.mlir.constant(8 : i64)
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[ST]],
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @comm_check_buffer_w(%{{.+}}, %{{.+}}, %[[OUT]], %[[RN]], %[[RD]], %[[RT]], %{{.+}}, %[[WRITE]])
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[RN]],
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[RD]],
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[RT]],
  llvm.func @alltoallw(%in: !llvm.ptr, %sn: !llvm.ptr, %sd: !llvm.ptr, %st: !llvm.ptr, %out: !llvm.ptr, %rn: !llvm.ptr, %rd: !llvm.ptr, %rt: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %r = comm.alltoallw async sendbuf(%in : !llvm.ptr) sendcounts(%sn : !llvm.ptr) sdispls(%sd : !llvm.ptr) sendtypes(%st : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%rn : !llvm.ptr) rdispls(%rd : !llvm.ptr) recvtypes(%rt : !llvm.ptr) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // CHECK-LABEL: llvm.func @alltoallw_in_place(
  // CHECK-SAME: %[[IGNORED:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[RN:.+]]: !llvm.ptr, %[[RD:.+]]: !llvm.ptr, %[[RT:.+]]: !llvm.ptr)
  // CHECK: comm.alltoallw async
  // CHECK-NOT: %[[IGNORED]],
  // CHECK: llvm.call @comm_check_buffer_w(%{{.+}}, %{{.+}}, %[[OUT]], %[[RN]], %[[RD]], %[[RT]],
  // CHECK-NOT: %[[IGNORED]],
  // CHECK: comm_check_finish
  llvm.func @alltoallw_in_place(%sn: !llvm.ptr, %out: !llvm.ptr, %rn: !llvm.ptr, %rd: !llvm.ptr, %rt: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %in = comm.constant "MPI_IN_PLACE" : !llvm.ptr
    %r = comm.alltoallw async sendbuf(%in : !llvm.ptr) sendcounts(%sn : !llvm.ptr) sdispls(%sn : !llvm.ptr) sendtypes(%sn : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%rn : !llvm.ptr) rdispls(%rd : !llvm.ptr) recvtypes(%rt : !llvm.ptr) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // NEIGHBORS (8) and AINT_DISPLS (16) in addition to READ or WRITE. The arrays of the receiving side have a different
  // length than those that MPI is assumed to read.
  // CHECK-LABEL: llvm.func @neighbor_alltoallw(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[SN:.+]]: !llvm.ptr, %[[SD:.+]]: !llvm.ptr, %[[ST:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[RN:.+]]: !llvm.ptr, %[[RD:.+]]: !llvm.ptr, %[[RT:.+]]: !llvm.ptr)
  // CHECK: %[[READ:.+]] = llvm.mlir.constant(25 : i32)
  // CHECK: llvm.call @comm_check_buffer_w(%{{.+}}, %{{.+}}, %[[IN]], %[[SN]], %[[SD]], %[[ST]], %{{.+}}, %[[READ]])
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[SN]],
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[SD]],
  // An MPI_Datatype of Open MPI has 8 bytes.
  // CHECK: llvm.mlir.constant(8 : i64)
  // CHECK: llvm.call @comm_check_buffer({{.*}}, %[[ST]],
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(26 : i32)
  // CHECK: llvm.call @comm_check_buffer_w(%{{.+}}, %{{.+}}, %[[OUT]], %[[RN]], %[[RD]], %[[RT]], %{{.+}}, %[[WRITE]])
  // CHECK-NOT: comm_check_buffer
  // CHECK: comm_check_finish
  llvm.func @neighbor_alltoallw(%in: !llvm.ptr, %sn: !llvm.ptr, %sd: !llvm.ptr, %st: !llvm.ptr, %out: !llvm.ptr, %rn: !llvm.ptr, %rd: !llvm.ptr, %rt: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %r = comm.neighbor_alltoallw async sendbuf(%in : !llvm.ptr) sendcounts(%sn : !llvm.ptr) sdispls(%sd : !llvm.ptr) sendtypes(%st : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%rn : !llvm.ptr) rdispls(%rd : !llvm.ptr) recvtypes(%rt : !llvm.ptr) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // One block is sent, and one is received from each neighbor.
  // CHECK-LABEL: llvm.func @neighbor_allgather(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr,
  // CHECK: comm.neighbor_allgather async
  // CHECK: %[[READ:.+]] = llvm.mlir.constant(9 : i32)
  // CHECK: %[[FLAT:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[IN]], {{.*}}, %[[FLAT]], %{{.+}}, %[[READ]])
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(10 : i32)
  // CHECK: %[[EACH:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], {{.*}}, %[[EACH]], %{{.+}}, %[[WRITE]])
  llvm.func @neighbor_allgather(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.neighbor_allgather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%t) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // All blocks are read, and this rank's is written.
  // CHECK-LABEL: llvm.func @reduce_scatter(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[COUNTS:.+]]: !llvm.ptr)
  // CHECK: comm.reduce_scatter async
  // CHECK: %[[PACKED:.+]] = llvm.mlir.zero
  // CHECK: llvm.call @comm_check_buffer_v(%{{.+}}, %{{.+}}, %[[IN]], %[[COUNTS]], %[[PACKED]],
  // CHECK: %[[RANK:.+]] = comm.comm_rank
  // CHECK: %[[MINE:.+]] = llvm.getelementptr %[[COUNTS]][%[[RANK]]]
  // CHECK: %[[COUNT:.+]] = llvm.load %[[MINE]]
  // CHECK: %[[WIDE:.+]] = llvm.sext %[[COUNT]]
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], %[[WIDE]],
  llvm.func @reduce_scatter(%in: !llvm.ptr, %out: !llvm.ptr, %counts: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %op = comm.constant "MPI_SUM" : !comm.op
    %r = comm.reduce_scatter async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%counts : !llvm.ptr) datatype(%t) op(%op) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // In place, all blocks are in the result buffer.
  // CHECK-LABEL: llvm.func @reduce_scatter_in_place(
  // CHECK-SAME: %[[OUT:.+]]: !llvm.ptr, %[[COUNTS:.+]]: !llvm.ptr)
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[PACKED:.+]] = llvm.mlir.zero
  // CHECK: llvm.call @comm_check_buffer_v(%{{.+}}, %{{.+}}, %[[OUT]], %[[COUNTS]], %[[PACKED]], %{{.+}}, %{{.+}}, %{{.+}}, %[[WRITE]])
  // CHECK-NOT: comm_check_buffer
  // CHECK: comm_check_finish
  llvm.func @reduce_scatter_in_place(%out: !llvm.ptr, %counts: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %op = comm.constant "MPI_SUM" : !comm.op
    %in = comm.constant "MPI_IN_PLACE" : !llvm.ptr
    %r = comm.reduce_scatter async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%counts : !llvm.ptr) datatype(%t) op(%op) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // CHECK-LABEL: llvm.func @reduce_scatter_block_in_place(
  // CHECK-SAME: %[[OUT:.+]]: !llvm.ptr,
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[RANKS:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], {{.*}}, %[[RANKS]], %{{.+}}, %[[WRITE]])
  llvm.func @reduce_scatter_block_in_place(%out: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %op = comm.constant "MPI_SUM" : !comm.op
    %in = comm.constant "MPI_IN_PLACE" : !llvm.ptr
    %r = comm.reduce_scatter_block async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcount(%n) datatype(%t) op(%op) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
  // Read and written: nothing is in flight only if there is neither a destination nor a source.
  // CHECK-LABEL: llvm.func @sendrecv_replace(
  // CHECK-SAME: %[[BUF:.+]]: !llvm.ptr, %[[N:.+]]: i32, %[[TO:.+]]: i32, %[[FROM:.+]]: i32)
  // CHECK: %[[BOTH:.+]] = llvm.mlir.constant(3 : i32)
  // CHECK: %[[NOTO:.+]] = llvm.icmp "eq" %[[TO]],
  // CHECK: %[[NOFROM:.+]] = llvm.icmp "eq" %[[FROM]],
  // CHECK: %[[NEITHER:.+]] = llvm.and %[[NOTO]], %[[NOFROM]]
  // CHECK: %[[COUNT:.+]] = llvm.select %[[NEITHER]], %{{.+}}, %[[N]]
  // CHECK: %[[WIDE:.+]] = llvm.sext %[[COUNT]]
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[BUF]], %[[WIDE]], {{.*}}, %[[BOTH]])
  llvm.func @sendrecv_replace(%buf: !llvm.ptr, %n: i32, %to: i32, %from: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.sendrecv_replace async buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%to) sendtag(%n) source(%from) recvtag(%n) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
}
