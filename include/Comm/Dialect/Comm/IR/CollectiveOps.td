//===- CollectiveOps.td - Collective communication ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives, including neighborhood collectives (MPI-4, chapters 6 and 8), and the local reduction. Included by
// CommOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_COLLECTIVEOPS_TD
#define COMM_DIALECT_COMM_IR_COLLECTIVEOPS_TD

def Comm_BarrierOp : Comm_MPIOp<MPI_Barrier> {
  let summary = "wait for all processes";
  let description = [{
    Returns once all processes of the communicator have entered it (MPI-4, 6.3). It moves no data, but orders everything
    else.

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
    Sends the root's buffer to all processes (MPI-4, 6.4). The buffer is read at the root and written elsewhere.

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
  let joinsAll = 1;
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
  let joinsAll = 1;
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
  let joinsAll = 1;
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
  let joinsAll = 1;
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
  let joinsAll = 1;
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
  let summary = "one block to all neighbors";
  let description = [{
    Sends one block to the neighbors in the communicator's topology (MPI-4, 8.6).

    ```mlir
    comm.neighbor_allgather sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm)
    %r = comm.neighbor_allgather async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let isNeighborhood = 1;
}

def Comm_NeighborAllgathervOp : Comm_MPIOp<MPI_Neighbor_allgatherv> {
  let summary = "one block to all neighbors, sizes vary";
  let description = [{
    Sends one block to the neighbors in the communicator's topology (MPI-4, 8.6); the counts and displacements of
    the received blocks are arrays.

    ```mlir
    comm.neighbor_allgatherv sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) comm(%comm)
    %r = comm.neighbor_allgatherv async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) displs(%mem : !llvm.ptr) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let isNeighborhood = 1;
}

def Comm_NeighborAlltoallOp : Comm_MPIOp<MPI_Neighbor_alltoall> {
  let summary = "a block to each neighbor";
  let description = [{
    Sends a block to each of the neighbors in the communicator's topology (MPI-4, 8.6).

    ```mlir
    comm.neighbor_alltoall sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm)
    %r = comm.neighbor_alltoall async sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let isNeighborhood = 1;
}

def Comm_NeighborAlltoallvOp : Comm_MPIOp<MPI_Neighbor_alltoallv> {
  let summary = "a block to each neighbor, sizes vary";
  let description = [{
    Sends a block to each of the neighbors in the communicator's topology (MPI-4, 8.6); counts and displacements are
    arrays.

    ```mlir
    comm.neighbor_alltoallv sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtype(%type) comm(%comm)
    %r = comm.neighbor_alltoallv async sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtype(%type) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtype(%type) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let isNeighborhood = 1;
}

def Comm_NeighborAlltoallwOp : Comm_MPIOp<MPI_Neighbor_alltoallw> {
  let summary = "a block to each neighbor, sizes and datatypes vary";
  let description = [{
    Sends a block to each of the neighbors in the communicator's topology (MPI-4, 8.6); counts, byte displacements and
    datatypes are arrays.

    ```mlir
    comm.neighbor_alltoallw sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtypes(%mem : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtypes(%mem : !llvm.ptr) comm(%comm)
    %r = comm.neighbor_alltoallw async sendbuf(%in : !llvm.ptr) sendcounts(%mem : !llvm.ptr) sdispls(%mem : !llvm.ptr) sendtypes(%mem : !llvm.ptr) recvbuf(%out : !llvm.ptr) recvcounts(%mem : !llvm.ptr) rdispls(%mem : !llvm.ptr) recvtypes(%mem : !llvm.ptr) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let isNeighborhood = 1;
}

#endif // COMM_DIALECT_COMM_IR_COLLECTIVEOPS_TD
