// The appending side of an owner: room is reserved, records fill the open group, and whole groups go to the appender.
// It also says how much room is used, and why there is none.
//
// Owned by EtcdLog, which reserves and skips only while this node owns the log; lives on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fastjournal/record.h"
#include "fastjournal/types.h"
#include "log/etcd/appender.h"
#include "log/etcd/options.h"
#include "log/etcd/quota_watch.h"
#include "log/etcd/truncation.h"
#include "log/log.h"

namespace fastjournal::log::etcd {

class GroupWriter {
 public:
  GroupWriter(EtcdLogOptions const& options, Appender& appender, Truncation const& truncation, QuotaWatch const& quota)
      : options_(options), appender_(appender), truncation_(truncation), quota_(quota) {}

  // `end`: of all that the owner found. Its own records begin beyond; owner.begin is set to that.
  void begin(Appender::Owner owner, Lsn end);
  // Not the owner any more: the open group is dropped.
  void end();
  // Those who held room are gone.
  void forget();
  // Sends the appended groups. True: there was one.
  [[nodiscard]] bool end_turn(std::int64_t now_us);

  // As those of Log.
  [[nodiscard]] bool reserve(std::size_t bytes, bool removing);
  [[nodiscard]] bool reserve_to_compact(std::size_t bytes);
  void keep_for_compaction(std::uint64_t bytes) { kept_for_compaction_ = bytes; }
  [[nodiscard]] bool hold(std::size_t bytes, bool removing);
  void free(std::size_t bytes) { held_ -= bytes; }
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes);
  void end_group();
  [[nodiscard]] bool skip_to(Lsn at);
  [[nodiscard]] Lsn end_lsn() const { return Lsn{appender_.end_lsn().value + open_.size()}; }
  [[nodiscard]] Lsn needed_lsn() const { return needed_; }
  [[nodiscard]] Lsn found_lsn() const { return found_; }
  [[nodiscard]] std::string shortage() const;
  // `end`: of the log, as this node knows it.
  [[nodiscard]] LogUsage usage(Lsn end) const;

 private:
  [[nodiscard]] std::uint64_t kept_bytes() const;
  void make_room(std::size_t bytes);

  EtcdLogOptions const& options_;
  Appender& appender_;
  Truncation const& truncation_;
  QuotaWatch const& quota_;
  std::string open_;            // the group that is open,
  std::size_t last_record_{0};  // its last record
  Lsn needed_{};
  Lsn found_{};
  std::uint64_t held_{0};
  std::uint64_t kept_for_compaction_{0};
};

}  // namespace fastjournal::log::etcd
