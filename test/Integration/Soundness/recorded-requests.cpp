// Requests in members of a class that are unknown at compile time: starts in the function are recorded, and a request
// that was not recorded, or whose buffer has changed since, completes where the program waits.
// RUN: %samexx %s -o %t -n 1,2,4 --overlaps "MPI_Waitall at recorded-requests.cpp:[0-9]+, which completes MPI_I"
#include "Inputs/soundness.h"

#include <utility>
#include <vector>

#define INLINE inline __attribute__((always_inline))

static std::vector<MPI_Request> *others;
static double results[steps];

/// Work that reads the buffer: too early if a wait was late.
static INLINE long look(const std::vector<double> &values) {
  for (int i = 0; i < steps; ++i)
    results[i] = values[i] * 2 + i;
  double sum = 0;
  for (int i = 0; i < steps; ++i)
    sum += results[i];
  return static_cast<long>(sum);
}

class Exchanger {
public:
  Exchanger() : in(steps), out(steps), spare(steps), foreign(steps) { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
  NOINLINE ~Exchanger() { MPI_Comm_free(&comm); }
  void cleared(int turns);
  void guarded(int turns);
  void exchanged(int turns);
  void foreignRequest(int turns);
  void many();
  void toNobody(int number);
  void inHalves(int turns);
  void reused(int turns);
  void renewed(int turns);
  void pushed(int turns);
  void copied(int turns);

private:
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
  /// The first of two processes is late.
  void begin(int turn) {
    if (rank == 0)
      nap(5);
    for (int i = 0; i < steps; ++i) {
      in[i] = -1;
      out[i] = i + rank + turn;
    }
  }
  INLINE void receive(std::vector<double> &values, int from, int tag) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(values.data(), steps, MPI_DOUBLE, from, tag, comm, &requests.back());
  }
  INLINE void send(const std::vector<double> &values, int to, int tag) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(values.data(), steps, MPI_DOUBLE, to, tag, comm, &requests.back());
  }
  NOINLINE void startElsewhere(int turn);
  NOINLINE void finishElsewhere();

  MPI_Comm comm;
  std::vector<double> in, out, spare, foreign;
  std::vector<MPI_Request> requests;
};

/// Cleared and filled again in each iteration.
INLINE void Exchanger::cleared(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    receive(in, left(), 0);
    send(out, right(), 0);
    MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("cleared", look(in) + static_cast<long>(results[7]));
  }
}

/// The wait is in a branch, and neighbors may not exist: with two processes, both are at an end.
INLINE void Exchanger::guarded(int turns) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    MPI_Request request;
    if (up != MPI_PROC_NULL) {
      MPI_Irecv(in.data(), steps, MPI_DOUBLE, up, 0, comm, &request);
      requests.push_back(request);
    }
    if (down != MPI_PROC_NULL) {
      MPI_Isend(out.data(), steps, MPI_DOUBLE, down, 0, comm, &request);
      requests.push_back(request);
    }
    if (!requests.empty())
      MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("guarded", look(in) + static_cast<long>(results[7]));
  }
}

/// The member is another buffer when the wait comes than it was when the receive started.
INLINE void Exchanger::exchanged(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    receive(in, left(), 0);
    send(out, right(), 0);
    if (turn % 2 == 1)
      std::swap(in, spare);
    MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("other", look(spare));
    say("exchanged", look(in));
    if (turn % 2 == 1)
      std::swap(in, spare);
  }
}

void Exchanger::startElsewhere(int turn) {
  for (double &value : foreign)
    value = -turn;
  receive(foreign, left(), 1);
}

/// A request that another function has stored there.
INLINE void Exchanger::foreignRequest(int turns) {
  const int to = right(), from = left();
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    if (turn % 2 == 1)
      startElsewhere(turn);
    receive(in, from, 0);
    send(out, to, 0);
    if (turn % 2 == 1) {
      send(out, to, 1);
    }
    MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("foreign", look(foreign));
    say("own", look(in));
  }
}

/// More than are recorded.
INLINE void Exchanger::many() {
  constexpr int parts = 100, length = steps / parts;
  begin(3);
  requests.clear();
  for (int part = 0; part < parts; ++part) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(in.data() + part * length, length, MPI_DOUBLE, left(), part, comm, &requests.back());
  }
  for (int part = 0; part < parts; ++part) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(out.data() + part * length, length, MPI_DOUBLE, right(), part, comm, &requests.back());
  }
  MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
  work(results);
  say("many", look(in));
}

