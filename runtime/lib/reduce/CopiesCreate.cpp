// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation of copies: each process tells the owners which of their values it copies.
#include "Copies.h"

#include <algorithm>
#include <map>
#include <memory>
#include <new>

using namespace comm::reduce;

int comm_copies_create(comm_reduce *reduce, int64_t owned, int owners, const int *ranks, const int64_t *counts,
                       const uint32_t *index, comm_copies **copies) {
  if (!reduce || !copies)
    return COMM_REDUCE_ERR_ARG;
  *copies = nullptr;
  const Processes &processes = reduce->processes;
  std::unique_ptr<comm_copies> made(new (std::nothrow) comm_copies(reduce));
  int64_t total = 0;
  bool isWrong = owned < 0 || owners < 0 || (owners && (!ranks || !counts));
  for (int k = 0; k < owners && !isWrong; ++k) {
    isWrong = ranks[k] <= (k ? ranks[k - 1] : -1) || ranks[k] >= processes.size || ranks[k] == processes.rank ||
              counts[k] < 0 || counts[k] > UINT32_MAX;
    total += counts[k];
  }
  isWrong = isWrong || total + owned > UINT32_MAX || (total && !index);

  // Vote first, so that all processes learn of an error before any other message.
  comm_reduce_votes votes = {};
  votes.max[0] = isWrong ? COMM_REDUCE_ERR_ARG : made ? COMM_REDUCE_SUCCESS : COMM_REDUCE_ERR_MEMORY;
  if (int code = comm_reduce_vote(reduce, &votes))
    return code;
  if (votes.max[0])
    return static_cast<int>(votes.max[0]);

  made->owned = static_cast<size_t>(owned);
  made->total = static_cast<size_t>(total);
  std::map<int, Partner> partners;
  auto partner = [&](int rank) -> Partner & {
    return partners.try_emplace(rank, Partner{rank, 0, 0, {}}).first->second;
  };
  comm_reduce_lists *requests = nullptr;
  if (int code = comm_reduce_lists_create(reduce, sizeof(uint32_t), &requests))
    return code;
  size_t next = 0;
  for (int k = 0; k < owners; ++k) {
    if (!counts[k])
      continue;
    Partner &owner = partner(ranks[k]);
    owner.start = next;
    owner.count = static_cast<size_t>(counts[k]);
    for (; next < owner.start + owner.count; ++next)
      *static_cast<uint32_t *>(comm_reduce_append(requests, ranks[k])) = index[next];
  }
  auto receive = [](void *context, int source, const void *records, size_t count) {
    const auto *places = static_cast<const uint32_t *>(records);
    auto &list = (*static_cast<decltype(partner) *>(context))(source).lent.places;
    list.insert(list.end(), places, places + count);
  };
  int code = comm_reduce_deliver(requests, receive, &partner, nullptr);
  comm_reduce_lists_free(&requests);
  if (code)
    return code;

  votes = {};
  made->partners.reserve(partners.size());
  for (auto &[rank, one] : partners) {
    Lent &lent = made->partners.emplace_back(std::move(one)).lent;
    lent.places.shrink_to_fit();
    for (uint32_t place : lent.places)
      if (place >= made->owned)
        votes.max[0] = COMM_REDUCE_ERR_ARG;
    if (!votes.max[0])
      lent.index(made->owned);
    made->counted += sizeof(Partner) + 4 * lent.places.size() + 12 * lent.mask.size();
  }
  if (!reduce->account.take(made->counted)) {
    made->counted = 0;
    votes.max[0] = std::max<int64_t>(votes.max[0], COMM_REDUCE_ERR_MEMORY);
  }
  if (int failed = comm_reduce_vote(reduce, &votes))
    return failed;
  if (votes.max[0])
    return static_cast<int>(votes.max[0]);
  *copies = made.release();
  return COMM_REDUCE_SUCCESS;
}

int comm_copies_free(comm_copies **copies) {
  if (!copies)
    return COMM_REDUCE_ERR_ARG;
  delete *copies;
  *copies = nullptr;
  return COMM_REDUCE_SUCCESS;
}

int comm_copies_lent(const comm_copies *copies, int rank, const uint32_t **places, int64_t *count) {
  if (!copies || !places || !count || rank < 0 || rank >= copies->reduce->processes.size)
    return COMM_REDUCE_ERR_ARG;
  const Partner *partner = copies->find(rank);
  *places = partner ? partner->lent.places.data() : nullptr;
  *count = partner ? static_cast<int64_t>(partner->lent.places.size()) : 0;
  return COMM_REDUCE_SUCCESS;
}

int comm_copies_next_borrower(const comm_copies *copies, int rank, const uint32_t **places, int64_t *count) {
  if (!copies || !places || !count)
    return -1;
  auto partner = std::upper_bound(copies->partners.begin(), copies->partners.end(), rank,
                                  [](int other, const Partner &each) { return other < each.rank; });
  while (partner != copies->partners.end() && partner->lent.places.empty())
    ++partner;
  if (partner == copies->partners.end())
    return -1;
  *places = partner->lent.places.data();
  *count = static_cast<int64_t>(partner->lent.places.size());
  return partner->rank;
}
