/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lookups of users, groups, hosts, services and protocols, which return static storage (POSIX getpwnam and the like):
 * each rank has its own.
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stdlib.h>

typedef struct Room {
  char *memory;
  size_t bytes;
} Room;

/* Doubles the room for an answer that did not fit; returns 0 if memory runs out. */
static int grow(Room *room) {
  size_t bytes = room->bytes ? 2 * room->bytes : 1024;
  char *memory = realloc(room->memory, bytes);
  if (!memory) {
    errno = ENOMEM;
    return 0;
  }
  room->memory = memory;
  room->bytes = bytes;
  return 1;
}

/* NAME_r(key..., &answer, memory, bytes, &found [, &h_errno]) returns ERANGE until the memory suffices. */
#define REPLACES_LOOKUP(name, type, parameters, call)                                                                  \
  COMM_RANK_DATA static Room name##_room;                                                                              \
  COMM_RANK_DATA static struct type name##_answer;                                                                     \
  struct type *comm_ranks_##name parameters {                                                                          \
    Room *room = &COMM_RANK(name##_room);                                                                              \
    struct type *answer = &COMM_RANK(name##_answer), *found = NULL;                                                    \
    int error;                                                                                                         \
    if (!room->memory && !grow(room))                                                                                  \
      return NULL;                                                                                                     \
    while ((error = call) == ERANGE)                                                                                   \
      if (!grow(room))                                                                                                 \
        return NULL;                                                                                                   \
    if (error)                                                                                                         \
      errno = error;                                                                                                   \
    return found;                                                                                                      \
  }
#define ANSWER answer, room->memory, room->bytes, &found

REPLACES_LOOKUP(getpwnam, passwd, (const char *key), getpwnam_r(key, ANSWER))
REPLACES_LOOKUP(getpwuid, passwd, (uid_t key), getpwuid_r(key, ANSWER))
REPLACES_LOOKUP(getgrnam, group, (const char *key), getgrnam_r(key, ANSWER))
REPLACES_LOOKUP(getgrgid, group, (gid_t key), getgrgid_r(key, ANSWER))
REPLACES_LOOKUP(gethostbyname, hostent, (const char *key), gethostbyname_r(key, ANSWER, &h_errno))
REPLACES_LOOKUP(gethostbyname2, hostent, (const char *key, int family), gethostbyname2_r(key, family, ANSWER, &h_errno))
REPLACES_LOOKUP(gethostbyaddr, hostent, (const void *key, socklen_t length, int family),
                gethostbyaddr_r(key, length, family, ANSWER, &h_errno))
REPLACES_LOOKUP(getservbyname, servent, (const char *key, const char *protocol), getservbyname_r(key, protocol, ANSWER))
REPLACES_LOOKUP(getservbyport, servent, (int key, const char *protocol), getservbyport_r(key, protocol, ANSWER))
REPLACES_LOOKUP(getprotobyname, protoent, (const char *key), getprotobyname_r(key, ANSWER))
REPLACES_LOOKUP(getprotobynumber, protoent, (int key), getprotobynumber_r(key, ANSWER))
