/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of the functions and variables that an executable or library in
 * memory defines for others, and of those that it takes from them.
 */
#define _GNU_SOURCE
#include "Symbols.h"

#include <string.h>

/* The tables of an object by which the dynamic linker finds symbols. */
struct Tables {
  const ElfW(Sym) * symbols;
  const char *names;
  const uint32_t *gnuHash, *hash;
  const char *relocations[3];
  size_t sizes[3], entrySizes[3];
};

COMM_RARE static void readTables(const struct CommObject *object, struct Tables *tables) {
  memset(tables, 0, sizeof *tables);
  for (size_t i = 0; i < object->numHeaders; ++i) {
    if (object->headers[i].p_type != PT_DYNAMIC)
      continue;
    int jumpsHaveAddends = 1;
    for (const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->base + object->headers[i].p_vaddr);
         entry->d_tag != DT_NULL; ++entry) {
      /* Some systems have added the base already. */
      const char *at =
          (const char *)(entry->d_un.d_ptr < object->base ? object->base + entry->d_un.d_ptr : entry->d_un.d_ptr);
      switch (entry->d_tag) {
      case DT_SYMTAB:
        tables->symbols = (const ElfW(Sym) *)at;
        break;
      case DT_STRTAB:
        tables->names = at;
        break;
      case DT_GNU_HASH:
        tables->gnuHash = (const uint32_t *)at;
        break;
      case DT_HASH:
        tables->hash = (const uint32_t *)at;
        break;
      case DT_RELA:
        tables->relocations[0] = at;
        break;
      case DT_RELASZ:
        tables->sizes[0] = entry->d_un.d_val;
        break;
      case DT_REL:
        tables->relocations[1] = at;
        break;
      case DT_RELSZ:
        tables->sizes[1] = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        tables->relocations[2] = at;
        break;
      case DT_PLTRELSZ:
        tables->sizes[2] = entry->d_un.d_val;
        break;
      case DT_PLTREL:
        jumpsHaveAddends = entry->d_un.d_val == DT_RELA;
        break;
      default:
        break;
      }
    }
    tables->entrySizes[0] = sizeof(ElfW(Rela));
    tables->entrySizes[1] = sizeof(ElfW(Rel));
    tables->entrySizes[2] = jumpsHaveAddends ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
  }
}

static void readDefinition(const struct Tables *tables, uint32_t index, CommNameReader *reader, void *data) {
  const ElfW(Sym) *symbol = &tables->symbols[index];
  if (symbol->st_shndx != SHN_UNDEF)
    reader(tables->names + symbol->st_name, data);
}

COMM_RARE void comm_read_definitions(const struct CommObject *object, CommNameReader *reader, void *data) {
  struct Tables tables;
  readTables(object, &tables);
  if (!tables.symbols || !tables.names)
    return;
  if (tables.gnuHash) {
    uint32_t numBuckets = tables.gnuHash[0], first = tables.gnuHash[1], numWords = tables.gnuHash[2];
    const uint32_t *buckets = tables.gnuHash + 4 + numWords * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chains = buckets + numBuckets;
    for (uint32_t i = 0; i < numBuckets; ++i)
      for (uint32_t index = buckets[i]; index >= first && index != 0; ++index) {
        readDefinition(&tables, index, reader, data);
        if (chains[index - first] & 1)
          break;
      }
  } else if (tables.hash) {
    for (uint32_t index = 1; index < tables.hash[1]; ++index)
      readDefinition(&tables, index, reader, data);
  }
}

COMM_RARE void comm_read_imports(const struct CommObject *object, CommNameReader *reader, void *data) {
  struct Tables tables;
  readTables(object, &tables);
  if (!tables.symbols || !tables.names)
    return;
  /* A relocation names what is imported. An executable defines a variable of a library itself where it has a copy. */
  for (int kind = 0; kind < 3; ++kind)
    for (size_t at = 0; tables.relocations[kind] && at < tables.sizes[kind]; at += tables.entrySizes[kind]) {
      const ElfW(Rel) *relocation = (const ElfW(Rel) *)(tables.relocations[kind] + at);
      size_t index = sizeof(void *) == 8 ? (size_t)((uint64_t)relocation->r_info >> 32) : relocation->r_info >> 8;
      if (index != 0)
        reader(tables.names + tables.symbols[index].st_name, data);
    }
}
