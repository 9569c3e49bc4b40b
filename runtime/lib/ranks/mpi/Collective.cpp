// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file MPI_Barrier to MPI_Exscan, blocking, nonblocking and persistent (MPI-4, 6). Each is written once, as checks
/// and a function of the collective's number; three macros generate its three forms.
#include "collective/Collective.h"
#include "mpi/CollectiveForms.h"

using namespace comm::ranks;

extern "C" {

COLLECTIVE(Barrier, Ibarrier, (ABI_Comm comm), {}, { return c->isInter() ? interBarrier(c, n) : barrier(c, n); })

COLLECTIVE(
    Bcast, Ibcast, (void *buffer, int count, ABI_Datatype datatype, int root, ABI_Comm comm),
    {
      CHECK_ROOT(root);
      CHECK_TYPED(count, datatype);
    },
    {
      return c->isInter() ? interBroadcast(c, n, buffer, count, type, root)
                          : broadcast(c, n, buffer, count, type, root);
    },
    TypeRef type(typeOf(datatype));)

/// Defines the two sides of a collective that moves blocks.
#define SIDES                                                                                                          \
  TypeRef stype(typeOf(sendtype));                                                                                     \
  TypeRef rtype(typeOf(recvtype));                                                                                     \
  Blocks in = blocksOf(sendbuf, sendcount, stype);                                                                     \
  Blocks out = blocksOf(recvbuf, recvcount, rtype);

#define V_SIDES_OUT                                                                                                    \
  TypeRef stype(typeOf(sendtype));                                                                                     \
  TypeRef rtype(typeOf(recvtype));                                                                                     \
  Blocks in = blocksOf(sendbuf, sendcount, stype);                                                                     \
  Blocks out = blocksOf(recvbuf, 0, rtype);                                                                            \
  out.counts = recvcounts;                                                                                             \
  out.displacements = displs;

COLLECTIVE(
    Gather, Igather,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, int recvcount, ABI_Datatype recvtype,
     int root, ABI_Comm comm),
    {
      CHECK_ROOT(root);
      if (SENDS(root) && sendbuf != ABI_IN_PLACE)
        CHECK_TYPED(sendcount, sendtype);
      if (RECEIVES(root))
        CHECK_TYPED(recvcount, recvtype);
      REFUSE_SAME_BUFFER(c->rank == root && !c->isInter() && sendbuf == recvbuf && sendcount);
    },
    { return c->isInter() ? interGather(c, n, in, out, root) : gather(c, n, in, out, root); }, SIDES)

COLLECTIVE(
    Gatherv, Igatherv,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, const int recvcounts[],
     const int displs[], ABI_Datatype recvtype, int root, ABI_Comm comm),
    {
      CHECK_ROOT(root);
      if (SENDS(root) && sendbuf != ABI_IN_PLACE)
        CHECK_TYPED(sendcount, sendtype);
      if (RECEIVES(root))
        CHECK_TYPED(0, recvtype);
      REFUSE_SAME_BUFFER(c->rank == root && !c->isInter() && sendbuf == recvbuf && sendcount &&
                         hasFirst(c, recvcounts, displs));
    },
    { return c->isInter() ? interGather(c, n, in, out, root) : gather(c, n, in, out, root); }, V_SIDES_OUT)

COLLECTIVE(
    Scatter, Iscatter,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, int recvcount, ABI_Datatype recvtype,
     int root, ABI_Comm comm),
    {
      CHECK_ROOT(root);
      if (RECEIVES(root))
        CHECK_TYPED(sendcount, sendtype);
      if (SENDS(root) && recvbuf != ABI_IN_PLACE)
        CHECK_TYPED(recvcount, recvtype);
      REFUSE_SAME_BUFFER(c->rank == root && !c->isInter() && sendbuf == recvbuf && sendcount);
    },
    { return c->isInter() ? interScatter(c, n, in, out, root) : scatter(c, n, in, out, root); }, SIDES)

