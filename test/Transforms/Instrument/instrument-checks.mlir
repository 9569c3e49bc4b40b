// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker calls for each family of operations, with their arguments.
//
// RUN: comm-opt --comm-instrument-checks --split-input-file %s | FileCheck %s
// RUN: comm-opt --comm-instrument-checks --convert-comm-to-llvm --split-input-file %s | FileCheck %s --check-prefix=LOWER

// The site's fields, in comm/check.h's order, and a constant: the checker keeps its address.
// CHECK-DAG: llvm.mlir.global private constant @[[CALL:.+]]("MPI_Send\00")
// CHECK-DAG: llvm.mlir.global private constant @[[FUNCTION:.+]]("send\00")
// CHECK-DAG: llvm.func @comm_check_buffer(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i32, i32, i32)
// CHECK-DAG: llvm.func @comm_check_finish(!llvm.ptr)

// CHECK-LABEL: llvm.func @send(
// CHECK-SAME: %[[BUF:.+]]: !llvm.ptr, %[[N:.+]]: i32, %[[PEER:.+]]: i32) attributes {comm.changed}
// CHECK: %[[KEY:.+]] = llvm.alloca %{{.+}} x i8
// CHECK: %[[R:.+]] = comm.send async
// CHECK: %[[SITE:.+]] = llvm.mlir.addressof @comm.check.site
// CHECK-DAG: %[[READ:.+]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[NOROOT:.+]] = llvm.mlir.constant(-1 : i32)
// CHECK-DAG: %[[NULL:.+]] = comm.constant "MPI_PROC_NULL"
// CHECK: %[[NOPEER:.+]] = llvm.icmp "eq" %[[PEER]], %[[NULL]]
// CHECK: %[[COUNT:.+]] = llvm.select %[[NOPEER]], %{{.+}}, %[[N]]
// CHECK: %[[WIDE:.+]] = llvm.sext %[[COUNT]] : i32 to i64
// CHECK: llvm.call @comm_check_buffer(%[[SITE]], %[[KEY]], %[[BUF]], %[[WIDE]], %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}})
// CHECK: llvm.call @work
// CHECK-NEXT: llvm.call @comm_check_finish(%[[KEY]])
// CHECK-NEXT: comm.wait request(%[[R]])

// CHECK: llvm.mlir.global internal constant @comm.check.site
// CHECK: llvm.mlir.addressof @[[CALL]]
// CHECK: llvm.mlir.addressof @[[FUNCTION]]

// LOWER-LABEL: llvm.func @send(
// LOWER: llvm.call @MPI_Isend
// LOWER: llvm.call @comm_check_buffer({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i32, i32, i32) -> ()
// LOWER: llvm.call @comm_check_finish
// LOWER: llvm.call @MPI_Wait
module attributes {comm.abi = "openmpi4"} {
  llvm.func @work()
  llvm.func @send(%buf: !llvm.ptr, %n: i32, %peer: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %tag = llvm.mlir.constant(7 : i32) : i32
    %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%tag) comm(%c) -> request
    llvm.call @work() : () -> ()
    comm.wait request(%r)
    llvm.return
  }
}

// -----

