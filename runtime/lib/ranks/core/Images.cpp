// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Images.h"
#include "core/Entry.h"
#include "core/Loaded.h"
#include "core/Placement.h"
#include "core/Rank.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace comm::ranks {

static constexpr uintptr_t page = 4096;
// From this size on, data are mapped copy-on-write from one memory file: a mapping costs about as much as copying this
// much.
static constexpr size_t mapFrom = 64 << 10;
// Each such rank takes one or two of the process's mappings (vm.max_map_count).
static constexpr int mostMapped = 16000;

namespace {
/// The program or a library.
struct Image {
  const comm_ranks_image *contract;
  std::string name;
  /// By priority; in the linker's order for equal priorities.
  std::vector<const comm_ranks_constructor *> constructors;
  /// For libraries opened by ranks: the ranks in which the constructors ran. Each rank writes only its own element.
  std::unique_ptr<bool[]> constructed;
};
} // namespace

/// Function-local, because libraries may be initialized before this library's variables.
static std::vector<std::unique_ptr<Image>> &images() {
  static auto *all = new std::vector<std::unique_ptr<Image>>;
  return *all;
}

// Guards images(), placement and related state, because libraries are opened while ranks run.
static std::mutex opening;
static Placement placement;
static std::atomic<bool> ranksExist{false};
static std::vector<const comm_ranks_constructor *> constructorsAtStart;
static size_t atStart = 0, placed = 0;
static int mappedCopies = 0;
/// Whether the calling kernel thread is in dlopen of code built for ranks.
static thread_local int opens = 0;

static uintptr_t down(const void *at) { return reinterpret_cast<uintptr_t>(at) & ~(page - 1); }
static uintptr_t up(const void *at) { return (reinterpret_cast<uintptr_t>(at) + page - 1) & ~(page - 1); }

/// Returns an empty range if the image has no variables.
static Pages pagesOf(const comm_ranks_image &image) {
  Pages pages = {UINTPTR_MAX, 0};
  for (auto [begin, end] : {std::pair{image.data_begin, image.data_end}, std::pair{image.zero_begin, image.zero_end}})
    if (end > begin)
      pages = {std::min(pages.begin, down(begin)), std::max(pages.end, up(end))};
  return pages.end ? pages : Pages{0, 0};
}

/// Returns whether each rank has its own copy of this address.
static bool isPrivate(const void *address) {
  auto *at = static_cast<const char *>(address);
  return std::any_of(images().begin(), images().end(), [&](const auto &image) {
    const comm_ranks_image &contract = *image->contract;
    return (at >= contract.data_begin && at < contract.data_end) ||
           (at >= contract.zero_begin && at < contract.zero_end);
  });
}

/// Creates a memory file with the pages of the data; returns -1 on failure.
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

static void applyFixups(const std::vector<void **> &fixups, ptrdiff_t displacement) {
  for (void **fixup : fixups) {
    char *where = reinterpret_cast<char *>(fixup) + displacement;
    char *value;
    memcpy(&value, where, sizeof(value));
    value += displacement;
    memcpy(where, &value, sizeof(value));
  }
}

