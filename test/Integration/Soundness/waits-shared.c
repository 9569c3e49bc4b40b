// A process waits outside MPI for an action of the receiver after its message: a semaphore, a lock, a shared variable,
// bytes of a pipe. The send is complete before it waits, in any form (see waits-outside.c for why TCP).
// RUN: %same %s -o %t -n 2 --overlaps "MPI_Send at waits-shared.c" --mpirun-options="--mca btl tcp,self" -- -pthread %S/Inputs/map-shared.c
#include "Inputs/soundness.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/stat.h>

void *mapShared(int file, size_t bytes);

static struct {
  sem_t semaphore;
  pthread_mutex_t mutex;
  atomic_int flag;
  volatile int plain;
} *common;
static double values[steps];
static char path[64], fifo[80];
static int file, ends;

static int changeLock(int command, short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  return fcntl(file, command, &lock);
}

static inline void post(void) { sem_post(&common->semaphore); }
static inline long awaitPost(void) { return sem_wait(&common->semaphore); }
static inline void unlock(void) { pthread_mutex_unlock(&common->mutex); }
static inline long awaitMutex(void) { return pthread_mutex_lock(&common->mutex); }
static inline void unlockFile(void) { changeLock(F_SETLK, F_UNLCK); }
static inline long awaitFile(void) { return changeLock(F_SETLKW, F_WRLCK); }
static inline void setFlag(void) { atomic_store(&common->flag, 1); }
static inline long awaitFlag(void) {
  while (!atomic_load_explicit(&common->flag, memory_order_relaxed))
    ;
  return 0;
}
static inline void setPlain(void) { common->plain = 1; }
static inline long sleepUntilSet(void) {
  while (!common->plain)
    usleep(1000);
  return 0;
}
static inline void writeByte(void) {
  if (write(ends, "x", 1) != 1)
    say("write", -1);
}
static inline long pollPipe(void) {
  struct pollfd polled = {.fd = ends, .events = POLLIN};
  return poll(&polled, 1, -1);
}
static inline long readPipe(void) {
  char byte = 0;
  return read(ends, &byte, 1) + byte;
}

/// Nothing but the order of waits keeps the wait for the message where it is.
#define FORM(name, waits, answers)                                                                                     \
  NOINLINE static void name##Sender(void) {                                                                            \
    int data[many];                                                                                                    \
    fill(data, many, 3);                                                                                               \
    MPI_Send(data, many, MPI_INT, 1, 0, MPI_COMM_WORLD);                                                               \
    work(values);                                                                                                      \
    long result = waits();                                                                                             \
    say(#name, result + (long)values[steps - 1]);                                                                      \
  }                                                                                                                    \
  NOINLINE static void name##Receiver(int *data) {                                                                     \
    MPI_Recv(data, many, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                            \
    say(#name, total(data, few));                                                                                      \
    answers();                                                                                                         \
  }
FORM(semaphore, awaitPost, post)
FORM(mutex, awaitMutex, unlock)
FORM(fileLock, awaitFile, unlockFile)
FORM(atomic, awaitFlag, setFlag)
FORM(asleep, sleepUntilSet, setPlain)
FORM(polled, pollPipe, writeByte)
FORM(pipe, readPipe, writeByte)

/// The receiver holds this before any message arrives.
NOINLINE static void prepare(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&common->mutex, &attributes);
  pthread_mutex_lock(&common->mutex);
  sem_init(&common->semaphore, 1, 0);
  changeLock(F_SETLK, F_WRLCK);
  mkfifo(fifo, 0600);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  snprintf(path, sizeof path, "/tmp/comm-waits-shared-%d", (int)getppid());
  snprintf(fifo, sizeof fifo, "%s.fifo", path);
  file = open(path, O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096) != 0)
    MPI_Abort(MPI_COMM_WORLD, 3);
  common = mapShared(file, 4096);
  if (rank == 1)
    prepare();
  MPI_Barrier(MPI_COMM_WORLD);
  ends = open(fifo, O_RDWR);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    semaphoreSender(), mutexSender(), fileLockSender(), atomicSender(), asleepSender(), polledSender(), pipeSender();
  } else {
    int *data = malloc(many * sizeof *data);
    semaphoreReceiver(data), mutexReceiver(data), fileLockReceiver(data), atomicReceiver(data), asleepReceiver(data);
    polledReceiver(data), pipeReceiver(data);
    free(data);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    unlink(path);
    unlink(fifo);
  }
  MPI_Finalize();
  return 0;
}
