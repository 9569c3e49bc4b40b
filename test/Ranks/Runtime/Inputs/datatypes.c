// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a datatype was made (MPI-4, 5.1.13), types by size (MPI-4, 19.1.5), and memory from MPI_Alloc_mem.
#include "expect.h"
#include <string.h>

/// A datatype's envelope and contents; the types among them are freed.
typedef struct {
  int ints, addresses, types, combiner, integers[40];
  MPI_Aint places[10];
  MPI_Datatype of[10];
} Made;

static Made made(MPI_Datatype type) {
  Made m;
  memset(&m, -1, sizeof(m));
  EXPECT(MPI_Type_get_envelope(type, &m.ints, &m.addresses, &m.types, &m.combiner) == MPI_SUCCESS);
  if (m.combiner != MPI_COMBINER_NAMED)
    EXPECT(MPI_Type_get_contents(type, m.ints, m.addresses, m.types, m.integers, m.places, m.of) == MPI_SUCCESS);
  return m;
}

#define INTS(...)                                                                                                      \
  (int[]) { __VA_ARGS__ }
static int same(const Made *m, int combiner, int ints, const int *integers, int addresses, const MPI_Aint *places,
                int types) {
  if (m->combiner != combiner || m->ints != ints || m->addresses != addresses || m->types != types)
    return 0;
  for (int i = 0; i < ints; ++i)
    if (m->integers[i] != integers[i])
      return 0;
  for (int i = 0; i < addresses; ++i)
    if (m->places[i] != places[i])
      return 0;
  return 1;
}

static void simple(void) {
  MPI_Datatype type;
  Made m = made(MPI_INT);
  EXPECT(m.combiner == MPI_COMBINER_NAMED && m.ints == 0 && m.addresses == 0 && m.types == 0);
  MPI_Type_dup(MPI_DOUBLE, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_DUP, 0, NULL, 0, NULL, 1) && m.of[0] == MPI_DOUBLE);
  MPI_Type_free(&type);
  MPI_Type_contiguous(5, MPI_CHAR, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_CONTIGUOUS, 1, INTS(5), 0, NULL, 1) && m.of[0] == MPI_CHAR);
  MPI_Type_free(&type);
  MPI_Type_vector(3, 2, -4, MPI_INT, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_VECTOR, 3, INTS(3, 2, -4), 0, NULL, 1) && m.of[0] == MPI_INT);
  MPI_Type_free(&type);
  MPI_Type_create_hvector(3, 2, 1000, MPI_SHORT, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_HVECTOR, 2, INTS(3, 2), 1, (MPI_Aint[]){1000}, 1) && m.of[0] == MPI_SHORT);
  MPI_Type_free(&type);
  MPI_Type_indexed(2, INTS(3, 0), INTS(7, 1), MPI_FLOAT, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_INDEXED, 5, INTS(2, 3, 0, 7, 1), 0, NULL, 1) && m.of[0] == MPI_FLOAT);
  MPI_Type_free(&type);
  MPI_Type_create_hindexed(2, INTS(3, 4), (MPI_Aint[]){-8, 80}, MPI_LONG, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_HINDEXED, 3, INTS(2, 3, 4), 2, (MPI_Aint[]){-8, 80}, 1) && m.of[0] == MPI_LONG);
  MPI_Type_free(&type);
  MPI_Type_create_indexed_block(3, 2, INTS(9, 5, 1), MPI_BYTE, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_INDEXED_BLOCK, 5, INTS(3, 2, 9, 5, 1), 0, NULL, 1) && m.of[0] == MPI_BYTE);
  MPI_Type_free(&type);
  MPI_Type_create_hindexed_block(2, 2, (MPI_Aint[]){8, 64}, MPI_UNSIGNED, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_HINDEXED_BLOCK, 2, INTS(2, 2), 2, (MPI_Aint[]){8, 64}, 1) && m.of[0] == MPI_UNSIGNED);
  MPI_Type_free(&type);
  MPI_Type_create_resized(MPI_INT, -4, 32, &type);
  m = made(type);
  EXPECT(same(&m, MPI_COMBINER_RESIZED, 0, NULL, 2, (MPI_Aint[]){-4, 32}, 1) && m.of[0] == MPI_INT);
  MPI_Type_free(&type);
}

static void arrays(void) {
  MPI_Datatype type;
  for (int fortran = 0; fortran < 2; ++fortran) {
    int order = fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    MPI_Type_create_subarray(2, INTS(9, 8), INTS(3, 2), INTS(1, 0), order, MPI_INT, &type);
    Made m = made(type);
    EXPECT(same(&m, MPI_COMBINER_SUBARRAY, 8, INTS(2, 9, 8, 3, 2, 1, 0, order), 0, NULL, 1) && m.of[0] == MPI_INT);
    MPI_Type_free(&type);
    MPI_Type_create_darray(
        4, 1, 3, INTS(8, 9, 10), INTS(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE),
        INTS(MPI_DISTRIBUTE_DFLT_DARG, 3, MPI_DISTRIBUTE_DFLT_DARG), INTS(2, 2, 1), order, MPI_DOUBLE, &type);
    m = made(type);
    EXPECT(same(&m, MPI_COMBINER_DARRAY, 16,
                INTS(4, 1, 3, 8, 9, 10, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE,
                     MPI_DISTRIBUTE_DFLT_DARG, 3, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 1, order),
                0, NULL, 1));
    EXPECT(m.of[0] == MPI_DOUBLE);
    MPI_Type_free(&type);
  }
}

