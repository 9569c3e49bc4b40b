// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window/OneSided.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace comm::ranks {

// Maximum data in a message to another process, including runs.
static constexpr int64_t mostInMessage = 1 << 20;

/// Returns the range of bytes that `count` elements of a type span, relative to the first element.
static std::pair<ABI_Aint, ABI_Aint> spanOf(const Datatype *type, int64_t count) {
  if (!count || !type->size)
    return {0, 0};
  ABI_Aint last = (count - 1) * type->extent;
  return {std::min<ABI_Aint>(0, last) + type->trueLower,
          std::max<ABI_Aint>(0, last) + type->trueLower + type->trueExtent};
}

static bool isAccessible(const Window *window, int target) {
  if (window->fenced || window->isPassive(target))
    return true;
  return window->accessed && std::count(window->accessed->begin(), window->accessed->end(), target);
}

/// Finds the first byte of a dynamic window's target that is accessed but not attached, if any. Data with gaps may be
/// in several regions. Returns an error class.
static int findNotAttached(Window *window, const Place &target, const Datatype *type,
                           std::pair<ABI_Aint, ABI_Aint> span, char *&missing) {
  char *base = reinterpret_cast<char *>(target.displacement);
  WindowTarget &at = window->targetOf(target.rank);
  {
    std::lock_guard<std::mutex> guard(at.mutex);
    if (at.hasAttached(base + span.first, base + span.second))
      return ABI_SUCCESS;
  }
  Layout layout;
  if (int error = layoutOf(type, target.count, typeOf(ABI_BYTE), INT64_MAX, layout))
    return error;
  std::lock_guard<std::mutex> guard(at.mutex);
  for (const Run &run : layout.runs)
    if (char *from = base + run.offset; !at.hasAttached(from, from + run.count)) {
      missing = from;
      break;
    }
  return ABI_SUCCESS;
}

/// Checks the target of an operation.
static int badPlace(Window *window, const Place &target) {
  if (target.rank < 0 || target.rank >= window->comm->size)
    return failIn(window, ABI_ERR_RANK, "the target %d is not a rank of the window: use 0 to %d", target.rank,
                  window->comm->size - 1);
  if (target.count < 0)
    return failIn(window, ABI_ERR_COUNT, "the target count %ld is negative", static_cast<long>(target.count));
  Datatype *type = typeOf(target.datatype);
  if (!type)
    return failIn(window, ABI_ERR_TYPE, "invalid target datatype");
  if (!isAccessible(window, target.rank))
    return failIn(window, ABI_ERR_RMA_SYNC,
                  "no epoch is open for target %d: call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all",
                  target.rank);
  auto span = spanOf(type, target.count);
  if (window->flavor == ABI_WIN_FLAVOR_DYNAMIC) {
    if (!window->isHere(target.rank) || span.first == span.second)
      return ABI_SUCCESS; // the target's process checks it
    char *missing = nullptr;
    if (int error = findNotAttached(window, target, type, span, missing))
      return failIn(window, error, "the target datatype cannot be used here");
    if (missing)
      return failIn(window, ABI_ERR_RMA_RANGE, "no memory is attached at %p of rank %d: MPI_Win_attach it first",
                    static_cast<void *>(missing), target.rank);
    return ABI_SUCCESS;
  }
  if (target.displacement < 0)
    return failIn(window, ABI_ERR_DISP, "the displacement %ld is negative", static_cast<long>(target.displacement));
  const Exposed &exposed = window->shared->exposed[target.rank];
  ABI_Aint first;
  if (__builtin_mul_overflow(target.displacement, static_cast<ABI_Aint>(exposed.unit), &first))
    return failIn(window, ABI_ERR_DISP, "the displacement %ld in units of %ld bytes is beyond all memory",
                  static_cast<long>(target.displacement), static_cast<long>(exposed.unit));
  ABI_Aint begin, end;
  if (__builtin_add_overflow(first, span.first, &begin) || __builtin_add_overflow(first, span.second, &end))
    return failIn(window, ABI_ERR_RMA_RANGE, "the access at displacement %ld reaches beyond all memory",
                  static_cast<long>(target.displacement));
  if (span.first != span.second && (begin < 0 || end > exposed.size))
    return failIn(window, ABI_ERR_RMA_RANGE, "bytes %ld to %ld are accessed, and rank %d exposes %ld bytes",
                  static_cast<long>(first + span.first), static_cast<long>(first + span.second), target.rank,
                  static_cast<long>(exposed.size));
  return ABI_SUCCESS;
}

