// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Datatype.h"
#include "core/Counts.h"
#include "core/Rank.h"
#include "core/Transport.h"
#include "objects/Attributes.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace comm::ranks {

template <typename Native> struct HandleEntry {
  unsigned abi;
  Native native;
  const char *name;
};
struct CodeEntry {
  int abi, native;
  const char *name;
};

Datatype *predefinedTypes[1024];
Op predefinedOps[256];

// The tables contain addresses that the dynamic linker resolves at startup.
#include "AbiTables.inc"

static std::unordered_map<MPI_Datatype, ABI_Datatype> predefinedByNative;

// Larger types are always packed instead of being tested once.
static constexpr size_t mostCompared = 1 << 20;
// Maximum size of data that is packed at once.
static constexpr int64_t mostPacked = 1 << 30;

/// Returns whether packing one element is the identity: tests several patterns, which together number each byte.
static bool isIdentity(MPI_Datatype native, size_t size) {
  std::unique_ptr<unsigned char[]> in(new unsigned char[size]), out(new unsigned char[size]);
  for (unsigned shift = 0; size >> shift; shift += 8) {
    for (size_t i = 0; i < size; ++i)
      in[i] = i >> shift;
    int position = 0;
    if (MPI_Pack(in.get(), 1, native, out.get(), size, &position, MPI_COMM_SELF) || memcmp(in.get(), out.get(), size))
      return false;
  }
  return true;
}

void measure(Datatype *type) {
  MPI_Count large = 0;
  MPI_Type_size_x(type->native, &large);
  type->size = large;
  MPI_Type_get_extent(type->native, &type->lower, &type->extent);
  MPI_Type_get_true_extent(type->native, &type->trueLower, &type->trueExtent);
  bool oneBlock = type->lower == 0 && type->trueLower == 0 && type->extent == static_cast<MPI_Aint>(type->size) &&
                  type->trueExtent == type->extent;
  type->dense = oneBlock && (type->predefined || type->size == 0);
}

/// Determines the density of a derived type; packing requires that it is committed.
void settle(Datatype *type) {
  bool oneBlock = type->lower == 0 && type->trueLower == 0 && type->extent == static_cast<MPI_Aint>(type->size) &&
                  type->trueExtent == type->extent;
  if (oneBlock && !type->dense && type->size <= mostCompared)
    type->dense = isIdentity(type->native, type->size);
}

/// Open MPI 4.1's vector unit adds short integers with saturation (its op/avx component), whereas C and MPI wrap
/// around. Tests the underlying MPI with 100 + 100 in a byte, enough of them for a vector.
static void findWrongSums() {
  for (ABI_Datatype handle : {ABI_SIGNED_CHAR, ABI_UNSIGNED_CHAR, ABI_INT8_T, ABI_UINT8_T, ABI_SHORT,
                              ABI_UNSIGNED_SHORT, ABI_INT16_T, ABI_UINT16_T, ABI_INTEGER1, ABI_INTEGER2}) {
    Datatype *type = typeOf(handle);
    if (!type || type->size > 2)
      continue;
    constexpr int count = 256;
    uint16_t in[count], sum[count];
    // Twice: the signed sum overflows downwards, then upwards.
    bool right = true;
    for (uint16_t value : {uint16_t(0xc8c8), uint16_t(0x6464)}) {
      std::fill_n(in, count, value);
      std::fill_n(sum, count, value);
      uint16_t wanted = type->size == 1 ? uint8_t(2 * value) * 0x0101 : 2 * value;
      MPI_Reduce_local(in, sum, count * 2 / type->size, type->native, MPI_SUM);
      right &= std::all_of(sum, sum + count, [&](uint16_t s) { return s == wanted; });
    }
    type->sumsWrongly = !right;
  }
}

template <typename Number> static void add(const void *in, void *inout, int64_t count) {
  auto *from = static_cast<const Number *>(in);
  auto *to = static_cast<Number *>(inout);
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<Number>(to[i] + from[i]);
}

