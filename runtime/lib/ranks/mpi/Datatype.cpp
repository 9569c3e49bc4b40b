// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Derived datatypes, packing and operators, implemented with the underlying MPI (MPI-4, 5 and 6.9.5).
#include "objects/Datatype.h"
#include "objects/Attributes.h"
#include "objects/Communicator.h"

#include <climits>
#include <cstring>
#include <memory>
#include <vector>

using namespace comm::ranks;

namespace comm::ranks {

/// Returns the underlying types; empty, with `bad` set, if a handle is invalid.
static std::vector<MPI_Datatype> natives(int count, const ABI_Datatype *types, bool &bad) {
  std::vector<MPI_Datatype> result;
  for (int i = 0; i < count; ++i) {
    Datatype *type = typeOf(types[i]);
    bad |= !type;
    result.push_back(type ? type->native : MPI_DATATYPE_NULL);
  }
  return result;
}

static int made(int code, MPI_Datatype native, ABI_Datatype *newtype) {
  *newtype = ABI_DATATYPE_NULL;
  if (code)
    return fail(nullptr, classOfNative(code), "the datatype cannot be created from these arguments");
  *newtype = wrapDatatype(native);
  return ABI_SUCCESS;
}

static int arrayOrder(int order) { return order == ABI_ORDER_C ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }

static int distribution(int d) {
  switch (d) {
  case ABI_DISTRIBUTE_BLOCK:
    return MPI_DISTRIBUTE_BLOCK;
  case ABI_DISTRIBUTE_CYCLIC:
    return MPI_DISTRIBUTE_CYCLIC;
  case ABI_DISTRIBUTE_NONE:
    return MPI_DISTRIBUTE_NONE;
  }
  return d;
}

static ABI_Aint orUndefined(MPI_Count value) { return value == MPI_UNDEFINED ? ABI_UNDEFINED : value; }

} // namespace comm::ranks

/// Returns whether this many elements have more bytes, of data or of memory, than an MPI_Aint can count, which the
/// underlying MPI does not check.
static bool isTooLarge(__int128 elements, const Datatype *type) {
  __int128 size = elements * static_cast<__int128>(type->size), span = elements * static_cast<__int128>(type->extent);
  return elements > INT64_MAX || size > INT64_MAX || span > INT64_MAX || span < INT64_MIN;
}

static __int128 sumOf(int count, const int *lengths) {
  __int128 sum = 0;
  for (int i = 0; i < count; ++i)
    sum += lengths[i];
  return sum;
}

/// Defines a constructor with this many elements of a single old type.
#define CONSTRUCTOR(NAME, PARAMETERS, ELEMENTS, ARGUMENTS)                                                             \
  int comm_ranks_MPI_Type_##NAME PARAMETERS {                                                                          \
    TYPE_OR_FAIL(old, oldtype);                                                                                        \
    if (isTooLarge(ELEMENTS, old))                                                                                     \
      return fail(nullptr, ABI_ERR_COUNT, "the datatype would have more bytes than an MPI_Aint can count");            \
    MPI_Datatype native = MPI_DATATYPE_NULL;                                                                           \
    int code = MPI_Type_##NAME ARGUMENTS;                                                                              \
    return made(code, native, newtype);                                                                                \
  }