static int badSide(Window *window, const Side &side, const char *which) {
  if (side.count < 0)
    return failIn(window, ABI_ERR_COUNT, "the %s count %ld is negative", which, static_cast<long>(side.count));
  if (!typeOf(side.datatype))
    return failIn(window, ABI_ERR_TYPE, "invalid %s datatype", which);
  return ABI_SUCCESS;
}

static size_t sizeOf(const Side &side) { return side.count * typeOf(side.datatype)->size; }

static bool sends(WindowMessage::Kind kind, ABI_Op op) { return kind != WindowMessage::Get && op != ABI_NO_OP; }
static bool brings(WindowMessage::Kind kind) {
  return kind == WindowMessage::Get || kind == WindowMessage::GetAccumulate;
}
static bool accumulates(WindowMessage::Kind kind) {
  return kind == WindowMessage::Accumulate || kind == WindowMessage::GetAccumulate;
}

/// Determines the predefined datatype that an accumulate uses, or reports an error.
static int elementOf(Window *window, const Side &origin, const Place &target, ABI_Op op, Datatype *&element) {
  Op *object = opOf(op);
  if (!object || !object->predefined)
    return failIn(window, ABI_ERR_OP,
                  "not a predefined operation: accumulates take those of MPI_Reduce, MPI_REPLACE and MPI_NO_OP");
  element = basicTypeOf(typeOf(target.datatype));
  if (!element)
    return failIn(window, ABI_ERR_TYPE, "the target datatype has several predefined ones in it: accumulates take one");
  if (op == ABI_NO_OP)
    return ABI_SUCCESS;
  const Datatype *mine = basicTypeOf(typeOf(origin.datatype));
  if (!mine || mine->size != element->size)
    return failIn(window, ABI_ERR_TYPE,
                  "the origin datatype consists of another predefined datatype than the target's");
  if (op != ABI_REPLACE && !isDefinedOn(object, element))
    return failIn(window, ABI_ERR_OP, "the operation is not defined on the datatype");
  return ABI_SUCCESS;
}

static char *addressOf(Window *window, const Place &target) {
  if (window->flavor == ABI_WIN_FLAVOR_DYNAMIC)
    return reinterpret_cast<char *>(target.displacement);
  const Exposed &exposed = window->shared->exposed[target.rank];
  return exposed.at(target.displacement * exposed.unit);
}

/// The elements of \p side as contiguous elements in memory.
class Elements {
public:
  Elements(const Side &side, const Datatype *element, size_t bytes) {
    Datatype *type = typeOf(side.datatype);
    if (type == element || (type->dense && element->dense)) {
      data = static_cast<char *>(side.at);
      return;
    }
    std::unique_ptr<char[]> packed(new char[bytes + 1]);
    packTo(packed.get(), side.at, side.count, type);
    int64_t count = bytes / element->size;
    room.reset(new char[count * element->extent + 1]);
    size_t received;
    unpackFrom(packed.get(), bytes, room.get(), count, element, received);
    data = room.get();
  }
  const char *get() const { return data; }

private:
  std::unique_ptr<char[]> room;
  const char *data;
};

