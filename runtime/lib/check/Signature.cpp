// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check/Signature.h"

#include "support/Support.h"

using namespace comm::runtime;

static constexpr uint64_t base = 0x9E3779B97F4A7C15u;

Signature comm::runtime::concatenate(const Signature &a, const Signature &b) {
  return {a.hash * b.weight + b.hash, a.weight * b.weight, a.known && b.known};
}

Signature comm::runtime::repeat(Signature signature, int64_t count) {
  Signature result;
  result.known = signature.known;
  for (; count > 0; count >>= 1) {
    if (count & 1)
      result = concatenate(result, signature);
    signature = concatenate(signature, signature);
  }
  return result;
}

/// Returns the signature of a predefined type. Types are identified by class and size, since mixing `long` and
/// `int64_t` is correct on all supported machines.
static Signature ofPredefined(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0, size = 0;
  PMPI_Type_get_name(type, name, &length);
  PMPI_Type_size(type, &size);
  Signature one;
  one.known = type != MPI_PACKED;
  bool isFloating = strstr(name, "FLOAT") || strstr(name, "DOUBLE") || strstr(name, "REAL") || strstr(name, "COMPLEX");
  one.hash = (uint64_t(size) * 2 + isFloating + 1) * 0xD6E8FEB86659FD93u;
  one.weight = base;
  return one;
}

static void release(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED)
    PMPI_Type_free(&type);
}

namespace {
/// The constructor arguments of a type.
struct Contents {
  Array<int> integers;
  Array<MPI_Aint> addresses;
  Array<MPI_Datatype> types;
  int combiner = MPI_COMBINER_NAMED;
  bool found = false;

  explicit Contents(MPI_Datatype type) {
    int ni, na, nt;
    if (PMPI_Type_get_envelope(type, &ni, &na, &nt, &combiner) != MPI_SUCCESS || combiner == MPI_COMBINER_NAMED)
      return;
    found = integers.resize(ni + 1) && addresses.resize(na + 1) && types.resize(nt + 1) &&
            PMPI_Type_get_contents(type, ni, na, nt, integers.data(), addresses.data(), types.data()) == MPI_SUCCESS;
    count = found ? nt : 0;
  }
  ~Contents() {
    for (int i = 0; i < count; ++i)
      release(types[i]);
  }

private:
  int count = 0;
};
} // namespace

static Signature unknown() {
  Signature signature;
  signature.known = false;
  return signature;
}

Signature comm::runtime::signatureOf(MPI_Datatype type) {
  Contents contents(type);
  if (contents.combiner == MPI_COMBINER_NAMED)
    return ofPredefined(type);
  if (!contents.found)
    return unknown();
  const int *n = contents.integers.data();
  auto inner = [&] { return signatureOf(contents.types[0]); };
  switch (contents.combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    return inner();
  case MPI_COMBINER_CONTIGUOUS:
    return repeat(inner(), n[0]);
  case MPI_COMBINER_VECTOR:
  case MPI_COMBINER_HVECTOR:
  case MPI_COMBINER_INDEXED_BLOCK:
  case MPI_COMBINER_HINDEXED_BLOCK:
    return repeat(inner(), int64_t(n[0]) * n[1]);
  case MPI_COMBINER_INDEXED:
  case MPI_COMBINER_HINDEXED: {
    int64_t total = 0;
    for (int i = 1; i <= n[0]; ++i)
      total += n[i];
    return repeat(inner(), total);
  }
  case MPI_COMBINER_SUBARRAY: {
    int64_t total = 1;
    for (int i = 0; i < n[0]; ++i)
      total *= n[1 + n[0] + i];
    return repeat(inner(), total);
  }
  case MPI_COMBINER_STRUCT: {
    Signature all;
    for (int i = 0; i < n[0]; ++i)
      all = concatenate(all, repeat(signatureOf(contents.types[i]), n[1 + i]));
    return all;
  }
  default: // distributed arrays, Fortran's parametrized types
    return unknown();
  }
}
