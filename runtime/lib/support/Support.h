// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few containers that the runtime needs. The archive is linked into C programs with a C compiler, so nothing here
// may need libstdc++ at link time: no exceptions, no operator new, no iostream, no standard containers.

#ifndef COMM_RUNTIME_SUPPORT_H
#define COMM_RUNTIME_SUPPORT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace comm::runtime {

/// A growing array of trivially copyable items. `push` returns false if memory runs out; the array is then unchanged.
template <typename T> class Array {
public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { free(items); }

  bool push(const T &item) {
    if (count == capacity && !grow(count + 1))
      return false;
    items[count++] = item;
    return true;
  }

  bool append(const T *from, size_t number) {
    if (number > capacity - count && !grow(count + number))
      return false;
    if (number)
      memcpy(items + count, from, number * sizeof(T));
    count += number;
    return true;
  }

  /// Sets the size; new items are zeroed.
  bool resize(size_t size) {
    if (size > capacity && !grow(size))
      return false;
    if (size > count)
      memset(static_cast<void *>(items + count), 0, (size - count) * sizeof(T));
    count = size;
    return true;
  }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *data() { return items; }
  const T *data() const { return items; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T &back() { return items[count - 1]; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }

private:
  bool grow(size_t need) {
    size_t wanted = capacity * 2 > need ? capacity * 2 : need;
    if (wanted < 8)
      wanted = 8;
    if (wanted > SIZE_MAX / sizeof(T))
      return false;
    void *bigger = realloc(static_cast<void *>(items), wanted * sizeof(T));
    if (!bigger)
      return false;
    items = static_cast<T *>(bigger);
    capacity = wanted;
    return true;
  }

  T *items = nullptr;
  size_t count = 0;
  size_t capacity = 0;
};

/// Holds a POSIX mutex for a scope.
class Locked {
public:
  explicit Locked(pthread_mutex_t &mutex) : mutex(mutex) { pthread_mutex_lock(&mutex); }
  ~Locked() { pthread_mutex_unlock(&mutex); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  pthread_mutex_t &mutex;
};

/// Returns whether the environment variable is set to anything but "" and "0".
inline bool isEnabled(const char *variable) {
  const char *value = getenv(variable);
  return value && *value && strcmp(value, "0") != 0;
}

/// Maps null pointers in site records to empty text.
inline const char *orEmpty(const char *text) { return text ? text : ""; }

} // namespace comm::runtime

#endif // COMM_RUNTIME_SUPPORT_H
