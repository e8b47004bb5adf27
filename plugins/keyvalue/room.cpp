#include "plugins/keyvalue/room.h"

#include <algorithm>
#include <utility>

#include "plugins/keyvalue/records.h"

namespace fastjournal::keyvalue {
namespace {

// Pairs that could go, of which the one that was not used for longest does; and all that are looked at for these.
constexpr int kCandidates = 16;
// Memory is given back in pages only, but for large values: where none of the same size may go, nor a large one, more of
// them are compared, so that those go first which came together.
constexpr int kCandidatesForPages = 100;
constexpr int kFittingCandidates = 4;
constexpr std::uint32_t kRoomWorkUnitsMax = 1'000;
// As long as none of them may go.
constexpr std::uint32_t kRoomWorkUnitsMost = 20'000;
// Dropped by one command.
constexpr std::uint32_t kDroppedMax = 1'000;
// Of an entry, beside its key and its value.
constexpr std::size_t kEntryBytes = 40;

}  // namespace

// In the order of the keys, from where the last search ended: the accesses of neighbours say nothing of each other.
Handle Room::oldest(std::string_view keeps, std::size_t entry_bytes, bool& is_fitting, Decision& decision) const {
  struct Best {
    Handle pair{kNoPair};
    std::uint32_t access{UINT32_MAX};
    int found{0};
  };
  Best any;
  Best freeing;
  Best fitting;
  std::uint32_t looked = 0;
  Handle const kept = shared_.pairs.find(keeps);
  auto const look = [&](Pairs::Entry const& entry) {
    hand_ = entry.key;
    ++looked;
    Pair const pair = shared_.pairs.at(entry.pair);
    bool const may_go = !entry.is_alias && entry.pair != kept && !pair.facts.is_deleted && !pair.facts.persist &&
                        !pair.facts.is_locked(decision.now.value) &&
                        shared_.holds.holder_of(pair.key) == TransactionId::none;
    auto const compare = [&](Best& best) {
      ++best.found;
      if (pair.accessed_s > best.access) return;
      best.pair = entry.pair;
      best.access = pair.accessed_s;
    };
    if (may_go && any.found < (entry_bytes == 0 ? kCandidates : kCandidatesForPages)) compare(any);
    if (may_go && entry_bytes != 0)
      if (Pairs::Left const left = shared_.pairs.left_by(entry.pair, entry_bytes); left != Pairs::Left::nothing)
        compare(left == Pairs::Left::room ? fitting : freeing);
    bool const has_enough = entry_bytes == 0 ? any.found >= kCandidates : fitting.found >= kFittingCandidates;
    return !has_enough && looked < (any.found == 0 ? kRoomWorkUnitsMost : kRoomWorkUnitsMax);
  };
  // Once around at most.
  std::string const begin = hand_;
  bool is_whole = false;
  shared_.pairs.for_each(begin, true, [&](Pairs::Entry const& entry) { return is_whole = look(entry); });
  if (is_whole || looked == 0)
    shared_.pairs.for_each({}, false, [&](Pairs::Entry const& entry) { return entry.key <= begin && look(entry); });
  decision.work_units += looked;
  is_fitting = fitting.pair != kNoPair;
  return is_fitting ? fitting.pair : freeing.pair != kNoPair ? freeing.pair : any.pair;
}

Room::Answer Room::make(std::size_t bytes, std::uint64_t new_pairs, std::string_view keeps, std::size_t entry,
                        Decision& decision) const {
  Options const& options = shared_.options;
  std::uint64_t const pairs = shared_.pairs.size() + shared_.pairs.tombstones() + shared_.holds.rows();
  bool const is_full = new_pairs > 0 && options.pairs_max != 0 && pairs + new_pairs > options.pairs_max;
  bool const is_large = options.memory_max != 0 && shared_.memory_bytes() + shared_.holds.bytes() + bytes +
                                                           std::max<std::uint64_t>(new_pairs, 1) * kEntryBytes >
                                                       options.memory_max;
  bool const has_slot = std::exchange(has_slot_, false) && decision.step > 0;
  if (!is_full && (!is_large || has_slot) && !shared_.pairs.is_nearly_full()) return Answer::there;
  std::uint64_t const work_units = decision.work_units;
  if (shared_.evicts() && decision.step < kDroppedMax)
    if (Handle const victim = oldest(keeps, is_large ? entry : 0, has_slot_, decision); victim != kNoPair) {
      Pair const pair = shared_.pairs.at(victim);
      model::append_record(decision.records, pair.id(), GoneBody{pair.key});
      ++shared_.statistics.evicted;
      return Answer::made;
    }
  std::string_view const why = !shared_.evicts()              ? ", or say when-full evict"
                               : decision.step >= kDroppedMax ? "; as many as one command may were dropped for this one"
                               : decision.work_units - work_units < kRoomWorkUnitsMost
                                   ? "; nothing without persist is left to be dropped"
                                   : "; of the next 20000 pairs none may be dropped: try again";
  decision.status =
      Status{Code::over_limit, "table " + shared_.table() + " is full: it has " + std::to_string(pairs) + " pairs in " +
                                   std::to_string(shared_.memory_bytes()) + " bytes; delete some, or raise " +
                                   (is_full ? "pairs-max" : "memory-max") + std::string{why}};
  return Answer::none;
}

}  // namespace fastjournal::keyvalue
