// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Attributes.h"
#include "Communicator.h"
#include "Datatype.h"

#include <mutex>

using namespace comm::ranks;

namespace comm::ranks {

/// A keyval of one kind of object; numbers are the process's.
template <typename Handle, typename Copy, typename Delete> class Keyvals {
public:
  struct Keyval {
    Copy *copy;
    Delete *remove;
    void *state;
  };

  explicit Keyvals(int first) : base(first) {}

  int make(Copy *copy, Delete *remove, void *state) {
    std::lock_guard<std::mutex> guard(lock);
    all.push_back({copy, remove, state});
    return base + static_cast<int>(all.size()) - 1;
  }
  /// Freed ones stay known: attributes may still carry them (MPI-4, 7.7.2).
  bool find(int keyval, Keyval &found) {
    std::lock_guard<std::mutex> guard(lock);
    if (keyval < base || keyval >= base + static_cast<int>(all.size()))
      return false;
    found = all[keyval - base];
    return true;
  }

  int copyAll(Handle old, const Attributes *from, Attributes *&to) {
    if (!from)
      return ABI_SUCCESS;
    for (auto &value : from->values) {
      Keyval keyval;
      if (!find(value.first, keyval) || !keyval.copy)
        continue;
      void *copy = value.second;
      int flag = 1;
      if (reinterpret_cast<uintptr_t>(keyval.copy) != 1)
        if (int error = keyval.copy(old, value.first, keyval.state, value.second, &copy, &flag))
          return error;
      if (!flag)
        continue;
      if (!to)
        to = new Attributes;
      to->values.push_back({value.first, copy});
    }
    return ABI_SUCCESS;
  }

  int removeAll(Handle handle, Attributes *&attributes) {
    while (attributes && !attributes->values.empty()) {
      auto value = attributes->values.back();
      if (int error = remove(handle, value.first, value.second))
        return error;
      // The callback may have set others.
      for (size_t i = attributes->values.size(); i-- > 0;)
        if (attributes->values[i].first == value.first) {
          attributes->values.erase(attributes->values.begin() + i);
          break;
        }
    }
    delete attributes;
    attributes = nullptr;
    return ABI_SUCCESS;
  }

  int remove(Handle handle, int number, void *value) {
    Keyval keyval;
    if (!find(number, keyval) || !keyval.remove)
      return ABI_SUCCESS;
    return keyval.remove(handle, number, value, keyval.state);
  }

  int set(Handle handle, Attributes *&attributes, int number, void *value) {
    Keyval keyval;
    if (!find(number, keyval))
      return ABI_ERR_KEYVAL;
    if (!attributes)
      attributes = new Attributes;
    for (auto &old : attributes->values)
      if (old.first == number) {
        if (int error = remove(handle, number, old.second))
          return error;
        old.second = value;
        return ABI_SUCCESS;
      }
    attributes->values.push_back({number, value});
    return ABI_SUCCESS;
  }

  int erase(Handle handle, Attributes *attributes, int number) {
    Keyval keyval;
    if (!find(number, keyval))
      return ABI_ERR_KEYVAL;
    for (size_t i = 0; attributes && i < attributes->values.size(); ++i)
      if (attributes->values[i].first == number) {
        if (int error = remove(handle, number, attributes->values[i].second))
          return error;
        attributes->values.erase(attributes->values.begin() + i);
        return ABI_SUCCESS;
      }
    return ABI_SUCCESS;
  }

  static bool get(const Attributes *attributes, int number, void *value) {
    for (size_t i = 0; attributes && i < attributes->values.size(); ++i)
      if (attributes->values[i].first == number) {
        *static_cast<void **>(value) = attributes->values[i].second;
        return true;
      }
    return false;
  }

private:
  const int base;
  std::mutex lock;
  std::vector<Keyval> all;
};

// Beyond the numbers of the predefined ones.
static Keyvals<ABI_Comm, ABI_Comm_copy_attr_function, ABI_Comm_delete_attr_function> commKeyvals(0x10000);
static Keyvals<ABI_Datatype, ABI_Type_copy_attr_function, ABI_Type_delete_attr_function> typeKeyvals(0x4000000);

int copyAttributes(ABI_Comm old, const Attributes *from, Attributes *&to) { return commKeyvals.copyAll(old, from, to); }
int copyAttributes(ABI_Datatype old, const Attributes *from, Attributes *&to) {
  return typeKeyvals.copyAll(old, from, to);
}
int deleteAttributes(ABI_Comm handle, Attributes *&attributes) { return commKeyvals.removeAll(handle, attributes); }
int deleteAttributes(ABI_Datatype handle, Attributes *&attributes) { return typeKeyvals.removeAll(handle, attributes); }

int lastErrorCode();

/// The attributes that MPI_COMM_WORLD has from the start, and its duplicates
/// too: MPI-4, 9.1.2. C gets the address of an int.
static bool predefined(int keyval, void *value) {
  static const int tagBound = 0x7fffffff, anyRank = ABI_ANY_SOURCE, no = 0, noRank = ABI_PROC_NULL;
  static int universe, application = 0;
  static thread_local int last;
  const int *found = nullptr;
  switch (keyval) {
  case ABI_TAG_UB:
    found = &tagBound;
    break;
  case ABI_HOST:
    found = &noRank;
    break;
  case ABI_IO:
    found = &anyRank;
    break;
  case ABI_WTIME_IS_GLOBAL:
    found = &no;
    break;
  case ABI_UNIVERSE_SIZE:
    universe = process.ranksTotal;
    found = &universe;
    break;
  case ABI_APPNUM:
    found = &application;
    break;
  case ABI_LASTUSEDCODE:
    last = lastErrorCode();
    found = &last;
    break;
  }
  if (found)
    *static_cast<const int **>(value) = found;
  return found != nullptr;
}

static bool isPredefined(int keyval) {
  void *ignored;
  return predefined(keyval, &ignored);
}

} // namespace comm::ranks

