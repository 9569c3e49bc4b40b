/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Symbols by which executables and libraries in memory are linked.
 */
#ifndef COMM_RUNTIME_OVERLAP_SYMBOLS_H
#define COMM_RUNTIME_OVERLAP_SYMBOLS_H

#include "Notes.h"

typedef void CommNameReader(const char *name, void *data);

/* Calls the reader for each name that the object defines for others. */
void comm_read_definitions(const struct CommObject *object, CommNameReader *reader, void *data);

/* Calls the reader for each name that the object links to, wherever it is defined; for some of them several times. */
void comm_read_imports(const struct CommObject *object, CommNameReader *reader, void *data);

#endif /* COMM_RUNTIME_OVERLAP_SYMBOLS_H */