extern "C" {

CONSTRUCTOR(contiguous, (int count, ABI_Datatype oldtype, ABI_Datatype *newtype), count, (count, old->native, &native))
CONSTRUCTOR(vector, (int count, int blocklength, int stride, ABI_Datatype oldtype, ABI_Datatype *newtype),
            __int128(count) * blocklength, (count, blocklength, stride, old->native, &native))
CONSTRUCTOR(create_hvector, (int count, int blocklength, ABI_Aint stride, ABI_Datatype oldtype, ABI_Datatype *newtype),
            __int128(count) * blocklength, (count, blocklength, stride, old->native, &native))
CONSTRUCTOR(indexed,
            (int count, const int lengths[], const int displacements[], ABI_Datatype oldtype, ABI_Datatype *newtype),
            sumOf(count, lengths), (count, lengths, displacements, old->native, &native))
CONSTRUCTOR(create_hindexed,
            (int count, const int lengths[], const ABI_Aint displacements[], ABI_Datatype oldtype,
             ABI_Datatype *newtype),
            sumOf(count, lengths), (count, lengths, displacements, old->native, &native))
CONSTRUCTOR(create_indexed_block,
            (int count, int blocklength, const int displacements[], ABI_Datatype oldtype, ABI_Datatype *newtype),
            __int128(count) * blocklength, (count, blocklength, displacements, old->native, &native))
CONSTRUCTOR(create_hindexed_block,
            (int count, int blocklength, const ABI_Aint displacements[], ABI_Datatype oldtype, ABI_Datatype *newtype),
            __int128(count) * blocklength, (count, blocklength, displacements, old->native, &native))
CONSTRUCTOR(create_resized, (ABI_Datatype oldtype, ABI_Aint lb, ABI_Aint extent, ABI_Datatype *newtype), 1,
            (old->native, lb, extent, &native))
CONSTRUCTOR(create_subarray,
            (int ndims, const int sizes[], const int subsizes[], const int starts[], int order, ABI_Datatype oldtype,
             ABI_Datatype *newtype),
            1, (ndims, sizes, subsizes, starts, arrayOrder(order), old->native, &native))

int comm_ranks_MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[],
                                      const int dargs[], const int psizes[], int order, ABI_Datatype oldtype,
                                      ABI_Datatype *newtype) {
  TYPE_OR_FAIL(old, oldtype);
  std::vector<int> kinds, arguments;
  for (int i = 0; i < ndims; ++i) {
    kinds.push_back(distribution(distribs[i]));
    arguments.push_back(dargs[i] == ABI_DISTRIBUTE_DFLT_DARG ? MPI_DISTRIBUTE_DFLT_DARG : dargs[i]);
  }
  MPI_Datatype native = MPI_DATATYPE_NULL;
  int code = MPI_Type_create_darray(size, rank, ndims, gsizes, kinds.data(), arguments.data(), psizes,
                                    arrayOrder(order), old->native, &native);
  return made(code, native, newtype);
}

int comm_ranks_MPI_Type_create_struct(int count, const int lengths[], const ABI_Aint displacements[],
                                      const ABI_Datatype types[], ABI_Datatype *newtype) {
  bool bad = false;
  auto old = natives(count, types, bad);
  if (bad)
    return fail(nullptr, ABI_ERR_TYPE, "invalid datatype among the fields");
  MPI_Datatype native = MPI_DATATYPE_NULL;
  int code = MPI_Type_create_struct(count, lengths, displacements, old.data(), &native);
  return made(code, native, newtype);
}

