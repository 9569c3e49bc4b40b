/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the launcher says, which is the same in all processes that it started
 * together. Where it does not say, several programs may run side by side.
 */
#define _GNU_SOURCE
#include "Overlap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A whole number in the environment; -1 if there is none. */
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

/* The path of this program's file; "" if nobody knows. Not argv[0], which programs overwrite. */
static void readProgramPath(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = 0;
  char *deleted = strstr(path, " (deleted)");
  if (deleted)
    *deleted = 0;
}

int comm_runs_alone(void) {
  /* The user's word, for launchers that do not say, and for scripts that start the program. */
  long promised = getNumber("COMM_ONE_PROGRAM");
  if (promised >= 0)
    return promised == 1;
  /* Open MPI: the number of programs in the command line of mpirun (also of MPI_Comm_spawn_multiple), and the first of
   * them. What mpirun starts may be a script that starts others. */
  char program[4096];
  const char *command = getenv("OMPI_COMMAND");
  readProgramPath(program, sizeof program);
  if (getNumber("OMPI_NUM_APP_CTX") != 1 || !command)
    return 0;
  return strcmp(getBaseName(command), getBaseName(program)) == 0;
}

/* Not inlined: when a program is linked with -flto this code is taken out and brought back, and a function of which
 * nothing is left then is missed by objects that were compiled without. */
#define STAYS __attribute__((noinline))

/* How many processes were started together, and how many of them on this node; 0 if nobody says. */
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

int comm_is_on_one_node(void) {
  long onThisNode, size = getWorldSize(&onThisNode);
  return size ? size == onThisNode : getNumber("SLURM_STEP_NUM_NODES") == 1;
}

STAYS int comm_is_one_process(void) {
  long onThisNode;
  return getWorldSize(&onThisNode) == 1;
}
