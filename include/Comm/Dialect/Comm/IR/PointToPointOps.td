//===- PointToPointOps.td - Messages -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Point-to-point communication (MPI-4, chapter 3). Included by CommOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_POINTTOPOINTOPS_TD
#define COMM_DIALECT_COMM_IR_POINTTOPOINTOPS_TD

def Comm_SendOp : Comm_MPIOp<MPI_Send> {
  let summary = "standard send";
  let description = [{
    Sends a message in standard mode (MPI-4, 3.4). It may return before the message is received; MPI decides whether
    to buffer it.

    ```mlir
    comm.send buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
}

def Comm_BsendOp : Comm_MPIOp<MPI_Bsend> {
  let summary = "buffered send";
  let description = [{
    Sends a message in buffered mode (MPI-4, 3.4). It completes locally: the message is copied to the buffer that
    the program attached.

    ```mlir
    comm.bsend buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.bsend async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let completesAtOnce = 1;
}

def Comm_SsendOp : Comm_MPIOp<MPI_Ssend> {
  let summary = "synchronous send";
  let description = [{
    Sends a message in synchronous mode (MPI-4, 3.4). It completes only once the matching receive has started, so it
    orders the two processes.

    ```mlir
    comm.ssend buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.ssend async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let completesRemotely = 1;
}

def Comm_RsendOp : Comm_MPIOp<MPI_Rsend> {
  let summary = "ready send";
  let description = [{
    Sends a message in ready mode (MPI-4, 3.4). It is correct only if the matching receive is already posted.

    ```mlir
    comm.rsend buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm)
    %r = comm.rsend async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```
  }];
  let needsPostedReceive = 1;
}

def Comm_RecvOp : Comm_MPIOp<MPI_Recv> {
  let summary = "receive";
  let description = [{
    Receives a message (MPI-4, 3.2.4). The status holds its source, tag and size; without it, MPI gets
    MPI_STATUS_IGNORE.

    ```mlir
    comm.recv buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) status(%mem : !llvm.ptr)
    %r = comm.recv async buf(%m : memref<16xf32>) source(%peer) tag(%tag) comm(%comm) -> request
    %s = comm.wait request(%r) -> status
    ```
  }];
}

def Comm_SendrecvOp : Comm_MPIOp<MPI_Sendrecv> {
  let summary = "send and receive";
  let description = [{
    Sends one message and receives another, as if by two concurrent processes (MPI-4, 3.10).

    ```mlir
    comm.sendrecv sendbuf(%in : !llvm.ptr) sendcount(%n) sendtype(%type) dest(%peer) sendtag(%tag) recvbuf(%out : !llvm.ptr) recvcount(%n) recvtype(%type) source(%peer) recvtag(%tag) comm(%comm)
    ```
  }];
}

def Comm_SendrecvReplaceOp : Comm_MPIOp<MPI_Sendrecv_replace> {
  let summary = "send and receive in one buffer";
  let description = [{
    Sends the content of a buffer and receives another message into the same buffer (MPI-4, 3.10).

    ```mlir
    comm.sendrecv_replace buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) sendtag(%tag) source(%peer) recvtag(%tag) comm(%comm)
    ```
  }];
}

def Comm_ProbeOp : Comm_MPIOp<MPI_Probe> {
  let summary = "wait for a message without receiving it";
  let description = [{
    Returns once a matching message could be received; the status describes it (MPI-4, 3.8.1).

    ```mlir
    %s = comm.probe source(%peer) tag(%tag) comm(%comm) -> status
    ```
  }];
}

def Comm_IprobeOp : Comm_MPIOp<MPI_Iprobe> {
  let summary = "test for a message without receiving it";
  let description = [{
    Returns whether a matching message could be received now (MPI-4, 3.8.1).

    ```mlir
    %flag, %s = comm.iprobe source(%peer) tag(%tag) comm(%comm) -> flag, status
    ```
  }];
}

def Comm_MprobeOp : Comm_MPIOp<MPI_Mprobe> {
  let summary = "wait for a message and take it";
  let description = [{
    Like probe; only a `comm.mrecv` of the resulting handle can receive the message (MPI-4, 3.8.2).

    ```mlir
    %msg, %s = comm.mprobe source(%peer) tag(%tag) comm(%comm) -> message, status
    comm.mrecv buf(%buf : !llvm.ptr) count(%n) datatype(%type) message(%msg)
    ```
  }];
}

def Comm_ImprobeOp : Comm_MPIOp<MPI_Improbe> {
  let summary = "test for a message and take it";
  let description = [{
    Like iprobe; only a `comm.mrecv` of the resulting handle can receive a message that was found (MPI-4, 3.8.2).

    ```mlir
    %flag, %msg, %s = comm.improbe source(%peer) tag(%tag) comm(%comm) -> flag, message, status
    ```
  }];
}

def Comm_MrecvOp : Comm_MPIOp<MPI_Mrecv> {
  let summary = "receive a matched message";
  let description = [{
    Receives the message that a matched probe took (MPI-4, 3.8.3).

    ```mlir
    comm.mrecv buf(%buf : !llvm.ptr) count(%n) datatype(%type) message(%mem : !llvm.ptr)
    %r = comm.mrecv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) message(%mem : !llvm.ptr) -> request
    comm.wait request(%r)
    ```
  }];
}

#endif // COMM_DIALECT_COMM_IR_POINTTOPOINTOPS_TD
