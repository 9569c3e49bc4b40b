// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of trivially copyable elements on malloc that counts its bytes. C programs link the runtime, so this must
// not need libstdc++. Reports of an analysis's memory use these counts.
#ifndef COMM_CDAG_VEC_H
#define COMM_CDAG_VEC_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace comm::cdag {

/// The bytes that all Vecs of this thread hold, and the maximum since resetPeak().
struct MemoryMeter {
  size_t current = 0;
  size_t peak = 0;
  void take(size_t bytes) {
    current += bytes;
    if (current > peak)
      peak = current;
  }
  void give(size_t bytes) { current -= bytes; }
  void resetPeak() { peak = current; }
};
MemoryMeter &memoryMeter();

/// Reports that memory ran out and ends the program.
[[noreturn]] void outOfMemory(size_t bytes);

template <typename T> class Vec {
  static_assert(std::is_trivially_copyable<T>::value, "elements are moved by memcpy");

public:
  Vec() = default;
  explicit Vec(size_t n, T value = T()) { assign(n, value); }
  Vec(const Vec &other) { append(other.begin(), other.end()); }
  Vec(Vec &&other) noexcept { swap(other); }
  Vec &operator=(Vec other) noexcept {
    swap(other);
    return *this;
  }
  ~Vec() { release(); }

  void swap(Vec &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  /// Frees the memory, unlike clear().
  void release() {
    if (!data_)
      return;
    std::free(static_cast<void *>(data_));
    memoryMeter().give(capacity_ * sizeof(T));
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }
  T *data() { return data_; }
  const T *data() const { return data_; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  T &operator[](size_t i) { return data_[i]; }
  const T &operator[](size_t i) const { return data_[i]; }
  T &back() { return data_[size_ - 1]; }
  const T &back() const { return data_[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_)
      setCapacity(capacity_ < 8 ? 8 : capacity_ + capacity_ / 2);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void reserve(size_t n) {
    if (n > capacity_)
      setCapacity(n);
  }
  /// New elements are copies of `value`.
  void resize(size_t n, T value = T()) {
    reserve(n);
    for (size_t i = size_; i < n; ++i)
      data_[i] = value;
    size_ = n;
  }
  void assign(size_t n, T value) {
    clear();
    resize(n, value);
  }
  void append(const T *first, const T *last) {
    size_t n = static_cast<size_t>(last - first);
    reserve(size_ + n);
    if (n)
      std::memcpy(static_cast<void *>(data_ + size_), static_cast<const void *>(first), n * sizeof(T));
    size_ += n;
  }
  void shrink() {
    if (size_ == 0)
      release();
    else if (size_ < capacity_)
      setCapacity(size_);
  }

private:
  void setCapacity(size_t n) {
    if (n > static_cast<size_t>(-1) / sizeof(T))
      outOfMemory(n);
    // Both blocks exist while realloc copies, so both are counted.
    memoryMeter().take(n * sizeof(T));
    void *fresh = std::realloc(static_cast<void *>(data_), n * sizeof(T));
    if (!fresh)
      outOfMemory(n * sizeof(T));
    memoryMeter().give(capacity_ * sizeof(T));
    data_ = static_cast<T *>(fresh);
    capacity_ = n;
  }

  T *data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

} // namespace comm::cdag

#endif