void initDatatypes() {
  static Datatype storage[1024];
  for (auto &entry : tableDatatype) {
    if (entry.native == MPI_DATATYPE_NULL)
      continue;
    Datatype *type = &storage[entry.abi];
    type->native = entry.native;
    type->predefined = true;
    type->handle = reinterpret_cast<ABI_Datatype>(uintptr_t(entry.abi));
    // Two names may have the same underlying type: use the first in the table.
    predefinedByNative.emplace(entry.native, type->handle);
    if (!type->name)
      type->name = new std::string(entry.name);
    measure(type);
    predefinedTypes[entry.abi] = type;
  }
  for (auto &entry : tableOp) {
    Op &op = predefinedOps[entry.abi];
    op.native = entry.native;
    op.predefined = entry.native != MPI_OP_NULL;
  }
  findWrongSums();
}

ABI_Datatype wrapDatatype(MPI_Datatype native) {
  auto *type = new Datatype;
  type->native = native;
  type->handle = reinterpret_cast<ABI_Datatype>(type);
  measure(type);
  return type->handle;
}

ABI_Datatype handleOfNative(MPI_Datatype native) {
  auto found = predefinedByNative.find(native);
  return found != predefinedByNative.end() ? found->second : wrapDatatype(native);
}

void release(Datatype *type) {
  if (type->predefined || type->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  MPI_Type_free(&type->native);
  delete type->runs.load();
  delete type->name;
  delete type;
}

int packTo(void *packed, const void *from, int64_t count, const Datatype *type) {
  size_t bytes = count * type->size;
  if (!bytes)
    return ABI_SUCCESS;
  if (type->dense) {
    memcpy(packed, from, bytes);
    return ABI_SUCCESS;
  }
  // MPI_Pack counts in ints.
  int64_t most = elementsAtOnce(mostPacked, type->size);
  for (int64_t done = 0; done < count; done += most) {
    int64_t now = std::min(most, count - done);
    if (now * type->size > INT_MAX)
      return ABI_ERR_COUNT;
    int position = 0;
    int code = MPI_Pack(static_cast<const char *>(from) + done * type->extent, now, type->native,
                        static_cast<char *>(packed) + done * type->size, now * type->size, &position, MPI_COMM_SELF);
    if (code)
      return classOfNative(code);
  }
  return ABI_SUCCESS;
}

int unpackFrom(const void *packed, size_t bytes, void *to, int64_t room, const Datatype *type, size_t &received) {
  size_t fits = room * type->size;
  int error = bytes > fits ? ABI_ERR_TRUNCATE : ABI_SUCCESS;
  received = std::min(bytes, fits);
  if (!received)
    return error;
  if (type->dense) {
    memcpy(to, packed, received);
    return error;
  }
  int64_t whole = received / type->size;
  int64_t most = elementsAtOnce(mostPacked, type->size);
  int position = 0, code = MPI_SUCCESS;
  for (int64_t done = 0; done < whole && !code; done += most) {
    int64_t now = std::min(most, whole - done);
    if (now * type->size > INT_MAX)
      return ABI_ERR_COUNT;
    position = 0;
    code = MPI_Unpack(static_cast<const char *>(packed) + done * type->size, now * type->size, &position,
                      static_cast<char *>(to) + done * type->extent, now, type->native, MPI_COMM_SELF);
  }
  // Data may end inside an element (MPI-4, 3.2.5: MPI_Get_elements). Write the rest over a copy of the element's
  // memory.
  size_t rest = received - whole * type->size;
  if (!code && rest) {
    if (type->size > INT_MAX)
      return ABI_ERR_COUNT;
    std::unique_ptr<char[]> element(new char[type->size]);
    char *last = static_cast<char *>(to) + whole * type->extent;
    position = 0;
    code = MPI_Pack(last, 1, type->native, element.get(), type->size, &position, MPI_COMM_SELF);
    memcpy(element.get(), static_cast<const char *>(packed) + received - rest, rest);
    position = 0;
    if (!code)
      code = MPI_Unpack(element.get(), type->size, &position, last, 1, type->native, MPI_COMM_SELF);
  }
  return code ? classOfNative(code) : error;
}

int copyTyped(const void *from, int64_t sent, const Datatype *fromType, void *to, int64_t room, const Datatype *toType,
              size_t &bytes) {
  bytes = sent * fromType->size;
  if (fromType->dense)
    return unpackFrom(from, bytes, to, room, toType, bytes);
  size_t fits = room * toType->size;
  if (toType->dense && bytes <= fits)
    return packTo(to, from, sent, fromType);
  std::unique_ptr<char[]> between(new char[bytes + 1]);
  if (int error = packTo(between.get(), from, sent, fromType))
    return error;
  return unpackFrom(between.get(), bytes, to, room, toType, bytes);
}

/// The program's operator may compute for a long time: send held messages first.
static void beforeOperator() {
  if (thisThread && thisThread->holding)
    transport.sendHeld(*thisThread);
}

int reduceLocal(const void *in, void *inout, int64_t count, Datatype *type, Op *op) {
  if (!count)
    return ABI_SUCCESS;
  if (op->function || op->largeFunction)
    beforeOperator();
  if (type->sumsWrongly && op->native == MPI_SUM) {
    type->size == 1 ? add<uint8_t>(in, inout, count) : add<uint16_t>(in, inout, count);
    return ABI_SUCCESS;
  }
  ABI_Datatype handle = type->handle;
  if (op->largeFunction) {
    ABI_Count passed = count;
    op->largeFunction(const_cast<void *>(in), inout, &passed, &handle);
    return ABI_SUCCESS;
  }
  for (int64_t done = 0; done < count; done += mostPacked) {
    int now = std::min(mostPacked, count - done);
    auto *left = static_cast<const char *>(in) + done * type->extent;
    char *right = static_cast<char *>(inout) + done * type->extent;
    if (op->function) {
      op->function(const_cast<char *>(left), right, &now, &handle);
      continue;
    }
    if (int code = MPI_Reduce_local(left, right, now, type->native, op->native))
      return classOfNative(code);
  }
  return ABI_SUCCESS;
}

bool isDefinedOn(const Op *op, const Datatype *type) {
  if (op->function || op->largeFunction)
    return true;
  // MPI_Reduce_local validates the arguments first, and does nothing for zero elements. Results for pairs of predefined
  // objects are cached.
  static std::atomic<uint8_t> known[256][1024];
  auto typeNumber = reinterpret_cast<uintptr_t>(type->handle);
  auto *answer = typeNumber < 1024 ? &known[op - predefinedOps][typeNumber] : nullptr;
  if (answer && answer->load(std::memory_order_relaxed))
    return answer->load(std::memory_order_relaxed) == 1;
  bool defined = MPI_Reduce_local(nullptr, nullptr, 0, type->native, op->native) == MPI_SUCCESS;
  if (answer)
    answer->store(defined ? 1 : 2, std::memory_order_relaxed);
  return defined;
}

int classOfNative(int code) {
  if (code == MPI_SUCCESS)
    return ABI_SUCCESS;
  int category = MPI_ERR_OTHER;
  MPI_Error_class(code, &category);
  for (auto &entry : tableError)
    if (entry.native == category)
      return entry.abi;
  return ABI_ERR_OTHER;
}

int combinerOfNative(int combiner) {
  for (auto &entry : tableCombiner)
    if (entry.native == combiner)
      return entry.abi;
  return ABI_UNDEFINED;
}

void Scratch::reset(int64_t count, const Datatype *type) {
  free(memory);
  size_t bytes = count > 0 ? type->trueExtent + (count - 1) * type->extent : 0;
  memory = static_cast<char *>(malloc(bytes + 16));
  if (!memory)
    die(&self(), 1, "no memory for %zu bytes of a collective", bytes);
  origin = memory - type->trueLower;
}

Scratch::~Scratch() { free(memory); }

} // namespace comm::ranks
