// Prepared transactions, and outcomes that a person decided: a part of the catalogue of a log, so that they outlive every
// start and every copy. What an op says is known to the engine alone (engine/transaction_codec.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/table.h"
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
    // Not none: by a person. It stays until it is forgotten, without ops.
    Outcome decided{Outcome::none};
    TimeMs decided_at{};
  };

  static constexpr std::uint8_t kPrepared = 10;  // types of table 0's records, beside those of catalogue.cpp
  static constexpr std::uint8_t kOp = 11;
  static constexpr std::uint8_t kEnded = 12;
  [[nodiscard]] static constexpr bool has(std::uint8_t type) { return type >= kPrepared && type <= kEnded; }
  // As AlertBook's.
  [[nodiscard]] static constexpr std::uint8_t newest_version(std::uint8_t type) { return has(type) ? 1 : 0; }

  // The most bytes of the records of an entry without its ops, of an op with this body, and of the end, each with its
  // header.
  [[nodiscard]] static std::size_t bytes_of(std::string_view xid, std::string_view origin) {
    return kRecordBytes + xid.size() + origin.size();
  }
  [[nodiscard]] static std::size_t bytes_of_op(std::string_view body) { return kRecordBytes + body.size(); }
  static constexpr std::size_t kRecordBytes = 64;

  // Returns the object; `entry.object` none: a new one. Its ops follow in the same group.
  static ObjectId append_prepared(Records& records, Entry const& entry);
  static void append_op(Records& records, ObjectId object, std::uint32_t number, std::string_view body);
  // It is over: nothing of it is needed any more.
  static void append_ended(Records& records, ObjectId object);

  // False: damaged.
  [[nodiscard]] bool apply(RecordView const& record);
  [[nodiscard]] std::map<ObjectId, Entry> const& all() const { return entries_; }
  [[nodiscard]] Entry const* find(ObjectId object) const;

  [[nodiscard]] Lsn oldest_lsn() const { return by_place_.empty() ? kNoLsn : by_place_.begin()->first; }
  // As AlertBook's.
  bool restate_one(Lsn below, Records& records) const;
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
