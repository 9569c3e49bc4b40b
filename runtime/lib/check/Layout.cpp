// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check/Layout.h"

using namespace comm::runtime;

/// Maximum number of runs to keep: 64 MiB.
static const size_t maxRuns = size_t(1) << 22;
/// Types with a larger span are not probed, since that takes twice the span in memory.
static const MPI_Aint maxProbe = MPI_Aint(256) << 20;

static bool append(Array<Run> &runs, MPI_Aint offset, MPI_Aint length) {
  if (length <= 0)
    return true;
  if (!runs.empty() && runs.back().offset + runs.back().length == offset) {
    runs.back().length += length;
    return true;
  }
  return runs.size() < maxRuns && runs.push({offset, length});
}

static bool appendRepeated(const Array<Run> &element, MPI_Aint extent, MPI_Aint base, int64_t count, Array<Run> &runs) {
  if (element.size() == 1 && element[0].length == extent)
    return append(runs, base + element[0].offset, count * extent);
  for (int64_t i = 0; i < count; ++i)
    for (const Run &run : element)
      if (!append(runs, base + i * extent + run.offset, run.length))
        return false;
  return true;
}

bool comm::runtime::appendElements(const Layout &layout, MPI_Aint base, int64_t count, Array<Run> &runs) {
  return appendRepeated(layout.runs, layout.extent, base, count, runs);
}

bool comm::runtime::probeRuns(MPI_Datatype type, Array<Run> &runs) {
  MPI_Aint lb = 0, span = 0;
  int packedSize = 0;
  if (PMPI_Type_get_true_extent(type, &lb, &span) != MPI_SUCCESS || span < 0 || span > maxProbe ||
      PMPI_Pack_size(1, type, MPI_COMM_SELF, &packedSize) != MPI_SUCCESS)
    return false;
  if (span == 0)
    return true;
  // Pack bytes of ones and unpack them over zeros: the ones are the bytes that the type covers, whatever the format of
  // packed data.
  unsigned char *ones = static_cast<unsigned char *>(malloc(span));
  unsigned char *zeroes = static_cast<unsigned char *>(calloc(span, 1));
  void *packed = malloc(packedSize + 1);
  bool done = false;
  if (ones && zeroes && packed) {
    memset(ones, 0xff, span);
    int end = 0, position = 0;
    auto elementAt = [lb](unsigned char *bytes) {
      return reinterpret_cast<void *>(reinterpret_cast<MPI_Aint>(bytes) - lb);
    };
    done = PMPI_Pack(elementAt(ones), 1, type, packed, packedSize, &end, MPI_COMM_SELF) == MPI_SUCCESS &&
           PMPI_Unpack(packed, end, &position, elementAt(zeroes), 1, type, MPI_COMM_SELF) == MPI_SUCCESS;
    for (MPI_Aint i = 0; done && i < span; ++i)
      if (zeroes[i])
        done = append(runs, lb + i, 1);
  }
  free(ones);
  free(zeroes);
  free(packed);
  return done;
}

namespace {
/// The arguments that constructed a derived type.
class Contents {
public:
  explicit Contents(MPI_Datatype type) {
    int numInts, numAddresses, numTypes;
    if (PMPI_Type_get_envelope(type, &numInts, &numAddresses, &numTypes, &combiner) != MPI_SUCCESS)
      return;
    valid = true;
    if (combiner == MPI_COMBINER_NAMED)
      return;
    valid = ints.resize(numInts) && addresses.resize(numAddresses) && types.resize(numTypes) &&
            PMPI_Type_get_contents(type, numInts, numAddresses, numTypes, ints.data(), addresses.data(),
                                   types.data()) == MPI_SUCCESS;
    if (!valid)
      types.resize(0);
  }

  /// Derived types among the contents are new handles; predefined ones must not be freed.
  ~Contents() {
    for (MPI_Datatype &type : types) {
      int numInts, numAddresses, numTypes, how;
      if (PMPI_Type_get_envelope(type, &numInts, &numAddresses, &numTypes, &how) == MPI_SUCCESS &&
          how != MPI_COMBINER_NAMED && how != MPI_COMBINER_F90_REAL && how != MPI_COMBINER_F90_COMPLEX &&
          how != MPI_COMBINER_F90_INTEGER)
        PMPI_Type_free(&type);
    }
  }

  bool valid = false;
  int combiner = MPI_COMBINER_NAMED;
  Array<int> ints;
  Array<MPI_Aint> addresses;
  Array<MPI_Datatype> types;
};

/// A component type, walked once and placed many times.
class Component {
public:
  bool walk(MPI_Datatype type) {
    MPI_Aint lb;
    return PMPI_Type_get_extent(type, &lb, &extent) == MPI_SUCCESS && walkRuns(type, element);
  }
  bool place(MPI_Aint at, int64_t count, Array<Run> &runs) const {
    return appendRepeated(element, extent, at, count, runs);
  }
  MPI_Aint extent = 0;

private:
  Array<Run> element;
};
} // namespace

static bool walkNamed(MPI_Datatype type, Array<Run> &runs) {
  int size = 0;
  MPI_Aint lb = 0, extent = 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS)
    return false;
  if (size == extent && lb == 0)
    return append(runs, 0, size);
  // MPI_DOUBLE_INT and the like have padding.
  return size <= 0 || probeRuns(type, runs);
}

