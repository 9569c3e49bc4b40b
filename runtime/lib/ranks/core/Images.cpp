// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Images.h"
#include "core/Rank.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace comm::ranks {

static constexpr uintptr_t page = 4096;
// A data part from this size on is mapped copy-on-write from one file in
// memory: a mapping costs about as much as copying so much.
static constexpr size_t mapFrom = 64 << 10;
// Each such rank takes a mapping or two of vm.max_map_count.
static constexpr int mostMapped = 16000;

static uintptr_t down(const void *at) { return reinterpret_cast<uintptr_t>(at) & ~(page - 1); }
static uintptr_t up(const void *at) { return (reinterpret_cast<uintptr_t>(at) + page - 1) & ~(page - 1); }

/// A file in memory with the pages of the data part; -1 when there is none.
static int fileOf(const comm_ranks_image &image) {
  uintptr_t begin = down(image.data_begin);
  size_t offset = reinterpret_cast<uintptr_t>(image.data_begin) - begin;
  size_t bytes = image.data_end - image.data_begin;
  int file = memfd_create("comm-ranks-image", MFD_CLOEXEC);
  if (file < 0)
    return -1;
  bool fine = !ftruncate(file, up(image.data_end) - begin);
  for (size_t done = 0; fine && done < bytes;) {
    ssize_t wrote = pwrite(file, image.data_begin + done, bytes - done, offset + done);
    fine = wrote > 0;
    done += wrote > 0 ? wrote : 0;
  }
  if (fine)
    return file;
  close(file);
  return -1;
}

void makeImages(const comm_ranks_image &image, int count, Fiber *(*fiberOf)(int)) {
  bool hasData = image.data_end > image.data_begin;
  bool hasZero = image.zero_end > image.zero_begin;
  if (!hasData && !hasZero) {
    // Also tells ranks apart: Entry.cpp.
    for (int i = 0; i < count; ++i)
      fiberOf(i)->displacement = (i + 1) * static_cast<ptrdiff_t>(page);
    return;
  }
  uintptr_t begin = UINTPTR_MAX, end = 0;
  if (hasData) {
    begin = down(image.data_begin);
    end = up(image.data_end);
  }
  if (hasZero) {
    begin = std::min(begin, down(image.zero_begin));
    end = std::max(end, up(image.zero_end));
  }
  size_t stride = end - begin;
  size_t dataBytes = hasData ? image.data_end - image.data_begin : 0;
  char *copies = static_cast<char *>(
      mmap(nullptr, stride * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (copies == MAP_FAILED)
    die(nullptr, 1,
        "no address space for %d copies of the program's %zu bytes of global "
        "variables (%s): run fewer ranks",
        count, stride, strerror(errno));
  madvise(copies, stride * count, MADV_NOHUGEPAGE);
  int file = dataBytes >= mapFrom && count <= mostMapped ? fileOf(image) : -1;
  for (int i = 0; i < count; ++i) {
    char *copy = copies + i * stride;
    ptrdiff_t displacement = copy - reinterpret_cast<char *>(begin);
    if (file >= 0) {
      char *data = reinterpret_cast<char *>(down(image.data_begin)) + displacement;
      size_t bytes = up(image.data_end) - down(image.data_begin);
      if (mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
        die(nullptr, 1, "cannot map the global variables of rank %d: %s", i, strerror(errno));
    } else if (dataBytes) {
      memcpy(image.data_begin + displacement, image.data_begin, dataBytes);
    }
    for (auto *fixup = image.fixups_begin; fixup != image.fixups_end; ++fixup) {
      char *where = reinterpret_cast<char *>(fixup->where) + displacement;
      char *value;
      memcpy(&value, where, sizeof(value));
      value += displacement;
      memcpy(where, &value, sizeof(value));
    }
    fiberOf(i)->displacement = displacement;
  }
  if (file >= 0)
    close(file);
}

} // namespace comm::ranks
