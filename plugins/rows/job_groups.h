// Groups of jobs: rows that were inserted with one group's name, counted until all of them have ended, so that other rows
// can wait for that (waits.h). An object of the log: its record states its name, whether it is open, what has become of
// it and how many of its rows have ended; which rows are left follows from the rows' extras. That all rows have ended, or
// that one has failed, is said by a record, as a replay does not know all rows at once.
//
// Not the groups of messages in queue tables (groups.h), which say who goes first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/table.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/records.h"
#include "plugins/rows/regions.h"

namespace fastjournal::rows {

struct JobGroup {
  ObjectId id{};
  bool is_known{false};  // a record has named it: of others a replay knows rows only
  std::uint32_t region{0};
  std::string name{};
  std::int64_t made{0};
  std::int64_t ended{0};  // 0: it has not
  bool is_open{false};    // it does not end
  bool has_failed{false};
  bool is_well{false};  // all its rows ended well
  std::uint64_t done{0};
  std::uint64_t failed{0};                // gone without being done
  std::uint64_t parked{0};                // of those that are there
  std::uint64_t pins{0};                  // inserts that are promised
  absl::btree_set<std::uint64_t> rows{};  // that are there, by id

  // Rows that will be tried, or are.
  [[nodiscard]] std::uint64_t unfinished() const { return rows.size() - parked; }
  [[nodiscard]] GroupBody body() const { return {name, is_open, has_failed, is_well, made, ended, done, failed}; }
};

// Of one table; owned by its state.
class JobGroups {
 public:
  explicit JobGroups(std::uint64_t hash_seed) : names_(0, NameHash{hash_seed}) {}

  // -- reading ------------------------------------------------------------
  // Null: there is none.
  [[nodiscard]] JobGroup const* find(std::string_view name) const;
  [[nodiscard]] JobGroup const* find(ObjectId id) const;
  // The first one behind this id; null: there is none. Those that are not known are passed over.
  [[nodiscard]] JobGroup const* next(ObjectId after) const;
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_; }
  [[nodiscard]] std::uint64_t live_bytes() const { return live_; }
  [[nodiscard]] Regions const& regions() const { return regions_; }

  // -- deciding -----------------------------------------------------------
  // The date of the next step; INT64_MAX: there is none. `keep_ms`: groups that ended are kept so long.
  [[nodiscard]] std::int64_t next_due(std::int64_t keep_ms) const;
  // What has become of groups, at most so many records. Returns their number.
  std::uint32_t decide(std::int64_t keep_ms, std::int64_t now, std::uint32_t max, Records& records) const;
  bool compact(Lsn below, CopyRoom& room, Records& records) const;
  void digest(DigestSink& sink) const;

  // -- applying -----------------------------------------------------------
  void apply(ObjectId id, GroupBody const& body, Lsn lsn);
  // False: it is not known.
  bool drop(ObjectId id);
  void join(ObjectId group, ObjectId row);
  void leave(ObjectId group, ObjectId row, bool is_parked);
  void set_parked(ObjectId group, bool is_parked);
  // One of its rows is gone.
  void count(ObjectId group, bool is_done);
  // While it is pinned it does not end.
  void pin(ObjectId id, int by);
  void lower_clock(std::int64_t to);

 private:
  static constexpr std::uint64_t kBytes = sizeof(JobGroup) + 96;

  [[nodiscard]] JobGroup& make(ObjectId id);
  // After a change: whether there is something to decide about it, or when it is dropped.
  void look(JobGroup& group);
  void forget(JobGroup& group);
  [[nodiscard]] static GroupBody next_body(JobGroup const& group, std::int64_t now);

  absl::btree_map<std::uint64_t, std::unique_ptr<JobGroup>> all_;  // by id
  absl::flat_hash_map<std::string_view, JobGroup*, NameHash, std::equal_to<>> names_;
  absl::btree_set<std::uint64_t> todo_;
  absl::btree_set<std::pair<std::int64_t, std::uint64_t>> over_;  // (end, id) of those without rows
  Regions regions_;
  std::uint64_t memory_{0};
  std::uint64_t live_{0};
};

}  // namespace fastjournal::rows
