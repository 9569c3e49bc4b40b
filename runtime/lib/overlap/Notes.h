/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ELF notes of a loaded executable or library.
 */
#ifndef COMM_RUNTIME_OVERLAP_NOTES_H
#define COMM_RUNTIME_OVERLAP_NOTES_H

#include "Overlap.h"

#include <link.h>

/* A loaded executable or library. */
struct CommObject {
  ElfW(Addr) base;
  const ElfW(Phdr) * headers;
  size_t numHeaders;
};

typedef void CommNoteReader(unsigned type, const char *content, size_t size, void *data);

/* Calls `reader` for each of Comm's notes. */
void comm_read_notes(const struct CommObject *object, CommNoteReader *reader, void *data);

/* Adds a note that stores the distance from itself to the variable. */
#define COMM_LOCATE(TYPE, VARIABLE)                                                                                    \
  __asm__ volatile(".pushsection .note.comm,\"a\",%%note\n"                                                            \
                   ".balign 4\n"                                                                                       \
                   ".long 5, 4, %c0\n"                                                                                 \
                   ".asciz \"Comm\"\n"                                                                                 \
                   ".balign 4\n"                                                                                       \
                   ".long %c1 - .\n"                                                                                   \
                   ".popsection" ::"i"(TYPE),                                                                          \
                   "i"(&(VARIABLE)))
/* Returns the variable that such a note of that type locates; null for other notes. */
void *comm_find_located(unsigned wanted, unsigned type, const char *content, size_t size);

/* A note reader that adds facts to the `struct CommFacts`. */
void comm_read_fact(unsigned type, const char *content, size_t size, void *facts);

/* Returns how many executables and libraries the process has loaded so far, including those it has closed. */
unsigned long long comm_count_loads(void);

/* Whether the executable or library may make error handlers of its own, whoever compiled it (ErrorHandlers.c). */
int comm_makes_error_handlers(const struct CommObject *object);

#endif /* COMM_RUNTIME_OVERLAP_NOTES_H */
