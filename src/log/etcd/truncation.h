// The entries of the log from its base on. An owner moves the base and removes the entries below it, a quarter of a
// segment at least; it also compacts etcd's older revisions, of use only to a node further behind than one round.
//
// Owned by EtcdLog; lives on its thread. It alone changes the key `base`, and removes entries below it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "log/etcd/appender.h"
#include "log/etcd/client/cluster.h"
#include "log/etcd/entry.h"
#include "log/etcd/names.h"
#include "log/etcd/options.h"
#include "log/etcd/reader.h"

namespace fastjournal::log::etcd {

class Truncation {
 public:
  Truncation(api::Cluster& cluster, Names const& names, EtcdLogOptions const& options, Appender const& appender)
      : cluster_(cluster), names_(names), options_(options), appender_(appender) {}

  // The log is read from its base on.
  void begin(Head const& head);
  // One more entry, which is durable.
  void keep(Appender::Written const& entry);
  // Of the entries that are there.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Where the first of them begins; `end` if there is none.
  [[nodiscard]] Lsn first_lsn(Lsn end) const { return entries_.empty() ? end : entries_.front().lsn; }

  // This node is the owner, and appends from `begin` on.
  void begin_owning(std::uint64_t token, Lsn begin, std::int64_t now_us);
  void end_owning();
  // Log::set_base(). All up to `rests_on` must be durable before.
  void set_base(Lsn base, Lsn catalogue, Lsn rests_on);
  // Nothing below is needed, whether it is removed or not.
  [[nodiscard]] Lsn base_lsn() const { return base_told_; }
  void tick(std::int64_t now_us);
  // False: it is none of its requests.
  [[nodiscard]] bool take(api::Answer const& answer);
  // Another one owns the log.
  [[nodiscard]] bool is_fenced() const { return is_fenced_; }

 private:
  void truncate();
  void take_truncation(api::Answer const& answer);
  void compact(std::int64_t now_us);

  struct Wished {
    Lsn base{};
    Lsn catalogue{};
    Lsn rests_on{};
  };

  api::Cluster& cluster_;
  Names const& names_;
  EtcdLogOptions const& options_;
  Appender const& appender_;
  Base base_{};
  std::int64_t base_revision_{0};
  std::deque<Appender::Written> entries_;  // from the base on,
  std::uint64_t bytes_{0};                 // and theirs
  std::uint64_t token_{0};                 // 0: this node is not the owner
  bool is_fenced_{false};
  Lsn base_told_{};
  std::optional<Wished> wished_;
  Base truncating_to_{};
  api::RequestId truncating_{0};
  api::RequestId compacting_{0};
  std::int64_t compact_at_us_{0};
  std::int64_t compact_to_{0};  // the revision of the last time
};

}  // namespace fastjournal::log::etcd
