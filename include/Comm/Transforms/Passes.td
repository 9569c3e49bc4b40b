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
         "where the program can see which message was started first, so that no start may pass a completion",
         [{::llvm::cl::values(
           clEnumValN(::comm::Observers::Infer, "infer", "what the module shows"),
           clEnumValN(::comm::Observers::Never, "never", "nowhere"),
           clEnumValN(::comm::Observers::Elsewhere, "elsewhere", "not in this module: asked at run time"),
           clEnumValN(::comm::Observers::Here, "here", "in this module"))}]>,
  Option<"sideChannels", "side-channels", "::comm::SideChannels", /*default=*/"::comm::SideChannels::Possible",
         "how processes may hear of each other otherwise than by messages and collectives", [{::llvm::cl::values(
           clEnumValN(::comm::SideChannels::Possible, "possible", "by files, memory, output"),
           clEnumValN(::comm::SideChannels::None, "none", "not at all"),
           clEnumValN(::comm::SideChannels::Ignored, "ignored", "nobody looks: a promise"))}]>
];

def CommSplitBlocking : Pass<"comm-split-blocking", "::mlir::ModuleOp"> {
  let summary = "Make blocking operations a start and a wait";
  let description = [{
    Every blocking operation that MPI has a nonblocking form of becomes `async`, followed by a `comm.wait`. A sendrecv
    becomes a receive and a send; one with one buffer receives to a copy of it, which is copied back after the wait. Operations stay blocking, with a remark that says why, where the two forms would
    differ: the error code is used, a reduction operator is the program's own or rounds (see `sums`), the buffer may be
    anywhere (MPI_BOTTOM), completion orders more than the buffers (a barrier), or the operation is correct only at its place (a ready send).
    Collectives get `comm.start_kind` ("exact", or of sums "sum", "ordered", "either"): whether they are nonblocking is
    asked at run time, by a function of libCommOverlapPointer.a or libCommOverlapInteger.a, because no blocking call matches.

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
           "all of them if empty">,
    Option<"sums", "sums", "::comm::mpi::SumOrder", /*default=*/"::comm::mpi::SumOrder::Ordered",
           "sums and products of floating-point numbers that may become nonblocking",
           [{::llvm::cl::values(
             clEnumValN(::comm::mpi::SumOrder::Exact, "exact", "none"),
             clEnumValN(::comm::mpi::SumOrder::Ordered, "ordered", "those that both forms add in one order"),
             clEnumValN(::comm::mpi::SumOrder::Any, "any", "all"))}]>,
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of blocking operations split">,
    Statistic<"numKept", "num-kept", "Number of blocking operations kept blocking">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommIgnoreStatuses : Pass<"comm-ignore-statuses"> {
  let summary = "Let MPI write no status that nobody reads";
  let description = [{
    A variable on the stack that is given to MPI as a status, or as an array of statuses, and for nothing else becomes
    `MPI_STATUS_IGNORE` or `MPI_STATUSES_IGNORE` (MPI-4, 3.2.6). Waits that would write one status need not keep their
    order.

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
    `MPI_Send_init` names the buffer of a message far away from the `MPI_Start` that sends it. Where one function makes,
    starts and completes all requests of an array, each start becomes the nonblocking calls with the arguments that the
    requests were made with, and the waits complete these. What made and freed the requests goes. Messages are the same:
    a persistent one matches any other (MPI-4, 3.9).

    Requests that are made in branches, at places that a counter tells (`&requests[n++]`), are started whether they were
    made or not: those that were not are sent to `MPI_PROC_NULL`.

    ```mlir
    llvm.call @MPI_Send_init(%buf, %n, %type, %peer, %tag, %comm, %slot) : (...) -> i32
    llvm.call @MPI_Start(%slot) : (!llvm.ptr) -> i32
    comm.wait request(%slot : !llvm.ptr)
    // becomes
    llvm.call @MPI_Isend(%buf, %n, %type, %peer, %tag, %comm, %new) : (...) -> i32
    comm.wait request(%new : !llvm.ptr)
    ```

    Left as they are, with a remark that says why: requests that others may see, and those that are tested, cancelled or
    looked at; of collectives and partitioned messages; starts and waits that name different ranges by variables; and
    those whose datatype or communicator may be freed before a start.

    It runs between `raise-mpi-to-comm` and another run of it. It does not mark the function as changed: by itself it
    gains nothing.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation, whose requests have a size; what "
           "the module says if empty">,
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of calls that made persistent requests">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommPromoteRequests : Pass<"comm-promote-requests", "::mlir::ModuleOp"> {
  let summary = "Make requests that the program keeps on its stack values, and follow others";
  let description = [{
    The program's own `MPI_Isend` and `MPI_Irecv` have their requests in memory, and nothing is known of what a wait
    completes. Where a variable or an array of a constant size holds requests, each is started and waited for in one scope,
    and nothing else looks at it, the start returns its request and a wait of it alone takes the place of `MPI_Wait` or
    `MPI_Waitall`, so that `comm-move-slices` can widen the interval. Starts have the attributes `comm.from`, what the
    program called, and `comm.programs_interval`: what the program made a start and a wait stays one.

    ```mlir
    comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) request(%slot : !llvm.ptr)
    comm.waitall count(%one) array_of_requests(%slot : !llvm.ptr)
    // becomes
    %r = comm.recv async buf(%buf : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    comm.wait request(%r)
    ```

    Elsewhere requests stay in memory: in arrays of any length, on the heap and in structures, of all nonblocking operations. A
    wait whose starts are known nevertheless (docs/soundness.md) gets the attribute `comm.followed`: `comm-move-slices` may
    move it, or the loop around it. In memory that others use, too, these are a loop of starts and one of waits for the
    same places, with nothing in between that may touch them; both get one number (`comm.request_set`).

    Of what is left, starts are recorded at run time (`record`). A loop that does nothing but wait for one request after the
    other becomes one wait for that (`comm.wait_loop`).

    It does not mark the function as changed: by itself it gains nothing.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation, whose requests have a size; what "
           "the module says if empty">,
    Option<"record", "record", "bool", /*default=*/"true",
           "record at run time what nothing is known of when compiling">,
  ];
  let statistics = [
    Statistic<"numPromoted", "num-promoted", "Number of requests that became values">,
    Statistic<"numFollowed", "num-followed", "Number of starts of requests in memory whose waits are known">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommIsolateLoops : Pass<"comm-isolate-loops"> {
  let summary = "Make each loop around an interval a unit of its own";
  let description = [{
    Optimizers run loops together: the exit of one loop is the header of the next, and where two loops have the same guard
    (`n > 0`) it is tested once, for both. What comes between the loops then has no place in the control flow, and
    `comm-move-slices` can only move both loops or none.

    In functions with a start and a wait this gives each loop a preheader and exits of its own, makes two ways out of a
    loop one (an optimizer that knows a guard in the last iteration leads one of them past the loop after it), and splits the
    guards of branches next to an interval before and after each loop in them. Where the arms of a branch both end by asking
    the same (`t % 10 == 0`, followed on both ways of `n > 0`), they join before it. Branches on one condition that optimizers have
    made of one, since they know on some ways what comes next, become one again where they contain waits for requests in memory. Addresses and sizes that the arms of such branches
    compute and hand over are computed before the branch, if they can be: else a message with that buffer depends on the
    loop. Small variables of messages whose lifetime begins or ends in such an arm live as long as the function, for the
    same reason. Loads of variables on the stack that nobody else has pointers to are executed before loops that do not
    change them: where the elements of a vector are, which LLVM loads again after each call of MPI. It changes nothing that the program computes, and does not mark the function as changed.

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
    Option<"maxSplits", "max-splits", "unsigned", /*default=*/"64", "the most guards that are split in a function">,
  ];
  let statistics = [
    Statistic<"numBlocks", "num-blocks", "Number of blocks inserted before and after loops">,
    Statistic<"numExits", "num-exits", "Number of loops whose two ways out became one">,
    Statistic<"numTests", "num-tests", "Number of branches on one condition that became one">,
    Statistic<"numTails", "num-tails", "Number of branches at the ends of both arms of a branch that became one">,
    Statistic<"numGuards", "num-guards", "Number of guards split">,
    Statistic<"numHoisted", "num-hoisted", "Number of results of branches that are computed before them">,
    Statistic<"numLoads", "num-loads", "Number of loads of private variables that are executed before a loop">,
    Statistic<"numCarried", "num-carried", "Number of private variables that loops carry as values">,
    Statistic<"numExtended", "num-extended", "Number of variables that live as long as the function">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def CommAskLayouts : Pass<"comm-ask-layouts", "::mlir::ModuleOp"> {
  let summary = "Ask at run time which bytes datatypes have that nothing in the function tells";
  let description = [{
    A datatype in a variable at file scope, in a structure on the heap, or passed by a caller says nothing about the bytes
    of a message. In front of each start of a message with such a datatype (not of collectives, where some processes may
    pass none) this pass asks the runtime
    (runtime/lib/overlap/Datatypes.c), which reads MPI_Type_get_envelope and keeps what it found as an attribute of the
    datatype. Footprints have the numbers as symbols; which columns a message has of the rows that a loop goes over is
    then decided at run time (docs/footprints.md). What is not used in the end, optimizers remove.

    ```mlir
    comm.recv async buf(%buffer : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    // becomes, with %type = comm.cast %handle
    %layout = llvm.call @comm_ask_type_layout(%handle) : (!llvm.ptr) -> !llvm.ptr
    %begin = llvm.call @comm_ask_type_begin(%layout) : (!llvm.ptr) -> i64
    // ... its size, stride, count, extent and column
    comm.recv async buf(%buffer : !llvm.ptr) count(%n) datatype(%type) source(%peer) tag(%tag) comm(%comm) -> request
    ```
  }];
  let statistics = [
    Statistic<"numAsked", "num-asked", "Number of datatypes asked about">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommSplitIterations : Pass<"comm-split-iterations", "::mlir::ModuleOp"> {
  let summary = "Split loops into iterations that need not wait and the rest";
  let description = [{
    A loop after a wait that touches a few bytes of what is in flight (ghost rows of a stencil) depends on the wait, and
    so do all of its iterations. This pass makes such a loop two: the *interior*, a range of iterations none of which
    touches a buffer in flight or anything that depends on what arrives (what an unpack loop writes), and the rest, in
    the order that it had. Both are copies of the loop. In nests, inner loops are split where the outer one cannot be:
    by rows, by columns, and so on. Likewise a loop before a start that writes what is sent: its interior, which the
    message does not need, may then run after the start.

    Bounds are computed in front of the loop, and what is not known of numbers is asked there: where an assumption does
    not hold the interior is empty.

    The branch that enters the interior gets `comm.interior`, the labels (`comm.label`) of what it keeps off, so that
    `comm-move-slices` can put it before the wait. The pass does not mark the function as changed: by itself it gains
    nothing.

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
           "what decides whether a loop is worth two", [{::llvm::cl::values(
             clEnumValN(::comm::CostModel::None, "none", "nothing: all that can be split is"),
             clEnumValN(::comm::CostModel::Measured, "measured",
                        "at run time, that processes are on several nodes, and iterations enough in the interior"))}]>,
    Option<"profile", "profile", "std::string", /*default=*/"", "what was measured, for cost=measured: loops that wait "
           "for calls that take less time than to begin a second loop stay whole">,
    Option<"anyOrder", "any-order", "bool", /*default=*/"false",
           "sums of floating-point numbers may change their order">,
    Option<"maxUnits", "max-units", "unsigned", /*default=*/"300",
           "how many units after a wait, or before a start, a loop may be to be split">,
  ]);
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of loops split">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommLeaveBranches : Pass<"comm-leave-branches", "::mlir::ModuleOp"> {
  let summary = "Let waits leave the branches that their starts are in";
  let description = [{
    `if (rank > 0) MPI_Send(...)` is alone in its branch: nothing there can be done meanwhile. Where nothing but
    communication comes after a wait in its branch, and all of it may come before the wait, the wait goes to the join of
    the branch, out of nested ones too. The request is then in memory, null where the branch is not taken, and the wait
    (`comm.left`) does nothing there: it neither calls MPI nor writes its status. It moves on as a wait for requests in
    memory does (`comm.followed`). A wait never leaves a loop, and no branch that may throw. Sends and receives only; the
    size of a request must be known: the module says which MPI it is for.

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
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation whose requests these are; what the module "
           "says if empty">,
    Option<"keepsOwn", "keeps-own", "bool", /*default=*/"false",
           "waits for what the program itself started stay in their branches, where they can be watched and measured">,
    Option<"maxDepth", "max-depth", "unsigned", /*default=*/"4", "how many branches, one in another, a wait leaves">,
  ]);
  let statistics = [
    Statistic<"numLeft", "num-left", "Number of branches that a wait left">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommReturnWaits : Pass<"comm-return-waits"> {
  let summary = "Put waits that left a branch for nothing back next to their starts";
  let description = [{
    The inverse of `comm-leave-branches` where nothing overlaps: between the start and the wait is only what computes
    values, and other starts that `comm-leave-branches` made. The request is a value again, and the wait is where
    the blocking call was, so that `comm-merge-useless-splits` makes it one.

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
  let summary = "Move starts up, waits down, and the statements that they depend on with them";
  let description = [{
    Widens the overlap interval between an `async` operation and its `comm.wait` (Nguyen et al., "Automatic Code Motion
    to Extend MPI Nonblocking Overlap Window").

    `mode=basic` moves a start up and a wait down to the nearest dependence. `mode=extended` puts a whole chain of
    statements, loops and branches into another order: what the start depends on, the start, everything independent, the
    wait, what depends on it; several communications at once. Whole loops and branches move as units. An interval that
    gains less than `min-weight` is given up, and what moved for it stays where the programmer had it.

    A wait may pass what it may pass only under a condition that is known at run time: then a `comm.wait_if`, or for
    requests in memory a `comm.waitall_if`, stays where the wait was.

    With `cost=measured` an interval is given up, too, if all that it can hide (operations times trip counts, where they
    are known) takes less time than the nonblocking form costs more; and the wait for a send whose message may be too
    long to arrive by itself stays in front of the computation after it, which its receiver would have to wait for.
    A call that a `profile` has is judged by what it took, waited for and hid there (docs/profile.md).

    Legality is decided by LLVM's alias analysis and by what MPI says of each operation; docs/soundness.md has the rules.
  }];
  let options = !listconcat([
    Option<"mode", "mode", "::comm::MotionMode", /*default=*/"::comm::MotionMode::Extended",
           "how far: basic stops at the nearest dependence, extended moves dependences too", [{::llvm::cl::values(
             clEnumValN(::comm::MotionMode::Off, "off", "move nothing"),
             clEnumValN(::comm::MotionMode::Basic, "basic", "stop at the nearest dependence"),
             clEnumValN(::comm::MotionMode::Extended, "extended", "move the dependences too"))}]>,
  ], orderOptions, [
    Option<"cost", "cost", "::comm::CostModel", /*default=*/"::comm::CostModel::None",
           "what decides whether an interval is worth having", [{::llvm::cl::values(
             clEnumValN(::comm::CostModel::None, "none", "a few statements are"),
             clEnumValN(::comm::CostModel::Measured, "measured", "what it hides against what the form costs"))}]>,
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation whose costs count, by the name of its bindings "
           "(lib/MPI/Bindings); what the module says if empty">,
    Option<"profile", "profile", "std::string", /*default=*/"", "what was measured, for cost=measured: interval reports "
           "or folders of them, with commas between them">,
    Option<"minWeight", "min-weight", "unsigned", /*default=*/"4",
           "the least work in an interval worth having: a statement counts 1, a call 16, a loop 64">,
    Option<"maxUnits", "max-units", "unsigned", /*default=*/"750",
           "the most statements of a chain that are put into order together, without arithmetic">,
  ]);
  let statistics = [
    Statistic<"numWidened", "num-widened", "Number of communications that overlap something">,
    Statistic<"numUnchanged", "num-unchanged", "Number of communications that overlap nothing">,
    Statistic<"numMovedUnits", "num-moved-units", "Number of statements, loops and branches in overlap intervals">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommMergeUselessSplits : Pass<"comm-merge-useless-splits"> {
  let summary = "Make a start that ended next to its wait blocking again";
  let description = [{
    The inverse of `comm-split-blocking` where nothing overlaps: a nonblocking operation costs more than a blocking one.
    A function in which all is blocking again is no longer marked as changed, so that the plugin leaves it as it was.
  }];
  let statistics = [ Statistic<"numMerged", "num-merged", "Number of splits undone"> ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommEraseRecalled : Pass<"comm-erase-recalled"> {
  let summary = "Erase starts that are said again for a wait whose requests were recorded";
  let description = [{
    `comm-promote-requests` says starts again (`comm.recalled`) in front of a wait in memory that others use, where it asks
    at run time what the wait completes, and waits early for what it does not know (`comm.unrecorded`). Once the wait has
    its place they are of no use. Where all such waits of a function stayed next to the early ones, nothing is recorded.
    A loop of waits that became one wait for that, and what is not recorded of it (`comm.wait_loop`), is a loop again.
  }];
  let statistics = [ Statistic<"numErased", "num-erased", "Number of starts that were said again"> ];
  let dependentDialects = ["::comm::CommDialect"];
}

def CommInsertProgress : Pass<"comm-insert-progress", "::mlir::ModuleOp"> {
  let summary = "Call MPI in long loops between a start and its wait, for messages to progress";
  let description = [{
    An MPI library without threads of its own moves a message that is longer than what it sends at once only while the
    program calls it. Where a loop runs between a start and its wait, this pass makes it a loop over blocks of iterations,
    with a call between two of them: an innermost loop, whose blocks are vectorized as the loop was, or one around it. The
    runtime (runtime/lib/overlap/Progress.c) decides right after the start whether the message needs it, and in the
    loop, by the cycle counter, whether it is time. Where no message needs it loops run as they did.

    ```mlir
    %r = comm.recv async ... -> request
    // a loop: ^header(%i: i64): ...; llvm.cond_br %last, ^exit, ^header(%next : i64)
    comm.wait request(%r)
    // becomes
    %r = comm.recv async ... -> request
    %needed = llvm.call @comm_ask_progress(%handle, %comm, %type, %count, %limit, %limit) : (...) -> i64
    %credit = llvm.call @comm_call_begin_progress(%state, %needed) : (!llvm.ptr, i64) -> i64
    // ^enter(%i: i64):  %end is %n, or 256 iterations on
    // ^header(%j: i64): ...; llvm.cond_br %over, ^leave, ^header(%next : i64)
    // ^leave:           llvm.cond_br %last, ^exit, ^between
    // ^between:         %more = llvm.call @comm_call_progress(%state, %requests, %n); llvm.br ^enter(%next : i64)
    comm.wait request(%r)
    ```

    Loops get nothing that communicate themselves, or that are known to take less than 100 microseconds; nor do messages
    that are known to be short. With `cost=none` all loops and messages count. Where an operator of the program's own is
    under way, MPI must not call it in between. docs/progress.md has the rules. It runs after all other passes over
    intervals, as it gives requests other uses than waits. For modules of the llvm dialect.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation; what the module says if empty">,
    Option<"cost", "cost", "::comm::CostModel", /*default=*/"::comm::CostModel::Measured",
           "what decides whether a loop is worth it", [{::llvm::cl::values(
             clEnumValN(::comm::CostModel::None, "none", "nothing: all loops and messages count"),
             clEnumValN(::comm::CostModel::Measured, "measured", "how long loops and messages are"))}]>,
  ];
  let statistics = [ Statistic<"numLoops", "num-loops", "Number of loops in which MPI may progress"> ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommInstrumentIntervals : Pass<"comm-instrument-intervals", "::mlir::ModuleOp"> {
  let summary = "Measure overlap intervals at run time";
  let description = [{
    Reads a clock right after each `async` operation and right before its `comm.wait`, as the paper measures intervals
    (Nguyen et al., section 5.2), by calls of the runtime's report (comm/report.h); and how long the start and the wait
    take. `comm.init` is followed by a call that prepares the report. For modules of the llvm dialect.

    With `all`, blocking operations and waits for requests in memory are measured, too, and the report is a profile for
    later compilations (docs/profile.md).
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
    Tells the runtime's checker (comm/check.h) which buffers are in flight from each `async` operation to its
    `comm.wait`: what MPI writes is poisoned for AddressSanitizer, what MPI reads is checked to stay as it is. Before each
    collective it tells where the program calls it, for the checker of their order. For modules of the llvm dialect.
  }];
  let statistics = [ Statistic<"numWatched", "num-watched", "Number of buffers watched"> ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommFormCDag : Pass<"comm-form-cdag", "::mlir::ModuleOp"> {
  let summary = "Make phases of point-to-point communication graphs";
  let description = [{
    A phase is a piece of a function whose sends and receives can be executed together at its end: nothing in it touches
    their buffers after them, communicates otherwise, or can be noticed from outside. A phase that loops over peers
    becomes a `comm.cdag`, whole branches and loops included; its blocking calls become `async`, its waits go, and the
    buffers imply what depends on what. A loop that repeats a phase stays outside.

    So do two fences of a window with gets and puts between them, to processes over which a loop goes.

    The pass takes it for granted that all processes of the communicator come to a phase together, as programs do that
    spell out a collective. `-fcomm-detect` is that promise.

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
    Option<"provable", "provable", "bool", /*default=*/"false", "only graphs that comm-detect-collectives makes "
           "collectives of; all other code stays as it is">,
    Option<"abi", "abi", "std::string", /*default=*/"", "for provable: the MPI implementation, which knows the sizes of "
           "datatypes; the module's if empty">,
  ];
  let statistics = [
    Statistic<"numGraphs", "num-graphs", "Number of graphs formed">,
    Statistic<"numRejected", "num-rejected", "Number of loops over peers that form no graph">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def CommDetectCollectives : Pass<"comm-detect-collectives", "::mlir::ModuleOp"> {
  let summary = "Make graphs that are known to be collectives collectives";
  let description = [{
    Executes each `comm.cdag` with the rank and the number of processes as symbols. Where all its messages together are
    proved to be collectives, for any number of processes, these take the place of the graph: bcast, gather, scatter,
    allgather and alltoall spelled as loops over all processes, and the allgather of a ring. All else stays, with a remark
    that says why, for `comm-cdag-to-runtime`; docs/detect.md has the rules.

    What is proved is also compared with what the algorithms of the runtime find in the graph of 1 to 6 processes.

    With `ranks=N` a graph that is not proved is executed for N processes. If the algorithms of runtime/lib/cdag find that it
    is nothing but collectives then, it becomes them where the communicator has N processes, and stays as it is where it has
    another number.

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
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation, which knows the sizes of datatypes; "
           "the module's if empty">,
    Option<"ranks", "ranks", "unsigned", /*default=*/"0", "a number of processes, 2 to 4096, for which graphs are looked "
           "at that are not proved for any number">,
  ];
  let statistics = [
    Statistic<"numCollectives", "num-collectives", "Number of collectives">,
    Statistic<"numFixed", "num-fixed", "Number of graphs that are collectives for one number of processes">,
    Statistic<"numLeft", "num-left", "Number of graphs that are left as they are">,
    Statistic<"numChecked", "num-checked", "Number of executions that agreed with what was proved">,
    Statistic<"numDisagreements", "num-disagreements", "Number of executions that did not">,
  ];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect"];
}

def CommCDagToRuntime : Pass<"comm-cdag-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Execute graphs by the runtime, which detects collectives";
  let description = [{
    Makes each `comm.cdag` with `implied` dependencies a phase of the runtime (comm/cdag.h): its messages are recorded
    where they stand, and executed at the end of the region. One with explicit dependencies, or with transfers, becomes a
    graph of the runtime. The runtime looks for collectives in the graph of all processes, once for each graph, and runs
    what it found.
  }];
  let options = [
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation, whose handles the runtime is given; "
           "the module's if empty">,
  ];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of graphs lowered">];
  let dependentDialects = ["::comm::CommDialect", "::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def CommCDagToSST : Pass<"comm-cdag-to-sst", "::mlir::ModuleOp"> {
  let summary = "Bring graphs into single-transfer form for a number of processes";
  let description = [{
    Executes each `comm.cdag` for `ranks` processes, matches their messages, and follows the data: what the graph does
    becomes one `comm.transfer` for each piece of memory that it changes, from where the data was before the graph ran
    (Hoefler and Schneider, section 2.3). Messages that forward what others sent are gone; so is their order.
    A remark names the collectives that are in it.

    Values that depend on more than the rank, the size and constants make it an error, as do messages that do not match,
    that are longer than their receive, that wait for each other, or that race for a buffer.

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
    Option<"abi", "abi", "std::string", /*default=*/"", "the MPI implementation, which knows the sizes of datatypes; "
           "the module's if empty">,
  ];
  let statistics = [
    Statistic<"numTransfers", "num-transfers", "Number of transfers">,
    Statistic<"numMessages", "num-messages", "Number of messages">,
  ];
  let dependentDialects = ["::comm::CommDialect"];
}

#endif // COMM_TRANSFORMS_PASSES_TD
