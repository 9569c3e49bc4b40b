// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker's entry points, which translate MPI's arguments to the bytes of a buffer.

#include "comm/check.h"

#include "check/Diagnostics.h"
#include "check/InFlight.h"

using namespace comm::runtime;

#define COMM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
/// This rank's part in a collective, according to the communicator and the root.
struct Part {
  bool significant = false;
  Access access = Access::Read;
  /// Number of blocks in a buffer that has one for each rank.
  int blocks = 0;
};
} // namespace

static int countNeighbors(MPI_Comm comm, Access access) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    int dims = 0;
    PMPI_Cartdim_get(comm, &dims);
    return 2 * dims;
  }
  if (topology == MPI_GRAPH) {
    int rank = 0, neighbors = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &neighbors);
    return neighbors;
  }
  if (topology == MPI_DIST_GRAPH) {
    int sources = 0, destinations = 0, weighted;
    PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    return access == Access::Read ? destinations : sources;
  }
  return 0;
}

static Part partOf(MPI_Comm comm, int root, int access) {
  Part part;
  if (comm == MPI_COMM_NULL)
    return part;
  bool reads = access & COMM_CHECK_READ, writes = access & COMM_CHECK_WRITE;
  int remote = 0, rank = 0;
  PMPI_Comm_test_inter(comm, &remote);
  PMPI_Comm_rank(comm, &rank);
  part.significant = reads || writes;
  part.access = writes ? Access::Write : Access::Read;
  if (root != -1) {
    // On intercommunicators, the root passes MPI_ROOT, other ranks of its group MPI_PROC_NULL, and the remote group the
    // root's rank.
    bool isRoot = remote ? root == MPI_ROOT : root == rank;
    if (reads && writes) {
      part.access = isRoot ? Access::Read : Access::Write;
      part.significant = root != MPI_PROC_NULL;
    } else {
      part.significant = isRoot;
    }
  }
  // MPICH also defines MPI_PROC_NULL as -1. In doubt, assume that the buffer is not used, to avoid false reports.
  if (remote && root == -1 && MPI_PROC_NULL == -1)
    part.significant = false;
  if (!part.significant)
    return part;
  if (access & COMM_CHECK_NEIGHBORS)
    part.blocks = countNeighbors(comm, part.access);
  else if (remote)
    PMPI_Comm_remote_size(comm, &part.blocks);
  else
    PMPI_Comm_size(comm, &part.blocks);
  return part;
}

static bool isUsable(const comm_check_site *site, const void *buf) {
  if (site->abi_version == COMM_CHECK_ABI_VERSION)
    return buf != MPI_IN_PLACE;
  noteUnchecked(site, "compiled for another version of the checker");
  return false;
}

/// Adds `count` elements at `offset` bytes from the buffer's base.
static bool addElements(Buffer &buffer, MPI_Aint offset, int64_t count, const Layout &layout) {
  return appendElements(layout, MPI_Aint(buffer.base) + offset, count, buffer.bytes);
}

/// Does the same for a block of a buffer whose blocks have different types.
static bool addBlock(Buffer &buffer, MPI_Aint offset, int64_t count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL)
    return true;
  Layout *layout = acquireLayout(type);
  if (!layout)
    return false;
  bool added = addElements(buffer, offset, count, *layout);
  releaseLayout(layout);
  return added;
}

static void launchIf(bool complete, Buffer *buffer) {
  if (complete) {
    launch(buffer);
    return;
  }
  noteUnchecked(buffer->site, "the datatype's bytes cannot be found out, or "
                              "are in too many pieces");
  destroyBuffer(buffer);
}

COMM_EXPORT void comm_check_buffer(const comm_check_site *site, const void *key, const void *buf, int64_t count,
                                   MPI_Datatype type, MPI_Comm comm, int blocks, int root, int access) {
  if (!isUsable(site, buf) || count <= 0)
    return;
  Part part = partOf(comm, root, access);
  if (!part.significant)
    return;
  if (Buffer *buffer = createBuffer(site, key, buf, part.access))
    launchIf(addBlock(*buffer, 0, blocks ? count * part.blocks : count, type), buffer);
}

COMM_EXPORT void comm_check_buffer_v(const comm_check_site *site, const void *key, const void *buf, const int *counts,
                                     const int *displs, MPI_Datatype type, MPI_Comm comm, int root, int access) {
  if (!isUsable(site, buf))
    return;
  Part part = partOf(comm, root, access);
  if (!part.significant || !counts || type == MPI_DATATYPE_NULL)
    return;
  Buffer *buffer = createBuffer(site, key, buf, part.access);
  if (!buffer)
    return;
  Layout *layout = acquireLayout(type);
  bool complete = layout;
  MPI_Aint packed = 0;
  // A reduce-scatter has a count for each process of the local group.
  if (!displs)
    PMPI_Comm_size(comm, &part.blocks);
  for (int i = 0; complete && i < part.blocks; ++i) {
    MPI_Aint displacement = displs ? displs[i] : packed;
    complete = addElements(*buffer, displacement * layout->extent, counts[i], *layout);
    packed += counts[i];
  }
  if (layout)
    releaseLayout(layout);
  launchIf(complete, buffer);
}

COMM_EXPORT void comm_check_buffer_w(const comm_check_site *site, const void *key, const void *buf, const int *counts,
                                     const void *displs, const MPI_Datatype *types, MPI_Comm comm, int access) {
  if (!isUsable(site, buf))
    return;
  Part part = partOf(comm, -1, access);
  if (!part.significant || !counts || !displs || !types)
    return;
  Buffer *buffer = createBuffer(site, key, buf, part.access);
  if (!buffer)
    return;
  bool complete = true;
  for (int i = 0; complete && i < part.blocks; ++i)
    complete = addBlock(*buffer,
                        access & COMM_CHECK_AINT_DISPLS ? static_cast<const MPI_Aint *>(displs)[i]
                                                        : MPI_Aint(static_cast<const int *>(displs)[i]),
                        counts[i], types[i]);
  launchIf(complete, buffer);
}

COMM_EXPORT void comm_check_finish(const void *key) { land(key); }