static int accessHere(Window *window, WindowMessage::Kind kind, const Side &origin, const Side &result,
                      const Place &target, Datatype *element, ABI_Op op, size_t bytes) {
  char *at = addressOf(window, target);
  Datatype *type = typeOf(target.datatype);
  size_t copied;
  if (kind == WindowMessage::Put)
    return copyTyped(origin.at, origin.count, typeOf(origin.datatype), at, target.count, type, copied);
  if (kind == WindowMessage::Get)
    return copyTyped(at, target.count, type, result.at, result.count, typeOf(result.datatype), copied);
  Layout layout;
  if (int error = layoutOf(type, target.count, element, INT64_MAX, layout))
    return error;
  std::unique_ptr<Elements> elements;
  if (op != ABI_NO_OP)
    elements.reset(new Elements(origin, element, bytes));
  std::lock_guard<std::mutex> guard(window->targetOf(target.rank).mutex);
  int error = ABI_SUCCESS;
  if (kind == WindowMessage::GetAccumulate)
    error = copyTyped(at, target.count, type, result.at, result.count, typeOf(result.datatype), copied);
  if (elements)
    applyAccumulate(at, layout.runs.data(), layout.runs.size(), element, elements->get(), op);
  return error;
}

/// Calls each(runs, first, bytes) for pieces that fit into a message.
template <typename Each> static void inPieces(const Layout &layout, Each each) {
  std::vector<Run> piece;
  int64_t size = layout.element->size, first = 0, bytes = 0;
  for (const Run &run : layout.runs)
    for (int64_t done = 0; done < run.count;) {
      int64_t some = std::min(run.count - done, std::max<int64_t>(1, (mostInMessage - bytes) / size));
      piece.push_back({run.offset + done * layout.element->extent, some});
      done += some;
      bytes += some * size;
      if (bytes < mostInMessage && static_cast<int64_t>(piece.size() * sizeof(Run)) < mostInMessage)
        continue;
      each(piece, first, bytes);
      first += bytes;
      bytes = 0;
      piece.clear();
    }
  if (!piece.empty())
    each(piece, first, bytes);
}

static WindowMessage messageTo(Window *window, WindowMessage::Kind kind, const Place &target) {
  WindowMessage message;
  message.window = window->shared->key;
  message.kind = kind;
  message.from = process.index;
  message.origin = window->comm->rank;
  message.target = target.rank;
  message.place = target.displacement;
  if (window->flavor != ABI_WIN_FLAVOR_DYNAMIC)
    message.place *= window->shared->exposed[target.rank].unit;
  return message;
}

static void count(Window *window, int to, bool bringsData) {
  Window::Traffic &traffic = window->traffic[to];
  ++traffic.sent;
  if (bringsData)
    traffic.lastRead = traffic.sent;
  // Ranks that only send would accumulate completed messages.
  thisThread->poll();
}

static WindowReceipt *receiptFor(const Side &result, size_t bytes, Request *q) {
  auto *receipt = new WindowReceipt;
  receipt->request = q;
  receipt->to = result.at;
  receipt->count = result.count;
  receipt->type = typeOf(result.datatype);
  retain(receipt->type);
  receipt->bytes = receipt->left = bytes;
  if (!receipt->type->dense) {
    receipt->packed = static_cast<char *>(malloc(bytes));
    if (!receipt->packed)
      die(&self(), 1, "no memory for %zu bytes of one-sided communication", bytes);
  }
  return receipt;
}

static int accessThere(Window *window, WindowMessage::Kind kind, const Side &origin, const Side &result,
                       const Place &target, const Datatype *element, ABI_Op op, size_t bytes, Request *q) {
  Layout layout;
  if (int error = layoutOf(typeOf(target.datatype), target.count, element, bytes / element->size, layout))
    return error;
  std::unique_ptr<char[]> packed;
  if (sends(kind, op)) {
    packed.reset(new char[bytes + 1]);
    if (int error = packTo(packed.get(), origin.at, origin.count, typeOf(origin.datatype)))
      return error;
  }
  std::unique_ptr<char[]> nothing; // unused operand of MPI_NO_OP
  WindowReceipt *receipt = brings(kind) ? receiptFor(result, bytes, q) : nullptr;
  WindowMessage message = messageTo(window, kind, target);
  message.answer = reinterpret_cast<uint64_t>(receipt);
  message.element = reinterpret_cast<uint64_t>(element->handle);
  message.op = reinterpret_cast<uint64_t>(op);
  int to = window->processOf(target.rank);
  if (accumulates(kind) && !packed)
    nothing.reset(new char[bytes + 1]());
  inPieces(layout, [&](const std::vector<Run> &runs, int64_t first, int64_t some) {
    message.first = first;
    message.bytes = some;
    message.runs = runs.size();
    const char *data = packed ? packed.get() + first : nothing ? nothing.get() + first : nullptr;
    sendWindowMessage(to, message, runs.data(), data);
  });
  count(window, to, receipt != nullptr);
  return ABI_SUCCESS;
}

