// A log on etcd, as one of several daemons uses it: it follows the log, takes it over when nobody owns it, and appends to
// it while it is the owner. etcd keeps the entries, and decides who the owner is.
//
//   reading    what is there is read from the base on
//   following  whoever owns it appends, and what comes is handed on (RecordSink)
//   claiming   nobody owns it: this node tries to, with a lease
//   settling   it is the owner, and reads up to the revision at which it became that: nobody else can append any more
//   clearing   entries behind a gap, which nobody acknowledged, are removed
//   owning     it appends. It answers until the lease may be over (valid_until_us), and again once that was renewed
//   fenced     another owner is there, or may be: what was not durable may have come through or not
//
// Its token is the revision of the key `own`: an append is refused by etcd once that has changed. So no clock decides
// what is in the log. Clocks decide only until when an owner answers what it reads from its memory: its lease, counted from
// the moment before the last renewal was sent that was answered.
//
// Whatever it sends may be carried out long after its answer was given up. So each request that changes something names
// what must still be as it was, and does nothing once a later one was carried out: an append its number, which must be
// free; clearing that this owner has not cleared; truncation the base that it found.
//
// Owned by the server, driven on the thread of the loop by end_turn().
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "log/etcd/appender.h"
#include "log/etcd/client/cluster.h"
#include "log/etcd/names.h"
#include "log/etcd/quota_watch.h"
#include "log/etcd/reader.h"
#include "log/etcd/roll_call.h"
#include "log/etcd/stream.h"
#include "log/shared_log.h"

