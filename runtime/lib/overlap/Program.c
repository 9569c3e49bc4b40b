/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the program says of itself: notes of the executable, and of the shared
 * libraries that it was linked with, also indirectly. Libraries that a process
 * opens later may differ between processes; their own starts and calls ask the
 * same question, and get the answer that the executable's notes give.
 */
#define _GNU_SOURCE
#include "Overlap.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

#define MOST_OBJECTS 256

/* An executable or library in memory. */
struct Object {
  ElfW(Addr) base;
  const ElfW(Phdr) * headers;
  size_t numHeaders;
};

struct Reading {
  struct Object objects[MOST_OBJECTS];
  unsigned numObjects;
  int grows;
  unsigned char *facts;
};

static const char *getBaseName(const char *path) {
  const char *base = path;
  for (; *path; ++path)
    if (*path == '/')
      base = path + 1;
  return base;
}

static void readNote(const ElfW(Nhdr) * header, const char *name, const char *content, unsigned char *facts) {
  struct CommNote note;
  size_t start = offsetof(struct CommNote, collective);
  if (header->n_namesz != sizeof "Comm" || memcmp(name, "Comm", sizeof "Comm") != 0 ||
      header->n_type != COMM_NOTE_TYPE || header->n_descsz != sizeof note - start)
    return;
  memcpy((char *)&note + start, content, sizeof note - start);
  if (note.collective <= COMM_COLLECTIVES)
    facts[note.collective] |= note.fact;
}

static void readNotes(const struct Object *object, unsigned char *facts) {
  for (size_t i = 0; i < object->numHeaders; ++i) {
    const ElfW(Phdr) *segment = &object->headers[i];
    if (segment->p_type != PT_NOTE || segment->p_align == 8) /* ours have an alignment of 4 */
      continue;
    const char *at = (const char *)(object->base + segment->p_vaddr), *end = at + segment->p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)at;
      const char *name = at + sizeof *header;
      size_t nameSize = ((size_t)header->n_namesz + 3) & ~(size_t)3, size = ((size_t)header->n_descsz + 3) & ~(size_t)3;
      if (nameSize > (size_t)(end - name) || size > (size_t)(end - name) - nameSize)
        break;
      readNote(header, name, name + nameSize, facts);
      at = name + nameSize + size;
    }
  }
}

/* Whether the object was linked with a library of that name. */
static int needs(const struct Object *object, const char *library) {
  for (size_t i = 0; i < object->numHeaders; ++i) {
    if (object->headers[i].p_type != PT_DYNAMIC)
      continue;
    const ElfW(Dyn) *entries = (const ElfW(Dyn) *)(object->base + object->headers[i].p_vaddr);
    ElfW(Addr) strings = 0;
    for (const ElfW(Dyn) *entry = entries; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_STRTAB)
        strings = entry->d_un.d_ptr < object->base ? object->base + entry->d_un.d_ptr : entry->d_un.d_ptr;
    for (const ElfW(Dyn) *entry = entries; strings && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && strcmp(getBaseName((const char *)strings + entry->d_un.d_val), library) == 0)
        return 1;
  }
  return 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct Reading *reading = data;
  struct Object object = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  int isWanted = reading->numObjects == 0; /* the executable comes first */
  for (unsigned i = 0; i < reading->numObjects; ++i) {
    if (reading->objects[i].headers == object.headers)
      return 0;
    isWanted = isWanted || needs(&reading->objects[i], getBaseName(info->dlpi_name));
  }
  if (!isWanted || reading->numObjects == MOST_OBJECTS)
    return 0;
  reading->objects[reading->numObjects++] = object;
  reading->grows = 1;
  readNotes(&object, reading->facts);
  return 0;
}

void comm_read_notes(unsigned char facts[COMM_COLLECTIVES + 1]) {
  struct Reading reading;
  reading.numObjects = 0;
  reading.facts = facts;
  do {
    reading.grows = 0;
    dl_iterate_phdr(visit, &reading);
  } while (reading.grows);
}

struct CommProgram comm_program;
_Atomic int comm_program_is_known;

/* Within a node no nonblocking form is worth its price (lib/MPI/Costs): there is no latency to hide, and nothing makes
 * progress while the program computes. */
static void concludeFrom(struct CommProgram *program) {
  unsigned common = program->facts[COMM_COLLECTIVES];
  int pays = !program->isOnOneNode || (common & COMM_IGNORES_COSTS);
  program->mayStartPromised = pays && !(common & COMM_USES_SESSIONS);
  for (int i = 0; i < COMM_COLLECTIVES; ++i)
    program->mayStart[i] =
        program->mayStartPromised && program->isAlone && program->facts[i] && !(program->facts[i] & COMM_CANNOT_ASK);
}

const struct CommProgram *comm_find_program(void) {
  struct CommProgram program;
  memset(&program, 0, sizeof program);
  comm_read_notes(program.facts);
  program.isAlone = comm_runs_alone();
  program.isOnOneNode = comm_is_on_one_node();
  concludeFrom(&program);
  /* Threads that come at once find the same; one of them writes it. */
  int unknown = 0;
  if (atomic_compare_exchange_strong(&comm_program_is_known, &unknown, 1)) {
    comm_program = program;
    atomic_store_explicit(&comm_program_is_known, 2, memory_order_release);
  }
  while (atomic_load_explicit(&comm_program_is_known, memory_order_acquire) != 2)
    ;
  return &comm_program;
}