/// Types within types: the program gets new handles, whose types are like the ones it used and may have freed.
static void nested(int rank, int size) {
  MPI_Datatype inner, type, again, repeated;
  MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
  MPI_Type_create_struct(2, INTS(1, 2), (MPI_Aint[]){0, 16}, (MPI_Datatype[]){MPI_CHAR, inner}, &type);
  MPI_Type_free(&inner);
  Made m = made(type);
  EXPECT(same(&m, MPI_COMBINER_STRUCT, 3, INTS(2, 1, 2), 2, (MPI_Aint[]){0, 16}, 2) && m.of[0] == MPI_CHAR);
  Made second = made(m.of[1]);
  EXPECT(same(&second, MPI_COMBINER_VECTOR, 3, INTS(2, 1, 2), 0, NULL, 1) && second.of[0] == MPI_INT);
  // Make it again from its parts, and send one to the other.
  MPI_Type_create_struct(2, &m.integers[1], m.places, m.of, &again);
  MPI_Type_free(&m.of[1]);
  EXPECT(m.of[1] == MPI_DATATYPE_NULL);
  int bytes;
  MPI_Aint lower, extent, wanted;
  MPI_Type_size(again, &bytes);
  EXPECT(bytes == 17);
  MPI_Type_get_extent(type, &lower, &wanted);
  MPI_Type_get_extent(again, &lower, &extent);
  EXPECT(extent == wanted);
  MPI_Type_commit(&type);
  MPI_Type_commit(&again);
  char out[64], in[64];
  for (int i = 0; i < 64; ++i) {
    out[i] = 64 * (rank % 2) + i;
    in[i] = -1;
  }
  int before = (rank + size - 1) % size;
  MPI_Sendrecv(out, 1, type, (rank + 1) % size, 0, in, 1, again, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 64; ++i) {
    // The first byte; and four ints, of which the second and the third one are neighbors.
    int has = i == 0 || (i >= 16 && i < 20) || (i >= 24 && i < 32) || (i >= 36 && i < 40);
    EXPECT(in[i] == (has ? (char)(64 * (before % 2) + i) : -1));
  }
  // A committed type within another one can be used at once, as it is or as it was named.
  MPI_Type_contiguous(2, type, &repeated);
  m = made(repeated);
  EXPECT(same(&m, MPI_COMBINER_CONTIGUOUS, 1, INTS(2), 0, NULL, 1));
  second = made(m.of[0]);
  EXPECT(second.combiner == MPI_COMBINER_STRUCT && second.of[0] == MPI_CHAR);
  MPI_Type_free(&second.of[1]);
  MPI_Type_free(&m.of[0]);
  MPI_Type_free(&repeated);
  MPI_Type_free(&type);
  MPI_Type_free(&again);
}

static void bySize(void) {
  struct {
    int of, size;
  } const known[] = {{MPI_TYPECLASS_INTEGER, 1}, {MPI_TYPECLASS_INTEGER, 2}, {MPI_TYPECLASS_INTEGER, 4},
                     {MPI_TYPECLASS_INTEGER, 8}, {MPI_TYPECLASS_REAL, 4},    {MPI_TYPECLASS_REAL, 8},
                     {MPI_TYPECLASS_COMPLEX, 8}, {MPI_TYPECLASS_COMPLEX, 16}};
  MPI_Datatype type;
  int bytes, length;
  char name[MPI_MAX_OBJECT_NAME];
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); ++i) {
    EXPECT(MPI_Type_match_size(known[i].of, known[i].size, &type) == MPI_SUCCESS);
    MPI_Type_size(type, &bytes);
    EXPECT(bytes == known[i].size);
    MPI_Type_get_name(type, name, &length);
    EXPECT(!strncmp(name, "MPI_", 4) && length == (int)strlen(name));
  }
  EXPECT(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type) == MPI_ERR_ARG);
}

static void memory(int rank, int size) {
  int *from, *to;
  MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &from);
  MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &to);
  EXPECT(from && to && from != to);
  for (int i = 0; i < 1000; ++i)
    from[i] = rank + i;
  MPI_Sendrecv(from, 1000, MPI_INT, (rank + 1) % size, 0, to, 1000, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < 1000; ++i)
    EXPECT(to[i] == (rank + size - 1) % size + i);
  EXPECT(MPI_Free_mem(from) == MPI_SUCCESS && MPI_Free_mem(to) == MPI_SUCCESS);
  MPI_Alloc_mem(0, MPI_INFO_NULL, &from);
  EXPECT(MPI_Free_mem(from) == MPI_SUCCESS);
}

int main(int argc, char **argv) {
  int rank, size;
  begin(&argc, &argv, &rank, &size);
  simple();
  arrays();
  nested(rank, size);
  bySize();
  memory(rank, size);
  return asExpected("datatypes");
}
