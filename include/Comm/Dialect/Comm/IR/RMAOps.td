//===- RMAOps.td - One-sided communication ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows, operations on their memory, and their synchronization (MPI-4, chapter 12). Included by CommOps.td.
//
// Memory: by its declared effects and for every analysis of Comm, an operation on a window may touch any memory. A get
// writes its origin buffer, and a put reads it, until the synchronization that completes it, which names neither; and
// other processes read and write the window's memory in between. Therefore no memory access and no other communication
// moves across such an operation (docs/soundness.md).
//
// A request-based operation (rput) is not the `async` form of put: a put is not complete when it returns, so it does
// not equal rput and wait, and MPI allows rput only if the target is locked (MPI-4, 12.3.5).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_RMAOPS_TD
#define COMM_DIALECT_COMM_IR_RMAOPS_TD

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

def Comm_WinCreateOp : Comm_MPIOp<MPI_Win_create> {
  let summary = "create a window of memory";
  let description = [{
    Lets the processes of a communicator access `size` bytes of each other's memory, with displacements in units of
    `disp_unit` bytes; collective (MPI-4, 12.2.1).

    ```mlir
    %new = comm.win_create base(%mem : !llvm.ptr) size(%disp : i64) disp_unit(%n) info(%info) comm(%comm) -> win
    ```
  }];
}

def Comm_WinAllocateOp : Comm_MPIOp<MPI_Win_allocate> {
  let summary = "allocate memory and make it a window";
  let description = [{
    Like win_create, but MPI allocates the memory and writes its address to `baseptr`; collective (MPI-4, 12.2.2).

    ```mlir
    %new = comm.win_allocate size(%disp : i64) disp_unit(%n) info(%info) comm(%comm) baseptr(%mem : !llvm.ptr) -> win
    ```
  }];
}

def Comm_WinAllocateSharedOp : Comm_MPIOp<MPI_Win_allocate_shared> {
  let summary = "allocate shared memory and make it a window";
  let description = [{
    Like win_allocate, but all processes of the communicator can load and store the memory; collective (MPI-4, 12.2.3).

    ```mlir
    %new = comm.win_allocate_shared size(%disp : i64) disp_unit(%n) info(%info) comm(%comm) baseptr(%mem : !llvm.ptr) -> win
    ```
  }];
}

def Comm_WinSharedQueryOp : Comm_MPIOp<MPI_Win_shared_query> {
  let summary = "the address of another process's shared memory";
  let description = [{
    The address, in this process, of another process's part of a window of shared memory (MPI-4, 12.2.3).

    ```mlir
    %unit = comm.win_shared_query win(%win) rank(%peer) size(%mem : !llvm.ptr) baseptr(%mem : !llvm.ptr) -> disp_unit
    ```
  }];
}

def Comm_WinCreateDynamicOp : Comm_MPIOp<MPI_Win_create_dynamic> {
  let summary = "create a window without memory";
  let description = [{
    Creates a window to which each process attaches memory later; collective (MPI-4, 12.2.4).

    ```mlir
    %new = comm.win_create_dynamic info(%info) comm(%comm) -> win
    ```
  }];
}

def Comm_WinAttachOp : Comm_MPIOp<MPI_Win_attach> {
  let summary = "attach memory to a window";
  let description = [{
    Lets other processes access this memory through a dynamic window (MPI-4, 12.2.4).

    ```mlir
    comm.win_attach win(%win) base(%mem : !llvm.ptr) size(%disp : i64)
    ```
  }];
}

