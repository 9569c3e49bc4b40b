//===- CDagOps.td - Communication DAGs ----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sends, receives and the order between them as one object (Hoefler and Schneider, "Communication-Centric Optimizations
// by Dynamically Detecting Collective Operations", PACT 2012). Included by CommOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_CDAGOPS_TD
#define COMM_DIALECT_COMM_IR_CDAGOPS_TD

def Comm_CDagOp : Comm_Op<"cdag", [AttrSizedOperandSegments, RecursiveMemoryEffects]> {
  let summary = "a phase of communication as a graph";
  let description = [{
    All processes of the communicator reach this operation together. The sends and receives in its region are `async`:
    each starts once its predecessors have completed, and all of them have completed at the `comm.yield` that ends the
    region. Dependencies come from `comm.after` and, with `implied`, from the buffers: of two operations that access the
    same memory, at least one of which writes, the first one in program order completes first. Nothing else in the
    region accesses a buffer after the operation that uses it.

    `disjoint`: no receive of the region writes memory that a send of the region reads. The program has both in flight
    at the same time, which MPI forbids for overlapping memory (MPI-4, 3.7.2).

    The region is the control flow of one process, including loops and branches; the graph consists of the operations
    that it executes. Only `comm.after` uses requests. Between the messages, a process may combine buffers with
    `comm.reduce_local`, which takes part in the order implied by the buffers.

    A graph of a window represents two fences and the gets and puts between them, which are complete at the end of the
    region; `fences` holds the fences' assertions. With `epochs`, the second fence may begin an epoch for operations
    after the graph, or the first one may end an epoch of operations before it; otherwise, no operation outside of
    graphs needs them.

    ```mlir
    comm.cdag comm(%comm) {
      %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%type) source(%root) tag(%tag) comm(%comm) -> request
      %s = comm.send async buf(%in : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
      comm.after %s on(%r)
      comm.yield
    }
    comm.cdag comm(%comm) implied {
      %r = comm.send async buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
      comm.yield
    }
    comm.cdag win(%win) fences(%n, %n) epochs implied {
      comm.get origin_addr(%in : !llvm.ptr) origin_count(%n) origin_datatype(%type) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%type) win(%win)
      comm.yield
    }
    ```
  }];
  let arguments = (ins Optional<Comm_Communicator>:$comm, Optional<Comm_Window>:$win, Optional<I32>:$first_assert,
                       Optional<I32>:$last_assert, UnitAttr:$epochs, UnitAttr:$implied, UnitAttr:$disjoint);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region MinSizedRegion<1>:$body);
  let assemblyFormat = [{ (`comm` `(` $comm^ `)`)? (`win` `(` $win^ `)` `fences` `(` $first_assert `,` $last_assert `)`)?
                          (`epochs` $epochs^)? (`implied` $implied^)? (`disjoint` $disjoint^)? (`->` type($results)^)? attr-dict-with-keyword
                          $body }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$comm, "bool":$implied), [{
    build($_builder, $_state, results, comm, /*win=*/::mlir::Value(), /*first_assert=*/::mlir::Value(),
          /*last_assert=*/::mlir::Value(), /*epochs=*/false, implied);
  }]>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Comm_YieldOp : Comm_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["CDagOp"]>]> {
  let summary = "the end of a communication graph";
  let description = [{
    Ends the region of a `comm.cdag` once all its operations have completed. Its operands are the results of the
    `comm.cdag`.

    ```mlir
    %x = comm.cdag comm(%comm) -> i32 {
      comm.yield %n : i32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Comm_AfterOp : Comm_Op<"after", []> {
  let summary = "an operation of a graph starts after others";
  let description = [{
    In a `comm.cdag`, the communication of the first request starts once the communications of the others have
    completed.

    ```mlir
    comm.cdag comm(%comm) {
      %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%type) source(%root) tag(%tag) comm(%comm) -> request
      %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
      comm.after %s on(%r)
      comm.yield
    }
    ```
  }];
  let arguments = (ins Comm_Request:$request, Variadic<Comm_Request>:$predecessors);
  let assemblyFormat = "$request `on` `(` $predecessors `)` attr-dict";
  let hasVerifier = 1;
}

def Comm_TransferOp : Comm_Op<"transfer", []> {
  let summary = "one assignment of the single-transfer form";
  let description = [{
    In a `comm.cdag` for a known number of processes, copies `bytes` bytes at `offset` of the source buffer in one
    process to `offset` of the target buffer in another (Hoefler and Schneider, section 3: single source transfer form).
    All transfers read the memory as it was before the graph ran. The buffers are the same values in each process.

    ```mlir
    comm.cdag comm(%comm) {
      comm.transfer from(%out : !llvm.ptr) rank 1 offset 0 to(%in : !llvm.ptr) rank 0 offset 800 bytes 800
      comm.yield
    }
    ```
  }];
  let arguments = (ins Comm_Buffer:$source, Comm_Buffer:$target, I64Attr:$sourceRank, I64Attr:$sourceOffset,
                       I64Attr:$targetRank, I64Attr:$targetOffset, I64Attr:$bytes);
  let assemblyFormat = [{ `from` `(` $source `:` type($source) `)` `rank` $sourceRank `offset` $sourceOffset
                          `to` `(` $target `:` type($target) `)` `rank` $targetRank `offset` $targetOffset
                          `bytes` $bytes attr-dict }];
  let hasVerifier = 1;
}

#endif // COMM_DIALECT_COMM_IR_CDAGOPS_TD
