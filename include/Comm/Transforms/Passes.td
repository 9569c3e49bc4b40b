//===- Passes.td - Passes over the comm dialect ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_PASSES_TD
#define COMM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

/// Options of passes that move communications: what they may cross.
defvar orderOptions = [
  Option<"relaxTimers", "relax-timers", "bool", /*default=*/"false",
         "let communications cross readings of a clock (MPI_Wtime)">,
  Option<"observers", "observers", "::comm::Observers", /*default=*/"::comm::Observers::Infer",
         "where the program may observe which message was started first, so no start may pass a completion",
         [{::llvm::cl::values(
           clEnumValN(::comm::Observers::Infer, "infer", "what the module shows"),
           clEnumValN(::comm::Observers::Never, "never", "nowhere"),
           clEnumValN(::comm::Observers::Elsewhere, "elsewhere", "not in this module: checked at run time"),
           clEnumValN(::comm::Observers::Here, "here", "in this module"))}]>,
  Option<"sideChannels", "side-channels", "::comm::SideChannels", /*default=*/"::comm::SideChannels::Possible",
         "how processes may learn of each other except by messages and collectives", [{::llvm::cl::values(
           clEnumValN(::comm::SideChannels::Possible, "possible", "through files, memory or output"),
           clEnumValN(::comm::SideChannels::None, "none", "not at all"),
           clEnumValN(::comm::SideChannels::Ignored, "ignored", "nothing depends on it: a promise"))}]>
];

