// The last records of a table for its followers: each with the LSN of the table's record before it, so that a follower
// notices a missing one. Derived state: filled by what is appended, at a start by the replay. They are kept in memory
// and not read from the log, so that FETCH needs no disk and works with every kind of log. The schemas in use are among
// them, as records of the catalogue: a follower could not read rows without.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "fastjournal/declaration.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::feed {

class Feed {
 public:
  struct Entry {
    Lsn lsn;
    Lsn previous;   // none: not known, since a start that found no record of the table
    TableId table;  // the catalogue, if it states a schema of the table
    std::uint8_t type{0};
    std::uint8_t version{0};
    ObjectId object;
    std::string body;

    [[nodiscard]] RecordView view() const {
      return {table, type, version, lsn, object, {reinterpret_cast<std::byte const*>(body.data()), body.size()}};
    }
  };
  using Entries = std::deque<Entry>;  // by LSN

  explicit Feed(std::uint64_t keep_bytes) : keep_bytes_(keep_bytes) {}

  // It was appended to the log; it may be sent once the log is durable beyond it.
  void note(RecordView const& record);
  // Marks all records so far as sent; records below `from` were never noted.
  void begin(Lsn from);
  void keep(std::uint64_t bytes);

  // Every record at or above it is kept.
  [[nodiscard]] Lsn kept_from() const { return kept_from_; }
  [[nodiscard]] Entries const& entries() const { return entries_; }
  // The first one at or above `lsn`.
  [[nodiscard]] Entries::const_iterator find(Lsn lsn) const {
    return std::lower_bound(entries_.begin(), entries_.end(), lsn,
                            [](Entry const& entry, Lsn wanted) { return entry.lsn < wanted; });
  }

  // The first record that was not sent yet: all from here to the end of entries().
  [[nodiscard]] Entries::const_iterator unsent() const {
    return entries_.begin() + static_cast<std::ptrdiff_t>(unsent_);
  }
  [[nodiscard]] bool has_unsent() const { return unsent_ < entries_.size(); }
  void sent_one() { sent_to_ = entries_[unsent_++].lsn; }
  // The last one that was sent; none: there is none.
  [[nodiscard]] Lsn sent_to() const { return sent_to_; }
  // Records that were dropped before they could be sent, because there were too many in one turn.
  [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }

 private:
  void drop_old();

  std::uint64_t keep_bytes_;
  Entries entries_;
  std::uint64_t bytes_{0};
  std::size_t unsent_{0};  // index into entries_
  Lsn last_{};
  Lsn sent_to_{};
  Lsn kept_from_{};
  std::uint64_t forgotten_{0};
};

}  // namespace fastjournal::feed