/// Fills the reserved addresses of all ranks.
static void copyImage(const Image &image, int count) {
  const comm_ranks_image &contract = *image.contract;
  size_t dataBytes = contract.data_end - contract.data_begin;
  std::vector<void **> fixups;
  for (auto *fixup = contract.fixups_begin; fixup != contract.fixups_end; ++fixup)
    if (fixup->where)
      fixups.push_back(fixup->where);
  for (auto *fixup = contract.optional_fixups_begin; fixup != contract.optional_fixups_end; ++fixup)
    if (fixup->where && isPrivate(fixup->target))
      fixups.push_back(fixup->where);
  int file = -1;
  if (dataBytes >= mapFrom && mappedCopies + count <= mostMapped)
    file = fileOf(contract);
  for (int i = 0; i < count; ++i) {
    ptrdiff_t displacement = placement.displacement(i);
    if (file >= 0) {
      char *data = reinterpret_cast<char *>(down(contract.data_begin)) + displacement;
      size_t bytes = up(contract.data_end) - down(contract.data_begin);
      if (mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
        die(nullptr, 1, "cannot map the global variables of rank %d: %s", i, strerror(errno));
    } else if (dataBytes) {
      memcpy(contract.data_begin + displacement, contract.data_begin, dataBytes);
    }
    applyFixups(fixups, displacement);
  }
  if (file < 0)
    return;
  mappedCopies += count;
  close(file);
}

/// Resolves the image's references to variables of other images.
static void setMasks(const Image &image) {
  for (auto *foreign = image.contract->foreign_begin; foreign != image.contract->foreign_end; ++foreign) {
    foreign->mask = isPrivate(foreign->variable) ? ~static_cast<uintptr_t>(0) : 0;
    if (foreign->name && foreign->variable && !foreign->mask)
      die(nullptr, 1,
          "thread_local '%s', which %s uses, is of code that was built without -fcomm-ranks: compile that with "
          "-fcomm-ranks as well",
          foreign->name, image.name.c_str());
  }
}

static Image &addImage(const comm_ranks_image &contract, std::string name) {
  if (contract.abi_version != COMM_RANKS_ABI_VERSION)
    die(nullptr, 2, "%s was built for version %u of the runtime, this is version %d: build it again", name.c_str(),
        contract.abi_version, COMM_RANKS_ABI_VERSION);
  auto image = std::make_unique<Image>();
  image->contract = &contract;
  image->name = std::move(name);
  for (auto *c = contract.constructors_begin; c != contract.constructors_end; ++c)
    if (c->function)
      image->constructors.push_back(c);
  std::stable_sort(image->constructors.begin(), image->constructors.end(),
                   [](auto *a, auto *b) { return a->priority < b->priority; });
  images().push_back(std::move(image));
  return *images().back();
}

/// Rejects programs linked with code that assumes that a library's variable is in the program (a copy relocation),
/// which all ranks would share.
static void refuseCopiedVariables() {
  for (const Loaded &program : findLoaded())
    for (const std::string &name : program.copiedNames)
      for (const auto &image : images()) {
        void *handle = image->contract->main ? nullptr : dlopen(image->name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
          continue;
        bool isCopied = isPrivate(dlsym(handle, name.c_str()));
        dlclose(handle);
        if (isCopied)
          die(nullptr, 1,
              "the program holds '%s' of %s once for all ranks (a copy relocation), for code that was built without "
              "-fcomm-ranks: compile that with -fcomm-ranks, or with -fPIC",
              name.c_str(), image->name.c_str());
      }
}

static std::vector<Pages> allPages() {
  std::vector<Pages> pages;
  for (const auto &image : images())
    if (Pages own = pagesOf(*image->contract); own.size())
      pages.push_back(own);
  return pages;
}

/// Chooses the displacements. Returns false if there is nothing to displace.
static bool placeImages(int count) {
  std::vector<Pages> pages = allPages();
  bool opensLibraries =
      std::any_of(images().begin(), images().end(), [](const auto &image) { return image->contract->opens_libraries; });
  // Libraries will be loaded near this one.
  if (opensLibraries && placement.choose(pages, count, reinterpret_cast<uintptr_t>(&placement)))
    return true;
  if (pages.empty())
    return false;
  if (placement.choose(pages, count, 0))
    return true;
  size_t bytes = 0;
  for (Pages own : pages)
    bytes += own.size();
  if (pages.size() == 1)
    die(nullptr, 1,
        "no address space for %d copies of the program's %zu bytes of global "
        "variables (%s): run fewer ranks",
        count, bytes, strerror(errno));
  die(nullptr, 1,
      "no addresses for %d copies of %zu bytes of global variables at one distance from the program and from its "
      "libraries: build the program as position-independent code (-fPIE -pie), run fewer ranks, or link the libraries "
      "as static archives",
      count, bytes);
}

void makeImages(const comm_ranks_image &program, int count, Fiber *(*fiberOf)(int)) {
  bool hasLibraries = !images().empty();
  addImage(program, "the program");
  if (hasLibraries)
    refuseCopiedVariables();
  bool displaced = placeImages(count);
  for (int i = 0; i < count; ++i)
    // Also distinguishes ranks: Entry.cpp.
    fiberOf(i)->displacement = displaced ? placement.displacement(i) : (i + 1) * static_cast<ptrdiff_t>(page);
  for (const auto &image : images()) {
    setMasks(*image);
    if (displaced)
      copyImage(*image, count);
  }
  for (const auto &image : images())
    constructorsAtStart.insert(constructorsAtStart.end(), image->constructors.begin(), image->constructors.end());
  atStart = placed = images().size();
  ranksExist = true;
}

void construct() {
  for (const comm_ranks_constructor *constructor : constructorsAtStart)
    constructor->function();
}

/// Creates the ranks' copies of the libraries that were opened.
static void placeOpened() {
  for (size_t i = placed; i < images().size(); ++i) {
    Image &image = *images()[i];
    Pages pages = pagesOf(*image.contract);
    if (pages.size() && !placement.add(pages))
      die(nullptr, 1,
          "%s was opened by dlopen while ranks run, and there are no addresses for the ranks' copies of its %zu bytes "
          "of global variables: link it with the program (-Wl,--no-as-needed)",
          image.name.c_str(), pages.size());
    image.constructed = std::make_unique<bool[]>(process.ranksHere);
  }
  // Libraries opened together reference each other's variables.
  for (size_t i = placed; i < images().size(); ++i) {
    setMasks(*images()[i]);
    copyImage(*images()[i], process.ranksHere);
  }
  placed = images().size();
}

/// Returns the libraries loaded by \p handle that this rank has not constructed yet. Rejects libraries that were not
/// opened through ranks: other ranks would not construct them.
static std::vector<Image *> findUnconstructed(void *handle, size_t firstNew, int index) {
  link_map *map = nullptr;
  Lmid_t space = LM_ID_BASE;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || dlinfo(handle, RTLD_DI_LMID, &space))
    return {};
  if (space != LM_ID_BASE) {
    if (dlsym(handle, "comm_ranks_add_library"))
      die(nullptr, 1, "dlmopen loads %s, which is built with -fcomm-ranks, apart from the program: use dlopen",
          map->l_name);
    dlerror();
    return {};
  }
  std::vector<Loaded> all = findLoaded();
  std::vector<bool> isNeeded = findNeeded(all, findHolder(all, map->l_ld));
  std::vector<Image *> result;
  for (size_t i = atStart; i < images().size(); ++i) {
    Image &image = *images()[i];
    size_t holder = findHolder(all, image.contract);
    if (holder < all.size() && isNeeded[holder]) {
      if (index >= 0 && !image.constructed[index]) {
        image.constructed[index] = true;
        result.push_back(&image);
      }
    } else if (i >= firstNew) {
      die(nullptr, 1,
          "%s was opened while ranks run, by code that was built without -fcomm-ranks: build that with -fcomm-ranks, "
          "or link the library with the program",
          image.name.c_str());
    }
  }
  return result;
}

} // namespace comm::ranks

