// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Objects of handles that remember whether they were freed.
///
/// Handles are addresses, and a program may use a handle after freeing it. The memory of such an object is kept for the
/// next one of its kind, so that reading it does not fault and shows whether it is in use.
#ifndef COMM_RANKS_KEPT_H
#define COMM_RANKS_KEPT_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

namespace comm::ranks {

/// A member of such objects. Two bytes, which fit into padding.
class InUse {
public:
  InUse() = default;
  InUse(const InUse &) {}
  InUse &operator=(const InUse &) { return *this; }
  ~InUse() { mark = 0; }
  explicit operator bool() const { return mark == used; }

private:
  static constexpr uint16_t used = 0xa11e;
  volatile uint16_t mark = used; // volatile: the last write is read after the object is gone
};

/// Recycles the memory of deleted T. T has a member `inUse`, which must not overlap with the first pointer.
template <typename T> class Kept {
public:
  static void *operator new(size_t bytes) {
    Pool &pool = getPool();
    std::lock_guard<std::mutex> guard(pool.lock);
    if (!pool.first)
      return ::operator new(bytes);
    Free *memory = pool.first;
    pool.first = memory->next;
    return memory;
  }
  static void operator delete(void *memory) {
    if (!memory)
      return;
    Pool &pool = getPool();
    std::lock_guard<std::mutex> guard(pool.lock);
    pool.first = new (memory) Free{pool.first};
  }

private:
  struct Free {
    Free *next;
  };
  struct Pool {
    std::mutex lock;
    Free *first = nullptr;
  };
  static Pool &getPool() {
    static Pool pool;
    return pool;
  }
};

/// Returns the object at an address that once held one of this kind; null if it was freed.
template <typename T> T *unlessFreed(T *object) { return __builtin_expect(!!object->inUse, 1) ? object : nullptr; }

} // namespace comm::ranks

#endif