def Comm_WinDetachOp : Comm_MPIOp<MPI_Win_detach> {
  let summary = "detach memory from a window";
  let description = [{
    Ends the access that win_attach began (MPI-4, 12.2.4).

    ```mlir
    comm.win_detach win(%win) base(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_WinFreeOp : Comm_MPIOp<MPI_Win_free> {
  let summary = "free a window";
  let description = [{
    Frees the window once all accesses to it are complete, and memory that MPI allocated for it; collective
    (MPI-4, 12.2.5).

    ```mlir
    comm.win_free win(%mem : !llvm.ptr)
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Operations on windows
//===----------------------------------------------------------------------===//

def Comm_PutOp : Comm_MPIOp<MPI_Put> {
  let summary = "write to another process's window";
  let description = [{
    Copies the origin buffer to the target's window, `target_disp` units from its beginning (MPI-4, 12.3.1). MPI reads
    the buffer until the synchronization that completes the put.

    ```mlir
    comm.put origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) win(%win)
    ```
  }];
}

def Comm_GetOp : Comm_MPIOp<MPI_Get> {
  let summary = "read from another process's window";
  let description = [{
    Copies from the target's window to the origin buffer (MPI-4, 12.3.2), which MPI writes until the synchronization
    that completes the get.

    ```mlir
    comm.get origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) win(%win)
    ```
  }];
}

def Comm_AccumulateOp : Comm_MPIOp<MPI_Accumulate> {
  let summary = "combine with another process's window";
  let description = [{
    Combines the origin buffer with the target's memory, element by element, each one atomically (MPI-4, 12.3.4).

    ```mlir
    comm.accumulate origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) op(%op) win(%win)
    ```
  }];
}

def Comm_GetAccumulateOp : Comm_MPIOp<MPI_Get_accumulate> {
  let summary = "read from another process's window and combine";
  let description = [{
    Like accumulate; the result buffer receives the previous contents of the target (MPI-4, 12.3.4).

    ```mlir
    comm.get_accumulate origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) result_addr(%out : !llvm.ptr) result_count(%n) result_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) op(%op) win(%win)
    ```
  }];
}

def Comm_FetchAndOpOp : Comm_MPIOp<MPI_Fetch_and_op> {
  let summary = "read one element and combine";
  let description = [{
    A get_accumulate of one element of a predefined datatype (MPI-4, 12.3.4).

    ```mlir
    comm.fetch_and_op origin_addr(%buf : !llvm.ptr) result_addr(%out : !llvm.ptr) datatype(%type) target_rank(%peer) target_disp(%disp : i64) op(%op) win(%win)
    ```
  }];
}

def Comm_CompareAndSwapOp : Comm_MPIOp<MPI_Compare_and_swap> {
  let summary = "replace one element if it is as expected";
  let description = [{
    Compares the element at the target with the one at `compare_addr` and, if they are equal, replaces it with the one
    at `origin_addr`; `result_addr` receives the previous element (MPI-4, 12.3.4).

    ```mlir
    comm.compare_and_swap origin_addr(%buf : !llvm.ptr) compare_addr(%in : !llvm.ptr) result_addr(%out : !llvm.ptr) datatype(%type) target_rank(%peer) target_disp(%disp : i64) win(%win)
    ```
  }];
}

def Comm_RputOp : Comm_MPIOp<MPI_Rput> {
  let summary = "write to another process's window, with a request";
  let description = [{
    A put with a request, between lock and unlock. Once the request is complete, the origin buffer may be changed, but
    the data need not be at the target yet (MPI-4, 12.3.5).

    ```mlir
    comm.rput origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) win(%win) request(%mem : !llvm.ptr)
    comm.wait request(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_RgetOp : Comm_MPIOp<MPI_Rget> {
  let summary = "read from another process's window, with a request";
  let description = [{
    A get with a request, between lock and unlock. Once the request is complete, the data is in the origin buffer
    (MPI-4, 12.3.5).

    ```mlir
    comm.rget origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) win(%win) request(%mem : !llvm.ptr)
    comm.wait request(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_RaccumulateOp : Comm_MPIOp<MPI_Raccumulate> {
  let summary = "combine with another process's window, with a request";
  let description = [{
    An accumulate with a request, between lock and unlock. Once the request is complete, the origin buffer may be
    changed (MPI-4, 12.3.5).

    ```mlir
    comm.raccumulate origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) op(%op) win(%win) request(%mem : !llvm.ptr)
    ```
  }];
}

def Comm_RgetAccumulateOp : Comm_MPIOp<MPI_Rget_accumulate> {
  let summary = "read and combine, with a request";
  let description = [{
    A get_accumulate with a request, between lock and unlock. Once the request is complete, the data is in the result
    buffer (MPI-4, 12.3.5).

    ```mlir
    comm.rget_accumulate origin_addr(%buf : !llvm.ptr) origin_count(%n) origin_datatype(%type) result_addr(%out : !llvm.ptr) result_count(%n) result_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) op(%op) win(%win) request(%mem : !llvm.ptr)
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

def Comm_WinFenceOp : Comm_MPIOp<MPI_Win_fence> {
  let summary = "end and begin an epoch, collectively";
  let description = [{
    Completes all operations on the window since the preceding fence, at origin and target, and lets new ones begin;
    collective. `assert` may state what is not needed (MPI-4, 12.5.1 and 12.5.5).

    ```mlir
    comm.win_fence assert(%n) win(%win)
    ```
  }];
}

def Comm_WinStartOp : Comm_MPIOp<MPI_Win_start> {
  let summary = "begin an access epoch";
  let description = [{
    Lets this process access the windows of the group's processes, once they have posted them (MPI-4, 12.5.2).

    ```mlir
    comm.win_start group(%group) assert(%n) win(%win)
    ```
  }];
}

def Comm_WinCompleteOp : Comm_MPIOp<MPI_Win_complete> {
  let summary = "end an access epoch";
  let description = [{
    Completes, at the origin, all operations since win_start (MPI-4, 12.5.2).

    ```mlir
    comm.win_complete win(%win)
    ```
  }];
}

def Comm_WinPostOp : Comm_MPIOp<MPI_Win_post> {
  let summary = "begin an exposure epoch";
  let description = [{
    Lets the processes of the group access this process's window (MPI-4, 12.5.2).

    ```mlir
    comm.win_post group(%group) assert(%n) win(%win)
    ```
  }];
}

def Comm_WinWaitOp : Comm_MPIOp<MPI_Win_wait> {
  let summary = "end an exposure epoch";
  let description = [{
    Returns once all processes of the group have completed their accesses (MPI-4, 12.5.2).

    ```mlir
    comm.win_wait win(%win)
    ```
  }];
}

def Comm_WinTestOp : Comm_MPIOp<MPI_Win_test> {
  let summary = "test for the end of an exposure epoch";
  let description = [{
    Returns whether all processes of the group have completed their accesses; if so, the epoch has ended (MPI-4,
    12.5.2).

    ```mlir
    %flag = comm.win_test win(%win) -> flag
    ```
  }];
}

def Comm_WinLockOp : Comm_MPIOp<MPI_Win_lock> {
  let summary = "lock the window of one process";
  let description = [{
    Begins an access epoch for one target, which does not take part (MPI-4, 12.5.3).

    ```mlir
    %exclusive = comm.constant "MPI_LOCK_EXCLUSIVE" : i32
    comm.win_lock lock_type(%exclusive) rank(%peer) assert(%n) win(%win)
    ```
  }];
}

def Comm_WinUnlockOp : Comm_MPIOp<MPI_Win_unlock> {
  let summary = "unlock the window of one process";
  let description = [{
    Ends the epoch that win_lock began, and completes its operations at origin and target (MPI-4, 12.5.3).

    ```mlir
    comm.win_unlock rank(%peer) win(%win)
    ```
  }];
}

def Comm_WinLockAllOp : Comm_MPIOp<MPI_Win_lock_all> {
  let summary = "lock the windows of all processes";
  let description = [{
    Begins an access epoch for all targets, with shared locks (MPI-4, 12.5.3).

    ```mlir
    comm.win_lock_all assert(%n) win(%win)
    ```
  }];
}

def Comm_WinUnlockAllOp : Comm_MPIOp<MPI_Win_unlock_all> {
  let summary = "unlock the windows of all processes";
  let description = [{
    Ends the epoch that win_lock_all began, and completes its operations (MPI-4, 12.5.3).

    ```mlir
    comm.win_unlock_all win(%win)
    ```
  }];
}

def Comm_WinFlushOp : Comm_MPIOp<MPI_Win_flush> {
  let summary = "complete the operations on one target";
  let description = [{
    Completes all operations of this process on the target, at both ends; the lock stays (MPI-4, 12.5.4).

    ```mlir
    comm.win_flush rank(%peer) win(%win)
    ```
  }];
}

def Comm_WinFlushAllOp : Comm_MPIOp<MPI_Win_flush_all> {
  let summary = "complete the operations on all targets";
  let description = [{
    Completes all operations of this process on the window, at both ends (MPI-4, 12.5.4).

    ```mlir
    comm.win_flush_all win(%win)
    ```
  }];
}

def Comm_WinFlushLocalOp : Comm_MPIOp<MPI_Win_flush_local> {
  let summary = "complete the operations on one target at the origin";
  let description = [{
    Completes all operations of this process on the target at the origin: its buffers may be used again
    (MPI-4, 12.5.4).

    ```mlir
    comm.win_flush_local rank(%peer) win(%win)
    ```
  }];
}

def Comm_WinFlushLocalAllOp : Comm_MPIOp<MPI_Win_flush_local_all> {
  let summary = "complete the operations on all targets at the origin";
  let description = [{
    Completes all operations of this process on the window at the origin (MPI-4, 12.5.4).

    ```mlir
    comm.win_flush_local_all win(%win)
    ```
  }];
}

def Comm_WinSyncOp : Comm_MPIOp<MPI_Win_sync> {
  let summary = "make the window's two copies agree";
  let description = [{
    Makes other processes' writes to its window visible to this process's loads, and this process's stores visible to
    others (MPI-4, 12.5.4).

    ```mlir
    comm.win_sync win(%win)
    ```
  }];
}

#endif // COMM_DIALECT_COMM_IR_RMAOPS_TD
