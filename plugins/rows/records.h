// The records of rows: their numbers, bodies and codec, all in one place. Bodies state effects (who, what value), never
// commands, so that a replay from any base decides nothing. A body lists its
// fields as model/body.h says.
//
// Every table type that is built on rows has these numbers; 12 and 13 are the journal's own, which are older than this
// layer. Other types number their own records from kOwnRecords on.
//
// Each record type has versions of its own. A changed body gets the next one, and the readers here know all versions
// that ever landed: tests/golden/logs has a log of each. A body is written in the oldest version that can express it,
// so that unchanged contents keep their bytes and their digest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/failure.h"
#include "fastjournal/limits.h"
#include "fastjournal/table.h"
#include "model/body.h"
#include "model/varint.h"
#include "plugins/rows/dedup_windows.h"
#include "plugins/rows/extras.h"
#include "plugins/rows/leases.h"
#include "plugins/rows/payload.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

enum class RecordType : std::uint8_t {
  row = 1,              // a row, whole: it begins, or is compacted
  merge = 2,            // an insert was merged into a waiting row
  lease = 3,            // a row is given to a worker
  renew = 4,            // a lease has a new end, connection or worker
  give_back = 5,        // the row waits (again), until a date
  fold = 6,             // a returned row was merged into its waiting twin
  park = 7,             // the row was given up, and waits for an operator
  remove = 8,           // the row was removed
  seen = 9,             // a (client, sequence) was carried out without another record
  client = 10,          // one segment of a client's window, compacted
  client_dropped = 11,  // a client is dropped, as it was unused for too long
  clock = 14,           // the clock was ahead, and was accepted as it is: later dates of past events count as now
  client_owner = 15,    // a client's name belongs to an origin: begins, or is compacted
  hold = 16,            // the lease ended without an answer: the row is held until an operator decides
  move = 17,            // the row waits in another domain
  ended = 18,           // what is left of a row that ended, or of an attempt that failed, compacted (ended.h)
  page = 19,            // the oldest of those are in a file of the table: begins, or is compacted
  page_dropped = 20,    // the oldest of those are kept no longer
  progress = 21,        // how far the worker of a row is
  group = 22,           // a group of jobs (job_groups.h), whole: begins, changes, or is compacted
  group_dropped = 24,   // it ended, and is kept no longer
  unique = 25,          // a row of this key is done, and until a date no further one is taken: begins, or is compacted
  unique_dropped = 26,  // that is over
};
inline constexpr std::uint8_t kOwnRecords = 32;

// The newest version that is written and read; 0: no such record. Version 2 adds the counter of failures, and to
// `remove` the counters and the error of a row that was given up: the alert about it is all that is left of it. Version
// 3 of a row is one that is held: only tables that hold rows know it and the record `hold`.
// Version 4 of a row and 2 of a merge have values outside the log; versions 5 and 6 of a row may have some. An error with
// a trace (base/failure.h) is in version 5 of a row, 3 of give_back, fold and park, and 2 of move. Version 6 of a row, 4 of
// give_back and park, and 3 of move are about rows with a Detail. Version 7 of a row has extras (extras.h), and may have
// what all others have; version 3 of a merge changes extras, or how long leases of the row last. Version 5 of give_back
// and park, 4 of fold and 3 of remove say that what they end is kept, and when it ended (ended.h). Version
// 5 of a fold and 4 of a remove are about rows of a group of jobs.
struct Kind {
  bool has_keys{false};  // rows are found by key
  bool holds{false};     // its rows may be held (AtLeaseEnd::hold)
  bool moves{false};     // its rows may move to another domain
  bool groups{false};    // its rows may be of groups of jobs
  bool progress{false};  // its workers may say how far they are
  bool recalls{false};   // it may keep what is left of rows that ended (history.h)
};
[[nodiscard]] constexpr std::uint8_t newest_version(RecordType type, Kind kind) {
  switch (type) {
    case RecordType::row: return 7;
    case RecordType::hold: return kind.holds ? 1 : 0;
    case RecordType::move: return kind.moves ? 3 : 0;
    case RecordType::give_back:
    case RecordType::park: return kind.recalls ? 5 : 4;
    case RecordType::merge: return 3;
    case RecordType::fold: return kind.groups ? 5 : kind.recalls ? 4 : 3;
    case RecordType::remove: return kind.groups ? 4 : kind.recalls ? 3 : 2;
    case RecordType::ended:
    case RecordType::page:
    case RecordType::page_dropped: return kind.recalls ? 1 : 0;
    case RecordType::progress: return kind.progress ? 1 : 0;
    case RecordType::group:
    case RecordType::group_dropped: return kind.groups ? 1 : 0;
    case RecordType::lease:
    case RecordType::renew:
    case RecordType::seen:
    case RecordType::client:
    case RecordType::client_dropped:
    case RecordType::clock:
    case RecordType::client_owner: return 1;
    case RecordType::unique:
    case RecordType::unique_dropped: return kind.has_keys ? 1 : 0;
  }
  return 0;
}

