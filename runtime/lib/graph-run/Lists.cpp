// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of graph programs.
#include "Lists.h"

#include <cstdlib>

using namespace comm::graphrun;

comm_graph_list *comm_graph_run_list(comm_graph_run *run, int type, int depth) {
  return new comm_graph_list(run, type, depth);
}

void comm_graph_run_list_free(comm_graph_list *list) { delete list; }

int64_t comm_graph_run_list_size(const comm_graph_list *list) { return list->size(); }

int64_t comm_graph_run_list_find(const comm_graph_list *list, const int64_t *slot) {
  auto *all = const_cast<comm_graph_list *>(list);
  for (int64_t i = 0; i < list->size(); ++i)
    if (!compareValues(list->type, all->at(i), slot))
      return i;
  return -1;
}

static void checkElement(const comm_graph_list *list, int64_t index, const char *place) {
  if (index < 0 || index >= list->size())
    stop(list->run, place,
         "there is no element " + std::to_string(index) + ": the list has " + std::to_string(list->size()) +
             " elements");
}

void *comm_graph_run_list_at(comm_graph_list *list, int64_t index, const char *place) {
  checkElement(list, index, place);
  return list->at(index);
}

comm_graph_list *comm_graph_run_list_inner(comm_graph_list *list, int64_t index, const char *place) {
  checkElement(list, index, place);
  return list->lists[static_cast<size_t>(index)].get();
}

void comm_graph_run_list_push(comm_graph_list *list, const int64_t *slot) { list->push(slot); }

void comm_graph_run_list_push_list(comm_graph_list *list, const comm_graph_list *element) {
  auto copy = std::make_unique<comm_graph_list>(element->run, element->type, element->depth);
  comm_graph_run_list_copy(element, copy.get());
  list->lists.push_back(std::move(copy));
}

void comm_graph_run_list_pop(comm_graph_list *list, const char *place) {
  if (!list->size())
    stop(list->run, place, "the list has no element that it could lose");
  if (list->depth > 1)
    list->lists.pop_back();
  else
    list->bytes.resize(list->bytes.size() - list->width());
}

void comm_graph_run_list_assign(comm_graph_list *list, int64_t count, const int64_t *slot, const char *place) {
  if (count < 0)
    stop(list->run, place, "a list cannot have " + std::to_string(count) + " elements");
  int64_t value = *slot; // the list may contain the slot
  list->bytes.clear();
  size_t bytes = 0;
  bool isTooLong = __builtin_mul_overflow(static_cast<size_t>(count), list->width(), &bytes);
  if (void *room = isTooLong ? nullptr : malloc(bytes + 1))
    free(room);
  else
    stop(list->run, place, "there is not enough memory for a list of " + std::to_string(count) + " elements");
  list->bytes.reserve(bytes);
  for (int64_t i = 0; i < count; ++i)
    list->push(&value);
}

void comm_graph_run_list_copy(const comm_graph_list *from, comm_graph_list *to) {
  if (from == to)
    return;
  to->bytes = from->bytes;
  // The source may be part of the list that is replaced.
  std::vector<std::unique_ptr<comm_graph_list>> copies;
  for (const auto &each : from->lists) {
    copies.push_back(std::make_unique<comm_graph_list>(each->run, each->type, each->depth));
    comm_graph_run_list_copy(each.get(), copies.back().get());
  }
  to->lists = std::move(copies);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void comm_graph_run_list_update(comm_graph_list *list, int kind, int64_t index, const int64_t *slot,
                                const char *place) {
  comm_graph_run *run = list->run;
  if (run->sweeping && run->missed)
    return;
  checkElement(list, index, place);
  if (!list->updates) {
    list->element = std::make_unique<Values>();
    list->element->run = run;
    list->element->type = list->type;
    list->updates = std::make_unique<Updates>();
    list->updates->run = run;
    list->updates->values = list->element.get();
    list->updates->isOfList = true;
  }
  list->updates->kind = kind;
  list->updates->place = place;
  if (!run->sweeping)
    return applyElsewhere(*list->updates, index, slot);
  run->deferred.push_back({list->updates.get(), index, place, run->deferredSlots.size()});
  run->deferredSlots.push_back(*slot);
}

void comm_graph_run_list_deliver(comm_graph_list *list) {
  comm_graph_run *run = list->run;
  // Pairs of a number and a value, after the kind of update: a process may have none.
  std::vector<int64_t> mine = {-1};
  const char *place = "graph program";
  if (list->updates && !list->updates->keys.empty()) {
    Updates &updates = *list->updates;
    mine[0] = updates.kind;
    place = updates.place;
    for (size_t i = 0; i < updates.keys.size(); ++i) {
      mine.push_back(updates.keys[i]);
      mine.push_back(updates.slots[i]);
    }
    updates.keys.clear();
    updates.slots.clear();
    updates.foreign.clear();
  }
  auto count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<size_t>(run->view.processes)), places(counts.size());
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, run->comm);
  int total = 0;
  for (size_t p = 0; p < counts.size(); ++p) {
    places[p] = total;
    total += counts[p];
  }
  std::vector<int64_t> all(static_cast<size_t>(total));
  MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), places.data(), MPI_INT64_T, run->comm);
  Values element;
  element.run = run;
  element.type = list->type;
  Updates how;
  how.run = run;
  how.values = &element;
  how.place = place;
  // Apply in the order of ranks, so that all processes get the same list.
  for (size_t p = 0; p < counts.size(); ++p)
    for (int i = places[p] + 1; i < places[p] + counts[p]; i += 2) {
      char *to = list->at(all[static_cast<size_t>(i)]);
      const int64_t *slot = &all[static_cast<size_t>(i) + 1];
      auto kind = static_cast<int>(all[static_cast<size_t>(places[p])]);
      if (kind == COMM_GRAPH_ASSIGN)
        memcpy(to, slot, list->width());
      else
        combine(how, kind, to, slot);
    }
}