COLLECTIVE(
    Scatterv, Iscatterv,
    (const void *sendbuf, const int sendcounts[], const int displs[], ABI_Datatype sendtype, void *recvbuf,
     int recvcount, ABI_Datatype recvtype, int root, ABI_Comm comm),
    {
      CHECK_ROOT(root);
      if (RECEIVES(root))
        CHECK_TYPED(0, sendtype);
      if (SENDS(root) && recvbuf != ABI_IN_PLACE)
        CHECK_TYPED(recvcount, recvtype);
      REFUSE_SAME_BUFFER(c->rank == root && !c->isInter() && sendbuf == recvbuf && recvcount &&
                         hasFirst(c, sendcounts, displs));
    },
    { return c->isInter() ? interScatter(c, n, in, out, root) : scatter(c, n, in, out, root); },
    TypeRef stype(typeOf(sendtype));
    TypeRef rtype(typeOf(recvtype)); Blocks in = blocksOf(sendbuf, 0, stype); in.counts = sendcounts;
    in.displacements = displs; Blocks out = blocksOf(recvbuf, recvcount, rtype);)

COLLECTIVE(
    Allgather, Iallgather,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, int recvcount, ABI_Datatype recvtype,
     ABI_Comm comm),
    {
      if (sendbuf != ABI_IN_PLACE)
        CHECK_TYPED(sendcount, sendtype);
      CHECK_TYPED(recvcount, recvtype);
      REFUSE_SAME_BUFFER(sendbuf == recvbuf && sendcount);
    },
    { return c->isInter() ? interExchange(c, n, in, out, true) : allgather(c, n, in, out); }, SIDES)

COLLECTIVE(
    Allgatherv, Iallgatherv,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, const int recvcounts[],
     const int displs[], ABI_Datatype recvtype, ABI_Comm comm),
    {
      if (sendbuf != ABI_IN_PLACE)
        CHECK_TYPED(sendcount, sendtype);
      CHECK_TYPED(0, recvtype);
      REFUSE_SAME_BUFFER(sendbuf == recvbuf && sendcount && hasFirst(c, recvcounts, displs));
    },
    { return c->isInter() ? interExchange(c, n, in, out, true) : allgather(c, n, in, out); }, V_SIDES_OUT)

COLLECTIVE(
    Alltoall, Ialltoall,
    (const void *sendbuf, int sendcount, ABI_Datatype sendtype, void *recvbuf, int recvcount, ABI_Datatype recvtype,
     ABI_Comm comm),
    {
      if (sendbuf != ABI_IN_PLACE)
        CHECK_TYPED(sendcount, sendtype);
      CHECK_TYPED(recvcount, recvtype);
      REFUSE_SAME_BUFFER(sendbuf == recvbuf && sendcount);
    },
    { return c->isInter() ? interExchange(c, n, in, out, false) : alltoall(c, n, in, out); }, SIDES)

COLLECTIVE(
    Alltoallv, Ialltoallv,
    (const void *sendbuf, const int sendcounts[], const int sdispls[], ABI_Datatype sendtype, void *recvbuf,
     const int recvcounts[], const int rdispls[], ABI_Datatype recvtype, ABI_Comm comm),
    {
      if (sendbuf != ABI_IN_PLACE)
        CHECK_TYPED(0, sendtype);
      CHECK_TYPED(0, recvtype);
      REFUSE_SAME_BUFFER(sendbuf == recvbuf && sendbuf && hasFirst(c, sendcounts, sdispls) &&
                         hasFirst(c, recvcounts, rdispls));
    },
    { return c->isInter() ? interExchange(c, n, in, out, false) : alltoall(c, n, in, out); },
    TypeRef stype(typeOf(sendtype));
    TypeRef rtype(typeOf(recvtype)); Blocks in = blocksOf(sendbuf, 0, stype); if (in.type) {
      in.counts = sendcounts;
      in.displacements = sdispls;
    } Blocks out = blocksOf(recvbuf, 0, rtype);
    out.counts = recvcounts; out.displacements = rdispls;)

