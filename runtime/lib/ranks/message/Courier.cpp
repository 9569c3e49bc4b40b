// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message/Courier.h"

#include <cerrno>
#include <csignal>
#include <sched.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace comm::ranks {

static void setTimer(int timer, uint64_t microseconds) {
  itimerspec when = {};
  when.it_value.tv_sec = microseconds / 1000000;
  when.it_value.tv_nsec = microseconds % 1000000 * 1000;
  timerfd_settime(timer, 0, &when, nullptr);
}

/// Raises the thread's real-time priority: with equal priority, a computing thread would keep the core.
static void goFirst() {
  int policy = 0;
  sched_param parameters = {};
  if (pthread_getschedparam(pthread_self(), &policy, &parameters) || (policy != SCHED_FIFO && policy != SCHED_RR))
    return;
  if (parameters.sched_priority < sched_get_priority_max(policy)) {
    ++parameters.sched_priority;
    pthread_setschedparam(pthread_self(), policy, &parameters);
  }
}

bool Courier::start(void (*send)()) {
  sendLent = send;
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (timer < 0)
    return false;
  // This thread must not receive the program's signals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, nullptr, run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error) {
    close(timer);
    timer = -1;
  }
  return !error;
}

void Courier::stop() {
  if (timer < 0)
    return;
  stopping.store(true);
  setTimer(timer, 1);
  pthread_join(thread, nullptr);
  close(timer);
  timer = -1;
}

void Courier::arm(uint64_t microseconds) {
  // A thread that lends before it reads `armed` is noticed by the round that clears it.
  if (armed.load() || armed.exchange(true))
    return;
  int error = errno; // preserve the program's errno
  setTimer(timer, microseconds);
  errno = error;
}

void *Courier::run(void *given) {
  auto &courier = *static_cast<Courier *>(given);
  goFirst();
  for (;;) {
    uint64_t times;
    if (read(courier.timer, &times, sizeof(times)) < 0 && errno != EINTR && errno != EAGAIN)
      return nullptr;
    if (courier.stopping.load())
      return nullptr;
    courier.armed.exchange(false); // acquires what was lent before it was armed
    courier.sendLent();
  }
}

} // namespace comm::ranks
