// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Loaded.h"

#include <algorithm>
#include <elf.h>
#include <link.h>

namespace comm::ranks {

#if defined(__x86_64__)
static constexpr unsigned copyRelocation = R_X86_64_COPY;
#elif defined(__aarch64__)
static constexpr unsigned copyRelocation = R_AARCH64_COPY;
#else
#error "the number of a copy relocation of this processor"
#endif

/// The tables in an object's dynamic section.
struct Dynamic {
  const char *strings = nullptr;
  const ElfW(Sym) *symbols = nullptr;
  const ElfW(Rela) *relocations = nullptr;
  size_t relocationBytes = 0;
};

/// The C library relocates most of these addresses, but not all.
template <typename T> static const T *pointer(ElfW(Addr) value, ElfW(Addr) base) {
  return reinterpret_cast<const T *>(value < base ? value + base : value);
}

static void readDynamic(const ElfW(Dyn) * section, ElfW(Addr) base, Loaded &object) {
  Dynamic dynamic;
  for (const ElfW(Dyn) *entry = section; entry->d_tag != DT_NULL; ++entry)
    switch (entry->d_tag) {
    case DT_STRTAB:
      dynamic.strings = pointer<char>(entry->d_un.d_ptr, base);
      break;
    case DT_SYMTAB:
      dynamic.symbols = pointer<ElfW(Sym)>(entry->d_un.d_ptr, base);
      break;
    case DT_RELA:
      dynamic.relocations = pointer<ElfW(Rela)>(entry->d_un.d_ptr, base);
      break;
    case DT_RELASZ:
      dynamic.relocationBytes = entry->d_un.d_val;
      break;
    }
  if (!dynamic.strings)
    return;
  for (const ElfW(Dyn) *entry = section; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED)
      object.needed.emplace_back(dynamic.strings + entry->d_un.d_val);
    else if (entry->d_tag == DT_SONAME)
      object.soname = dynamic.strings + entry->d_un.d_val;
  if (!object.path.empty() || !dynamic.relocations || !dynamic.symbols)
    return;
  for (size_t i = 0; i < dynamic.relocationBytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Rela) &relocation = dynamic.relocations[i];
    if (ELF64_R_TYPE(relocation.r_info) == copyRelocation)
      object.copiedNames.emplace_back(dynamic.strings + dynamic.symbols[ELF64_R_SYM(relocation.r_info)].st_name);
  }
}

static int append(dl_phdr_info *info, size_t, void *all) {
  Loaded object;
  object.path = info->dlpi_name ? info->dlpi_name : "";
  object.begin = UINTPTR_MAX;
  const ElfW(Dyn) *dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      object.begin = std::min(object.begin, begin);
      object.end = std::max(object.end, begin + header.p_memsz);
    } else if (header.p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn) *>(begin);
    }
  }
  if (dynamic)
    readDynamic(dynamic, info->dlpi_addr, object);
  static_cast<std::vector<Loaded> *>(all)->push_back(std::move(object));
  return 0;
}

std::vector<Loaded> findLoaded() {
  std::vector<Loaded> all;
  dl_iterate_phdr(append, &all);
  return all;
}

size_t findHolder(const std::vector<Loaded> &all, const void *address) {
  return std::find_if(all.begin(), all.end(), [&](const Loaded &object) { return object.covers(address); }) -
         all.begin();
}

static bool isNamed(const Loaded &object, const std::string &name) {
  if (object.path == name || object.soname == name)
    return true;
  size_t slash = object.path.rfind('/');
  return slash != std::string::npos && object.path.compare(slash + 1, std::string::npos, name) == 0;
}

std::vector<bool> findNeeded(const std::vector<Loaded> &all, size_t root) {
  std::vector<bool> found(all.size());
  std::vector<size_t> work;
  if (root < all.size())
    work.push_back(root);
  while (!work.empty()) {
    size_t at = work.back();
    work.pop_back();
    if (found[at])
      continue;
    found[at] = true;
    for (const std::string &name : all[at].needed)
      for (size_t i = 0; i < all.size(); ++i)
        if (!found[i] && isNamed(all[i], name))
          work.push_back(i);
  }
  return found;
}

} // namespace comm::ranks