inline constexpr std::size_t kGroupBytesMax = 128;

enum class RowStatus : std::uint8_t { waiting = 0, processing = 1, parked = 2, held = 3 };

enum class Reason : std::uint8_t { done = 1, deleted = 2, expired = 3, failed = 4 };

[[nodiscard]] constexpr bool has_lease(RowStatus status) {
  return status == RowStatus::processing || status == RowStatus::held;
}

// Bodies with counters: the first version knows no failures, and the third is of an error with a trace.
[[nodiscard]] inline std::uint8_t version_with(Counters const& counters, std::string_view error) {
  return failure::has_trace(error) ? 3 : counters.failures == 0 ? 1 : 2;
}
void counter_fields(auto& io, auto& counters) {
  io.byte(counters.timeouts).byte(counters.lifetime);
  if (io.version() > 1)
    io.byte(counters.failures);
  else
    io.set(counters.failures, 0);
  io.must(io.version() != 2 || counters.failures != 0);
}

void lease_fields(auto& io, auto& terms) {
  io.fixed(terms.epoch.value).six(terms.began).six(terms.ends).number(terms.connection).number(terms.start);
  io.text(terms.worker);
}

// The client and sequence of an insert, if given.
struct Sender {
  std::string_view client{};  // empty: none
  std::uint64_t sequence{0};
};
void sender_fields(auto& io, auto& sender) { io.text(sender.client).number(sender.sequence); }

struct RowBody {
  static constexpr auto kType = RecordType::row;
  RowStatus status{RowStatus::waiting};
  std::uint8_t priority{0};  // of the header
  std::int64_t date{0};
  std::uint8_t timeouts{0};
  std::uint8_t lifetime{0};
  Leases::Terms lease{};  // only while processing, or held: then it ended at its end
  Sender sender{};
  Facts facts{};  // failures among them
  std::string_view key{};
  std::string_view data{};
  std::string_view error{};
  bool has_outside{false};  // values of its data are outside the log, or may be
  Detail detail{};
  std::string_view extras{};  // extras.h

  void set_priority(std::uint32_t wanted) {
    priority = static_cast<std::uint8_t>(std::min(wanted, kPlainPriorityMax));
    detail.priority = wanted > kPlainPriorityMax ? wanted : 0;
  }
  [[nodiscard]] std::uint8_t version() const {
    if (!extras.empty()) return 7;
    if (!detail.is_empty()) return 6;
    if (!error.empty() && failure::has_trace(error)) return 5;
    if (has_outside) return 4;
    return status == RowStatus::held ? 3 : facts.failures == 0 ? 1 : 2;
  }
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kStatus = 3;
    constexpr std::uint8_t kCounters = 4;
    constexpr std::uint8_t kSender = 8;
    constexpr std::uint8_t kPriority = 16;
    constexpr std::uint8_t kLease = 32;
    constexpr std::uint8_t kCounted = 64;
    constexpr std::uint8_t kPlain = kStatus | kCounters | kSender;
    constexpr std::uint8_t kAll = kPlain | kPriority | kLease | kCounted;
    auto has = io.flags(io.version() > 5 ? kAll : kPlain);
    has.value(kStatus, body.status);
    io.must(io.version() > 3 || (body.status == RowStatus::held) == (io.version() == 3));
    io.set(body.has_outside, io.version() > 3);
    std::uint64_t after_arrival = model::zigzag(body.date - body.facts.arrival);
    io.byte(body.priority).number(after_arrival);
    if (has(kCounters, body.timeouts != 0 || body.lifetime != 0)) io.byte(body.timeouts).byte(body.lifetime);
    if (has_lease(body.status)) lease_fields(io, body.lease);
    if (has(kSender, !body.sender.client.empty())) sender_fields(io, body.sender);
    if (io.version() > 5) {
      io.number(body.detail.priority, has(kPriority, body.detail.priority != 0));
      io.number(body.detail.lease, has(kLease, body.detail.lease != 0));
      io.set(body.detail.is_counted, has(kCounted, body.detail.is_counted));
      if (body.detail.is_counted)
        for (auto& one : body.detail.counts) io.byte(one);
      io.must((io.version() > 6 || !body.detail.is_empty()) && body.detail.lease >= 0);
      io.must(body.detail.priority == 0 ||
              (body.detail.priority > kPlainPriorityMax && body.priority == kPlainPriorityMax));
    }
    if (io.version() > 6) {
      io.text(body.extras);
      if constexpr (std::remove_reference_t<decltype(io)>::kReads) io.must(extras::is_of_row(body.extras));
    }
    io.must(!payload::fields(io, body.facts));
    io.must(io.version() > 2 || (body.facts.failures != 0) == (io.version() == 2));
    io.set(body.date, body.facts.arrival + model::unzigzag(after_arrival));
    io.sized(body.key, body.facts.key_bytes).sized(body.data, body.facts.data_bytes);
    io.sized(body.error, body.facts.error_bytes);
  }
};

