#include "plugins/keyvalue/room.h"

#include <algorithm>

#include "base/transaction_mutants.h"
#include "plugins/keyvalue/mutants.h"
#include "plugins/keyvalue/records.h"

namespace fastjournal::keyvalue {
namespace {

// Pairs that could go, of which the one that was not used for longest does; and all that are looked at for these.
constexpr int kCandidates = 16;
constexpr std::uint32_t kRoomLooksMax = 1'000;
// Dropped by one command.
constexpr std::uint32_t kDroppedMax = 1'000;
// Of an entry, beside its key and its value.
constexpr std::size_t kEntryBytes = 40;

}  // namespace

// In the order of the keys, from where the last search ended: the accesses of neighbours say nothing of each other.
Handle Room::oldest(std::string_view keeps, Decision& decision) const {
  Handle best = kNoPair;
  std::uint32_t best_access = UINT32_MAX;
  int found = 0;
  std::uint32_t looked = 0;
  Handle const kept = shared_.pairs.find(keeps);
  auto const look = [&](Pairs::Entry const& entry) {
    hand_ = entry.key;
    ++looked;
    Pair const pair = shared_.pairs.at(entry.pair);
    bool const may_go = !entry.is_alias && entry.pair != kept && !pair.facts.is_deleted &&
                        (!pair.facts.persist || is_mutant(Mutant::persistent_pair_evicted)) &&
                        !pair.facts.is_locked(decision.now.value) &&
                        (shared_.holds.holder_of(pair.key) == TransactionId::none ||
                         transaction::is_mutant(transaction::Mutant::held_key_evicted));
    if (may_go) ++found;
    if (may_go && (pair.accessed_s <= best_access || is_mutant(Mutant::newest_pair_evicted))) {
      best = entry.pair;
      best_access = pair.accessed_s;
    }
    return found < kCandidates && looked < kRoomLooksMax;
  };
  shared_.pairs.for_each(hand_, true, look);
  if (found < kCandidates && looked < kRoomLooksMax) shared_.pairs.for_each({}, false, look);
  decision.looks += looked;
  return best;
}

Room::Answer Room::make(std::size_t bytes, std::uint64_t new_pairs, std::string_view keeps, Decision& decision) const {
  Options const& options = shared_.options;
  std::uint64_t const pairs = shared_.pairs.size() + shared_.pairs.tombstones() + shared_.holds.rows();
  bool const is_full = new_pairs > 0 && options.pairs_max != 0 && pairs + new_pairs > options.pairs_max;
  bool const is_large = options.memory_max != 0 && shared_.memory_bytes() + shared_.holds.bytes() + bytes +
                                                           std::max<std::uint64_t>(new_pairs, 1) * kEntryBytes >
                                                       options.memory_max;
  if (!is_full && !is_large && !shared_.pairs.is_nearly_full()) return Answer::there;
  if (options.evicts && decision.step < kDroppedMax)
    if (Handle const victim = oldest(keeps, decision); victim != kNoPair) {
      Pair const pair = shared_.pairs.at(victim);
      append_gone(decision.records, pair.id(), pair.key);
      ++shared_.statistics.evicted;
      return Answer::made;
    }
  decision.status =
      Status{Code::over_limit,
             "table " + shared_.table() + " is full: it has " + std::to_string(pairs) + " pairs in " +
                 std::to_string(shared_.memory_bytes()) + " bytes; delete some, or raise " +
                 (is_full ? "pairs-max" : "memory-max") +
                 (options.evicts ? "; nothing without persist is left to be dropped" : ", or say when-full evict")};
  return Answer::none;
}

}  // namespace fastjournal::keyvalue
