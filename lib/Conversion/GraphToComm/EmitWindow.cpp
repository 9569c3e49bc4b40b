//===- EmitWindow.cpp - Exchanges by puts into a window -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one-sided exchange of StarDist (section V): a window with a part for each process that sends, under a shared lock
// of all processes without checks, which the program takes once. A pulse is a put to each process that gets something,
// a flush, and the sum of the numbers of puts over all processes, after which all puts have arrived. Nobody knows in
// advance who sends, or how much.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;

/// struct comm_graph_put of comm/graph_run.h: its size in words, and the offsets of its fields in bytes.
enum Put { PutWords = 3, PutFrom = 0, PutPlace = 8, PutRank = 16, PutBytes = 20 };

/// Emits an operation without a result.
void Emitter::synchronize(StringRef function, ArrayRef<NamedParam> params) {
  createMPIOp(builder, builder.getLoc(), function, Mode::blocking, params, {});
}

/// Makes the window at the beginning of the program. How large it must be, and whether a loop uses it, is only known at
/// the end.
void Emitter::openWindow() {
  window = {};
  if (exchange != GraphExchange::Window)
    return;
  MLIRContext *context = builder.getContext();
  window.begin = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  for (Value &size : window.sizes)
    size = code.integer(0);
  Value bytes =
      code.call("comm_graph_run_window", code.i64(), {runValue, window.sizes[0], window.sizes[1], window.sizes[2]});
  window.isOpen = code.isTrue(bytes);
  window.handleType = abi->handlesArePointers(mpi::HandleClass::Win) ? code.pointer() : code.i32();
  window.slot = code.allocate(entry, window.handleType);
  Value base = code.allocate(entry, code.pointer());
  when(window.isOpen, [&] {
    Value comm = named("MPI_COMM_WORLD", CommunicatorType::get(context));
    MPIOpInterface made = createMPIOp(builder, builder.getLoc(), "MPI_Win_allocate", Mode::blocking,
                                      {{"size", bytes},
                                       {"disp_unit", code.integer(1, 32)},
                                       {"info", named("MPI_INFO_NULL", InfoType::get(context))},
                                       {"comm", comm},
                                       {"baseptr", base}},
                                      {"win"});
    Value win = made.getOutcome("win");
    code.store(CastOp::create(builder, window.handleType, win), window.slot);
    synchronize("MPI_Win_lock_all", {{"assert", named("MPI_MODE_NOCHECK", code.i32())}, {"win", win}});
    code.call("comm_graph_run_window_open", Type(), {runValue, code.load(code.pointer(), base)});
    // Nobody may put anything before the memory is initialized.
    synchronize("MPI_Win_sync", {{"win", win}});
    synchronize("MPI_Barrier", {{"comm", comm}});
  });
  code.call("comm_graph_run_waited", Type(), runValue);
  window.end = builder.getInsertionBlock()->empty() ? nullptr : &builder.getInsertionBlock()->back();
}

Value Emitter::getWindow() {
  Value handle = code.load(window.handleType, window.slot);
  return CastOp::create(builder, WindowType::get(builder.getContext()), handle);
}

/// Frees the window at the end of the program, or removes it if no loop uses it.
void Emitter::closeWindow() {
  if (!window.begin)
    return;
  if (!window.needed[0]) {
    while (window.end != window.begin) {
      Operation *previous = window.end->getPrevNode();
      window.end->erase();
      window.end = previous;
    }
    window.begin->erase();
    return;
  }
  window.begin->erase();
  for (auto [size, needed] : llvm::zip_equal(window.sizes, window.needed))
    size.getDefiningOp<arith::ConstantOp>().setValueAttr(builder.getI64IntegerAttr(needed));
  when(window.isOpen, [&] {
    code.call("comm_graph_run_waits", Type(), runValue);
    synchronize("MPI_Win_unlock_all", {{"win", getWindow()}});
    code.call("comm_graph_run_window_close", Type(), runValue);
    synchronize("MPI_Win_free", {{"win", window.slot}});
    code.call("comm_graph_run_waited", Type(), runValue);
  });
}

/// Puts what the runtime has listed. Returns the number of puts.
Value Emitter::emitPuts(Value puts) {
  Value size = code.load(code.i64(), puts), list = code.load(code.pointer(), code.field(puts, 8));
  Type put = LLVM::LLVMArrayType::get(code.i64(), PutWords);
  count(code.integer(0), size, [&](Value i) {
    Value each = code.element(list, put, i);
    Value bytes = code.load(code.i32(), code.field(each, PutBytes));
    Value datatype = named("MPI_BYTE", DatatypeType::get(builder.getContext()));
    synchronize("MPI_Put", {{"origin_addr", code.load(code.pointer(), code.field(each, PutFrom))},
                            {"origin_count", bytes},
                            {"origin_datatype", datatype},
                            {"target_rank", code.load(code.i32(), code.field(each, PutRank))},
                            {"target_disp", code.load(code.i64(), code.field(each, PutPlace))},
                            {"target_count", bytes},
                            {"target_datatype", datatype},
                            {"win", getWindow()}});
  });
  return size;
}

