// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Datatypes and reduction operators: those of the underlying MPI, with cached properties.
#ifndef COMM_RANKS_DATATYPE_H
#define COMM_RANKS_DATATYPE_H

#include "Abi.h"
#include "objects/Kept.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace comm::ranks {

struct Attributes;

/// The data bytes of one element, as pieces of memory: offset and length, in the order of the type map.
using TypeRuns = std::vector<std::pair<int64_t, int64_t>>;

struct Datatype : Kept<Datatype> {
  MPI_Datatype native = MPI_DATATYPE_NULL;
  size_t size = 0; ///< bytes of data in one element
  MPI_Aint lower = 0, extent = 0;
  MPI_Aint trueLower = 0, trueExtent = 0;
  bool dense = false; ///< data and memory are the same bytes in the same order
  bool predefined = false;
  bool sumsWrongly = false; ///< the underlying MPI does: see initDatatypes
  InUse inUse;
  std::atomic<int> references{1};
  ABI_Datatype handle = nullptr; ///< the program's handle
  Attributes *attributes = nullptr;
  std::string *name = nullptr;
  mutable std::atomic<const TypeRuns *> runs{nullptr}; ///< set once another process needed them
};

struct Op : Kept<Op> {
  MPI_Op native = MPI_OP_NULL; ///< for a predefined operator
  ABI_User_function *function = nullptr;
  ABI_User_function_c *largeFunction = nullptr;
  bool commutes = true, predefined = false;
  InUse inUse;
  std::atomic<int> references{1};
};

/// Deletes the program's operator when its last reference is released.
inline void releaseOp(Op *op) {
  if (op && op->references.fetch_sub(1, std::memory_order_acq_rel) == 1 && !op->predefined)
    delete op;
}

/// Fills the tables of predefined handles; must run after MPI_Init of the underlying MPI.
void initDatatypes();

extern Datatype *predefinedTypes[1024];
extern Op predefinedOps[256];

/// Returns the object of a handle; null if it is invalid or MPI_DATATYPE_NULL.
inline Datatype *typeOf(ABI_Datatype handle) {
  auto value = reinterpret_cast<uintptr_t>(handle);
  return value < 1024 ? predefinedTypes[value] : unlessFreed(reinterpret_cast<Datatype *>(handle));
}
inline Op *opOf(ABI_Op handle) {
  auto value = reinterpret_cast<uintptr_t>(handle);
  if (value >= 256)
    return unlessFreed(reinterpret_cast<Op *>(handle));
  Op *op = &predefinedOps[value];
  return op->predefined ? op : nullptr;
}

/// Creates an object for a type of the underlying MPI, and takes ownership of the type.
ABI_Datatype wrapDatatype(MPI_Datatype native);
/// Returns the handle of a type from MPI_Type_get_contents.
ABI_Datatype handleOfNative(MPI_Datatype native);
/// Determine the sizes of a type and, once it is committed, its density.
void measure(Datatype *type);
void settle(Datatype *type);

inline void retain(Datatype *type) {
  if (!type->predefined)
    type->references.fetch_add(1, std::memory_order_relaxed);
}
void release(Datatype *type);

/// Copies typed data: `sent` elements to room for `room`. Returns an error class of the ABI, and in \p bytes the number
/// of data bytes that arrived.
int copyTyped(const void *from, int64_t sent, const Datatype *fromType, void *to, int64_t room, const Datatype *toType,
              size_t &bytes);
/// Convert between typed memory and \p bytes of contiguous data.
int packTo(void *packed, const void *from, int64_t count, const Datatype *type);
int unpackFrom(const void *packed, size_t bytes, void *to, int64_t room, const Datatype *type, size_t &received);

/// Computes inout = in op inout, element by element.
int reduceLocal(const void *in, void *inout, int64_t count, Datatype *type, Op *op);
/// Returns whether \p op is defined on \p type (MPI-4, 6.9.2).
bool isDefinedOn(const Op *op, const Datatype *type);

/// Returns the ABI's error class for a code of the underlying MPI.
int classOfNative(int code);
int combinerOfNative(int combiner);

/// Memory for `count` elements of `type`, addressed as MPI requires.
class Scratch {
public:
  Scratch() = default;
  Scratch(int64_t count, const Datatype *type) { reset(count, type); }
  Scratch(const Scratch &) = delete;
  ~Scratch();
  void reset(int64_t count, const Datatype *type);
  char *get() const { return origin; }

private:
  char *memory = nullptr, *origin = nullptr;
};

#define TYPE_OR_FAIL(variable, handle)                                                                                 \
  Datatype *variable = typeOf(handle);                                                                                 \
  if (!variable)                                                                                                       \
  return fail(nullptr, ABI_ERR_TYPE, "invalid datatype")

} // namespace comm::ranks

#endif
