// The log as a node has read it: entries come in any order, wait until those before them are there, and become records
// (stream.h).
//
// Owned by EtcdLog; lives on its thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "log/etcd/names.h"
#include "log/etcd/reader.h"
#include "log/etcd/stream.h"
#include "log/etcd/truncation.h"
#include "log/shared_log.h"

namespace fastjournal::log::etcd {

class Follower {
 public:
  // `truncation` gets each entry that became records.
  Follower(Names const& names, Following& following, Truncation& truncation)
      : names_(names), following_(following), truncation_(truncation) {}

  // Anew, from this base on.
  void begin(Head const& head);
  [[nodiscard]] bool has(std::uint64_t sequence) const { return sequence < stream_.next_sequence(); }
  // More entries than an owner has under way are behind a gap: what is missing will not come.
  [[nodiscard]] bool is_full() const;
  // Not ok: it cannot be read.
  [[nodiscard]] Status add(std::uint64_t sequence, std::string_view value, std::int64_t now_us);
  void remove(std::uint64_t sequence) { ahead_.erase(sequence); }
  // Entries behind a gap are no part of the log.
  void cut() { ahead_.clear(); }

  [[nodiscard]] std::uint64_t store_id() const { return store_id_; }
  [[nodiscard]] std::uint64_t next_sequence() const { return stream_.next_sequence(); }
  // Of what was handed on.
  [[nodiscard]] Lsn applied() const { return stream_.applied(); }
  // Of all entries that were seen, those behind a gap too.
  [[nodiscard]] Lsn end() const { return std::max(seen_end_, stream_.end()); }
  // If there is still a gap then, the watch lost an event; INT64_MAX: there is none.
  [[nodiscard]] std::int64_t gap_until_us() const;

 private:
  Names const& names_;
  Following& following_;
  Truncation& truncation_;
  std::uint64_t store_id_{0};
  Stream stream_;
  std::map<std::uint64_t, std::string> ahead_;  // entries behind a gap
  std::int64_t ahead_since_us_{INT64_MAX};
  Lsn seen_end_{};
};

}  // namespace fastjournal::log::etcd
