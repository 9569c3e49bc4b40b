/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Collects the markers of all loaded files. Each executable or library that asks caches the answer in a private
 * variable, whose location a note records. Files that are loaded later update all of these.
 */
#define _GNU_SOURCE
#include "Notes.h"

#include <stdatomic.h>
#include <string.h>

_Atomic uint32_t comm_markers = COMM_MARKERS_UNKNOWN;

static int readCount(struct dl_phdr_info *info, size_t size, void *count) {
  (void)size;
  *(unsigned long long *)count = info->dlpi_adds;
  return 1;
}

unsigned long long comm_count_loads(void) {
  unsigned long long count = 0;
  dl_iterate_phdr(readCount, &count);
  return count;
}

COMM_RARE static int addFacts(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct CommObject object = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  struct CommFacts *facts = data;
  comm_read_notes(&object, comm_read_fact, facts);
  /* Files that Comm did not compile have no notes. */
  if (!(facts->of[COMM_COLLECTIVES] & COMM_OWN_ERROR_HANDLERS) && comm_makes_error_handlers(&object))
    facts->of[COMM_COLLECTIVES] |= COMM_OWN_ERROR_HANDLERS;
  return 0;
}

COMM_RARE static uint32_t readMarkers(void) {
  struct CommFacts facts;
  memset(&facts, 0, sizeof facts);
  dl_iterate_phdr(addFacts, &facts);
  uint32_t found = facts.of[COMM_COLLECTIVES];
  return (found & COMM_IGNORES_COSTS) || !comm_is_one_process() ? found : found | COMM_ONE_PROCESS;
}

COMM_RARE uint32_t comm_find_markers(void) {
  COMM_LOCATE(COMM_NOTE_TYPE_MARKERS, comm_markers);
  uint32_t found;
  unsigned long long loads;
  do {
    loads = comm_count_loads();
    found = readMarkers();
    atomic_store(&comm_markers, found);
  } while (comm_count_loads() != loads); /* another thread may open a library that told us before we wrote */
  return found;
}

static void tell(unsigned type, const char *content, size_t size, void *markers) {
  _Atomic uint32_t *theirs = comm_find_located(COMM_NOTE_TYPE_MARKERS, type, content, size);
  /* Variables without an answer yet have all bits set, which the `or` preserves. */
  if (theirs)
    atomic_fetch_or(theirs, *(const uint32_t *)markers);
}

COMM_RARE static int tellObject(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct CommObject object = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  comm_read_notes(&object, tell, data);
  return 0;
}

COMM_RARE void comm_tell_markers(void) {
  uint32_t markers = readMarkers();
  dl_iterate_phdr(tellObject, &markers);
}

int comm_ask_own_error_handlers_or_one_process(void) {
  return (comm_get_markers() & (COMM_OWN_ERROR_HANDLERS | COMM_ONE_PROCESS)) != 0;
}