int access(Window *window, WindowMessage::Kind kind, const Side &origin, const Side &result, const Place &target,
           ABI_Op op, Request *q) {
  auto done = [&](int error) {
    if (q) {
      q->error = error;
      complete(q);
    }
    return ABI_SUCCESS;
  };
  if (target.rank == ABI_PROC_NULL)
    return done(ABI_SUCCESS);
  if (sends(kind, op))
    if (int error = badSide(window, origin, "origin"))
      return error;
  if (brings(kind))
    if (int error = badSide(window, result, kind == WindowMessage::Get ? "origin" : "result"))
      return error;
  if (int error = badPlace(window, target))
    return error;
  if (q && !window->isPassive(target.rank))
    return failIn(window, ABI_ERR_RMA_SYNC,
                  "operations with a request need MPI_Win_lock or MPI_Win_lock_all for the target");
  Datatype *element = typeOf(ABI_BYTE);
  if (accumulates(kind))
    if (int error = elementOf(window, origin, target, op, element))
      return error;
  size_t there = target.count * typeOf(target.datatype)->size, bytes = there;
  if (sends(kind, op)) {
    bytes = sizeOf(origin);
    if (bytes > there)
      return failIn(window, ABI_ERR_TRUNCATE, "%zu bytes of origin do not fit into the target's %zu", bytes, there);
    if (accumulates(kind) && bytes < there)
      return failIn(window, ABI_ERR_TYPE, "the origin has %zu bytes of data, the target %zu: accumulates need as many",
                    bytes, there);
  }
  if (brings(kind) && sizeOf(result) < there)
    return failIn(window, ABI_ERR_TRUNCATE, "%zu bytes of the target do not fit into %zu", there, sizeOf(result));
  if (!bytes)
    return done(ABI_SUCCESS);
  bool isHere = window->isHere(target.rank);
  int error = isHere ? accessHere(window, kind, origin, result, target, element, op, bytes)
                     : accessThere(window, kind, origin, result, target, element, op, bytes, q);
  if (error)
    return failIn(window, error,
                  "the datatypes cannot be used here; a target datatype for another process may span 256 MiB");
  return isHere || !brings(kind) ? done(ABI_SUCCESS) : ABI_SUCCESS;
}

int compareAndSwap(Window *window, const void *origin, const void *compare, void *result, const Place &target) {
  if (target.rank == ABI_PROC_NULL)
    return ABI_SUCCESS;
  if (int error = badPlace(window, target))
    return error;
  Datatype *type = typeOf(target.datatype);
  if (!type->predefined || !(isDefinedOn(opOf(ABI_BAND), type) || isDefinedOn(opOf(ABI_LAND), type)))
    return failIn(window, ABI_ERR_TYPE, "MPI_Compare_and_swap takes integers, logicals and bytes");
  size_t size = type->size;
  if (window->isHere(target.rank)) {
    char *at = addressOf(window, target);
    std::lock_guard<std::mutex> guard(window->targetOf(target.rank).mutex);
    memcpy(result, at, size);
    if (!memcmp(at, compare, size))
      memcpy(at, origin, size);
    return ABI_SUCCESS;
  }
  std::vector<char> both(2 * size);
  memcpy(both.data(), compare, size);
  memcpy(both.data() + size, origin, size);
  WindowMessage message = messageTo(window, WindowMessage::CompareSwap, target);
  message.answer = reinterpret_cast<uint64_t>(receiptFor({result, 1, target.datatype}, size, nullptr));
  message.element = reinterpret_cast<uint64_t>(target.datatype);
  message.bytes = both.size();
  message.runs = 1;
  Run one = {0, 1};
  int to = window->processOf(target.rank);
  sendWindowMessage(to, message, &one, both.data());
  count(window, to, true);
  return ABI_SUCCESS;
}

} // namespace comm::ranks
