// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check/InFlight.h"

#include "check/Asan.h"
#include "check/Diagnostics.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace comm::runtime;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// The buffers in flight, by key; guarded by `mutex`.
static Buffer *table[1024];

static Buffer *&bucketOf(const void *key) {
  uint64_t bits = reinterpret_cast<uintptr_t>(key);
  return table[(bits * 0x9e3779b97f4a7c15ull) >> 54];
}

template <typename Visitor> static void forEachInFlight(Visitor visit) {
  for (Buffer *first : table)
    for (Buffer *buffer = first; buffer; buffer = buffer->next)
      visit(*buffer);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns whether all pages of the buffer are mapped. Wrong pointers are for MPI to report, and the report about a
/// buffer whose memory was returned to the system must not crash.
static bool isMapped(const Buffer &buffer) {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  uintptr_t checked = 0;
  for (const Run &run : buffer.bytes) {
    uintptr_t begin = uintptr_t(run.offset) & ~(page - 1);
    uintptr_t end = uintptr_t(run.offset) + run.length;
    if (begin < checked)
      begin = checked;
    if (begin >= end)
      continue;
    if (begin < page || msync(reinterpret_cast<void *>(begin), end - begin, MS_ASYNC) != 0)
      return false;
    checked = (end + page - 1) & ~(page - 1);
  }
  return true;
}

namespace {
typedef uint64_t __attribute__((may_alias, aligned(1))) Word;
} // namespace

/// Hand-written memcpy and memcmp: AddressSanitizer's versions would report the checker itself. The barriers keep the
/// compiler from recognizing them.
static void copyBytes(unsigned char *to, const unsigned char *from, size_t size) {
  size_t i = 0;
  for (; i + sizeof(Word) <= size; i += sizeof(Word)) {
    *reinterpret_cast<Word *>(to + i) = *reinterpret_cast<const Word *>(from + i);
    __asm__ volatile("" ::: "memory");
  }
  for (; i < size; ++i) {
    to[i] = from[i];
    __asm__ volatile("" ::: "memory");
  }
}

/// Returns the first index from `i` on where the bytes differ, or `size`.
static size_t findDifference(const unsigned char *a, const unsigned char *b, size_t i, size_t size) {
  while (i + sizeof(Word) <= size && *reinterpret_cast<const Word *>(a + i) == *reinterpret_cast<const Word *>(b + i))
    i += sizeof(Word);
  while (i < size && a[i] == b[i])
    ++i;
  return i;
}

static const unsigned char *pointerTo(MPI_Aint address) { return reinterpret_cast<const unsigned char *>(address); }

static bool copyContents(Buffer &buffer) {
  buffer.copy = static_cast<unsigned char *>(malloc(buffer.size));
  if (!buffer.copy)
    return false;
  unsigned char *to = buffer.copy;
  for (const Run &run : buffer.bytes) {
    copyBytes(to, pointerTo(run.offset), run.length);
    to += run.length;
  }
  return true;
}

/// Returns whether the contents differ from the copy, and the addresses of the first and the last difference.
static bool findChange(const Buffer &buffer, uintptr_t &first, uintptr_t &last) {
  bool changed = false;
  const unsigned char *copy = buffer.copy;
  for (const Run &run : buffer.bytes) {
    const unsigned char *now = pointerTo(run.offset);
    size_t size = run.length;
    for (size_t i = findDifference(now, copy, 0, size); i < size; i = findDifference(now, copy, i + 1, size)) {
      if (!changed)
        first = run.offset + i;
      last = run.offset + i;
      changed = true;
    }
    copy += run.length;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Buffer *comm::runtime::createBuffer(const comm_check_site *site, const void *key, const void *base, Access access) {
  // calloc zeroes all members, including those of the array.
  Buffer *buffer = static_cast<Buffer *>(calloc(1, sizeof(Buffer)));
  if (!buffer)
    return nullptr;
  buffer->site = site;
  buffer->key = key;
  buffer->base = base == MPI_BOTTOM ? 0 : reinterpret_cast<uintptr_t>(base);
  buffer->access = access;
  return buffer;
}

void comm::runtime::destroyBuffer(Buffer *buffer) {
  free(buffer->copy);
  buffer->~Buffer();
  free(buffer);
}

static int compareRuns(const void *left, const void *right) {
  MPI_Aint a = static_cast<const Run *>(left)->offset;
  MPI_Aint b = static_cast<const Run *>(right)->offset;
  return a < b ? -1 : a > b;
}

static void sortBytes(Buffer &buffer) {
  Array<Run> &bytes = buffer.bytes;
  bool sorted = true;
  for (size_t i = 1; i < bytes.size(); ++i)
    sorted = sorted && bytes[i - 1].offset <= bytes[i].offset;
  if (!sorted)
    qsort(bytes.data(), bytes.size(), sizeof(Run), compareRuns);
  buffer.low = bytes[0].offset;
  for (const Run &run : bytes) {
    uintptr_t end = run.offset + run.length;
    buffer.size += run.length;
    buffer.high = end > buffer.high ? end : buffer.high;
  }
}

static bool overlap(const Buffer &a, const Buffer &b) {
  if (a.high <= b.low || b.high <= a.low)
    return false;
  size_t i = 0, j = 0;
  while (i < a.bytes.size() && j < b.bytes.size()) {
    const Run &left = a.bytes[i], &right = b.bytes[j];
    if (left.offset + left.length <= right.offset)
      ++i;
    else if (right.offset + right.length <= left.offset)
      ++j;
    else
      return true;
  }
  return false;
}

/// Returns a buffer that conflicts with the one that starts, or null. Buffers of the same operation may overlap.
static Buffer *findConflict(const Buffer &buffer) {
  Buffer *conflict = nullptr;
  forEachInFlight([&](Buffer &other) {
    if (conflict || other.key == buffer.key || (buffer.access == Access::Read && other.access == Access::Read))
      return;
    if (overlap(buffer, other))
      conflict = &other;
  });
  return conflict;
}

//===----------------------------------------------------------------------===//
// AddressSanitizer
//===----------------------------------------------------------------------===//

static bool asan;

/// AddressSanitizer calls this in the thread of the illegal access, which may hold any lock: never wait for ours.
static void explain(uintptr_t address) {
  bool locked = false;
  for (int attempt = 0; attempt < 1000 && !locked; ++attempt) {
    locked = pthread_mutex_trylock(&mutex) == 0;
    if (!locked)
      usleep(100);
  }
  if (!locked)
    return;
  // The access may begin before the buffer, or in bytes of the same group of 8.
  const Buffer *found = nullptr;
  forEachInFlight([&](const Buffer &buffer) {
    if (buffer.poisoned && address + 8 > buffer.low && address < buffer.high)
      for (const Run &run : buffer.bytes)
        if (address >= uintptr_t(run.offset) && address < uintptr_t(run.offset) + run.length)
          found = &buffer;
  });
  if (found)
    explainInFlight(*found, address);
  pthread_mutex_unlock(&mutex);
}

static void initialize() {
  asan = hasAsan();
  if (asan)
    explainAsanReports(explain);
}

/// Returns whether MPI reads memory that the program must not read. Without the checker, AddressSanitizer would report
/// that in MPI's memcpy, but the checker has to suppress it (AsanSuppressions.cpp). Receive buffers may be larger than
/// the message and are not reported.
static bool isUnaddressable(const Buffer &buffer) {
  if (!asan || buffer.access != Access::Read)
    return false;
  for (const Buffer *other = bucketOf(buffer.key); other; other = other->next)
    if (other->key == buffer.key && other->poisoned && overlap(buffer, *other))
      return false;
  for (const Run &run : buffer.bytes)
    if (isPoisoned(run.offset, run.length))
      return true;
  return false;
}

static void poisonBytes(Buffer &buffer) {
  if (!asan) {
    noteUnchecked(buffer.site, "receive buffers are checked only in programs "
                               "built with -fsanitize=address");
    return;
  }
  for (const Run &run : buffer.bytes) {
    if (isPoisoned(run.offset, run.length)) {
      // Unpoisoning later would make inaccessible memory accessible.
      noteUnchecked(buffer.site, "the receive buffer holds memory that the program itself "
                                 "must not access (it is larger than its allocation)");
      return;
    }
  }
  for (const Run &run : buffer.bytes)
    poison(run.offset, run.length);
  buffer.poisoned = true;
}

/// Also restores the poison of other buffers in flight that share a group of 8 bytes with this one.
static void unpoisonBytes(const Buffer &buffer) {
  for (const Run &run : buffer.bytes)
    unpoison(run.offset, run.length);
  forEachInFlight([&](const Buffer &other) {
    if (!other.poisoned || other.high + 8 <= buffer.low || buffer.high + 8 <= other.low)
      return;
    for (const Run &run : other.bytes)
      if (uintptr_t(run.offset) < buffer.high + 8 && buffer.low < uintptr_t(run.offset) + run.length + 8)
        poison(run.offset, run.length);
  });
}

//===----------------------------------------------------------------------===//
// Flight
//===----------------------------------------------------------------------===//

void comm::runtime::launch(Buffer *buffer) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize);
  if (buffer->bytes.empty()) {
    destroyBuffer(buffer);
    return;
  }
  sortBytes(*buffer);
  if (!isMapped(*buffer)) {
    noteUnchecked(buffer->site, "the buffer is not in memory");
    destroyBuffer(buffer);
    return;
  }
  bool illegal = true;
  {
    Locked lock(mutex);
    if (const Buffer *other = findConflict(*buffer)) {
      reportOverlap(*buffer, *other);
    } else if (isUnaddressable(*buffer)) {
      reportUnaddressable(*buffer);
    } else {
      illegal = false;
      if (buffer->access == Access::Write)
        poisonBytes(*buffer);
      else if (!copyContents(*buffer))
        noteUnchecked(buffer->site, "out of memory for a copy of the buffer");
      Buffer *&bucket = bucketOf(buffer->key);
      buffer->next = bucket;
      bucket = buffer;
    }
  }
  if (illegal) {
    destroyBuffer(buffer);
    failOrContinue();
  }
}

/// Checks a buffer that is no longer in flight, with `mutex` held; `siblings` are the buffers of the same operation.
/// Returns whether it reported anything.
static bool inspect(const Buffer &buffer, const Buffer *siblings) {
  if ((asan && isFreed(buffer.low)) || !isMapped(buffer)) {
    reportGone(buffer, "was freed");
    return true;
  }
  if (asan && isOutOfScope(buffer.low)) {
    reportGone(buffer, "went out of scope");
    return true;
  }
  if (buffer.poisoned)
    unpoisonBytes(buffer);
  uintptr_t first, last;
  if (!buffer.copy || !findChange(buffer, first, last))
    return false;
  // MPI forbids reading and writing the same memory in one call, but programs do it, and then MPI made the change.
  for (const Buffer *other = siblings; other; other = other->next)
    if (other->access == Access::Write && overlap(buffer, *other))
      return false;
  reportChanged(buffer, int64_t(first - buffer.base), int64_t(last - buffer.base));
  return true;
}

void comm::runtime::land(const void *key) {
  unsigned found = 0;
  Buffer *landed = nullptr;
  {
    Locked lock(mutex);
    Buffer **link = &bucketOf(key);
    while (Buffer *buffer = *link) {
      if (buffer->key != key) {
        link = &buffer->next;
        continue;
      }
      *link = buffer->next;
      buffer->next = landed;
      landed = buffer;
    }
    for (Buffer *buffer = landed; buffer; buffer = buffer->next)
      found += inspect(*buffer, landed);
  }
  while (landed) {
    Buffer *next = landed->next;
    destroyBuffer(landed);
    landed = next;
  }
  while (found--)
    failOrContinue();
}