enum class DataChange : std::uint8_t {
  none,
  whole,    // the data is replaced
  by_rule,  // the data is that of the insert, and the columns' merge rules give the result.
            // Only if the result would be much longer than the message.
};

struct MergeBody {
  static constexpr auto kType = RecordType::merge;
  DataChange change{DataChange::none};
  std::uint8_t priority{0};
  std::int64_t date{0};
  std::int64_t expires{0};
  std::int64_t accepted{0};
  std::uint32_t merges{0};
  std::uint16_t schema{0};  // of the data, and of the row from now on
  Sender sender{};
  std::int64_t now{0};  // given with a client
  std::string_view data{};
  bool has_outside{false};              // values of its data are outside the log; in version 3 they may be
  std::string_view extras{};            // a change of them
  std::optional<std::int64_t> lease{};  // how long leases of the row last from now on; 0: as the table says

  [[nodiscard]] std::uint8_t version() const { return !extras.empty() || lease ? 3 : has_outside ? 2 : 1; }
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kChange = 3;
    constexpr std::uint8_t kSender = 8;
    constexpr std::uint8_t kExtras = 16;
    constexpr std::uint8_t kLease = 32;
    constexpr std::uint8_t kPlain = kChange | kSender;
    auto has = io.flags(io.version() > 2 ? std::uint8_t{kPlain | kExtras | kLease} : kPlain);
    has.value(kChange, body.change);
    io.must(body.change <= DataChange::by_rule).set(body.has_outside, io.version() > 1);
    io.byte(body.priority).six(body.date).six(body.expires).six(body.accepted);
    io.number(body.merges).number(body.schema);
    if (has(kSender, !body.sender.client.empty())) {
      sender_fields(io, body.sender);
      io.six(body.now);
    }
    if (io.version() > 2) {
      if (has(kExtras, !body.extras.empty())) {
        io.text(body.extras);
        if constexpr (std::remove_reference_t<decltype(io)>::kReads) io.must(extras::is_change(body.extras));
      }
      if (has(kLease, body.lease.has_value())) io.number(io.there(body.lease)).must(*body.lease >= 0);
      io.must(!body.extras.empty() || body.lease);
    }
    io.rest(body.data).must(body.change != DataChange::none || body.data.empty());
  }
};

struct LeaseBody : Leases::Terms {
  static constexpr auto kType = RecordType::lease;
  static void fields(auto& io, auto& body) { lease_fields(io, body); }
};

// All but epoch and begin.
struct RenewBody : Leases::Terms {
  static constexpr auto kType = RecordType::renew;
  static void fields(auto& io, auto& body) {
    io.six(body.ends).number(body.connection).number(body.start).rest(body.worker);
  }
};

// What changes in the Detail of a row, and its priority.
struct DetailChange {
  std::optional<std::uint32_t> priority{};
  std::optional<Count> count{};  // one more of these

  [[nodiscard]] bool is_none() const { return !priority && !count; }
};
// In versions from this one on.
void detail_fields(auto& io, auto& change, std::uint8_t version) {
  if (io.version() < version) return;
  auto has = io.flags(std::uint8_t{3});
  if (has(1, change.priority.has_value())) io.number(io.there(change.priority));
  if (has(2, change.count.has_value())) io.byte(io.there(change.count), Count::timeouts);
  io.must(!change.is_none() || io.version() > version);
}

// Replaces what was said before of the same lease, with which it ends.
struct ProgressBody {
  static constexpr auto kType = RecordType::progress;
  std::int64_t at{0};
  std::uint8_t percent{0};
  std::string_view note{};