// Handles of MPICH are integers, and so are the arguments.
// CHECK: llvm.func @comm_check_buffer(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i32, i32, i32, i32, i32)
// LOWER-LABEL: llvm.func @recv_mpich(
// LOWER: llvm.call @MPI_Irecv
// LOWER: llvm.call @comm_check_buffer({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i32, i32, i32, i32, i32) -> ()
// CHECK-LABEL: llvm.func @recv_mpich(
// CHECK: comm.recv async
// CHECK: comm.constant "MPI_PROC_NULL"
// CHECK: comm.cast %{{.+}} : !comm.datatype to i32
// CHECK: comm.cast %{{.+}} : !comm.comm to i32
module attributes {comm.abi = "mpich"} {
  llvm.func @recv_mpich(%buf: !llvm.ptr, %n: i32, %peer: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %tag = llvm.mlir.constant(7 : i32) : i32
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%tag) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  // The receive buffer counts at the root alone and has a block for each rank.
  // CHECK-LABEL: llvm.func @gather(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[N:.+]]: i32, %[[ROOT:.+]]: i32, %{{.+}}: !llvm.ptr)
  // CHECK: comm.gather async
  // CHECK: %[[NOROOT:.+]] = llvm.mlir.constant(-1 : i32)
  // CHECK: %[[READ:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[FLAT:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[IN]], %{{.+}}, %{{.+}}, %{{.+}}, %[[FLAT]], %[[NOROOT]], %[[READ]])
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[RANKS:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], %{{.+}}, %{{.+}}, %{{.+}}, %[[RANKS]], %[[ROOT]], %[[WRITE]])
  // CHECK: comm_check_finish
  llvm.func @gather(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32, %root: i32, %comm: !llvm.ptr) {
    %c = comm.cast %comm : !llvm.ptr to !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.gather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%t) root(%root) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }

  // In place: only the receive buffer, which MPI writes.
  // CHECK-LABEL: llvm.func @gather_in_place(
  // CHECK-SAME: %[[OUT:.+]]: !llvm.ptr, %[[N:.+]]: i32, %[[ROOT:.+]]: i32)
  // CHECK: comm.gather async
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], {{.*}}, %[[ROOT]], %[[WRITE]])
  // CHECK-NOT: comm_check_buffer
  // CHECK: comm_check_finish
  llvm.func @gather_in_place(%out: !llvm.ptr, %n: i32, %root: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %in = comm.constant "MPI_IN_PLACE" : !llvm.ptr
    %r = comm.gather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%t) root(%root) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }

  // CHECK-LABEL: llvm.func @scatter(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[N:.+]]: i32, %[[ROOT:.+]]: i32, %{{.+}}: !llvm.ptr)
  // CHECK: comm.scatter async
  // CHECK: %[[READ:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[RANKS:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[IN]], %{{.+}}, %{{.+}}, %{{.+}}, %[[RANKS]], %[[ROOT]], %[[READ]])
  // CHECK: %[[NOROOT:.+]] = llvm.mlir.constant(-1 : i32)
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[FLAT:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], %{{.+}}, %{{.+}}, %{{.+}}, %[[FLAT]], %[[NOROOT]], %[[WRITE]])
  // CHECK: comm_check_finish
  llvm.func @scatter(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32, %root: i32, %comm: !llvm.ptr) {
    %c = comm.cast %comm : !llvm.ptr to !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.scatter async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%t) root(%root) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }

  // MPI reads it at the root and writes it elsewhere.
  // CHECK-LABEL: llvm.func @bcast(
  // CHECK-SAME: %[[BUF:.+]]: !llvm.ptr, %[[N:.+]]: i32, %[[ROOT:.+]]: i32)
  // CHECK: comm.bcast async
  // CHECK: %[[BOTH:.+]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[BUF]], {{.*}}, %[[ROOT]], %[[BOTH]])
  llvm.func @bcast(%buf: !llvm.ptr, %n: i32, %root: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.bcast async buffer(%buf : !llvm.ptr) count(%n) datatype(%t) root(%root) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }

  // CHECK-LABEL: llvm.func @reduce(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr, %[[N:.+]]: i32, %[[ROOT:.+]]: i32)
  // CHECK: comm.reduce async
  // CHECK: %[[NOROOT:.+]] = llvm.mlir.constant(-1 : i32)
  // CHECK: %[[READ:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[IN]], {{.*}}, %[[NOROOT]], %[[READ]])
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[FLAT:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], {{.*}}, %[[FLAT]], %[[ROOT]], %[[WRITE]])
  llvm.func @reduce(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32, %root: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %op = comm.constant "MPI_SUM" : !comm.op
    %r = comm.reduce async sendbuf(%in : !llvm.ptr) recvbuf(%out : !llvm.ptr) count(%n) datatype(%t) op(%op) root(%root) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }

  // CHECK-LABEL: llvm.func @alltoall(
  // CHECK-SAME: %[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr
  // CHECK: comm.alltoall async
  // CHECK: %[[READ:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[RANKS:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[IN]], {{.*}}, %[[RANKS]], %{{.+}}, %[[READ]])
  // CHECK: %[[WRITE:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[RANKS2:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @comm_check_buffer(%{{.+}}, %{{.+}}, %[[OUT]], {{.*}}, %[[RANKS2]], %{{.+}}, %[[WRITE]])
  llvm.func @alltoall(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %r = comm.alltoall async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%t) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%t) comm(%c) -> request
    comm.wait request(%r)
    llvm.return
  }
}