/// Waits until the puts of all processes have arrived, while `meanwhile` may run. Returns their number.
Value Emitter::emitAgreement(Value puts, llvm::function_ref<void()> meanwhile) {
  MLIRContext *context = builder.getContext();
  code.call("comm_graph_run_waits", Type(), runValue);
  synchronize("MPI_Win_flush_all", {{"win", getWindow()}});
  code.call("comm_graph_run_waited", Type(), runValue);
  Value mine = code.allocate(entry, code.i64()), all = code.allocate(entry, code.i64());
  code.store(puts, mine);
  synchronize("MPI_Allreduce", {{"sendbuf", mine},
                                {"recvbuf", all},
                                {"count", code.integer(1, 32)},
                                {"datatype", named("MPI_INT64_T", DatatypeType::get(context))},
                                {"op", named("MPI_SUM", ReductionOpType::get(context))},
                                {"comm", named("MPI_COMM_WORLD", CommunicatorType::get(context))}});
  meanwhile();
  code.call("comm_graph_run_waits", Type(), runValue);
  synchronize("MPI_Win_sync", {{"win", getWindow()}});
  return code.load(code.i64(), all);
}

/// Sends owners' values to ghosts. Returns the address of the first ghost of the first property.
Value Emitter::putValues(const GhostMap &ghosts, Value handles, bool onlyChanges, llvm::function_ref<void()> first,
                         llvm::function_ref<void()> second) {
  int64_t bytes = 0;
  for (auto [property, type] : ghosts)
    bytes += Code::sizeOf(type);
  auto groups = int64_t(ghosts.size());
  window.needed[0] = std::max(window.needed[0], groups);
  window.needed[2] = std::max(window.needed[2], bytes);
  Value puts = emitPuts(code.call("comm_graph_run_values_puts", code.pointer(),
                                  {runValue, code.integer(groups), handles, code.integer(onlyChanges, 32)}));
  first();
  Value all = emitAgreement(puts, second);
  return code.call("comm_graph_run_values_collect", code.pointer(), {runValue, all});
}

/// As EmitGathers.cpp, with puts in place of messages: half of the gather from own vertices may run while the puts are
/// on their way, and the other half while processes agree that they have arrived.
Value Emitter::emitPutGather(ArrayRef<Value> arguments, Type type, bool isReduced) {
  Value site = arguments[1], property = arguments.back();
  Value data = code.load(code.pointer(), property);
  Value result = code.call("comm_graph_run_gather_begin", code.pointer(), arguments);
  auto gatherOwn = [&](int64_t from, int64_t to) {
    count(code.integer(from), code.integer(to),
          [&](Value part) { code.call("comm_graph_run_gather_own", Type(), {runValue, site, data, result, part}); });
  };
  // Reductions of the loop have already been prepared, so what ghosts hold after it is not what was sent.
  bool onlyChanges = loop->op->hasAttr(graph::kChangesAttrName) && !isReduced;
  GhostMap read;
  read.insert({property, type});
  Value ghosts = putValues(
      read, makeHandles(read), onlyChanges, [&] { gatherOwn(0, kGatherParts / 2); },
      [&] { gatherOwn(kGatherParts / 2, kGatherParts); });
  code.call("comm_graph_run_gather_rest", Type(), {runValue, site, ghosts, result});
  return result;
}

/// As EmitOverlap.cpp. All updates of a loop for one process are one put.
void Emitter::putUpdates(Value from, Value size, llvm::function_ref<void(Value)> item) {
  SmallVector<Value> handles;
  int64_t bytes = 0;
  for (auto &[key, group] : loop->updates) {
    handles.push_back(group.handle);
    bytes += group.bytes;
  }
  auto groups = int64_t(handles.size());
  window.needed[0] = std::max(window.needed[0], groups);
  window.needed[1] = std::max(window.needed[1], bytes);
  Value list =
      code.call("comm_graph_run_updates_puts", code.pointer(), {runValue, code.integer(groups), makeSlots(handles)});
  Value puts = emitPuts(list);
  Value half = middle(from, size);
  count(from, half, item);
  Value all = emitAgreement(puts, [&] { count(half, size, item); });
  for (auto [index, handle] : llvm::enumerate(handles))
    code.call("comm_graph_run_updates_collect", Type(), {handle, code.integer(int64_t(index)), all});
}