namespace fastjournal::log::etcd {

struct EtcdLogOptions {
  std::string name;
  std::string prefix;             // of its keys
  std::string node;               // of this daemon: told to others
  std::string address;            // where its clients reach it
  std::uint64_t new_store_id{0};  // if the log is not there so far
  bool is_candidate{true};
  std::int64_t ttl_s{2};
  std::int64_t margin_us{200'000};  // of the lease, for clocks that are not equally fast
  std::int64_t turn_us{30'000};     // it lets each node that is further go first for so long
  std::int64_t request_timeout_us{1'000'000};
  std::uint64_t waiting_bytes_max{8U << 20U};  // not durable: then nothing more is taken
  std::uint64_t container_bytes{1U << 20U};    // what is removed at once
  std::uint64_t bytes_max{256U << 20U};        // of all entries
  std::uint64_t quota_bytes{2ULL << 30U};      // of etcd, for all that is in it
  std::int64_t compact_every_us{10'000'000};
  AppendOptions append{};
};

class EtcdLog final : public SharedLog, private ReaderSink {
 public:
  EtcdLog(api::Cluster& cluster, EtcdLogOptions options, Following& following);

  enum class Phase : std::uint8_t { reading, following, claiming, settling, clearing, owning, fenced };
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] std::int64_t valid_until_us() const { return valid_until_us_; }
  [[nodiscard]] std::uint64_t token() const { return token_; }
  [[nodiscard]] bool follows() const { return phase_ == Phase::reading || phase_ == Phase::following; }
  // Of what was handed to `following`.
  [[nodiscard]] Lsn applied() const { return stream_.applied(); }

  // -- log::Log --------------------------------------------------------------
  [[nodiscard]] bool reserve(std::size_t bytes, bool removing) override;
  [[nodiscard]] std::string shortage() const override;
  [[nodiscard]] bool reserve_to_copy(std::size_t bytes) override;
  void keep_for_copy(std::uint64_t bytes) override { kept_for_copy_ = bytes; }
  [[nodiscard]] bool hold(std::size_t bytes, bool removing) override;
  void free(std::size_t bytes) override { held_ -= bytes; }
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override;
  void end_group(Durability durability) override;
  [[nodiscard]] Status commit() override;
  void want_sync() override {}
  // While another node decides: of what has come from it.
  [[nodiscard]] Lsn end_lsn() const override {
    return follows() ? stream_.applied() : Lsn{appender_.end_lsn().value + open_.size()};
  }
  [[nodiscard]] Lsn durable_lsn() const override { return follows() ? stream_.applied() : appender_.durable(); }
  [[nodiscard]] Lsn needed_lsn() const override { return needed_; }
  [[nodiscard]] Lsn written_lsn() const override { return appender_.durable(); }
  [[nodiscard]] Lsn found_lsn() const override { return found_; }
  [[nodiscard]] Lsn sure_lsn() const override { return appender_.durable(); }
  void set_base(Lsn base, Lsn catalogue) override;
  [[nodiscard]] Status reset() override { return {}; }
  [[nodiscard]] bool skip_to(Lsn at) override;
  [[nodiscard]] Lsn base_lsn() const override { return base_told_; }
  [[nodiscard]] std::uint32_t start() const override { return start_; }
  [[nodiscard]] std::uint64_t store_id() const override { return store_id_; }
  [[nodiscard]] LogUsage usage() const override;
  [[nodiscard]] Lsn damaged_end() const override { return kNoLsn; }

  // -- SharedLog -----------------------------------------------------------------
  [[nodiscard]] std::string const& node() const override { return options_.node; }
  [[nodiscard]] Owner owner() const override;
  [[nodiscard]] bool is_owned() const override { return phase_ == Phase::owning; }
  [[nodiscard]] bool is_current() const override { return phase_ != Phase::reading && phase_ != Phase::fenced; }
  void follow_again(std::int64_t now_us) override;
  void step_down(std::int64_t until_us) override;
  void be_candidate(bool is_candidate) override;
  void declare(std::vector<DeclaredTable> tables) override { nodes_.declare(std::move(tables)); }
  [[nodiscard]] std::vector<Node> const& nodes() const override { return nodes_.all(); }

  // -- LogStore ----------------------------------------------------------------
  [[nodiscard]] std::string const& name() const override { return options_.name; }
  [[nodiscard]] Standing standing() const override;
  [[nodiscard]] bool may_answer(std::int64_t now_us) const override;
  [[nodiscard]] Status const& why() const override { return why_; }
  [[nodiscard]] bool end_turn(std::int64_t now_us) override;
  [[nodiscard]] std::int64_t next_us() const override;
  [[nodiscard]] bool is_full() const override { return false; }
  [[nodiscard]] std::unique_ptr<LogJob> take_job(Lane, std::int64_t) override { return nullptr; }
  void finish_job(Lane, std::unique_ptr<LogJob>) override {}
  void sync_soon() override {}
  [[nodiscard]] Status look() override { return {}; }
  [[nodiscard]] Result<LogSnapshot> pin() override {
    return Status{Code::not_supported,
                  "log " + options_.name + " is on etcd: it is backed up with etcd's own snapshots"};
  }
  bool unpin() override { return true; }
  [[nodiscard]] Status seal() override;
  [[nodiscard]] std::vector<LogNews> take_news() override { return std::exchange(news_, {}); }
  [[nodiscard]] LogDescription describe() const override {
    return {.folder = {}, .durability = "synced by most members of etcd"};
  }

 private:
  // ReaderSink
  void on_begin(Head const& head) override;
  void on_entry(std::uint64_t sequence, std::string_view value) override;
  void on_entry_gone(std::uint64_t sequence) override { ahead_.erase(sequence); }
  void on_own(std::optional<api::KeyValue> const& own) override;
  void on_start(std::uint32_t start, std::int64_t revision) override;
  void on_current() override;

  // Takes what has come, and does what is due.
  void tick();
  void set_phase(Phase phase) { phase_ = phase; }
  void apply_ahead();
  void take(api::Answer const& answer);
  void take_lease(api::Answer const& answer);
  void take_renewal(api::Answer const& answer);
  void take_claim(api::Answer const& answer);
  void take_clearing(api::Answer const& answer);
  void take_truncation(api::Answer const& answer);
  void look_for_ownership();
  void claim();
  void ask_for_lease();
  void renew();
  void own_is_mine(std::int64_t revision);
  void clear();
  void own();
  // `is_wanted`: nobody needs to look.
  void fence(std::string why, bool is_wanted = false);
  // It will not be the owner by what it did so far.
  void give_up_claim();
  // Once nobody owns the log: after so long, later if others are further than this node is.
  void plan_claim(std::int64_t after_us);
  void truncate();
  void compact();
  // Something waits for a person who makes room in etcd. Nobody is to wait with it without a word.
  [[nodiscard]] bool is_stuck() const { return quota_.has_alarm() && appender_.open_bytes() > 0; }
  void note_trouble();
  [[nodiscard]] std::string own_value() const;
  [[nodiscard]] std::uint64_t kept_bytes() const;
  // One more entry, which is durable.
  void keep(Appender::Written const& entry);
  void make_room(std::size_t bytes);
  [[nodiscard]] api::Compare is_owner() const;

  api::Cluster& cluster_;
  EtcdLogOptions options_;
  Names names_;
  Following& following_;
  Reader reader_;
  Appender appender_;
  Stream stream_;
  RollCall nodes_;
  QuotaWatch quota_;
  Phase phase_{Phase::reading};
  Status why_;
  std::string silence_;  // why the last request was not done; empty: it was
  std::vector<LogNews> news_;
  std::int64_t now_us_{0};

  // What is known of the log.
  std::uint64_t store_id_{0};
  Base base_{};
  std::int64_t base_revision_{0};
  std::string owner_;
  std::int64_t owner_lease_{0};
  std::int64_t owner_revision_{0};
  std::uint32_t start_{0};  // of the last owner; of this one while it owns it
  std::int64_t start_revision_{0};
  std::map<std::uint64_t, std::string> ahead_;  // entries behind a gap
  std::int64_t ahead_since_us_{INT64_MAX};
  Lsn seen_end_{};                         // of all entries that were seen, those behind a gap too
  std::deque<Appender::Written> entries_;  // from the base on,
  std::uint64_t entry_bytes_{0};           // and theirs

  // The lease, and who owns the log.
  std::int64_t lease_{0};
  std::int64_t valid_until_us_{INT64_MIN};
  std::int64_t sent_at_us_{0};   // the renewal that is under way
  std::int64_t renew_at_us_{0};  // or asks for one
  api::RequestId granting_{0};
  api::RequestId renewing_{0};
  api::RequestId claiming_{0};
  api::RequestId clearing_{0};
  std::int64_t claim_at_us_{INT64_MAX};
  std::int64_t not_before_us_{INT64_MIN};  // it stepped down
  std::uint64_t token_{0};

  // What is appended.
  std::string open_;            // the group that is open,
  std::size_t last_record_{0};  // its last record
  Lsn needed_{};
  Lsn found_{};
  std::uint64_t held_{0};
  std::uint64_t kept_for_copy_{0};

  // What is removed.
  struct Wished {
    Lsn base{};
    Lsn catalogue{};
    Lsn rests_on{};  // all up to here must be durable before
  };
  Lsn base_told_{};  // by the owner: nothing below is needed, whether it is removed or not
  std::optional<Wished> wished_;
  Base truncating_to_{};
  api::RequestId truncating_{0};
  api::RequestId compacting_{0};
  std::int64_t compact_at_us_{0};
  std::int64_t compact_to_{0};  // the revision of the last time
};

}  // namespace fastjournal::log::etcd
