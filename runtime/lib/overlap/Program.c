/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Facts about the program: notes of the executable and of the shared libraries that it was linked with, directly or
 * indirectly. Libraries opened later may differ between processes; their starts and calls get the answer that the
 * executable's notes give.
 */
#define _GNU_SOURCE
#include "Notes.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

#define MOST_OBJECTS 256

/* The search for libraries that the executable was linked with. */
struct Reading {
  struct CommObject objects[MOST_OBJECTS];
  unsigned numObjects;
  int grows, overflows;
  struct CommFacts *facts;
  struct CommVoting *voting; /* of the first object that has one */
};

static const char *getBaseName(const char *path) {
  const char *base = path;
  for (; *path; ++path)
    if (*path == '/')
      base = path + 1;
  return base;
}

void comm_read_fact(unsigned type, const char *content, size_t size, void *facts) {
  struct CommNote note;
  size_t start = offsetof(struct CommNote, collective);
  if (type != COMM_NOTE_TYPE || size != sizeof note - start)
    return;
  memcpy((char *)&note + start, content, size);
  if (note.collective <= COMM_COLLECTIVES)
    ((struct CommFacts *)facts)->of[note.collective] |= note.fact;
}

void *comm_find_located(unsigned wanted, unsigned type, const char *content, size_t size) {
  int32_t distance;
  if (type != wanted || size != sizeof distance)
    return NULL;
  memcpy(&distance, content, sizeof distance);
  return (char *)(uintptr_t)content + distance;
}

static void findVoting(unsigned type, const char *content, size_t size, void *first) {
  struct CommVoting **voting = first;
  if (!*voting)
    *voting = comm_find_located(COMM_NOTE_TYPE_VOTING, type, content, size);
}

COMM_RARE void comm_read_notes(const struct CommObject *object, CommNoteReader *reader, void *data) {
  for (size_t i = 0; i < object->numHeaders; ++i) {
    const ElfW(Phdr) *segment = &object->headers[i];
    if (segment->p_type != PT_NOTE || segment->p_align == 8) /* our notes have an alignment of 4 */
      continue;
    const char *at = (const char *)(object->base + segment->p_vaddr), *end = at + segment->p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)at;
      const char *name = at + sizeof *header;
      size_t nameSize = ((size_t)header->n_namesz + 3) & ~(size_t)3, size = ((size_t)header->n_descsz + 3) & ~(size_t)3;
      if (nameSize > (size_t)(end - name) || size > (size_t)(end - name) - nameSize)
        break;
      if (header->n_namesz == sizeof "Comm" && memcmp(name, "Comm", sizeof "Comm") == 0)
        reader(header->n_type, name + nameSize, header->n_descsz, data);
      at = name + nameSize + size;
    }
  }
}

/* Returns whether the object was linked with a library of that name. */
COMM_RARE static int needs(const struct CommObject *object, const char *library) {
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

COMM_RARE static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct Reading *reading = data;
  struct CommObject object = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  int isWanted = reading->numObjects == 0; /* the executable comes first */
  for (unsigned i = 0; i < reading->numObjects; ++i) {
    if (reading->objects[i].headers == object.headers)
      return 0;
    isWanted = isWanted || needs(&reading->objects[i], getBaseName(info->dlpi_name));
  }
  if (!isWanted)
    return 0;
  if (reading->numObjects == MOST_OBJECTS) {
    reading->overflows = 1;
    return 0;
  }
  reading->objects[reading->numObjects++] = object;
  reading->grows = 1;
  comm_read_notes(&object, comm_read_fact, reading->facts);
  comm_read_notes(&object, findVoting, &reading->voting);
  return 0;
}

COMM_RARE static void readLinkedNotes(struct CommProgram *program) {
  struct CommFacts *facts = &program->facts;
  struct Reading reading;
  reading.numObjects = 0;
  reading.overflows = 0;
  reading.facts = facts;
  reading.voting = NULL;
  do {
    reading.grows = 0;
    dl_iterate_phdr(visit, &reading);
  } while (reading.grows);
  /* Unread objects may have calls that cannot ask. */
  for (int i = 0; reading.overflows && i < COMM_COLLECTIVES; ++i)
    facts->of[i] |= COMM_CANNOT_ASK;
  program->voting = reading.voting;
}

struct CommProgram comm_program;
_Atomic int comm_program_is_known;
_Atomic unsigned char comm_must_ask[COMM_COLLECTIVES][2] = {[0 ... COMM_COLLECTIVES - 1] = {1, 1}};

/* Within a node, no nonblocking form pays off (lib/MPI/Costs): there is no latency to hide, and nothing progresses
 * while the program computes. */
COMM_RARE static void concludeFrom(struct CommProgram *program) {
  uint32_t common = program->facts.of[COMM_COLLECTIVES];
  program->pays = !program->isOnOneNode || (common & COMM_IGNORES_COSTS);
  program->mayStartPromised = program->pays && !(common & COMM_USES_SESSIONS);
  for (int i = 0; i < COMM_COLLECTIVES; ++i)
    program->mayStart[i] = program->mayStartPromised && program->isAlone && program->facts.of[i] &&
                           !(program->facts.of[i] & COMM_CANNOT_ASK);
  /* Processes of another program may not count the same calls. */
  if (!program->isAlone || (common & COMM_IGNORES_COSTS))
    program->voting = NULL;
}

COMM_RARE const struct CommProgram *comm_find_program(void) {
  struct CommProgram program;
  memset(&program, 0, sizeof program);
  readLinkedNotes(&program);
  program.isAlone = comm_runs_alone();
  program.isOnOneNode = comm_is_on_one_node();
  concludeFrom(&program);
  /* Concurrent threads find the same; one of them stores it. */
  int unknown = 0;
  if (atomic_compare_exchange_strong(&comm_program_is_known, &unknown, 1)) {
    comm_program = program;
    for (int i = 0; i < COMM_COLLECTIVES; ++i) {
      atomic_store_explicit(&comm_must_ask[i][0], program.mayStart[i], memory_order_relaxed);
      atomic_store_explicit(&comm_must_ask[i][1], program.mayStartPromised, memory_order_relaxed);
    }
    atomic_store_explicit(&comm_program_is_known, 2, memory_order_release);
  }
  while (atomic_load_explicit(&comm_program_is_known, memory_order_acquire) != 2)
    ;
  return &comm_program;
}
