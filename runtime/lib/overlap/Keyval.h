/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attributes that cache properties of MPI objects (MPI-4, 7.7).
 */
#ifndef COMM_RUNTIME_KEYVAL_H
#define COMM_RUNTIME_KEYVAL_H

#include "Overlap.h"

#include <stdatomic.h>

typedef int CommCopyFunction(CommHandle, int, void *, void *, void *, int *);
typedef int CommDeleteFunction(CommHandle, int, void *, void *);

/* MPI's predefined callbacks for communicators, which are null except in Open MPI. */
#ifdef COMM_HANDLES_ARE_POINTERS
extern __attribute__((weak)) CommCopyFunction OMPI_C_MPI_COMM_NULL_COPY_FN;
extern __attribute__((weak)) CommDeleteFunction OMPI_C_MPI_COMM_NULL_DELETE_FN;
#define COMM_NULL_COPY OMPI_C_MPI_COMM_NULL_COPY_FN
#define COMM_NULL_DELETE OMPI_C_MPI_COMM_NULL_DELETE_FN
#else
#define COMM_NULL_COPY NULL
#define COMM_NULL_DELETE NULL
#endif

#define COMM_HAS_KEYVAL ((int64_t)1 << 32)

/* Returns the key of an attribute in `keyval`, which is created once for all threads and kept in `known`, initially
 * 0. Returns 0 if it cannot be created. `create` and `free` are MPI's functions for the kind of object. `copy` and
 * `delete` are MPI's predefined callbacks: callbacks of ours would dangle once a library is closed. */
static inline int comm_get_keyval(_Atomic int64_t *known,
                                  int create(CommCopyFunction *, CommDeleteFunction *, int *, void *), int free(int *),
                                  CommCopyFunction *copy, CommDeleteFunction *delete, int *keyval) {
  int64_t found = atomic_load_explicit(known, memory_order_relaxed);
  if (!found) {
    if (create(copy, delete, keyval, NULL) != 0)
      return 0;
    if (atomic_compare_exchange_strong(known, &found, COMM_HAS_KEYVAL | (uint32_t)*keyval))
      return 1;
    free(keyval); /* another thread was first */
  }
  *keyval = (int)(uint32_t)found;
  return 1;
}

#endif /* COMM_RUNTIME_KEYVAL_H */