  static void fields(auto& io, auto& body) {
    io.six(body.at).byte(body.percent, std::uint8_t{kPercentMax}).rest(body.note);
    io.must(body.at >= 0 && body.note.size() <= kNoteBytesMax);
  }
};

struct GiveBackBody {
  static constexpr auto kType = RecordType::give_back;
  std::int64_t date{0};
  Counters counters{};
  std::string_view error{};  // empty: the last one stays
  DetailChange detail{};
  std::int64_t kept_at{0};  // the attempt is kept, and ended then; 0: it is not

  [[nodiscard]] std::uint8_t version() const {
    return kept_at != 0 ? 5 : detail.is_none() ? version_with(counters, error) : 4;
  }
  static void fields(auto& io, auto& body) {
    io.six(body.date);
    counter_fields(io, body.counters);
    detail_fields(io, body.detail, 4);
    if (io.version() > 4) io.six(body.kept_at).must(body.kept_at > 0);
    io.rest(body.error);
  }
};

// Object: the waiting twin, which gets these values.
struct FoldBody {
  static constexpr auto kType = RecordType::fold;
  ObjectId returned{};
  std::uint8_t priority{0};
  std::int64_t date{0};
  std::int64_t expires{0};
  Counters counters{};
  std::uint32_t merges{0};
  std::string_view error{};
  std::int64_t kept_at{0};  // as in give_back, of the returned row
  ObjectId group{};         // of the twin from now on; none: as before

  [[nodiscard]] std::uint8_t version() const {
    return !group.is_none() ? 5 : kept_at != 0 ? 4 : version_with(counters, error);
  }
  static void fields(auto& io, auto& body) {
    io.id(body.returned).byte(body.priority).six(body.date).six(body.expires);
    counter_fields(io, body.counters);
    if (io.version() > 3) io.six(body.kept_at).must(body.kept_at > 0 || io.version() > 4);
    if (io.version() > 4) io.id(body.group).must(!body.group.is_none());
    io.number(body.merges).rest(body.error);
  }
};

struct ParkBody {
  static constexpr auto kType = RecordType::park;
  std::int64_t at{0};
  Counters counters{};
  std::string_view error{};
  DetailChange detail{};  // a parking is counted anyway
  bool is_kept{false};    // the attempt

  [[nodiscard]] std::uint8_t version() const {
    return is_kept ? 5 : detail.is_none() ? version_with(counters, error) : 4;
  }
  static void fields(auto& io, auto& body) {
    io.six(body.at);
    counter_fields(io, body.counters);
    detail_fields(io, body.detail, 4);
    io.set(body.is_kept, io.version() > 4);
    io.rest(body.error);
  }
};

struct HoldBody {
  static constexpr auto kType = RecordType::hold;
  std::int64_t at{0};
  std::uint8_t timeouts{0};  // a lease that ended is a time-out
  std::uint8_t lifetime{0};
  static void fields(auto& io, auto& body) { io.six(body.at).byte(body.timeouts).byte(body.lifetime); }
};

// A row that waits, is leased or is parked gets these values and waits, and those columns of `data` whose rule is to
// replace: the one of its domain among them. It does not expire any more.
struct MoveBody {
  static constexpr auto kType = RecordType::move;
  std::int64_t date{0};
  Counters counters{};
  std::uint16_t schema{0};   // of the data
  std::string_view error{};  // empty: the last one stays
  std::string_view data{};
  DetailChange detail{};

  [[nodiscard]] std::uint8_t version() const { return !detail.is_none() ? 3 : failure::has_trace(error) ? 2 : 1; }
  static void fields(auto& io, auto& body) {
    io.six(body.date).byte(body.counters.timeouts).byte(body.counters.failures).byte(body.counters.lifetime);
    detail_fields(io, body.detail, 3);
    io.number(body.schema).text(body.error).rest(body.data);
  }
};

struct RemoveBody {
  static constexpr auto kType = RecordType::remove;
  Reason reason{};
  // Of a failed row: for the alert, as nothing else is left of it. Not in the first version.
  bool has_counters{false};
  Counters counters{};
  std::string_view error{};
  // From version 3 on: what is left of the row is kept (ended.h), and this is when it ended.
  std::int64_t kept_at{0};
  std::string_view result{};  // of one that is done
  ObjectId group{};           // its group of jobs; not before version 4