/// Requests of messages to MPI_PROC_NULL, which may all be equal.
INLINE void Exchanger::toNobody(int number) {
  begin(4);
  requests.clear();
  for (int part = 0; part < number; ++part) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(out.data(), steps, MPI_DOUBLE, MPI_PROC_NULL, part, comm, &requests.back());
  }
  MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
  work(results);
  say("nobody", look(out));
}

/// Two waits, for the receives and for the sends.
INLINE void Exchanger::inHalves(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    receive(in, left(), 0);
    send(out, right(), 0);
    MPI_Waitall(1, requests.data(), MPI_STATUSES_IGNORE);
    say("halves", look(in));
    MPI_Waitall(1, requests.data() + 1, MPI_STATUSES_IGNORE);
    work(out.data());
    say("sent", look(out));
  }
}

void Exchanger::finishElsewhere() {
  MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
  startElsewhere(1);
}

/// The recorded message is complete, and its handle is now that of another message.
INLINE void Exchanger::reused(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    receive(in, left(), 0);
    MPI_Request sent;
    MPI_Isend(out.data(), steps, MPI_DOUBLE, right(), 0, comm, &sent);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    finishElsewhere();
    send(out, right(), 1);
    MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("reused", look(foreign));
    say("own", look(in));
  }
}

/// The same within the function, and the buffer of the second message has changed when the wait comes.
INLINE void Exchanger::renewed(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Request sent;
    MPI_Irecv(in.data(), steps, MPI_DOUBLE, left(), 0, comm, &requests.back());
    MPI_Isend(out.data(), steps, MPI_DOUBLE, right(), 0, comm, &sent);
    MPI_Request copy = requests.back();
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Irecv(spare.data(), steps, MPI_DOUBLE, left(), 1, comm, &requests.back());
    std::swap(spare, foreign);
    MPI_Isend(out.data(), steps, MPI_DOUBLE, right(), 1, comm, &sent);
    MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("renewed", look(foreign));
    say("spare", look(spare));
    say("own", look(in));
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
}

/// The handle is that of a completed message, and was copied there from a variable.
INLINE void Exchanger::pushed(int turns) {
  const int to = right(), from = left();
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    MPI_Request variable, sent;
    requests.clear();
    receive(in, from, 0);
    MPI_Isend(out.data(), steps, MPI_DOUBLE, to, 0, comm, &sent);
    MPI_Request copy = requests.back();
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    requests.clear();
    MPI_Irecv(spare.data(), steps, MPI_DOUBLE, from, 1, comm, &variable);
    requests.push_back(variable);
    MPI_Isend(out.data(), steps, MPI_DOUBLE, to, 1, comm, &variable);
    requests.push_back(variable);
    MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("pushed", look(spare));
    say("own", look(in));
  }
}

/// Other code has a copy of the handles, and waits for them first.
INLINE void Exchanger::copied(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    begin(turn);
    requests.clear();
    for (int i = 0; i < 2; ++i)
      requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(in.data(), steps, MPI_DOUBLE, left(), 0, comm, &requests[0]);
    MPI_Isend(out.data(), steps, MPI_DOUBLE, right(), 0, comm, &requests[1]);
    *others = requests;
    if (turn % 2 == 1) {
      MPI_Waitall(others->size(), others->data(), MPI_STATUSES_IGNORE);
      requests = *others;
    }
    MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    work(results);
    say("copied", look(in));
  }
}

/// In an object of the function, whose destructor is not analyzed.
#define RUN(NAME, ...)                                                                                                 \
  NOINLINE static void run_##NAME() {                                                                                  \
    Exchanger exchanger;                                                                                               \
    exchanger.NAME(__VA_ARGS__);                                                                                       \
  }
RUN(cleared, 3)
RUN(guarded, 3)
RUN(exchanged, 4)
RUN(foreignRequest, 4)
RUN(many)
RUN(toNobody, 500)
RUN(inHalves, 3)
RUN(reused, 3)
RUN(renewed, 4)
RUN(pushed, 3)
RUN(copied, 4)

int main(int argc, char **argv) {
  begin(&argc, &argv);
  others = new std::vector<MPI_Request>;
  run_cleared();
  run_guarded();
  run_exchanged();
  run_foreignRequest();
  run_many();
  run_toNobody();
  run_inHalves();
  run_reused();
  run_renewed();
  run_pushed();
  run_copied();
  delete others;
  MPI_Finalize();
}