COLLECTIVE(
    Alltoallw, Ialltoallw,
    (const void *sendbuf, const int sendcounts[], const int sdispls[], const ABI_Datatype sendtypes[], void *recvbuf,
     const int recvcounts[], const int rdispls[], const ABI_Datatype recvtypes[], ABI_Comm comm),
    {
      for (int i = 0; i < c->peers(); ++i) {
        if (sendbuf != ABI_IN_PLACE)
          CHECK_TYPED(sendcounts[i], sendtypes[i]);
        CHECK_TYPED(recvcounts[i], recvtypes[i]);
      }
      REFUSE_SAME_BUFFER(sendbuf == recvbuf && sendbuf && hasFirst(c, sendcounts, sdispls) &&
                         hasFirst(c, recvcounts, rdispls));
    },
    { return c->isInter() ? interExchange(c, n, in, out, false) : alltoall(c, n, in, out); }, Blocks in;
    Blocks out; if (sendbuf != ABI_IN_PLACE) {
      in.base = static_cast<char *>(const_cast<void *>(sendbuf));
      in.counts = sendcounts;
      in.displacements = sdispls;
      in.types = sendtypes;
      in.keep(c->peers());
    } out.base = static_cast<char *>(recvbuf);
    out.counts = recvcounts; out.displacements = rdispls; out.types = recvtypes; out.keep(c->peers());)

#define REDUCTION                                                                                                      \
  TypeRef type(typeOf(datatype));                                                                                      \
  OpRef o(opOf(op));                                                                                                   \
  const void *in = sendbuf == ABI_IN_PLACE ? nullptr : sendbuf;

COLLECTIVE(
    Reduce, Ireduce,
    (const void *sendbuf, void *recvbuf, int count, ABI_Datatype datatype, ABI_Op op, int root, ABI_Comm comm),
    {
      CHECK_ROOT(root);
      CHECK_REDUCTION(count, datatype, op);
      if (c->rank == root && !c->isInter())
        CHECK_DIFFERENT(sendbuf, recvbuf, count);
    },
    {
      return c->isInter() ? interReduce(c, n, in, recvbuf, count, type, o, root)
                          : reduce(c, n, in, recvbuf, count, type, o, root);
    },
    REDUCTION)

COLLECTIVE(
    Allreduce, Iallreduce,
    (const void *sendbuf, void *recvbuf, int count, ABI_Datatype datatype, ABI_Op op, ABI_Comm comm),
    {
      CHECK_REDUCTION(count, datatype, op);
      CHECK_DIFFERENT(sendbuf, recvbuf, count);
    },
    {
      return c->isInter() ? interAllreduce(c, n, in, recvbuf, count, type, o)
                          : allreduce(c, n, in, recvbuf, count, type, o);
    },
    REDUCTION)

COLLECTIVE(
    Scan, Iscan, (const void *sendbuf, void *recvbuf, int count, ABI_Datatype datatype, ABI_Op op, ABI_Comm comm),
    {
      CHECK_INTRA;
      CHECK_REDUCTION(count, datatype, op);
      CHECK_DIFFERENT(sendbuf, recvbuf, count);
    },
    { return scan(c, n, in, recvbuf, count, type, o, false); }, REDUCTION)

COLLECTIVE(
    Exscan, Iexscan, (const void *sendbuf, void *recvbuf, int count, ABI_Datatype datatype, ABI_Op op, ABI_Comm comm),
    {
      CHECK_INTRA;
      CHECK_REDUCTION(count, datatype, op);
      CHECK_DIFFERENT(sendbuf, recvbuf, count);
    },
    { return scan(c, n, in, recvbuf, count, type, o, true); }, REDUCTION)

COLLECTIVE(
    Reduce_scatter, Ireduce_scatter,
    (const void *sendbuf, void *recvbuf, const int recvcounts[], ABI_Datatype datatype, ABI_Op op, ABI_Comm comm),
    {
      CHECK_REDUCTION(0, datatype, op);
      CHECK_DIFFERENT(sendbuf, recvbuf, recvcounts[c->rank]);
    },
    {
      return c->isInter() ? interReduceScatter(c, n, in, recvbuf, recvcounts, 0, type, o)
                          : reduceScatter(c, n, in, recvbuf, recvcounts, 0, type, o);
    },
    REDUCTION)

COLLECTIVE(
    Reduce_scatter_block, Ireduce_scatter_block,
    (const void *sendbuf, void *recvbuf, int recvcount, ABI_Datatype datatype, ABI_Op op, ABI_Comm comm),
    {
      CHECK_REDUCTION(recvcount, datatype, op);
      CHECK_DIFFERENT(sendbuf, recvbuf, recvcount);
    },
    {
      return c->isInter() ? interReduceScatter(c, n, in, recvbuf, nullptr, recvcount, type, o)
                          : reduceScatter(c, n, in, recvbuf, nullptr, recvcount, type, o);
    },
    REDUCTION)

} // extern "C"