def CommSplitBlocking : Pass<"comm-split-blocking", "::mlir::ModuleOp"> {
  let summary = "Make blocking operations a start and a wait";
  let description = [{
    Every blocking operation with a nonblocking form in MPI becomes `async`, followed by a `comm.wait`. A sendrecv
    becomes a receive and a send; one with a single buffer receives into a copy, which is copied back after the wait.
    Operations stay blocking, with a remark that gives the reason, if the two forms would differ: the error code is
    used, the reduction operator is the program's own or rounds (see `sums`), the buffer may be anywhere (MPI_BOTTOM),
    completion orders more than the buffers (a barrier), or the operation is correct only at its place (a ready send).
    Collectives get `comm.start_kind` ("exact"; for sums "sum", "ordered" or "either"): a function of
    libCommOverlapPointer.a or libCommOverlapInteger.a decides at run time whether they are nonblocking, because
    blocking and nonblocking calls do not match.

    ```mlir
    comm.bcast buffer(%buf : !llvm.ptr) count(%n) datatype(%type) root(%root) comm(%comm)
    // becomes
    %r = comm.bcast async buffer(%buf : !llvm.ptr) count(%n) datatype(%type) root(%root) comm(%comm)
        {comm.start_kind = "exact"} -> request
    comm.wait request(%r)
    ```
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation, which must have the nonblocking form; "
           "any if empty">,
    Option<"sums", "sums", "::comm::mpi::SumOrder", /*default=*/"::comm::mpi::SumOrder::Ordered",
           "which sums and products of floating-point numbers may become nonblocking",
           [{::llvm::cl::values(
             clEnumValN(::comm::mpi::SumOrder::Exact, "exact", "none"),
             clEnumValN(::comm::mpi::SumOrder::Ordered, "ordered", "those that both forms add in the same order"),
             clEnumValN(::comm::mpi::SumOrder::Any, "any", "all"))}]>,
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of blocking operations split">,
    Statistic<"numKept", "num-kept", "Number of blocking operations kept blocking">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommIgnoreStatuses : Pass<"comm-ignore-statuses"> {
  let summary = "Ignore statuses that the program does not read";
  let description = [{
    A stack variable that is used only as a status, or as an array of statuses, is replaced by `MPI_STATUS_IGNORE` or
    `MPI_STATUSES_IGNORE` (MPI-4, 3.2.6). Waits that would write the same status then need not keep their order.

    ```mlir
    comm.recv buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) status(%status : !llvm.ptr)
    // becomes
    %ignore = comm.constant "MPI_STATUS_IGNORE" : !llvm.ptr
    comm.recv buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) status(%ignore : !llvm.ptr)
    ```
  }];
  let statistics = [
    Statistic<"numIgnored", "num-ignored", "Number of statuses that are no longer written">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommExpandPersistent : Pass<"comm-expand-persistent", "::mlir::ModuleOp"> {
  let summary = "Start persistent requests as nonblocking calls";
  let description = [{
    `MPI_Send_init` names the buffer of a message far from the `MPI_Start` that sends it. If one function creates,
    starts and completes all requests of an array, each start becomes the nonblocking calls with the arguments of the
    requests' creation, and the waits complete these. The calls that created and freed the requests are removed. The
    messages are the same: a persistent one matches any other (MPI-4, 3.9).

    Requests that are created in branches, at positions given by a counter (`&requests[n++]`), are started whether they
    were created or not: the others communicate with `MPI_PROC_NULL`.

    ```mlir
    llvm.call @MPI_Send_init(%buf, %n, %type, %peer, %tag, %comm, %slot) : (...) -> i32
    llvm.call @MPI_Start(%slot) : (!llvm.ptr) -> i32
    comm.wait request(%slot : !llvm.ptr)
    // becomes
    llvm.call @MPI_Isend(%buf, %n, %type, %peer, %tag, %comm, %new) : (...) -> i32
    comm.wait request(%new : !llvm.ptr)
    ```

    These requests stay as they are, with a remark that gives the reason: requests that other code may access, that are
    tested, canceled or inspected, or that belong to collectives and partitioned messages; requests whose starts and
    waits name different ranges with variables; and requests whose datatype or communicator may be freed before a start.

    The pass runs between two runs of `raise-mpi-to-comm`. It does not mark the function as changed because it gains
    nothing by itself.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"",
           "the MPI implementation, which determines the size of requests; that of the module if empty">,
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of calls that created persistent requests">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommPromoteRequests : Pass<"comm-promote-requests", "::mlir::ModuleOp"> {
  let summary = "Turn requests on the stack into values, and follow those in memory";
  let description = [{
    The program's own `MPI_Isend` and `MPI_Irecv` store their requests in memory, so it is unknown what a wait
    completes. Consider a variable or an array of constant size that holds requests, each of which is started and waited
    for in one scope and accessed by nothing else. Then the start returns its request, and a wait for this request
    replaces `MPI_Wait` or `MPI_Waitall`, so that `comm-move-slices` can widen the interval. Starts get the attributes
    `comm.from`, the function that the program called, and `comm.programs_interval`: a start and a wait of the program
    stay a start and a wait.

    ```mlir
    comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) request(%slot : !llvm.ptr)
    comm.waitall count(%one) array_of_requests(%slot : !llvm.ptr)
    // becomes
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm)
        {comm.from = "MPI_Irecv", comm.programs_interval} -> request
    comm.wait request(%r)
    ```

    All other requests stay in memory: in arrays of any length, on the heap and in structures, of all nonblocking
    operations. If the starts of such a wait are known nevertheless (docs/soundness.md), it gets the attribute
    `comm.followed`: `comm-move-slices` may move it, or the loop around it. In memory that other code also uses, this
    applies to a loop of starts and a loop of waits for the same places, with nothing in between that may access them;
    both get the same number (`comm.request_set`).

    The remaining starts are recorded at run time (`record`). To that end, a loop that only waits for one request after
    another becomes a single wait (`comm.wait_loop`).

    The pass does not mark the function as changed because it gains nothing by itself.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"",
           "the MPI implementation, which determines the size of requests; that of the module if empty">,
    Option<"record", "record", "bool", /*default=*/"true",
           "record starts at run time that are unknown at compile time">,
  ];
  let statistics = [
    Statistic<"numPromoted", "num-promoted", "Number of requests that became values">,
    Statistic<"numFollowed", "num-followed", "Number of starts of requests in memory whose waits are known">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommIsolateLoops : Pass<"comm-isolate-loops"> {
  let summary = "Separate the loops around an interval into units";
  let description = [{
    Optimizers fuse the control flow of adjacent loops: the exit of one loop is the header of the next, and a guard that
    two loops share (`n > 0`) is tested once for both. Code between the loops then has no place in the control flow, and
    `comm-move-slices` can only move both loops or neither.

    In functions with a start and a wait, this pass

    - gives each loop its own preheader and exits, and merges two exits of a loop (an optimizer that knows a guard in
      the last iteration lets one of them skip the next loop);
    - splits the guards of branches next to an interval before and after each loop in them, and before and after each
      copy of unknown size, which was a loop;
    - joins the arms of a branch before a common test at their ends (`t % 10 == 0`, reached on both paths of `n > 0`);
    - reunites branches on one condition that optimizers have threaded, because they know on some paths what comes next,
      if the branches contain waits for requests in memory;
    - computes addresses and sizes that the arms of such branches compute and pass on before the branch, if possible:
      otherwise, a message with that buffer depends on the loop;
    - extends the lifetimes of small variables of messages that begin or end in such an arm to the whole function, for
      the same reason;
    - restores the stack pointer after a loop instead of before it, if that frees variables of unknown size;
    - executes loads of stack variables that nothing else points to before loops that do not change them: the address of
      a vector's elements, for example, which LLVM reloads after each call of MPI.

    The pass changes nothing that the program computes, and does not mark the function as changed.

    ```mlir
      llvm.cond_br %c, ^one, ^join            //   llvm.cond_br %c, ^one, ^middle
    ^one:                                     // ^one:
      // a loop                               //   // a loop
      // another loop                         //   llvm.br ^middle
      llvm.br ^join                           // ^middle:
                                              //   llvm.cond_br %c, ^two, ^join
                                              // ^two:
                                              //   // another loop
                                              //   llvm.br ^join
    ```
  }];
  let options = [
    Option<"maxSplits", "max-splits", "unsigned", /*default=*/"64",
           "the maximum number of guards that are split in a function">,
  ];
  let statistics = [
    Statistic<"numBlocks", "num-blocks", "Number of blocks inserted before and after loops">,
    Statistic<"numExits", "num-exits", "Number of loops whose two exits were merged">,
    Statistic<"numTests", "num-tests", "Number of branches on one condition that were merged">,
    Statistic<"numTails", "num-tails", "Number of branches at the ends of both arms of a branch that were merged">,
    Statistic<"numGuards", "num-guards", "Number of guards split">,
    Statistic<"numHoisted", "num-hoisted", "Number of results of branches that are computed before the branches">,
    Statistic<"numLoads", "num-loads", "Number of loads of private variables that are executed before a loop">,
    Statistic<"numCarried", "num-carried", "Number of private variables that loops carry as values">,
    Statistic<"numExtended", "num-extended", "Number of variables that live as long as the function">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def CommAskLayouts : Pass<"comm-ask-layouts", "::mlir::ModuleOp"> {
  let summary = "Query at run time the layout of datatypes that the function does not determine";
  let description = [{
    A datatype in a variable at file scope, in a structure on the heap, or passed by a caller does not reveal the bytes
    of a message. Before each start of a message with such a datatype, this pass inserts a query of the runtime
    (runtime/lib/overlap/Datatypes.c), which reads MPI_Type_get_envelope and caches the result as an attribute of the
    datatype. Starts of collectives are excluded, because some processes may pass no datatype. Footprints contain the
    numbers as symbols; the columns of a message among the rows that a loop visits are then determined at run time
    (docs/footprints.md). Optimizers remove queries whose results remain unused.

    ```mlir
    comm.recv async buf(%buffer : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    // becomes, with %type = comm.cast %handle
    %layout = llvm.call @comm.ask_type_layout(%handle) : (!llvm.ptr) -> !llvm.ptr
    %begin = llvm.call @comm.ask_type_begin(%layout) : (!llvm.ptr) -> i64
    // ... its size, stride, count, extent and column
    comm.recv async buf(%buffer : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    ```
  }];
  let statistics = [
    Statistic<"numAsked", "num-asked", "Number of datatypes queried">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommSplitIterations : Pass<"comm-split-iterations", "::mlir::ModuleOp"> {
  let summary = "Split loops into iterations that need not wait and the rest";
  let description = [{
    A loop after a wait that touches a few bytes of the data in flight (ghost rows of a stencil) depends on the wait,
    and so do all of its iterations. This pass splits such a loop in two: the *interior*, a range of iterations that
    touch neither a buffer in flight nor anything that depends on arriving data (such as the results of an unpack loop),
    and the rest, in its original order. Both are copies of the loop. In nests, inner loops are split if the outer one
    cannot be: by rows, by columns, and so on. The pass also splits loops before a start that write the data to send:
    the interior, which the message does not need, may then run after the start.

    Bounds are computed before the loop, where unknown numbers are checked as well: if an assumption does not hold,
    the interior is empty.

    The branch that enters the interior gets `comm.interior`, the labels (`comm.label`) of everything that the interior
    avoids, so that `comm-move-slices` can move it before the wait. If a branch that waits is entered in some steps only
    (output, a test), the interior is empty in these, and gets `comm.excludes` with the label of the branch: the two keep
    no order. The pass does not mark the function as changed because it gains nothing by itself.

    ```mlir
    comm.wait request(%r)
    llvm.br ^loop(%zero : i64)
    // becomes
    comm.wait request(%r)                              // the start of %r has comm.label = 1
    llvm.cond_br %any, ^copy(%low : i64), ^rest {comm.interior = array<i64: 1>}
    // iterations [%low, %high)
    ^rest:
    // iterations [0, %low) and [%high, n)
    ```
  }];
  let options = !listconcat(orderOptions, [
    Option<"cost", "cost", "::comm::CostModel", /*default=*/"::comm::CostModel::None",
           "what decides whether a loop is worth splitting", [{::llvm::cl::values(
             clEnumValN(::comm::CostModel::None, "none", "nothing: every loop that can be split is"),
             clEnumValN(::comm::CostModel::Measured, "measured",
                        "at run time: processes on several nodes, and enough iterations in the interior"))}]>,
    Option<"profile", "profile", "std::string", /*default=*/"", "measurements for cost=measured: loops stay whole if "
           "the calls that they wait for take less time than starting a second loop">,
    Option<"anyOrder", "any-order", "bool", /*default=*/"false",
           "sums of floating-point numbers may be reordered">,
    Option<"maxUnits", "max-units", "unsigned", /*default=*/"300",
           "maximum distance in units of a loop after a wait, or before a start, for it to be split">,
  ]);
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of loops split">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommLeaveBranches : Pass<"comm-leave-branches", "::mlir::ModuleOp"> {
  let summary = "Move waits out of the branches that contain their starts";
  let description = [{
    `if (rank > 0) MPI_Send(...)` is alone in its branch, so there is nothing in the branch to overlap. If a wait is
    followed only by communication in its branch, and all of that may come before the wait, the wait moves to the join
    of the branch, and out of nested branches as well. The request is then in memory and null if the branch is not
    taken; in that case the wait (`comm.left`) neither calls MPI nor writes its status. From there it moves like a wait
    for requests in memory (`comm.followed`). A wait never leaves a loop or a branch that may throw. This applies only
    to sends and receives, and only if the size of a request is known, that is, if the module names its MPI
    implementation.

    ```mlir
    llvm.cond_br %hasNeighbor, ^arm, ^join
    ^arm:
      %r = comm.send async buf(%row : !llvm.ptr) count(%n) datatype(%type) dest(%up) tag(%tag) comm(%comm) -> request
      comm.wait request(%r)
      llvm.br ^join
    ^join:
    // becomes
    ^arm:
      comm.send async buf(%row : !llvm.ptr) count(%n) datatype(%type) dest(%up) tag(%tag) comm(%comm) request(%slot : !llvm.ptr)
      llvm.br ^join
    ^join:
      comm.wait request(%slot : !llvm.ptr) {comm.followed, comm.left}
    ```
  }];
  let options = !listconcat(orderOptions, [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation of the requests; that of the module "
           "if empty">,
    Option<"keepsOwn", "keeps-own", "bool", /*default=*/"false",
           "waits for the program's own starts stay in their branches, where they can be checked and measured">,
    Option<"maxDepth", "max-depth", "unsigned", /*default=*/"4",
           "the maximum number of nested branches that a wait leaves">,
  ]);
  let statistics = [
    Statistic<"numLeft", "num-left", "Number of branches that a wait left">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommReturnWaits : Pass<"comm-return-waits"> {
  let summary = "Move waits that left a branch in vain back to their starts";
  let description = [{
    The inverse of `comm-leave-branches` if nothing overlaps, that is, if there are only computations of values and
    other starts of `comm-leave-branches` between the start and the wait. The request becomes a value again, and the
    wait returns to the place of the blocking call, so that `comm-merge-useless-splits` can restore the call.

    ```mlir
    ^arm:
      comm.send async buf(%row : !llvm.ptr) count(%n) datatype(%type) dest(%up) tag(%tag) comm(%comm) request(%slot : !llvm.ptr)
      llvm.br ^join
    ^join:
      comm.wait request(%slot : !llvm.ptr) {comm.followed, comm.left}
    // becomes
    ^arm:
      %r = comm.send async buf(%row : !llvm.ptr) count(%n) datatype(%type) dest(%up) tag(%tag) comm(%comm) -> request
      comm.wait request(%r)
      llvm.br ^join
    ^join:
    ```
  }];
  let statistics = [
    Statistic<"numReturned", "num-returned", "Number of waits put back">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommMoveSlices : Pass<"comm-move-slices", "::mlir::ModuleOp"> {
  let summary = "Move starts up and waits down, together with the statements that they depend on";
  let description = [{
    Widens the overlap interval between an `async` operation and its `comm.wait` (Nguyen et al., "Automatic Code Motion
    to Extend MPI Nonblocking Overlap Window").

    `mode=basic` moves a start up and a wait down to the nearest dependence. `mode=extended` reorders a whole chain of
    statements, loops and branches: first the units that the start depends on, then the start, everything independent,
    the wait, and the units that depend on it, for several communications at once. Whole loops and branches move as
    units. An interval that gains less than `min-weight` is given up, and the units that would have moved for it stay in
    place.

    ```mlir
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    %v = llvm.load %buf : !llvm.ptr -> i32
    llvm.store %v, %out : i32, !llvm.ptr
    llvm.call @work() : () -> ()            // accesses neither %buf nor %out
    // becomes, with mode=extended
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    llvm.call @work() : () -> ()
    comm.wait request(%r)
    %v = llvm.load %buf : !llvm.ptr -> i32
    llvm.store %v, %out : i32, !llvm.ptr
    ```

    A wait may pass some units only under a condition that is known at run time: then a `comm.wait_if`, or a
    `comm.waitall_if` for requests in memory, stays at the original place of the wait.

    With `cost=measured`, an interval is also given up if everything that it can hide (operations times known trip
    counts) takes less time than the additional cost of the nonblocking form. The wait for a send whose message may be
    too long to arrive by itself stays before the computation after it, because its receiver would have to wait for
    that computation. Calls in a `profile` are judged by the time that they took, waited and hid there
    (docs/profile.md).

    Legality is decided by LLVM's alias analysis and by MPI's rules for each operation; see docs/soundness.md.
  }];
  let options = !listconcat([
    Option<"mode", "mode", "::comm::MotionMode", /*default=*/"::comm::MotionMode::Extended",
           "how far: basic stops at the nearest dependence, extended moves dependences as well", [{::llvm::cl::values(
             clEnumValN(::comm::MotionMode::Off, "off", "move nothing"),
             clEnumValN(::comm::MotionMode::Basic, "basic", "stop at the nearest dependence"),
             clEnumValN(::comm::MotionMode::Extended, "extended", "move the dependences as well"))}]>,
  ], orderOptions, [
    Option<"cost", "cost", "::comm::CostModel", /*default=*/"::comm::CostModel::None",
           "what decides whether an interval is worth having", [{::llvm::cl::values(
             clEnumValN(::comm::CostModel::None, "none", "a few statements suffice"),
             clEnumValN(::comm::CostModel::Measured, "measured",
                        "the time that it hides, compared with the cost of the form"))}]>,
    Option<"abi", "abi", "std::string", /*default=*/"",
           "the MPI implementation whose costs count, by the name of its bindings (lib/MPI/Bindings); that of the "
           "module if empty">,
    Option<"profile", "profile", "std::string", /*default=*/"", "measurements for cost=measured: interval reports "
           "or folders of them, separated by commas">,
    Option<"minWeight", "min-weight", "unsigned", /*default=*/"4",
           "the minimum work in a useful interval: a statement counts 1, a call 16, a loop 64">,
    Option<"maxUnits", "max-units", "unsigned", /*default=*/"750",
           "the maximum number of statements of a chain that are ordered together, not counting arithmetic">,
  ]);
  let statistics = [
    Statistic<"numWidened", "num-widened", "Number of communications that overlap something">,
    Statistic<"numUnchanged", "num-unchanged", "Number of communications that overlap nothing">,
    Statistic<"numMovedUnits", "num-moved-units", "Number of statements, loops and branches in overlap intervals">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommMergeUselessSplits : Pass<"comm-merge-useless-splits"> {
  let summary = "Merge a start with an adjacent wait into a blocking operation";
  let description = [{
    The inverse of `comm-split-blocking` if nothing overlaps, because a nonblocking operation costs more than a blocking
    one. If all operations of a function are blocking again, the function is no longer marked as changed, so the plugin
    keeps the original.

    ```mlir
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    // becomes
    comm.recv buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm)
    ```
  }];
  let statistics = [ Statistic<"numMerged", "num-merged", "Number of splits undone"> ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommPredictIntervals : Pass<"comm-predict-intervals", "::mlir::ModuleOp"> {
  let summary = "Make the start of a message the blocking call if its interval was short the last time";
  let description = [{
    A nonblocking message costs some nanoseconds more than a blocking one, which pays only if the loops of the interval
    run. Whether they do is often unknown where the message starts, and known at its wait. This pass counts the
    operations of the loops between the two, and stores at the wait whether there were few. The next time, the start
    follows that prediction (`comm.prediction`, a byte of the module): `convert-comm-to-llvm` makes it the blocking call
    or the nonblocking one. A wrong prediction costs time only.

    ```mlir
    %r = comm.recv async ... -> request
    // a loop of %n iterations, in a branch
    comm.wait request(%r)
    // becomes
    llvm.store %zero, %operations : i64, !llvm.ptr
    comm.recv async ... request(%slot : !llvm.ptr) {comm.prediction = @comm_short_interval.0}
    // where the loop is entered, %n times its operations are added to %operations
    %sum = llvm.load %operations : !llvm.ptr -> i64
    %short = llvm.icmp "ult" %sum, %few : i64
    %byte = llvm.zext %short : i1 to i8
    %prediction = llvm.mlir.addressof @comm_short_interval.0 : !llvm.ptr
    llvm.store %byte, %prediction atomic monotonic {alignment = 1 : i64} : i8, !llvm.ptr
    comm.wait request(%slot : !llvm.ptr) {comm.followed, comm.left}
    ```

    Only loads, stores and arithmetic may be between the start and the wait: nothing that communicates, synchronizes or
    can be observed. So the wait might as well follow the start. The pass works on modules of the llvm dialect, on
    messages whose status is ignored. It runs after all passes that move starts and waits.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation; that of the module if empty">,
  ];
  let statistics = [ Statistic<"numPredicted", "num-predicted", "Number of starts that follow a prediction"> ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommOutlineBounds : Pass<"comm-outline-bounds", "::mlir::ModuleOp"> {
  let summary = "Make the code that computes the bounds of interiors functions that are compiled without optimization";
  let description = [{
    `comm-split-iterations` computes the iterations of a loop that touch nothing in flight: for each message and access
    a few comparisons and divisions, executed once before a loop. Hundreds of them in a function keep LLVM's
    optimizer busy for longer than the rest of the program, and gain nothing by it. This pass makes each such block
    (`comm.bounds`) of at least `least-operations` operations a function that is neither inlined nor optimized.

    ```mlir
    ^asked:
      %low = ...
      %high = ...
      llvm.br ^after(%low, %high : i64, i64) {comm.bounds}
    // becomes
    ^asked:
      %both = llvm.call @main.comm.bounds(...) : (...) -> !llvm.struct<(i64, i64)>
      %low = llvm.extractvalue %both[0] : !llvm.struct<(i64, i64)>
      %high = llvm.extractvalue %both[1] : !llvm.struct<(i64, i64)>
      llvm.br ^after(%low, %high : i64, i64)
    ```

    The pass works on functions of the llvm dialect. It runs after all passes that move code.
  }];
  let options = [
    Option<"leastOperations", "least-operations", "unsigned", /*default=*/"100",
           "the size from which on a block becomes a function">,
  ];
  let statistics = [ Statistic<"numOutlined", "num-outlined", "Number of blocks that became functions"> ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CommEraseRecalled : Pass<"comm-erase-recalled"> {
  let summary = "Erase starts that were recalled for waits for recorded requests";
  let description = [{
    `comm-promote-requests` recalls starts (`comm.recalled`) before a wait for requests in memory that other code
    uses: a query at run time determines which requests the wait completes, and an early wait (`comm.unrecorded`)
    completes the unknown ones. Once the wait is in its final place, the recalled starts are useless. If all such waits
    of a function stayed next to the early ones, nothing is recorded. A loop of waits that became a single wait
    (`comm.wait_loop`) becomes a loop again if its requests are not recorded.

    ```mlir
    comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr) {comm.unrecorded}
    comm.recv async ... request(%slot : !llvm.ptr) {comm.recalled, comm.request_set = 1 : i64}
    llvm.call @work() : () -> ()
    comm.waitall count(%number) array_of_requests(%taken : !llvm.ptr) {comm.followed, comm.request_set = 1 : i64}
    // becomes
    comm.waitall count(%n) array_of_requests(%requests : !llvm.ptr) {comm.unrecorded}
    llvm.call @work() : () -> ()
    comm.waitall count(%number) array_of_requests(%taken : !llvm.ptr) {comm.followed, comm.request_set = 1 : i64}
    ```
  }];
  let statistics = [ Statistic<"numErased", "num-erased", "Number of recalled starts"> ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommInsertProgress : Pass<"comm-insert-progress", "::mlir::ModuleOp"> {
  let summary = "Call MPI in long loops between a start and its wait, so that messages progress";
  let description = [{
    An MPI library without its own threads transfers a message beyond its eager limit only while the program calls the
    library. This pass turns a loop between a start and its wait into a loop over blocks of iterations, with a call
    between two blocks. The loop may be an innermost one, whose blocks are vectorized like the original, or one around
    it. The runtime (runtime/lib/overlap/Progress.c) decides right after the start whether the message needs such calls,
    and in the loop, by the cycle counter, whether a call is due. If no message needs calls, loops run as before.

    ```mlir
    %r = comm.recv async ... -> request
    // a loop: ^header(%i: i64): ...; llvm.cond_br %last, ^exit, ^header(%next : i64)
    comm.wait request(%r)
    // becomes
    %r = comm.recv async ... -> request
    %needed = llvm.call @comm.ask_progress(%handle, %comm, %type, %count, %limit, %limit) : (...) -> i64
    %credit = llvm.call @comm.call_begin_progress(%state, %needed) : (!llvm.ptr, i64) -> i64
    // ^enter(%i: i64):  %end is %n, or the end of a block of iterations
    // ^header(%j: i64): ...; llvm.cond_br %over, ^leave, ^header(%next : i64)
    // ^leave:           llvm.cond_br %last, ^exit, ^between
    // ^between:         every %credit blocks, %credit = llvm.call @comm.call_progress(%state, %requests, %one)
    //                   llvm.br ^enter(%next : i64)
    comm.wait request(%r)
    ```

    The pass skips loops that communicate themselves, loops that are known to take less than 100 microseconds, and
    messages that are known to be short. With `cost=none`, all loops and messages count. While a reduction with one of
    the program's own operators is in flight, no calls are inserted, because MPI might call the operator in them. See
    docs/progress.md. The pass runs after all other passes over intervals because it adds uses of requests other than
    waits. It works on modules of the llvm dialect.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation; that of the module if empty">,
    Option<"cost", "cost", "::comm::CostModel", /*default=*/"::comm::CostModel::Measured",
           "what decides whether a loop gets calls", [{::llvm::cl::values(
             clEnumValN(::comm::CostModel::None, "none", "nothing: all loops and messages count"),
             clEnumValN(::comm::CostModel::Measured, "measured", "the lengths of loops and messages"))}]>,
  ];
  let statistics = [ Statistic<"numLoops", "num-loops", "Number of loops in which MPI may progress"> ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommInstrumentIntervals : Pass<"comm-instrument-intervals", "::mlir::ModuleOp"> {
  let summary = "Measure overlap intervals at run time";
  let description = [{
    Inserts calls of the runtime's report (comm/report.h) that read a clock right after each `async` operation and right
    before its `comm.wait`, as in Nguyen et al., section 5.2, and that measure the durations of the start and the wait.
    A call after `comm.init` prepares the report. The pass works on modules of the llvm dialect.

    ```mlir
    %r = comm.recv async ... -> request
    llvm.call @work() : () -> ()
    comm.wait request(%r)
    // becomes
    %entered = llvm.call @comm_report_enter(%site) : (!llvm.ptr) -> f64
    %r = comm.recv async ... -> request
    %begin = llvm.call @comm_report_started(%site, %entered, %bytes) : (!llvm.ptr, f64, i64) -> f64
    llvm.call @work() : () -> ()
    %end = llvm.call @comm_report_end(%site, %begin) : (!llvm.ptr, f64) -> f64
    comm.wait request(%r)
    llvm.call @comm_report_waited(%site, %end) : (!llvm.ptr, f64) -> ()
    ```

    With `all`, blocking operations and waits for requests in memory are measured as well, and the report is a profile
    for later compilations (docs/profile.md).
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false", "measure blocking operations and all waits as well">,
    Option<"file", "file", "std::string", /*default=*/"", "the file or folder to write to; the runtime's choice if empty">
  ];
  let statistics = [ Statistic<"numInstrumented", "num-instrumented", "Number of intervals instrumented"> ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommInstrumentChecks : Pass<"comm-instrument-checks", "::mlir::ModuleOp"> {
  let summary = "Watch the buffers in flight at run time";
  let description = [{
    Registers the buffers in flight with the runtime's checker (comm/check.h) from each `async` operation to its
    `comm.wait`: memory that MPI writes is poisoned for AddressSanitizer, and memory that MPI reads is checked to stay
    unchanged. Before each collective, a call reports its place in the program to the checker of their order. The pass
    works on modules of the llvm dialect.

    ```mlir
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    llvm.call @work() : () -> ()
    comm.wait request(%r)
    // becomes
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    llvm.call @comm_check_buffer(%site, %key, %buf, %count, %t, %c, %blocks, %root, %write) : (...) -> ()
    llvm.call @work() : () -> ()
    llvm.call @comm_check_finish(%key) : (!llvm.ptr) -> ()
    comm.wait request(%r)
    ```
  }];
  let statistics = [ Statistic<"numWatched", "num-watched", "Number of buffers watched"> ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommFormCDag : Pass<"comm-form-cdag", "::mlir::ModuleOp"> {
  let summary = "Turn phases of point-to-point communication into graphs";
  let description = [{
    A phase is a part of a function whose sends and receives can be executed together at its end: nothing else in it
    accesses their buffers after them, communicates, or is observable from outside. A phase that loops over peers
    becomes a `comm.cdag`, including whole branches and loops; its blocking calls become `async`, its waits are removed,
    and the buffers imply the dependences. A loop that repeats a phase stays outside.

    Two fences of a window with gets and puts between them become a graph as well if a loop visits the target processes.

    The pass assumes that all processes of the communicator reach a phase together, as in programs that write out a
    collective. `-fcomm-detect` makes that promise.

    ```mlir
    // if (rank == 0) for (p = 1; p < size; ++p) MPI_Recv(&all[p], ..., p, ...); else MPI_Send(&mine, ..., 0, ...);
    comm.cdag comm(%comm) implied {
      llvm.cond_br %is_root, ^receive, ^send
      // ...
      comm.yield
    }
    ```
  }];
  let options = [
    Option<"provable", "provable", "bool", /*default=*/"false", "only graphs that comm-detect-collectives replaces "
           "by collectives; all other code stays as it is">,
    Option<"abi", "abi", "std::string", /*default=*/"",
           "for provable: the MPI implementation, which determines the sizes of datatypes; that of the module "
           "if empty">,
  ];
  let statistics = [
    Statistic<"numGraphs", "num-graphs", "Number of graphs formed">,
    Statistic<"numRejected", "num-rejected", "Number of loops over peers that form no graph">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def CommDetectCollectives : Pass<"comm-detect-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace graphs that are proved to be collectives";
  let description = [{
    Executes each `comm.cdag` with the rank and the number of processes as symbols. If all its messages together are
    proved to be collectives for every number of processes, these replace the graph: bcast, gather, scatter, allgather
    and alltoall written as loops over all processes, and the allgather of a ring. All other graphs stay for
    `comm-cdag-to-runtime`, with a remark that gives the reason; see docs/detect.md.

    The proofs are also compared with the results of the runtime's algorithms for the graph of 1 to 6 processes.

    With `ranks=N`, graphs without a proof are executed for N processes. If the algorithms of runtime/lib/cdag find
    nothing but collectives, these replace the graph for communicators of N processes; for other numbers of processes,
    it stays as it is.

    ```mlir
    // for (p = 0; p < size; ++p) MPI_Sendrecv(&out[p], 1, ..., p, ..., &in[p], 1, ..., p, ...);
    // where `out` and `in` are known to be apart (two arrays, or restrict)
    comm.cdag comm(%comm) implied {
      // ...
    }
    // becomes
    comm.alltoall sendbuf(%out : !llvm.ptr) sendcount(%one) sendtype(%int) recvbuf(%in : !llvm.ptr) recvcount(%one) recvtype(%int) comm(%comm)
    ```
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"",
           "the MPI implementation, which determines the sizes of datatypes; that of the module if empty">,
    Option<"ranks", "ranks", "unsigned", /*default=*/"0", "a number of processes, 2 to 4096, for which graphs without "
           "a proof are executed">,
  ];
  let statistics = [
    Statistic<"numCollectives", "num-collectives", "Number of collectives">,
    Statistic<"numFixed", "num-fixed", "Number of graphs that are collectives for the given number of processes">,
    Statistic<"numLeft", "num-left", "Number of graphs that are left as they are">,
    Statistic<"numChecked", "num-checked", "Number of executions that agreed with the proof">,
    Statistic<"numDisagreements", "num-disagreements", "Number of executions that disagreed with the proof">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommCDagToRuntime : Pass<"comm-cdag-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Execute graphs with the runtime, which detects collectives";
  let description = [{
    Turns each `comm.cdag` with `implied` dependencies into a phase of the runtime (comm/cdag.h): its messages are
    recorded in place and executed at the end of the region. A graph with explicit dependencies, or with transfers,
    becomes a graph of the runtime. The runtime detects collectives in the graph of all processes, once for each graph,
    and executes the result.

    ```mlir
    comm.cdag comm(%comm) implied {
      %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
      %s = comm.send async buf(%out : !llvm.ptr) count(%n) datatype(%type) dest(%peer) tag(%tag) comm(%comm) -> request
      comm.yield
    }
    // becomes, with %c = comm.cast %comm and %t = comm.cast %type
    llvm.call @comm_cdag_phase_begin(%site, %c) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.call @comm_cdag_phase_recv(%in, %n, %t, %peer, %tag) : (!llvm.ptr, i32, !llvm.ptr, i32, i32) -> i32
    llvm.call @comm_cdag_phase_send(%out, %n, %t, %peer, %tag) : (!llvm.ptr, i32, !llvm.ptr, i32, i32) -> i32
    llvm.call @comm_cdag_phase_end() : () -> i32
    ```
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation, whose handles the runtime gets; "
           "that of the module if empty">,
  ];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of graphs lowered">];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def CommCDagToSST : Pass<"comm-cdag-to-sst", "::mlir::ModuleOp"> {
  let summary = "Convert graphs to single-transfer form for a number of processes";
  let description = [{
    Executes each `comm.cdag` for `ranks` processes, matches their messages, and follows the data: the graph becomes one
    `comm.transfer` for each piece of memory that it changes, from the place of the data before the graph ran (Hoefler
    and Schneider, section 2.3). Messages that only forward data disappear, and so does the order of messages. A remark
    names the collectives in the graph.

    It is an error if values depend on more than the rank, the size and constants, or if messages do not match, are
    longer than their receive, wait for each other, or race for a buffer.

    ```mlir
    // a broadcast along a chain of 3 processes
    comm.cdag comm(%comm) {
      comm.transfer from(%buf : !llvm.ptr) rank 0 offset 0 to(%buf : !llvm.ptr) rank 1 offset 0 bytes 8
      comm.transfer from(%buf : !llvm.ptr) rank 0 offset 0 to(%buf : !llvm.ptr) rank 2 offset 0 bytes 8
      comm.yield
    }
    ```
  }];
  let options = [
    Option<"ranks", "ranks", "unsigned", /*default=*/"0", "number of processes of the communicator, 1 to 4096">,
    Option<"abi", "abi", "std::string", /*default=*/"",
           "the MPI implementation, which determines the sizes of datatypes; that of the module if empty">,
  ];
  let statistics = [
    Statistic<"numTransfers", "num-transfers", "Number of transfers">,
    Statistic<"numMessages", "num-messages", "Number of messages">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

#endif // COMM_TRANSFORMS_PASSES_TD
