/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Determines whether MPI calls may return error codes, or call an error handler of the program. They do neither while
 * the handler in force is MPI_ERRORS_ARE_FATAL (MPI-4, 9.3), the initial handler of communicators. Replacing it takes a
 * call to one of a few functions, which the executable or a library must import. If nothing imports one, the answer
 * holds for all communicators, and no call can change it; only a library opened later can, so each query about error
 * codes checks for new libraries.
 */
#define _GNU_SOURCE
#include "Symbols.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int PMPI_Comm_get_errhandler(MPI_Comm, CommHandle *);
int PMPI_Errhandler_free(CommHandle *);
int PMPI_Finalized(int *);
int PMPI_Initialized(int *);

/* What an executable or library imports and defines. */
struct Finding {
  unsigned isImplementation : 1; /* it is MPI, or its Fortran or C++ bindings */
  unsigned definesMPI : 1;       /* it defines MPI functions: a layer above the implementation */
  unsigned mayReturn : 1;        /* it may install a handler, or make calls that return codes regardless of it */
  unsigned makesHandlers : 1;    /* it may create handlers, or install MPI-2's, which throws */
};

static void noteDefinition(const char *name, void *data) {
  struct Finding *finding = data;
  finding->isImplementation |= strncasecmp(name, "PMPI_Init", 9) == 0 || strcmp(name, "_ZN3MPI10COMM_WORLDE") == 0;
  finding->definesMPI |= strncmp(name, "MPI_", 4) == 0;
}

/* Returns whether the name contains one of the lower-case names of MPI functions, in any language's form. The process
 * asks about thousands of names when it starts. */
static int containsOneOf(const char *name, const char *const *functions, size_t numFunctions) {
  static const char *const prefixes[] = {"MPI_", "mpi_"};
  for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; ++p)
    for (const char *at = strstr(name, prefixes[p]); at; at = strstr(at + 1, prefixes[p]))
      for (size_t i = 0; i < numFunctions; ++i)
        if (strncasecmp(at, functions[i], strlen(functions[i])) == 0)
          return 1;
  return 0;
}

static void noteImport(const char *name, void *data) {
  static const char *const sources[] = {COMM_ERROR_SOURCES}, *const makers[] = {COMM_ERROR_HANDLER_MAKERS};
  struct Finding *finding = data;
  if (strncmp(name, "_Z", 2) == 0 && strstr(name, "N3MPI")) { /* C++ functions of MPI-2 */
    finding->mayReturn = 1;
    finding->makesHandlers |= strstr(name, "Create_errhandler") || strstr(name, "ERRORS_THROW_EXCEPTIONS");
  }
  finding->mayReturn |= containsOneOf(name, sources, sizeof sources / sizeof *sources);
  finding->makesHandlers |= containsOneOf(name, makers, sizeof makers / sizeof *makers);
}

COMM_RARE int comm_makes_error_handlers(const struct CommObject *object) {
  struct Finding finding = {0, 0, 0, 0};
  comm_read_imports(object, noteImport, &finding);
  if (finding.makesHandlers) /* few do: the other table is long */
    comm_read_definitions(object, noteDefinition, &finding);
  return finding.makesHandlers && !finding.isImplementation;
}

struct Search {
  unsigned long long opened; /* number of objects that were loaded when the last one was visited */
  int isFirst, hasImplementation, mayReturn;
};

COMM_RARE static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct Search *search = data;
  struct CommObject object = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  struct Finding finding = {0, 0, 0, 0};
  comm_read_definitions(&object, noteDefinition, &finding);
  comm_read_imports(&object, noteImport, &finding);
  /* Where the executable holds MPI, nobody sees who calls what. */
  if (finding.isImplementation && !search->isFirst)
    search->hasImplementation = 1;
  else if (finding.isImplementation || finding.definesMPI || finding.mayReturn)
    search->mayReturn = 1;
  search->isFirst = 0;
  search->opened = info->dlpi_adds;
  return 0;
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

COMM_RARE static int find(unsigned long long known) {
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
  unsigned long long known = atomic_load_explicit(&comm_error_codes, memory_order_relaxed);
  if (__builtin_expect(known == comm_count_loads() * 4 + KNOWS_START, 1))
    return 0;
  return find(known);
}

int comm_ask_error_codes(void) {
  return (comm_get_markers() & COMM_OWN_ERROR_HANDLERS) != 0 || comm_errors_may_return();
}

int comm_ask_error_codes_or_one_process(void) {
  return (comm_get_markers() & (COMM_OWN_ERROR_HANDLERS | COMM_ONE_PROCESS)) != 0 || comm_errors_may_return();
}