using namespace comm::ranks;

extern "C" {

COMM_RANKS_EXPORT void comm_ranks_add_library(const comm_ranks_image *image) {
  Dl_info info;
  const char *name = dladdr(image, &info) && info.dli_fname ? info.dli_fname : "a library";
  if (ranksExist && !opens)
    die(nullptr, 1,
        "%s was opened while ranks run, by code that was built without -fcomm-ranks: build that with -fcomm-ranks, or "
        "link the library with the program",
        name);
  // Within dlopen, this thread holds `opening`.
  addImage(*image, name);
}

COMM_RANKS_EXPORT void comm_ranks_begin_open() {
  // Constructors of ordinary libraries may open others.
  if (opens++ == 0)
    opening.lock();
}

COMM_RANKS_EXPORT void comm_ranks_end_open(void *handle) {
  std::vector<Image *> fresh;
  const Rank *rank = nullptr;
  if (opens == 1 && ranksExist) {
    rank = thisThread ? &self() : rankOfThread();
    size_t firstNew = placed;
    placeOpened();
    if (handle)
      fresh = findUnconstructed(handle, firstNew, rank ? rank - process.ranks : -1);
  }
  if (--opens == 0)
    opening.unlock();
  for (Image *image : fresh)
    for (const comm_ranks_constructor *constructor : image->constructors)
      constructor->function();
}

} // extern "C"
