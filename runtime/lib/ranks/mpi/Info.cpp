// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Info objects (MPI-4, 10).
#include "objects/Info.h"
#include "objects/Communicator.h"

#include <cstring>

using namespace comm::ranks;

namespace comm::ranks {

static std::pair<std::string, std::string> *find(Info *info, const char *key) {
  for (auto &entry : info->entries)
    if (entry.first == key)
      return &entry;
  return nullptr;
}

/// Returns MPI_INFO_ENV, which describes how the program was started; it is read-only.
static Info *environmentInfo() {
  static Info info = [] {
    Info made;
    if (process.argc > 0)
      made.entries.push_back({"command", process.argv[0]});
    made.entries.push_back({"maxprocs", std::to_string(process.ranksTotal)});
    made.entries.push_back({"soft", std::to_string(process.ranksTotal)});
    made.entries.push_back({"thread_level", "MPI_THREAD_SERIALIZED"});
    return made;
  }();
  return &info;
}

static Info *readable(ABI_Info handle) { return handle == ABI_INFO_ENV ? environmentInfo() : infoOf(handle); }

} // namespace comm::ranks

#define INFO_OR_FAIL(variable, handle)                                                                                 \
  Info *variable = infoOf(handle);                                                                                     \
  if (!variable)                                                                                                       \
  return fail(nullptr, ABI_ERR_INFO, "invalid info object")
#define READABLE_OR_FAIL(variable, handle)                                                                             \
  Info *variable = readable(handle);                                                                                   \
  if (!variable)                                                                                                       \
  return fail(nullptr, ABI_ERR_INFO, "invalid info object")

extern "C" {

int comm_ranks_MPI_Info_create(ABI_Info *info) {
  *info = copyInfo(nullptr);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_dup(ABI_Info info, ABI_Info *newinfo) {
  READABLE_OR_FAIL(from, info);
  *newinfo = copyInfo(from);
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_free(ABI_Info *info) {
  INFO_OR_FAIL(object, *info);
  releaseInfo(object);
  *info = ABI_INFO_NULL;
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_set(ABI_Info info, const char *key, const char *value) {
  INFO_OR_FAIL(object, info);
  // In C, the constants count the end of the string (MPI-4, 19.3.9).
  if (!key || !*key || strlen(key) >= ABI_MAX_INFO_KEY)
    return fail(nullptr, ABI_ERR_INFO_KEY, "the key is empty or too long");
  if (!value || strlen(value) >= ABI_MAX_INFO_VAL)
    return fail(nullptr, ABI_ERR_INFO_VALUE, "the value is too long");
  if (auto *entry = find(object, key))
    entry->second = value;
  else
    object->entries.push_back({key, value});
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_delete(ABI_Info info, const char *key) {
  INFO_OR_FAIL(object, info);
  auto *entry = find(object, key);
  if (!entry)
    return fail(nullptr, ABI_ERR_INFO_NOKEY, "no key '%s'", key);
  object->entries.erase(object->entries.begin() + (entry - object->entries.data()));
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_get(ABI_Info info, const char *key, int valuelen, char *value, int *flag) {
  READABLE_OR_FAIL(object, info);
  auto *entry = find(object, key);
  *flag = entry != nullptr;
  if (entry) {
    strncpy(value, entry->second.c_str(), valuelen);
    value[valuelen] = 0;
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_get_string(ABI_Info info, const char *key, int *buflen, char *value, int *flag) {
  READABLE_OR_FAIL(object, info);
  auto *entry = find(object, key);
  *flag = entry != nullptr;
  if (!entry)
    return ABI_SUCCESS;
  int room = *buflen;
  *buflen = entry->second.size() + 1;
  if (room > 0) {
    strncpy(value, entry->second.c_str(), room);
    value[room - 1] = 0;
  }
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_get_valuelen(ABI_Info info, const char *key, int *valuelen, int *flag) {
  READABLE_OR_FAIL(object, info);
  auto *entry = find(object, key);
  *flag = entry != nullptr;
  if (entry)
    *valuelen = entry->second.size();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_get_nkeys(ABI_Info info, int *nkeys) {
  READABLE_OR_FAIL(object, info);
  *nkeys = object->entries.size();
  return ABI_SUCCESS;
}

int comm_ranks_MPI_Info_get_nthkey(ABI_Info info, int n, char *key) {
  READABLE_OR_FAIL(object, info);
  if (n < 0 || n >= static_cast<int>(object->entries.size()))
    return fail(nullptr, ABI_ERR_ARG, "no key number %d among %zu", n, object->entries.size());
  strcpy(key, object->entries[n].first.c_str());
  return ABI_SUCCESS;
}

} // extern "C"
