// Events that another thread is notified of have happened: atomics, fences, volatile flags, locks, compiler barriers.
// RUN: %same %s -o %t -n 2 -- -pthread -DHOW=1
// RUN: %same %s -o %t.fence -n 2 -- -pthread -DHOW=2
// RUN: %same %s -o %t.volatile -n 2 -- -pthread -DHOW=3
// RUN: %same %s -o %t.mutex -n 2 -- -pthread -DHOW=4
// RUN: %same %s -o %t.asm -n 2 -- -pthread -DHOW=5
#include "Inputs/soundness.h"
#include <pthread.h>
#include <stdatomic.h>

static double values[steps];
static int buffer[few];
static atomic_int ready;
static volatile int flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int plain;

static int isReady(void) {
#if HOW == 1 || HOW == 2
  return atomic_load(&ready);
#elif HOW == 3
  return flag;
#elif HOW == 4
  pthread_mutex_lock(&lock);
  int value = plain;
  pthread_mutex_unlock(&lock);
  return value;
#else
  return __atomic_load_n(&plain, __ATOMIC_ACQUIRE);
#endif
}

static void *reader(void *unused) {
  while (!isReady())
    usleep(100);
  say("the thread read", total(buffer, few));
  return unused;
}

NOINLINE static void receive(void) {
  MPI_Recv(buffer, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
#if HOW == 1
  atomic_store_explicit(&ready, 1, memory_order_release);
#elif HOW == 2
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
#elif HOW == 3
  flag = 1;
#elif HOW == 4
  pthread_mutex_lock(&lock);
  plain = 1;
  pthread_mutex_unlock(&lock);
#else
  __asm__ volatile("" ::: "memory");
  *(volatile int *)&plain = 1;
#endif
  work(values);
}

NOINLINE static void first(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  receive();
  pthread_join(thread, NULL);
}

NOINLINE static void second(void) {
  int data[few];
  fill(data, few, 5);
  nap(150);
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
