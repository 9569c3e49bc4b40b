// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Types.h"
#include "Comm/CDag/Error.h"
#include "Comm/CDag/Vec.h"

#include <cstdarg>
#include <cstdio>

namespace comm::cdag {

struct CollectiveTraits {
  const char *name, *mpiName;
  bool isRooted;
};

/// In the order of CollectiveKind.
static const CollectiveTraits collectives[] = {
    {"allgather", "MPI_Allgather", false},
    {"allgatherv", "MPI_Allgatherv", false},
    {"alltoall", "MPI_Alltoall", false},
    {"alltoallv", "MPI_Alltoallv", false},
    {"bcast", "MPI_Bcast", true},
    {"gather", "MPI_Gather", true},
    {"gatherv", "MPI_Gatherv", true},
    {"scatter", "MPI_Scatter", true},
    {"scatterv", "MPI_Scatterv", true},
    {"allreduce", "MPI_Allreduce", false},
    {"reduce_scatter", "MPI_Reduce_scatter", false},
    {"scan", "MPI_Scan", false},
    {"exscan", "MPI_Exscan", false},
    {"reduce", "MPI_Reduce", true},
    {"barrier", "MPI_Barrier", false},
};
static_assert(sizeof collectives / sizeof *collectives == static_cast<size_t>(CollectiveKind::Barrier) + 1);

static const CollectiveTraits &traitsOf(CollectiveKind kind) { return collectives[static_cast<uint8_t>(kind)]; }

bool isRooted(CollectiveKind kind) { return traitsOf(kind).isRooted; }

const char *name(CollectiveKind kind) { return traitsOf(kind).name; }

const char *mpiName(CollectiveKind kind) { return traitsOf(kind).mpiName; }

const char *name(OpKind kind) {
  static const char *const names[] = {"send", "recv", "copy", "reduce", "nop"};
  return names[static_cast<uint8_t>(kind)];
}

const char *name(Operator op) {
  static const char *const names[] = {"sum", "prod", "max", "min", "land", "lor", "lxor", "band", "bor", "bxor"};
  uint8_t index = static_cast<uint8_t>(op);
  return index < sizeof(names) / sizeof(*names) ? names[index] : "user";
}

const char *name(ElementType type) {
  static const char *const names[] = {"int8",   "int16",  "int32", "int64",  "uint8", "uint16",
                                      "uint32", "uint64", "float", "double", "opaque"};
  return names[static_cast<uint8_t>(type)];
}

const char *name(ErrorCode code) {
  static const char *const names[] = {"none",      "bad rank",   "bad size", "bad argument", "bad dependency",
                                      "unmatched", "truncation", "deadlock", "race",         "too large"};
  return names[static_cast<uint8_t>(code)];
}

Error makeError(ErrorCode code, Rank rank, OpId op, const char *format, ...) {
  Error error;
  error.code = code;
  error.rank = rank;
  error.op = op;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error.text, sizeof(error.text), format, arguments);
  va_end(arguments);
  return error;
}

MemoryMeter &memoryMeter() {
  static thread_local MemoryMeter meter;
  return meter;
}

void outOfMemory(size_t bytes) {
  std::fprintf(stderr, "comm-cdag: out of memory (%zu bytes)\n", bytes);
  std::abort();
}

} // namespace comm::cdag
