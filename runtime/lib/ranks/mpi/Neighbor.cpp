// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Neighbor_allgather to MPI_Neighbor_alltoallw (MPI-4, 8.6 to 8.8).
#include "mpi/CollectiveForms.h"
#include "objects/Topology.h"

using namespace comm::ranks;

#define CHECK_TOPOLOGY                                                                                                 \
  if (!c->topology)                                                                                                    \
    return fail(c, ABI_ERR_TOPOLOGY, "the communicator has no topology");

static void keepTypes(Comm *c, Blocks &in, Blocks &out) {
  std::vector<int> from, to;
  c->topology->neighborsOf(c->rank, from, to);
  in.keep(to.size());
  out.keep(from.size());
}

extern "C" {

COLLECTIVE(
    Neighbor_allgather, Ineighbor_allgather,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, int recvcount, ABI_Datatype recvtype,
     ABI_Comm comm),
    {
      CHECK_TOPOLOGY
      CHECK_TYPED(sendcount, sendtype);
      CHECK_TYPED(recvcount, recvtype);
    },
    { return neighbor(c, n, in, out, true); }, TypeRef stype(typeOf(sendtype));
    TypeRef rtype(typeOf(recvtype)); Blocks in = blocksOf(sendbuf, sendcount, stype);
    Blocks out = blocksOf(recvbuf, recvcount, rtype);)

COLLECTIVE(
    Neighbor_allgatherv, Ineighbor_allgatherv,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, const int recvcounts[],
     const int displs[], ABI_Datatype recvtype, ABI_Comm comm),
    {
      CHECK_TOPOLOGY
      CHECK_TYPED(sendcount, sendtype);
      CHECK_TYPED(0, recvtype);
    },
    { return neighbor(c, n, in, out, true); }, TypeRef stype(typeOf(sendtype));
    TypeRef rtype(typeOf(recvtype)); Blocks in = blocksOf(sendbuf, sendcount, stype);
    Blocks out = blocksOf(recvbuf, 0, rtype); out.counts = recvcounts; out.displacements = displs;)

COLLECTIVE(
    Neighbor_alltoall, Ineighbor_alltoall,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, int recvcount, ABI_Datatype recvtype,
     ABI_Comm comm),
    {
      CHECK_TOPOLOGY
      CHECK_TYPED(sendcount, sendtype);
      CHECK_TYPED(recvcount, recvtype);
    },
    { return neighbor(c, n, in, out, false); }, TypeRef stype(typeOf(sendtype));
    TypeRef rtype(typeOf(recvtype)); Blocks in = blocksOf(sendbuf, sendcount, stype);
    Blocks out = blocksOf(recvbuf, recvcount, rtype);)

COLLECTIVE(
    Neighbor_alltoallv, Ineighbor_alltoallv,
    (const void *sendbuf, const int sendcounts[], const int sdispls[], ABI_Datatype sendtype, void *recvbuf,
     const int recvcounts[], const int rdispls[], ABI_Datatype recvtype, ABI_Comm comm),
    {
      CHECK_TOPOLOGY
      CHECK_TYPED(0, sendtype);
      CHECK_TYPED(0, recvtype);
    },
    { return neighbor(c, n, in, out, false); }, TypeRef stype(typeOf(sendtype));
    TypeRef rtype(typeOf(recvtype)); Blocks in = blocksOf(sendbuf, 0, stype); in.counts = sendcounts;
    in.displacements = sdispls; Blocks out = blocksOf(recvbuf, 0, rtype); out.counts = recvcounts;
    out.displacements = rdispls;)

COLLECTIVE(
    Neighbor_alltoallw, Ineighbor_alltoallw,
    (const void *sendbuf, const int sendcounts[], const ABI_Aint sdispls[], const ABI_Datatype sendtypes[],
     void *recvbuf, const int recvcounts[], const ABI_Aint rdispls[], const ABI_Datatype recvtypes[], ABI_Comm comm),
    {CHECK_TOPOLOGY}, { return neighbor(c, n, in, out, false); }, Blocks in;
    Blocks out; in.base = static_cast<char *>(const_cast<void *>(sendbuf)); in.counts = sendcounts; in.wide = sdispls;
    in.types = sendtypes; out.base = static_cast<char *>(recvbuf); out.counts = recvcounts; out.wide = rdispls;
    out.types = recvtypes; keepTypes(c, in, out);)

} // extern "C"
