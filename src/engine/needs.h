// The needs of the tables of a log: from where on, and how many bytes. Each table counts as it was when it was last
// looked at; a change is noted, and only changed tables are looked at again. So ten thousand tables of which one
// changes cost no more than one.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "fastjournal/types.h"

namespace fastjournal::engine {

struct HostedTable;

// Tables with objects, by the oldest record that each needs.
using NeedPlace = std::pair<Lsn, HostedTable*>;
struct NeededEarlier {
  [[nodiscard]] bool operator()(NeedPlace const& a, NeedPlace const& b) const;
};
using TablesByNeed = std::set<NeedPlace, NeededEarlier>;

// Of one table, as of the last look.
struct Need {
  Lsn oldest{};                    // of its records; none: it has no objects
  TablesByNeed::iterator place{};  // if it has any
  std::uint64_t live_bytes{0};
  bool waits_for_look{false};
};

class Needs {
 public:
  // A table came, or may have changed.
  void note(HostedTable& table);
  // It leaves the log, or is about to be dropped.
  void forget(HostedTable& table);
  // At those that were noted. What follows is as of then.
  void look();
  // At this one alone.
  void look_at(HostedTable& table);

  // Records of all tables from here on are needed, also those that carry bytes which are not durable in their files;
  // none: no record is.
  [[nodiscard]] Lsn oldest();
  // The table with the oldest object; null: no table has any.
  [[nodiscard]] HostedTable* first() const { return by_oldest_.empty() ? nullptr : by_oldest_.begin()->second; }
  // The next one behind it, also if that was looked at since. Begins with {}.
  [[nodiscard]] HostedTable* after(NeedPlace const& place) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
  // Tables that were looked at since the start.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  std::vector<HostedTable*> noted_;
  TablesByNeed by_oldest_;
  std::vector<HostedTable*> carrying_;  // with bytes that may not be durable in their files
  std::uint64_t live_bytes_{0};
  std::uint64_t looks_{0};
};

}  // namespace fastjournal::engine