/// Appends the elements of a subarray as rows of the fastest dimension.
static bool walkSubarray(const Contents &contents, const Component &component, Array<Run> &runs) {
  int dims = contents.ints[0];
  const int *sizes = contents.ints.data() + 1;
  const int *subsizes = sizes + dims;
  const int *starts = subsizes + dims;
  bool cOrder = contents.ints[1 + 3 * dims] == MPI_ORDER_C;
  // Maps the dimension d, counted from the fastest one.
  auto dim = [&](int d) { return cOrder ? dims - 1 - d : d; };
  Array<int> at;
  if (!at.resize(dims))
    return false;
  for (;;) {
    int64_t offset = 0, stride = 1;
    for (int d = 0; d < dims; ++d) {
      offset += (int64_t(starts[dim(d)]) + at[d]) * stride;
      stride *= sizes[dim(d)];
    }
    if (!component.place(offset * component.extent, subsizes[dim(0)], runs))
      return false;
    int d = 1;
    while (d < dims && ++at[d] == subsizes[dim(d)])
      at[d++] = 0;
    if (d >= dims)
      return true;
  }
}

bool comm::runtime::walkRuns(MPI_Datatype type, Array<Run> &runs) {
  Contents contents(type);
  if (!contents.valid)
    return false;
  if (contents.combiner == MPI_COMBINER_NAMED)
    return walkNamed(type, runs);
  const Array<int> &ints = contents.ints;
  const Array<MPI_Aint> &addresses = contents.addresses;

  if (contents.combiner == MPI_COMBINER_STRUCT) {
    for (int i = 0; i < ints[0]; ++i) {
      Component component;
      if (!component.walk(contents.types[i]) || !component.place(addresses[i], ints[1 + i], runs))
        return false;
    }
    return true;
  }

  Component component;
  if (contents.types.size() != 1)
    return probeRuns(type, runs);
  if (!component.walk(contents.types[0]))
    return false;
  MPI_Aint extent = component.extent;
  switch (contents.combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    return component.place(0, 1, runs);
  case MPI_COMBINER_CONTIGUOUS:
    return component.place(0, ints[0], runs);
  case MPI_COMBINER_VECTOR:
    for (int i = 0; i < ints[0]; ++i)
      if (!component.place(MPI_Aint(i) * ints[2] * extent, ints[1], runs))
        return false;
    return true;
  case MPI_COMBINER_HVECTOR:
    for (int i = 0; i < ints[0]; ++i)
      if (!component.place(i * addresses[0], ints[1], runs))
        return false;
    return true;
  case MPI_COMBINER_INDEXED:
    for (int i = 0, n = ints[0]; i < n; ++i)
      if (!component.place(ints[1 + n + i] * extent, ints[1 + i], runs))
        return false;
    return true;
  case MPI_COMBINER_HINDEXED:
    for (int i = 0; i < ints[0]; ++i)
      if (!component.place(addresses[i], ints[1 + i], runs))
        return false;
    return true;
  case MPI_COMBINER_INDEXED_BLOCK:
    for (int i = 0; i < ints[0]; ++i)
      if (!component.place(ints[2 + i] * extent, ints[1], runs))
        return false;
    return true;
  case MPI_COMBINER_HINDEXED_BLOCK:
    for (int i = 0; i < ints[0]; ++i)
      if (!component.place(addresses[i], ints[1], runs))
        return false;
    return true;
  case MPI_COMBINER_SUBARRAY:
    return walkSubarray(contents, component, runs);
  default:
    // Distributed arrays, and additions of later standards.
    return probeRuns(type, runs);
  }
}

//===----------------------------------------------------------------------===//
// Layouts are cached as an attribute of the type, so that a handle that MPI reuses for another type does not find the
// old layout.
//===----------------------------------------------------------------------===//

void comm::runtime::releaseLayout(Layout *layout) {
  if (__atomic_sub_fetch(&layout->references, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  layout->~Layout();
  free(layout);
}

static int onTypeFreed(MPI_Datatype, int, void *layout, void *) {
  releaseLayout(static_cast<Layout *>(layout));
  return MPI_SUCCESS;
}

static int keyval = MPI_KEYVAL_INVALID;

static void createKeyval() { PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, onTypeFreed, &keyval, nullptr); }

Layout *comm::runtime::acquireLayout(MPI_Datatype type) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, createKeyval);
  if (keyval == MPI_KEYVAL_INVALID)
    return nullptr;
  void *known = nullptr;
  int found = 0;
  PMPI_Type_get_attr(type, keyval, &known, &found);
  if (found) {
    Layout *layout = static_cast<Layout *>(known);
    __atomic_add_fetch(&layout->references, 1, __ATOMIC_RELAXED);
    return layout;
  }
  void *memory = calloc(1, sizeof(Layout));
  if (!memory)
    return nullptr;
  // Not placement new: <new> would be the only header of libstdc++.
  Layout *layout = static_cast<Layout *>(memory);
  layout->references = 1;
  MPI_Aint lb;
  if (PMPI_Type_get_extent(type, &lb, &layout->extent) != MPI_SUCCESS || !walkRuns(type, layout->runs)) {
    releaseLayout(layout);
    return nullptr;
  }
  __atomic_add_fetch(&layout->references, 1, __ATOMIC_RELAXED);
  if (PMPI_Type_set_attr(type, keyval, layout) != MPI_SUCCESS)
    releaseLayout(layout); // not cached, but usable for this call
  return layout;
}