  [[nodiscard]] std::uint8_t version() const { return !group.is_none() ? 4 : kept_at != 0 ? 3 : has_counters ? 2 : 1; }
  static void fields(auto& io, auto& body) {
    io.byte(body.reason, Reason::failed).must(body.reason >= Reason::done);
    if (io.version() > 2) {
      constexpr std::uint8_t kCounters = 1;
      constexpr std::uint8_t kResult = 2;
      auto has = io.flags(std::uint8_t{kCounters | kResult});
      io.set(body.has_counters, has(kCounters, body.has_counters));
      io.six(body.kept_at).must(body.kept_at > 0 || io.version() > 3);
      if (io.version() > 3) io.id(body.group).must(!body.group.is_none());
      if (has(kResult, !body.result.empty())) io.text(body.result).must(body.reason == Reason::done);
    } else {
      io.set(body.has_counters, io.version() > 1);
    }
    if (!body.has_counters) return;
    io.must(body.reason == Reason::failed);
    io.byte(body.counters.timeouts).byte(body.counters.failures).byte(body.counters.lifetime).rest(body.error);
  }
};

struct GroupBody {
  static constexpr auto kType = RecordType::group;
  std::string_view name{};
  bool is_open{false};
  bool has_failed{false};
  bool is_well{false};
  std::int64_t made{0};
  std::int64_t ended{0};  // 0: it has not
  std::uint64_t done{0};
  std::uint64_t failed{0};
  // Of these, what has come about by this record: a replay may not know the group before, and rows that wait for it are
  // told once.
  bool fails_now{false};
  bool ends_now{false};
  bool is_well_now{false};
  static void fields(auto& io, auto& body) {
    auto has = io.flags(std::uint8_t{63});
    io.set(body.is_open, has(1, body.is_open)).set(body.has_failed, has(2, body.has_failed));
    io.set(body.is_well, has(4, body.is_well)).set(body.fails_now, has(8, body.fails_now));
    io.set(body.ends_now, has(16, body.ends_now)).set(body.is_well_now, has(32, body.is_well_now));
    io.six(body.made).six(body.ended).number(body.done).number(body.failed).rest(body.name);
    io.must(!body.name.empty() && body.name.size() <= kGroupBytesMax && body.made >= 0 && body.ended >= 0);
  }
};
using GroupDroppedBody = model::EmptyBody<RecordType::group_dropped>;

struct SeenBody {
  static constexpr auto kType = RecordType::seen;
  Sender sender{};
  ObjectId row{};
  std::int64_t now{0};
  static void fields(auto& io, auto& body) {
    sender_fields(io, body.sender);
    io.id(body.row).six(body.now);
  }
};

struct ClientBody {
  static constexpr auto kType = RecordType::client;
  std::string_view name{};
  std::int64_t last_used{0};
  std::uint64_t number{0};  // of the segment
  std::vector<DedupWindows::Seen> seen;
  static void fields(auto& io, auto& body) {
    io.text(body.name).fixed(body.last_used).number(body.number);
    io.list_to_end(body.seen, [&](auto& one) { io.fixed(one.offset).fixed(one.row); });
  }
};

struct ClientDroppedBody {
  static constexpr auto kType = RecordType::client_dropped;
  std::string_view name{};
  static void fields(auto& io, auto& body) { io.rest(body.name); }
};

struct ClientOwnerBody {
  static constexpr auto kType = RecordType::client_owner;
  std::string_view name{};
  std::string_view origin{};
  std::int64_t last_used{0};
  static void fields(auto& io, auto& body) {
    io.text(body.name).text(body.origin).fixed(body.last_used);
    io.must(!body.name.empty() && body.name.size() <= kClientBytesMax);
    io.must(!body.origin.empty() && body.origin.size() <= kOriginBytesMax);
  }
};

struct ClockBody {
  static constexpr auto kType = RecordType::clock;
  std::int64_t from{0};  // the log's last date
  std::int64_t to{0};    // the date from here on
  static void fields(auto& io, auto& body) { io.six(body.from).six(body.to).must(body.to <= body.from); }
};

struct UniqueBody {
  static constexpr auto kType = RecordType::unique;
  ObjectId row{};
  std::int64_t ended{0};
  std::int64_t until{0};
  std::string_view key{};
  static void fields(auto& io, auto& body) {
    io.id(body.row).six(body.ended).six(body.until).rest(body.key);
    io.must(body.until > body.ended && !body.key.empty());
  }
};

using UniqueDroppedBody = model::EmptyBody<RecordType::unique_dropped>;

// Bytes of a whole row's record, at most: header of the record, head of the body and rounding; leases add a little
// while they last.
[[nodiscard]] constexpr std::uint64_t row_record_bytes(Facts const& facts) {
  return 64U + facts.key_bytes + facts.data_bytes + facts.error_bytes;
}

}  // namespace fastjournal::rows