static const char *const badKeyval = "not a keyval that the program created, or a callback failed";

extern "C" {

int comm_ranks_MPI_Comm_create_keyval(ABI_Comm_copy_attr_function *copy, ABI_Comm_delete_attr_function *remove,
                                      int *comm_keyval, void *extra_state) {
  *comm_keyval = commKeyvals.make(copy, remove, extra_state);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Keyval_create(ABI_Copy_function *copy, ABI_Delete_function *remove, int *keyval, void *extra_state) {
  return comm_ranks_MPI_Comm_create_keyval(copy, remove, keyval, extra_state);
}

int comm_ranks_MPI_Comm_free_keyval(int *comm_keyval) {
  decltype(commKeyvals)::Keyval found;
  if (!commKeyvals.find(*comm_keyval, found))
    return fail(nullptr, ABI_ERR_KEYVAL, "%s", badKeyval);
  *comm_keyval = ABI_KEYVAL_INVALID;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Keyval_free(int *keyval) { return comm_ranks_MPI_Comm_free_keyval(keyval); }

int comm_ranks_MPI_Comm_set_attr(ABI_Comm comm, int comm_keyval, void *value) {
  COMM_OR_FAIL(c, comm);
  return check(c, commKeyvals.set(comm, c->attributes, comm_keyval, value), badKeyval);
}

int comm_ranks_MPI_Comm_get_attr(ABI_Comm comm, int comm_keyval, void *value, int *flag) {
  COMM_OR_FAIL(c, comm);
  *flag = predefined(comm_keyval, value);
  if (*flag)
    return ABI_SUCCESS;
  decltype(commKeyvals)::Keyval found;
  if (!commKeyvals.find(comm_keyval, found))
    return fail(c, ABI_ERR_KEYVAL, "%s", badKeyval);
  *flag = commKeyvals.get(c->attributes, comm_keyval, value);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Comm_delete_attr(ABI_Comm comm, int comm_keyval) {
  COMM_OR_FAIL(c, comm);
  if (isPredefined(comm_keyval))
    return fail(c, ABI_ERR_KEYVAL, "a predefined attribute stays");
  return check(c, commKeyvals.erase(comm, c->attributes, comm_keyval), badKeyval);
}

int comm_ranks_MPI_Attr_put(ABI_Comm comm, int keyval, void *value) {
  return comm_ranks_MPI_Comm_set_attr(comm, keyval, value);
}
int comm_ranks_MPI_Attr_get(ABI_Comm comm, int keyval, void *value, int *flag) {
  return comm_ranks_MPI_Comm_get_attr(comm, keyval, value, flag);
}
int comm_ranks_MPI_Attr_delete(ABI_Comm comm, int keyval) { return comm_ranks_MPI_Comm_delete_attr(comm, keyval); }

int comm_ranks_MPI_Type_create_keyval(ABI_Type_copy_attr_function *copy, ABI_Type_delete_attr_function *remove,
                                      int *type_keyval, void *extra_state) {
  *type_keyval = typeKeyvals.make(copy, remove, extra_state);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_free_keyval(int *type_keyval) {
  decltype(typeKeyvals)::Keyval found;
  if (!typeKeyvals.find(*type_keyval, found))
    return fail(nullptr, ABI_ERR_KEYVAL, "%s", badKeyval);
  *type_keyval = ABI_KEYVAL_INVALID;
  return ABI_SUCCESS;
}

// Attributes of predefined types are shared by the ranks of a process.

int comm_ranks_MPI_Type_set_attr(ABI_Datatype datatype, int type_keyval, void *value) {
  TYPE_OR_FAIL(type, datatype);
  return check(nullptr, typeKeyvals.set(datatype, type->attributes, type_keyval, value), badKeyval);
}

int comm_ranks_MPI_Type_get_attr(ABI_Datatype datatype, int type_keyval, void *value, int *flag) {
  TYPE_OR_FAIL(type, datatype);
  decltype(typeKeyvals)::Keyval found;
  if (!typeKeyvals.find(type_keyval, found))
    return fail(nullptr, ABI_ERR_KEYVAL, "%s", badKeyval);
  *flag = typeKeyvals.get(type->attributes, type_keyval, value);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Type_delete_attr(ABI_Datatype datatype, int type_keyval) {
  TYPE_OR_FAIL(type, datatype);
  return check(nullptr, typeKeyvals.erase(datatype, type->attributes, type_keyval), badKeyval);
}

} // extern "C"
