/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Determines whether MPI calls may return error codes. They do not while the handler in force is MPI_ERRORS_ARE_FATAL
 * (MPI-4, 9.3), the initial handler of communicators. Replacing it takes a call to one of a few functions, which the
 * executable or a library must import. If nothing imports one, the answer holds for all communicators, and no call can
 * change it; only a library opened later can, so each query checks for new libraries.
 */
#define _GNU_SOURCE
#include "Notes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int PMPI_Comm_get_errhandler(MPI_Comm, CommHandle *);
int PMPI_Errhandler_free(CommHandle *);
int PMPI_Finalized(int *);
int PMPI_Initialized(int *);

/* The tables of an object in which the dynamic linker finds symbols. */
struct Tables {
  const ElfW(Sym) * symbols;
  const char *names;
  const uint32_t *gnuHash, *hash;
  const char *relocations[3];
  size_t sizes[3], entrySizes[3];
};

static void readTables(const struct CommObject *object, struct Tables *tables) {
  memset(tables, 0, sizeof *tables);
  for (size_t i = 0; i < object->numHeaders; ++i) {
    if (object->headers[i].p_type != PT_DYNAMIC)
      continue;
    int jumpsHaveAddends = 1;
    for (const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->base + object->headers[i].p_vaddr);
         entry->d_tag != DT_NULL; ++entry) {
      /* Some systems have already added the base. */
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

/* What an object imports and defines. */
struct Finding {
  unsigned isImplementation : 1; /* it is MPI, or its Fortran or C++ bindings */
  unsigned definesMPI : 1;       /* it defines MPI functions: a layer above the implementation */
  unsigned mayReturn : 1;        /* it may install a handler, or make calls that return codes regardless of it */
};

static void noteDefinition(const char *name, struct Finding *finding) {
  finding->isImplementation |= strncasecmp(name, "PMPI_Init", 9) == 0 || strcmp(name, "_ZN3MPI10COMM_WORLDE") == 0;
  finding->definesMPI |= strncmp(name, "MPI_", 4) == 0;
}

static void noteImport(const char *name, struct Finding *finding) {
  static const char *const sources[] = {COMM_ERROR_SOURCES};
  if (strncmp(name, "_Z", 2) == 0 && strstr(name, "N3MPI")) /* C++ functions of MPI-2 */
    finding->mayReturn = 1;
  if (!strcasestr(name, "mpi_"))
    return;
  for (unsigned i = 0; i < sizeof sources / sizeof *sources; ++i)
    if (strcasestr(name, sources[i]))
      finding->mayReturn = 1;
}

static void noteDefinitionAt(const struct Tables *tables, uint32_t index, struct Finding *finding) {
  const ElfW(Sym) *symbol = &tables->symbols[index];
  if (symbol->st_shndx != SHN_UNDEF)
    noteDefinition(tables->names + symbol->st_name, finding);
}

static void readDefinitions(const struct Tables *tables, struct Finding *finding) {
  if (tables->gnuHash) {
    uint32_t numBuckets = tables->gnuHash[0], first = tables->gnuHash[1], numWords = tables->gnuHash[2];
    const uint32_t *buckets = tables->gnuHash + 4 + numWords * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chains = buckets + numBuckets;
    for (uint32_t i = 0; i < numBuckets; ++i)
      for (uint32_t index = buckets[i]; index >= first && index != 0; ++index) {
        noteDefinitionAt(tables, index, finding);
        if (chains[index - first] & 1)
          break;
      }
  } else if (tables->hash) {
    for (uint32_t index = 1; index < tables->hash[1]; ++index)
      noteDefinitionAt(tables, index, finding);
  }
}

/* Each import is named by a relocation. */
static void readImports(const struct Tables *tables, struct Finding *finding) {
  for (int kind = 0; kind < 3; ++kind)
    for (size_t at = 0; tables->relocations[kind] && at < tables->sizes[kind]; at += tables->entrySizes[kind]) {
      const ElfW(Rel) *relocation = (const ElfW(Rel) *)(tables->relocations[kind] + at);
      size_t index = sizeof(void *) == 8 ? (size_t)((uint64_t)relocation->r_info >> 32) : relocation->r_info >> 8;
      const ElfW(Sym) *symbol = &tables->symbols[index];
      if (index != 0 && symbol->st_shndx == SHN_UNDEF)
        noteImport(tables->names + symbol->st_name, finding);
    }
}

struct Search {
  unsigned long long opened; /* number of objects that were loaded when the last one was visited */
  int isFirst, hasImplementation, mayReturn;
};

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct Search *search = data;
  struct CommObject object = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  struct Tables tables;
  struct Finding finding = {0, 0, 0};
  readTables(&object, &tables);
  if (tables.symbols && tables.names) {
    readDefinitions(&tables, &finding);
    readImports(&tables, &finding);
  }
  /* If the executable contains MPI, calls to it are not visible. */
  if (finding.isImplementation && !search->isFirst)
    search->hasImplementation = 1;
  else if (finding.isImplementation || finding.definesMPI || finding.mayReturn)
    search->mayReturn = 1;
  search->isFirst = 0;
  search->opened = info->dlpi_adds;
  return 0;
}

static int countOpened(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  *(unsigned long long *)data = info->dlpi_adds;
  return 1;
}

static int isFatal(MPI_Comm comm) {
  CommHandle handler;
  if (PMPI_Comm_get_errhandler(comm, &handler) != 0)
    return 0;
  int is = comm_is_fatal_handler(handler);
  PMPI_Errhandler_free(&handler);
  return is;
}

/* Checks the initial handler, which the user may change (MPI-4, 11.8.1). Before MPI is initialized, it is known only
 * if the implementation reads it from the environment. */
static int startsFatal(int *isKnown) {
  extern char **environ;
  int isOver = 0;
  if (PMPI_Initialized(isKnown) != 0 || PMPI_Finalized(&isOver) != 0 || isOver)
    return 0;
  if (*isKnown)
    return isFatal(comm_get_world()) && isFatal(comm_get_self());
  if (!comm_environment_has_first_handler())
    return 0;
  for (char **variable = environ; variable && *variable; ++variable)
    if (strcasestr(*variable, "initial_errhandler"))
      return 0;
  return 1;
}

/* The state: 0 if nothing is known; else 4 times the number of objects loaded so far, plus these bits: */
enum { MAY_RETURN = 1, KNOWS_START = 2 };
_Atomic unsigned long long comm_error_codes;

__attribute__((noinline, cold)) static int find(unsigned long long known) {
  if (known & MAY_RETURN)
    return 1;
  struct Search search = {0, 1, 0, 0};
  dl_iterate_phdr(visit, &search);
  int isKnown = (known & KNOWS_START) != 0;
  int mayReturn = search.mayReturn || !search.hasImplementation || (!isKnown && !startsFatal(&isKnown));
  unsigned long long found = search.opened * 4 + (mayReturn ? MAY_RETURN : 0) + (isKnown ? KNOWS_START : 0);
  /* A concurrent answer of another thread may cover more libraries; if this replaces it, the next query searches
   * again. */
  if (mayReturn)
    atomic_store(&comm_error_codes, found);
  else
    atomic_compare_exchange_strong(&comm_error_codes, &known, found);
  return mayReturn;
}

int comm_errors_may_return(void) {
  unsigned long long known = atomic_load_explicit(&comm_error_codes, memory_order_relaxed), opened = 0;
  dl_iterate_phdr(countOpened, &opened);
  if (__builtin_expect(known == opened * 4 + KNOWS_START, 1))
    return 0;
  return find(known);
}

int comm_ask_error_codes(void) {
  return (comm_get_markers() & COMM_OWN_ERROR_HANDLERS) != 0 || comm_errors_may_return();
}

int comm_ask_error_codes_or_one_process(void) {
  return (comm_get_markers() & (COMM_OWN_ERROR_HANDLERS | COMM_ONE_PROCESS)) != 0 || comm_errors_may_return();
}
