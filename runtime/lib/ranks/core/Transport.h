// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_RANKS_TRANSPORT_H
#define COMM_RANKS_TRANSPORT_H

namespace comm::ranks {

struct Thread;

/// The scheduler's view of the network between processes.
class Transport {
public:
  /// Returns false in a program of one process, which has nothing to poll.
  virtual bool active() const = 0;
  /// Checks what has arrived and what has been sent. Returns true if anything happened.
  virtual bool progress(Thread &thread) = 0;
  /// Sends what \p thread has held back (Thread::holding) for long enough.
  virtual void sendDue(Thread &thread) = 0;
  /// Sends everything: the thread has nothing else to do.
  virtual void sendHeld(Thread &thread) = 0;
  /// Called when a rank of \p thread leaves the runtime while messages are held back, since it may not return for a
  /// long time. Until Lease::takeBack(), the helper may send them.
  virtual void lendHeld(Thread &thread) = 0;
  /// Called by an idle thread. Returns true if all threads of this process are idle and no parcel is in transit between
  /// them. If no other process can send anything either, reports what each rank waits for and ends the program.
  virtual bool checkForDeadlock() = 0;
  /// Ends the program in all processes.
  [[noreturn]] virtual void abort(int status) = 0;

protected:
  ~Transport() = default;
};

extern Transport &transport;

} // namespace comm::ranks

#endif