int comm_ranks_MPI_Type_dup(ABI_Datatype oldtype, ABI_Datatype *newtype) {
  TYPE_OR_FAIL(old, oldtype);
  MPI_Datatype native = MPI_DATATYPE_NULL;
  int code = MPI_Type_dup(old->native, &native);
  if (int error = made(code, native, newtype))
    return error;
  Datatype *copy = typeOf(*newtype);
  copy->dense = old->dense;
  if (int error = copyAttributes(oldtype, old->attributes, copy->attributes)) {
    release(copy);
    *newtype = ABI_DATATYPE_NULL;
    return fail(nullptr, error, "a copy callback of an attribute");
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_commit(ABI_Datatype *datatype) {
  TYPE_OR_FAIL(type, *datatype);
  if (type->predefined)
    return ABI_SUCCESS;
  int code = MPI_Type_commit(&type->native);
  if (!code)
    settle(type);
  return check(nullptr, classOfNative(code), "the datatype cannot be committed");
}

int comm_ranks_MPI_Type_free(ABI_Datatype *datatype) {
  TYPE_OR_FAIL(type, *datatype);
  if (type->predefined)
    return fail(nullptr, ABI_ERR_TYPE, "a predefined datatype stays");
  if (int error = deleteAttributes(type->handle, type->attributes))
    return fail(nullptr, error, "a delete callback of an attribute");
  release(type);
  *datatype = ABI_DATATYPE_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_size(ABI_Datatype datatype, int *size) {
  TYPE_OR_FAIL(type, datatype);
  *size = type->size > INT_MAX ? ABI_UNDEFINED : static_cast<int>(type->size);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_size_x(ABI_Datatype datatype, ABI_Count *size) {
  TYPE_OR_FAIL(type, datatype);
  *size = type->size;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_size_c(ABI_Datatype datatype, ABI_Count *size) {
  return comm_ranks_MPI_Type_size_x(datatype, size);
}

int comm_ranks_MPI_Type_get_extent(ABI_Datatype datatype, ABI_Aint *lb, ABI_Aint *extent) {
  TYPE_OR_FAIL(type, datatype);
  *lb = type->lower;
  *extent = type->extent;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_get_true_extent(ABI_Datatype datatype, ABI_Aint *true_lb, ABI_Aint *true_extent) {
  TYPE_OR_FAIL(type, datatype);
  *true_lb = type->trueLower;
  *true_extent = type->trueExtent;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_get_extent_x(ABI_Datatype datatype, ABI_Count *lb, ABI_Count *extent) {
  TYPE_OR_FAIL(type, datatype);
  MPI_Count l = 0, e = 0;
  MPI_Type_get_extent_x(type->native, &l, &e);
  *lb = orUndefined(l);
  *extent = orUndefined(e);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_get_extent_c(ABI_Datatype datatype, ABI_Count *lb, ABI_Count *extent) {
  return comm_ranks_MPI_Type_get_extent_x(datatype, lb, extent);
}

int comm_ranks_MPI_Type_get_true_extent_x(ABI_Datatype datatype, ABI_Count *lb, ABI_Count *extent) {
  TYPE_OR_FAIL(type, datatype);
  MPI_Count l = 0, e = 0;
  MPI_Type_get_true_extent_x(type->native, &l, &e);
  *lb = orUndefined(l);
  *extent = orUndefined(e);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_get_true_extent_c(ABI_Datatype datatype, ABI_Count *lb, ABI_Count *extent) {
  return comm_ranks_MPI_Type_get_true_extent_x(datatype, lb, extent);
}

int comm_ranks_MPI_Type_get_envelope(ABI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes,
                                     int *combiner) {
  TYPE_OR_FAIL(type, datatype);
  int native = 0;
  int code = MPI_Type_get_envelope(type->native, num_integers, num_addresses, num_datatypes, &native);
  *combiner = combinerOfNative(native);
  return check(nullptr, classOfNative(code), "no envelope");
}

int comm_ranks_MPI_Type_get_contents(ABI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                                     int integers[], ABI_Aint addresses[], ABI_Datatype types[]) {
  TYPE_OR_FAIL(type, datatype);
  if (type->predefined)
    return fail(nullptr, ABI_ERR_TYPE, "a predefined datatype has no contents");
  int ints, addrs, count, combiner;
  MPI_Type_get_envelope(type->native, &ints, &addrs, &count, &combiner);
  std::vector<MPI_Datatype> natives(max_datatypes + 1, MPI_DATATYPE_NULL);
  int code = MPI_Type_get_contents(type->native, max_integers, max_addresses, max_datatypes, integers, addresses,
                                   natives.data());
  if (code)
    return fail(nullptr, classOfNative(code), "the arrays are too short");
  for (int i = 0; i < max_datatypes && i < count; ++i) {
    types[i] = handleOfNative(natives[i]);
    Datatype *made = typeOf(types[i]);
    if (made && !made->predefined)
      settle(made);
  }
  // Convert orders and distributions to the ABI's constants.
  auto order = [](int o) { return o == MPI_ORDER_C ? ABI_ORDER_C : ABI_ORDER_FORTRAN; };
  if (combiner == MPI_COMBINER_SUBARRAY)
    integers[ints - 1] = order(integers[ints - 1]);
  if (combiner == MPI_COMBINER_DARRAY) {
    int ndims = integers[2];
    integers[ints - 1] = order(integers[ints - 1]);
    for (int i = 0; i < ndims; ++i) {
      int &kind = integers[3 + ndims + i];
      kind = kind == MPI_DISTRIBUTE_BLOCK    ? ABI_DISTRIBUTE_BLOCK
             : kind == MPI_DISTRIBUTE_CYCLIC ? ABI_DISTRIBUTE_CYCLIC
                                             : ABI_DISTRIBUTE_NONE;
      int &argument = integers[3 + 2 * ndims + i];
      if (argument == MPI_DISTRIBUTE_DFLT_DARG)
        argument = ABI_DISTRIBUTE_DFLT_DARG;
    }
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_set_name(ABI_Datatype datatype, const char *type_name) {
  TYPE_OR_FAIL(type, datatype);
  delete type->name;
  type->name = new std::string(type_name, strnlen(type_name, ABI_MAX_OBJECT_NAME - 1));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_get_name(ABI_Datatype datatype, char *type_name, int *resultlen) {
  if (datatype == ABI_DATATYPE_NULL) {
    strcpy(type_name, "MPI_DATATYPE_NULL");
    *resultlen = strlen(type_name);
    return ABI_SUCCESS;
  }
  TYPE_OR_FAIL(type, datatype);
  strcpy(type_name, type->name ? type->name->c_str() : "");
  *resultlen = strlen(type_name);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_match_size(int typeclass, int size, ABI_Datatype *datatype) {
  struct {
    int of, size;
    ABI_Datatype type;
  } const known[] = {
      {ABI_TYPECLASS_INTEGER, 1, ABI_INTEGER1},   {ABI_TYPECLASS_INTEGER, 2, ABI_INTEGER2},
      {ABI_TYPECLASS_INTEGER, 4, ABI_INTEGER4},   {ABI_TYPECLASS_INTEGER, 8, ABI_INTEGER8},
      {ABI_TYPECLASS_REAL, 4, ABI_REAL4},         {ABI_TYPECLASS_REAL, 8, ABI_REAL8},
      {ABI_TYPECLASS_REAL, 16, ABI_REAL16},       {ABI_TYPECLASS_COMPLEX, 8, ABI_COMPLEX8},
      {ABI_TYPECLASS_COMPLEX, 16, ABI_COMPLEX16}, {ABI_TYPECLASS_COMPLEX, 32, ABI_COMPLEX32},
  };
  for (auto &entry : known)
    if (entry.of == typeclass && entry.size == size && typeOf(entry.type)) {
      *datatype = entry.type;
      return ABI_SUCCESS;
    }
  return fail(nullptr, ABI_ERR_ARG, "no type of that class has %d bytes", size);
}

int comm_ranks_MPI_Pack(const void *inbuf, int incount, ABI_Datatype datatype, void *outbuf, int outsize, int *position,
                        ABI_Comm comm) {
  COMM_OR_FAIL(c, comm);
  TYPE_OR_FAIL(type, datatype);
  if (incount < 0)
    return fail(c, ABI_ERR_COUNT, "the count %d is negative", incount);
  int64_t bytes = incount * static_cast<int64_t>(type->size);
  if (*position + bytes > outsize)
    return fail(c, ABI_ERR_TRUNCATE, "the buffer has no room for %ld bytes", static_cast<long>(bytes));
  int error = packTo(static_cast<char *>(outbuf) + *position, inbuf, incount, type);
  *position += bytes;
  return check(c, error, "the data could not be packed");
}

int comm_ranks_MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
                          ABI_Datatype datatype, ABI_Comm comm) {
  COMM_OR_FAIL(c, comm);
  TYPE_OR_FAIL(type, datatype);
  if (outcount < 0)
    return fail(c, ABI_ERR_COUNT, "the count %d is negative", outcount);
  int64_t bytes = outcount * static_cast<int64_t>(type->size);
  if (*position + bytes > insize)
    return fail(c, ABI_ERR_TRUNCATE, "the buffer has no %ld bytes left", static_cast<long>(bytes));
  size_t received;
  int error = unpackFrom(static_cast<const char *>(inbuf) + *position, bytes, outbuf, outcount, type, received);
  *position += bytes;
  return check(c, error, "the data could not be unpacked");
}

int comm_ranks_MPI_Pack_size(int incount, ABI_Datatype datatype, ABI_Comm comm, int *size) {
  COMM_OR_FAIL(c, comm);
  TYPE_OR_FAIL(type, datatype);
  if (incount < 0 || (type->size && incount > static_cast<int64_t>(INT_MAX / type->size)))
    return fail(c, ABI_ERR_COUNT, "the size of %d elements of %zu bytes is not one that an int counts", incount,
                type->size);
  *size = static_cast<int>(incount * type->size);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Pack_external(const char datarep[], const void *inbuf, int incount, ABI_Datatype datatype,
                                 void *outbuf, ABI_Aint outsize, ABI_Aint *position) {
  TYPE_OR_FAIL(type, datatype);
  return check(nullptr,
               classOfNative(MPI_Pack_external(datarep, inbuf, incount, type->native, outbuf, outsize, position)),
               "the data could not be packed");
}

int comm_ranks_MPI_Unpack_external(const char datarep[], const void *inbuf, ABI_Aint insize, ABI_Aint *position,
                                   void *outbuf, int outcount, ABI_Datatype datatype) {
  TYPE_OR_FAIL(type, datatype);
  return check(nullptr,
               classOfNative(MPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, type->native)),
               "the data could not be unpacked");
}

int comm_ranks_MPI_Pack_external_size(const char datarep[], int incount, ABI_Datatype datatype, ABI_Aint *size) {
  TYPE_OR_FAIL(type, datatype);
  if (incount < 0)
    return fail(nullptr, ABI_ERR_COUNT, "the count %d is negative", incount);
  return check(nullptr, classOfNative(MPI_Pack_external_size(datarep, incount, type->native, size)), "no size");
}

int comm_ranks_MPI_Op_create(ABI_User_function *user_fn, int commute, ABI_Op *op) {
  auto *made = new Op;
  made->function = user_fn;
  made->commutes = commute;
  *op = reinterpret_cast<ABI_Op>(made);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Op_create_c(ABI_User_function_c *user_fn, int commute, ABI_Op *op) {
  auto *made = new Op;
  made->largeFunction = user_fn;
  made->commutes = commute;
  *op = reinterpret_cast<ABI_Op>(made);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Op_free(ABI_Op *op) {
  Op *object = opOf(*op);
  if (!object || object->predefined)
    return fail(nullptr, ABI_ERR_OP, "not an operation that the program made");
  releaseOp(object);
  *op = ABI_OP_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Op_commutative(ABI_Op op, int *commute) {
  Op *object = opOf(op);
  if (!object)
    return fail(nullptr, ABI_ERR_OP, "invalid operation");
  *commute = object->commutes;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, ABI_Datatype datatype, ABI_Op op) {
  TYPE_OR_FAIL(type, datatype);
  Op *object = opOf(op);
  if (!object)
    return fail(nullptr, ABI_ERR_OP, "invalid operation");
  if (count < 0)
    return fail(nullptr, ABI_ERR_COUNT, "the count %d is negative", count);
  if (inbuf == ABI_IN_PLACE || inoutbuf == ABI_IN_PLACE || (count > 0 && inbuf == inoutbuf))
    return fail(nullptr, ABI_ERR_BUFFER, "the reduction needs two buffers of the program");
  return check(nullptr, reduceLocal(inbuf, inoutbuf, count, type, object),
               "the reduction is not defined on the datatype");
}

} // extern "C"
