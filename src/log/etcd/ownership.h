// The ownership of the log, and the role of this node. Its phase is decided here alone:
//
//   reading    what is there is read from the base on
//   following  the owner appends, and its entries are handed on
//   claiming   it has no owner: this node tries to be it, with a lease
//   settling   it is the owner, and reads up to the revision at which it became that: no other node can append any more
//   clearing   entries behind a gap, which were never acknowledged, are removed
//   owning     it appends. It answers until the lease may be over (valid_until_us), and again once that was renewed
//   fenced     another owner is there, or may be: what was not durable may have come through or not
//
// Its token is the revision of the key `own`: an append is refused by etcd once that has changed. So no clock decides
// what is in the log. Clocks decide only until when an owner answers what it reads from its memory.
//
// Owned by EtcdLog; lives on its thread. It alone changes the keys `own`, `start` and `cleared`, and removes entries
// behind a gap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "log/etcd/client/cluster.h"
#include "log/etcd/follower.h"
#include "log/etcd/lease.h"
#include "log/etcd/names.h"
#include "log/etcd/options.h"
#include "log/etcd/reader.h"
#include "log/etcd/roll_call.h"
#include "log/shared_log.h"

namespace fastjournal::log::etcd {

class OwnershipSink {
 public:
  // Everything that is in the log was read, and only this node can append.
  virtual void on_owned() = 0;
  // `why`: empty if another owner is there. `is_wanted`: no operator needs to look.
  virtual void on_fenced(std::string why, bool is_wanted) = 0;

 protected:
  ~OwnershipSink() = default;
};

class Ownership {
 public:
  enum class Phase : std::uint8_t { reading, following, claiming, settling, clearing, owning, fenced };

  Ownership(api::Cluster& cluster, Names const& names, EtcdLogOptions const& options, Reader const& reader,
            Follower const& follower, RollCall const& nodes, OwnershipSink& sink)
      : cluster_(cluster),
        names_(names),
        options_(options),
        reader_(reader),
        follower_(follower),
        nodes_(nodes),
        sink_(sink),
        lease_(cluster, options.ttl_s, options.margin_us, options.request_timeout_us),
        is_candidate_(options.is_candidate) {}

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool is_current() const { return phase_ != Phase::reading && phase_ != Phase::fenced; }
  [[nodiscard]] bool follows() const { return phase_ == Phase::reading || phase_ == Phase::following; }
  [[nodiscard]] bool has_owner() const { return !owner_.value.empty(); }
  // Node and address, as they are in etcd.
  [[nodiscard]] std::string const& owner_text() const { return owner_.value; }
  [[nodiscard]] Owner owner() const;
  // 0: it is none.
  [[nodiscard]] std::uint64_t token() const { return token_; }
  // Of the last owner; of this one while it owns it.
  [[nodiscard]] std::uint32_t start() const { return start_; }
  // 0: it has none.
  [[nodiscard]] std::int64_t lease() const { return lease_.id(); }
  [[nodiscard]] std::int64_t valid_until_us() const { return lease_.valid_until_us(); }

  // Does what is due: claims, clears, renews.
  void tick(std::int64_t now_us);
  [[nodiscard]] bool take(api::Answer const& answer, std::int64_t now_us);
  [[nodiscard]] std::int64_t next_us(std::int64_t now_us) const;

  // News of the reader (ReaderSink). Of a head the owner comes by on_own().
  void on_begin(Head const& head);
  void on_own(std::optional<api::KeyValue> const& own, std::int64_t now_us);
  void on_start(std::uint32_t start, std::int64_t revision);
  void on_current();
  // It cannot be read here. Another node may be able to: this one does not keep the log from it.
  void on_unreadable(std::int64_t now_us);

  void read_anew() { phase_ = Phase::reading; }
  // SharedLog::step_down() and be_candidate().
  void step_down(std::int64_t until_us, std::int64_t now_us);
  void be_candidate(bool is_candidate, std::int64_t now_us);
  // Of an owner.
  void fence(std::string why, bool is_wanted = false);

 private:
  // Once the log has no owner: after so long, later if others are further than this node is.
  void plan_claim(std::int64_t after_us, std::int64_t now_us);
  void claim(std::int64_t now_us);
  void take_claim(api::Answer const& answer, std::int64_t now_us);
  void own_is_mine(std::int64_t revision);
  void clear();
  void take_clearing(api::Answer const& answer, std::int64_t now_us);
  void own();
  // It has no lease any more.
  void let_go(std::string why, bool is_wanted, std::int64_t now_us);
  // It will not be the owner by what it did so far.
  void give_up_claim();
  [[nodiscard]] std::string own_value() const;

  api::Cluster& cluster_;
  Names const& names_;
  EtcdLogOptions const& options_;
  Reader const& reader_;
  Follower const& follower_;
  RollCall const& nodes_;
  OwnershipSink& sink_;
  Phase phase_{Phase::reading};
  Lease lease_;
  bool is_candidate_;
  api::KeyValue owner_{};  // the key `own`; without a value: the log has no owner
  std::uint32_t start_{0};
  std::int64_t start_revision_{0};
  std::uint64_t token_{0};
  api::RequestId claiming_{0};
  api::RequestId clearing_{0};
  std::int64_t claim_at_us_{INT64_MAX};
  std::int64_t not_before_us_{INT64_MIN};  // it stepped down
};

}  // namespace fastjournal::log::etcd
