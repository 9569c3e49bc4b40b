/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Information from the launcher, which is the same in all processes started together. Without it, several programs may
 * run side by side.
 */
#define _GNU_SOURCE
#include "Overlap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns a nonnegative integer from the environment; -1 if there is none. */
static long getNumber(const char *variable) {
  const char *text = getenv(variable);
  if (!text || *text < '0' || *text > '9')
    return -1;
  char *end;
  long number = strtol(text, &end, 10);
  return *end ? -1 : number;
}

static const char *getBaseName(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Returns the path of the program's file; "" if unknown. Does not use argv[0], which programs overwrite. */
static void readProgramPath(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = 0;
  char *deleted = strstr(path, " (deleted)");
  if (deleted)
    *deleted = 0;
}

COMM_RARE int comm_runs_alone(void) {
  /* The user's promise, for other launchers, and for scripts that start the program. */
  long promised = getNumber("COMM_ONE_PROGRAM");
  if (promised >= 0)
    return promised == 1;
  /* Open MPI sets the number of programs in the command line of mpirun (also for MPI_Comm_spawn_multiple), and the
   * first of them. mpirun may start a script that starts other programs. */
  char program[4096];
  const char *command = getenv("OMPI_COMMAND");
  readProgramPath(program, sizeof program);
  if (getNumber("OMPI_NUM_APP_CTX") != 1 || !command)
    return 0;
  return strcmp(getBaseName(command), getBaseName(program)) == 0;
}

/* Not inlined: linking with -flto removes this code and links it again, and objects compiled without -flto would
 * miss a function that was inlined everywhere. */
#define STAYS __attribute__((noinline))

/* Returns how many processes were started together and, in `onThisNode`, how many of them on this node; 0 if
 * unknown. */
STAYS static long getWorldSize(long *onThisNode) {
  static const char *const names[][2] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}, /* Open MPI */
      {"PMI_SIZE", "MPI_LOCALNRANKS"},                        /* MPICH's Hydra */
  };
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
    long size = getNumber(names[i][0]);
    *onThisNode = getNumber(names[i][1]);
    if (size > 0)
      return size;
  }
  return 0;
}

COMM_RARE int comm_is_on_one_node(void) {
  long onThisNode, size = getWorldSize(&onThisNode);
  return size ? size == onThisNode : getNumber("SLURM_STEP_NUM_NODES") == 1;
}

STAYS int comm_is_one_process(void) {
  long onThisNode;
  return getWorldSize(&onThisNode) == 1;
}
