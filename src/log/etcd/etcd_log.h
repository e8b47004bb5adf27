// A log on etcd, as one of several daemons uses it: it follows the log, takes it over when it has no owner, and appends
// to it while it is the owner. etcd keeps the entries, and decides who the owner is. This class is what its server sees
// of the parts. It passes answers of etcd, and what one part tells, to the others:
//
//   Ownership    the phases: who owns the log, claiming and keeping it, with a Lease
//   Reader       what is in etcd, and what changes there
//   Follower     entries become records (Stream)
//   GroupWriter  an owner's records become groups,
//   Appender     and groups durable entries
//   Truncation   entries below the base are removed
//   RollCall     the nodes; QuotaWatch: how full etcd is
//
// A request may take effect long after this node stopped waiting for its answer. So each request that changes something
// names its precondition, and does nothing once a later one took effect: an append its number, which must be
// free; clearing that this owner has not cleared; truncation the base that it found.
//
// Owned by the server, driven on the thread of the loop by end_turn().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/etcd/appender.h"
#include "log/etcd/client/cluster.h"
#include "log/etcd/follower.h"
#include "log/etcd/group_writer.h"
#include "log/etcd/names.h"
#include "log/etcd/options.h"
#include "log/etcd/ownership.h"
#include "log/etcd/quota_watch.h"
#include "log/etcd/reader.h"
#include "log/etcd/roll_call.h"
#include "log/etcd/truncation.h"
#include "log/shared_log.h"

namespace fastjournal::log::etcd {

class EtcdLog final : public SharedLog, private ReaderSink, private OwnershipSink {
 public:
  EtcdLog(api::Cluster& cluster, EtcdLogOptions options, Following& following);

  using Phase = Ownership::Phase;
  [[nodiscard]] Phase phase() const { return ownership_.phase(); }
  [[nodiscard]] std::int64_t valid_until_us() const { return ownership_.valid_until_us(); }
  // Of what was handed to `following`.
  [[nodiscard]] Lsn applied() const { return follower_.applied(); }

  // -- log::Log --------------------------------------------------------------
  [[nodiscard]] bool reserve(std::size_t bytes, bool removing) override {
    return is_owned() && writer_.reserve(bytes, removing);
  }
  [[nodiscard]] std::string shortage() const override { return is_owned() ? writer_.shortage() : why_.message(); }
  [[nodiscard]] bool reserve_to_compact(std::size_t bytes) override {
    return is_owned() && writer_.reserve_to_compact(bytes);
  }
  void keep_for_compaction(std::uint64_t bytes) override { writer_.keep_for_compaction(bytes); }
  [[nodiscard]] bool hold(std::size_t bytes, bool removing) override {
    return is_owned() && writer_.hold(bytes, removing);
  }
  void free(std::size_t bytes) override { writer_.free(bytes); }
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override {
    return writer_.append(table, type, version, object, body_bytes);
  }
  // Every one is synced by etcd before it is acknowledged: there is no other durability.
  void end_group(Durability) override { writer_.end_group(); }
  [[nodiscard]] Status commit() override;
  // While another node decides: of what has come from it.
  [[nodiscard]] Lsn end_lsn() const override { return ownership_.follows() ? applied() : writer_.end_lsn(); }
  [[nodiscard]] Lsn durable_lsn() const override { return ownership_.follows() ? applied() : appender_.durable(); }
  [[nodiscard]] Lsn needed_lsn() const override { return writer_.needed_lsn(); }
  [[nodiscard]] Lsn written_lsn() const override { return appender_.durable(); }
  [[nodiscard]] Lsn found_lsn() const override { return writer_.found_lsn(); }
  [[nodiscard]] Lsn sure_lsn() const override { return appender_.durable(); }
  void set_base(Lsn base, Lsn catalogue) override {
    if (is_owned()) truncation_.set_base(base, catalogue, end_lsn());
  }
  [[nodiscard]] bool skip_to(Lsn at) override { return is_owned() && writer_.skip_to(at); }
  [[nodiscard]] Lsn base_lsn() const override { return truncation_.base_lsn(); }
  [[nodiscard]] std::uint32_t start() const override { return ownership_.start(); }
  [[nodiscard]] std::uint64_t store_id() const override { return follower_.store_id(); }
  [[nodiscard]] LogUsage usage() const override { return writer_.usage(end_lsn()); }

  // -- SharedLog -----------------------------------------------------------------
  [[nodiscard]] std::string const& node() const override { return options_.node; }
  [[nodiscard]] Owner owner() const override { return ownership_.owner(); }
  [[nodiscard]] bool is_owned() const override { return phase() == Phase::owning; }
  [[nodiscard]] bool is_current() const override { return ownership_.is_current(); }
  void follow_again(std::int64_t now_us) override;
  void step_down(std::int64_t until_us) override { ownership_.step_down(until_us, now_us_); }
  void be_candidate(bool is_candidate) override { ownership_.be_candidate(is_candidate, now_us_); }
  void declare(std::vector<DeclaredTable> tables) override { nodes_.declare(std::move(tables)); }
  [[nodiscard]] std::vector<Node> const& nodes() const override { return nodes_.all(); }

  // -- LogStore ----------------------------------------------------------------
  [[nodiscard]] std::string const& name() const override { return options_.name; }
  [[nodiscard]] State state() const override;
  [[nodiscard]] bool may_answer(std::int64_t now_us) const override;
  [[nodiscard]] Status const& why() const override { return why_; }
  [[nodiscard]] bool end_turn(std::int64_t now_us) override;
  [[nodiscard]] std::int64_t next_us() const override;
  [[nodiscard]] Result<LogSnapshot> pin() override {
    return Status{Code::not_supported,
                  "log " + options_.name + " is on etcd: it is backed up with etcd's own snapshots"};
  }
  [[nodiscard]] Status shut_down() override;
  [[nodiscard]] std::vector<LogNews> take_news() override { return std::exchange(news_, {}); }
  [[nodiscard]] LogDescription describe() const override {
    return {.folder = {}, .durability = "synced by most members of etcd"};
  }

 private:
  // ReaderSink
  void on_begin(Head const& head) override;
  void on_entry(std::uint64_t sequence, std::string_view value) override;
  void on_entry_gone(std::uint64_t sequence) override { follower_.remove(sequence); }
  void on_own(std::optional<api::KeyValue> const& own) override;
  void on_start(std::uint32_t start, std::int64_t revision) override { ownership_.on_start(start, revision); }
  void on_current() override;

  // OwnershipSink
  void on_owned() override;
  void on_fenced(std::string why, bool is_wanted) override;

  // Takes what has come, and does what is due.
  void tick();
  void take(api::Answer const& answer);
  // Groups wait until an operator makes room in etcd. Clients that wait for them are told why.
  [[nodiscard]] bool is_stuck() const { return quota_.has_alarm() && appender_.open_bytes() > 0; }
  void note_trouble();
  // "log NAME" and `what`.
  [[nodiscard]] Status unavailable(std::string_view what) const;
  [[nodiscard]] Status owned_by_another(bool is_there) const;

  api::Cluster& cluster_;
  EtcdLogOptions options_;
  Names names_;
  Reader reader_;
  Appender appender_;
  RollCall nodes_;
  QuotaWatch quota_;
  Truncation truncation_;
  Follower follower_;
  GroupWriter writer_;
  Ownership ownership_;
  Status why_;
  std::string silence_;  // why the last request was not done; empty: it was
  std::vector<LogNews> news_;
  std::int64_t now_us_{0};
};

}  // namespace fastjournal::log::etcd
