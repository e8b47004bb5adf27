// Prepared transactions, and outcomes that others rest on: a part of the catalogue of a log, so that they outlive every
// start and every copy. What an op says is known to the engine alone (engine/transactions/transaction_codec.h).
//
// A transaction over several logs has a home among them (engine/transactions/two_phase.h). Each of the others has a part of it, which
// names its home; home has the outcome, or the branch whose outcome a transaction manager decides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/record.h"
#include "fastjournal/types.h"

namespace fastjournal::log {

// How a transaction ended that was prepared.
enum class Outcome : std::uint8_t {
  none,  // in doubt
  committed,
  rolled_back,
};

class TransactionBook {
 public:
  enum class Role : std::uint8_t {
    branch,   // a transaction manager decides, or an operator did
    part,     // home decides
    outcome,  // of home: how it ended, for the parts in other logs
  };
  // Of a part: the log that decides, and the place below which it has all that it had when the part was prepared.
  struct Home {
    std::uint64_t store_id{0};  // 0: it was lost, so only an operator decides
    Lsn lsn;
  };
  struct Op {
    Lsn lsn;  // the last record that states it
    std::string body;
  };
  struct Entry {
    ObjectId object;
    Lsn lsn;          // the last record that states what stands here, beside the ops
    std::string xid;  // as the engine writes it
    std::string origin;
    TimeMs prepared{};
    std::uint32_t ops_count{0};
    std::vector<Op> ops;
    // Not none: an outcome, or a branch that an operator has decided. It stays until it is forgotten, without ops.
    Outcome decided{Outcome::none};
    TimeMs decided_at{};
    Role role{Role::branch};
    Home home{};
    std::vector<std::uint64_t> others{};  // of home: the store ids of the logs with parts of it

    [[nodiscard]] bool is_over_several_logs() const { return role != Role::branch || !others.empty(); }
  };

  static constexpr std::uint8_t kPrepared = 10;  // types of table 0's records, beside those of catalogue.cpp
  static constexpr std::uint8_t kOp = 11;
  static constexpr std::uint8_t kEnded = 12;
  [[nodiscard]] static constexpr bool has(std::uint8_t type) { return type >= kPrepared && type <= kEnded; }
  // As AlertBook's.
  [[nodiscard]] static constexpr std::uint8_t newest_version(std::uint8_t type) {
    return type == kPrepared || type == kOp ? 2 : has(type) ? 1 : 0;
  }

  // The most bytes of the records of an entry without its ops, of an op with this body, and of the end, each with its
  // header.
  [[nodiscard]] static std::size_t bytes_of(Entry const& entry) {
    std::size_t const more = entry.is_over_several_logs() ? kSeveralBytes + 8 * entry.others.size() : 0;
    return kRecordBytes + entry.xid.size() + entry.origin.size() + more;
  }
  [[nodiscard]] static std::size_t bytes_of_op(std::string_view body) { return kRecordBytes + body.size(); }
  static constexpr std::size_t kRecordBytes = 64;
  static constexpr std::size_t kSeveralBytes = 24;

  // Returns the object; `entry.object` none: a new one. Its ops follow in the same group.
  static ObjectId append_prepared(Records& records, Entry const& entry);
  static void append_op(Records& records, ObjectId object, std::uint32_t number, std::string_view body);
  // It is over: nothing of it is needed any more.
  static void append_ended(Records& records, ObjectId object);

  // False: damaged.
  [[nodiscard]] bool apply(RecordView const& record);
  [[nodiscard]] std::map<ObjectId, Entry> const& all() const { return entries_; }
  [[nodiscard]] Entry const* find(ObjectId object) const;
  // The outcome of this name; none: there is none here.
  [[nodiscard]] Outcome outcome_of(std::string_view xid) const;

  [[nodiscard]] Lsn oldest_lsn() const { return by_place_.empty() ? kNoLsn : by_place_.begin()->first; }
  // As AlertBook's.
  bool compact_one(Lsn below, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
  void digest(DigestSink& sink) const;

 private:
  static constexpr std::uint32_t kItself = UINT32_MAX;
  void move(Lsn& from, Lsn to, ObjectId object, std::uint32_t op);
  void forget_ops(Entry& entry);
  void forget(ObjectId object);

  std::map<ObjectId, Entry> entries_;
  // Latest statements, the oldest first: of an entry (kItself), or of its op of this number.
  std::map<Lsn, std::pair<ObjectId, std::uint32_t>> by_place_;
  std::uint64_t live_bytes_{0};
};

}  // namespace fastjournal::log
