// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Argument checks of collectives.
#include "mpi/CollectiveForms.h"

namespace comm::ranks {

int badRoot(Comm *c, int root) {
  if (c->isInter()) {
    if (root == ABI_ROOT || root == ABI_PROC_NULL || (root >= 0 && root < c->remoteSize))
      return ABI_SUCCESS;
    return fail(c, ABI_ERR_ROOT,
                "the root %d is neither a rank of the other side nor MPI_ROOT "
                "nor MPI_PROC_NULL",
                root);
  }
  if (root >= 0 && root < c->size)
    return ABI_SUCCESS;
  return fail(c, ABI_ERR_ROOT, "the root %d is not a rank of it: use 0 to %d", root, c->size - 1);
}

int badTyped(Comm *c, int64_t count, ABI_Datatype datatype) {
  if (count < 0)
    return fail(c, ABI_ERR_COUNT, "the count %ld is negative", static_cast<long>(count));
  if (!typeOf(datatype))
    return fail(c, ABI_ERR_TYPE, "invalid datatype");
  return ABI_SUCCESS;
}

bool hasFirst(Comm *c, const int *counts, const int *displacements) {
  for (int i = 0; i < c->peers(); ++i)
    if (counts[i] && !displacements[i])
      return true;
  return false;
}

int badReduction(Comm *c, int64_t count, ABI_Datatype datatype, ABI_Op op) {
  if (int error = badTyped(c, count, datatype))
    return error;
  Op *o = opOf(op);
  if (!o)
    return fail(c, ABI_ERR_OP, "invalid reduction operation");
  if (!isDefinedOn(o, typeOf(datatype)))
    return fail(c, ABI_ERR_OP, "the reduction operation is not defined on the datatype");
  return ABI_SUCCESS;
}

} // namespace comm::ranks
