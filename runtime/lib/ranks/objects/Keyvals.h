// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_RANKS_KEYVALS_H
#define COMM_RANKS_KEYVALS_H

#include "objects/Attributes.h"

#include <cstdint>
#include <mutex>

namespace comm::ranks {

/// The keyvals of one kind of object, numbered per process.
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
  /// Freed keyvals stay known, because attributes may still use them (MPI-4, 7.7.2).
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
    for (size_t i = 0; i < from->values.size(); ++i) {
      auto value = from->values[i]; // a callback may set others
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
      // The callback may have set others, so search again.
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
    if (auto *old = entryOf(attributes, number))
      if (int error = remove(handle, number, old->second))
        return error;
    if (!attributes)
      attributes = new Attributes;
    if (auto *old = entryOf(attributes, number))
      old->second = value;
    else
      attributes->values.push_back({number, value});
    return ABI_SUCCESS;
  }

  int erase(Handle handle, Attributes *attributes, int number) {
    Keyval keyval;
    if (!find(number, keyval))
      return ABI_ERR_KEYVAL;
    auto *found = entryOf(attributes, number);
    if (!found)
      return ABI_SUCCESS;
    if (int error = remove(handle, number, found->second))
      return error;
    if ((found = entryOf(attributes, number)))
      attributes->values.erase(attributes->values.begin() + (found - attributes->values.data()));
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
  /// Valid until the next callback, which may set and delete other attributes of the object.
  static std::pair<int, void *> *entryOf(Attributes *attributes, int number) {
    for (size_t i = 0; attributes && i < attributes->values.size(); ++i)
      if (attributes->values[i].first == number)
        return &attributes->values[i];
    return nullptr;
  }

  const int base;
  std::mutex lock;
  std::vector<Keyval> all;
};

using CommKeyvals = Keyvals<ABI_Comm, ABI_Comm_copy_attr_function, ABI_Comm_delete_attr_function>;
using TypeKeyvals = Keyvals<ABI_Datatype, ABI_Type_copy_attr_function, ABI_Type_delete_attr_function>;
using WindowKeyvals = Keyvals<ABI_Win, ABI_Win_copy_attr_function, ABI_Win_delete_attr_function>;
extern CommKeyvals commKeyvals;
extern TypeKeyvals typeKeyvals;
extern WindowKeyvals windowKeyvals;

} // namespace comm::ranks

#endif
