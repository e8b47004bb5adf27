// The records of rows: their numbers, bodies and codec, all in one place. Bodies state effects (who, what value), never
// commands, so that a replay from any base decides nothing. How they are written is in body.h.
//
// Every table type that is built on rows has these numbers; 12 and 13 are the journal's own, which are older than this
// layer. Other types number their own records from kOwnRecords on.
//
// Each record type has versions of its own. A changed body gets the next one, and the readers here know all versions
// that ever landed: tests/golden/logs has a log of each. A body is written in the oldest version that can express it,
// so that unchanged contents keep their bytes and their digest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/rows/dedup_windows.h"
#include "plugins/rows/leases.h"
#include "plugins/rows/payload.h"

namespace fastjournal::rows {

enum class RecordType : std::uint8_t {
  row = 1,              // a row, whole: it begins, or is copied forward
  merge = 2,            // an insert was merged into a waiting row
  lease = 3,            // a row is given to a worker
  renew = 4,            // a lease has a new end, connection or worker
  give_back = 5,        // the row waits (again), until a date
  fold = 6,             // a returned row was merged into its waiting twin
  park = 7,             // the row was given up, and waits for a person
  remove = 8,           // the row was removed
  seen = 9,             // a (client, sequence) was carried out without another record
  client = 10,          // one segment of a client's window, copied forward
  client_dropped = 11,  // a client is dropped, as it was unused for too long
  clock = 14,           // the clock was ahead, and was accepted as it is: later dates of past events count as now
  client_owner = 15,    // a client's name belongs to an origin: begins, or is copied forward
  hold = 16,            // the lease ended without an answer: the row is held until somebody decides
  move = 17,            // the row waits in another domain
};
inline constexpr std::uint8_t kOwnRecords = 32;

// The newest version that is written and read; 0: no such record. Version 2 adds the counter of failures, and to
// `remove` the counters and the error of a row that was given up: the alert about it is all that is left of it. Version
// 3 of a row is one that is held: only tables that hold rows know it and the record `hold`.
// Version 4 of a row and 2 of a merge have values outside the log; version 5 of a row may have some. An error with a
// trace (base/failure.h) is in version 5 of a row, 3 of give_back, fold and park, and 2 of move.
struct Kind {
  bool has_keys{false};  // rows are found by key
  bool holds{false};     // its rows may be held (AtLeaseEnd::hold)
  bool moves{false};     // its rows may move to another domain
};
[[nodiscard]] constexpr std::uint8_t newest_version(RecordType type, Kind kind) {
  switch (type) {
    case RecordType::row: return 5;
    case RecordType::hold: return kind.holds ? 1 : 0;
    case RecordType::move: return kind.moves ? 2 : 0;
    case RecordType::give_back:
    case RecordType::fold:
    case RecordType::park: return 3;
    case RecordType::remove:
    case RecordType::merge: return 2;
    case RecordType::lease:
    case RecordType::renew:
    case RecordType::seen:
    case RecordType::client:
    case RecordType::client_dropped:
    case RecordType::clock:
    case RecordType::client_owner: return 1;
  }
  return 0;
}

enum class RowStatus : std::uint8_t { waiting = 0, processing = 1, parked = 2, held = 3 };

enum class Reason : std::uint8_t { done = 1, deleted = 2, expired = 3, failed = 4 };

// The client and sequence of an insert, if given.
struct Sender {
  std::string_view client{};  // empty: none
  std::uint64_t sequence{0};
};

struct RowBody {
  RowStatus status{RowStatus::waiting};
  std::uint8_t priority{0};
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
};

enum class DataChange : std::uint8_t {
  none,
  whole,    // the data is replaced
  by_rule,  // the data is that of the insert, and the columns' merge rules give the result.
            // Only if the result would be much longer than the message.
};

struct MergeBody {
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
  bool has_outside{false};  // values of its data are outside the log
};

struct GiveBackBody {
  std::int64_t date{0};
  Counters counters{};
  std::string_view error{};  // empty: the last one stays
};

// Object: the waiting twin, which gets these values.
struct FoldBody {
  ObjectId returned{};
  std::uint8_t priority{0};
  std::int64_t date{0};
  std::int64_t expires{0};
  Counters counters{};
  std::uint32_t merges{0};
  std::string_view error{};
};

struct ParkBody {
  std::int64_t at{0};
  Counters counters{};
  std::string_view error{};
};

struct HoldBody {
  std::int64_t at{0};
  std::uint8_t timeouts{0};  // a lease that ended is a time-out
  std::uint8_t lifetime{0};
};

// A row that waits, is leased or is parked gets these values and waits, and those columns of `data` whose rule is to
// replace: the one of its domain among them. It does not expire any more.
struct MoveBody {
  std::int64_t date{0};
  Counters counters{};
  std::uint16_t schema{0};   // of the data
  std::string_view error{};  // empty: the last one stays
  std::string_view data{};
};

struct RemoveBody {
  Reason reason{};
  // Of a failed row: for the alert, as nothing else is left of it. Not in the first version.
  bool has_counters{false};
  Counters counters{};
  std::string_view error{};
};

struct SeenBody {
  Sender sender{};
  ObjectId row{};
  std::int64_t now{0};
};

struct ClientBody {
  std::string_view name{};
  std::int64_t last_used{0};
  std::uint64_t number{0};  // of the segment
  std::vector<DedupWindows::Seen> seen;
};

struct ClientOwnerBody {
  std::string_view name{};
  std::string_view origin{};
  std::int64_t last_used{0};
};

struct ClockBody {
  std::int64_t from{0};  // the log's last date
  std::int64_t to{0};    // the date from here on
};

// Each appends one record and returns its place.
Lsn append_row(Records& records, ObjectId object, RowBody const& body);
Lsn append_merge(Records& records, ObjectId row, MergeBody const& body);
Lsn append_lease(Records& records, ObjectId row, Leases::Terms const& terms);
Lsn append_renew(Records& records, ObjectId row, Leases::Terms const& terms);
Lsn append_give_back(Records& records, ObjectId row, GiveBackBody const& body);
Lsn append_fold(Records& records, ObjectId twin, FoldBody const& body);
Lsn append_park(Records& records, ObjectId row, ParkBody const& body);
Lsn append_hold(Records& records, ObjectId row, HoldBody const& body);
Lsn append_move(Records& records, ObjectId row, MoveBody const& body);
Lsn append_remove(Records& records, ObjectId row, Reason reason);
Lsn append_given_up(Records& records, ObjectId row, Counters const& counters, std::string_view error);
Lsn append_seen(Records& records, SeenBody const& body);
Lsn append_client(Records& records, ObjectId segment, ClientBody const& body);
Lsn append_client_dropped(Records& records, std::string_view name);
Lsn append_client_owner(Records& records, ObjectId owner, ClientOwnerBody const& body);
Lsn append_clock(Records& records, ClockBody const& body);

// A row's canonical bytes, for the digest: its id and its record, without the client.
void write_row(std::string& out, ObjectId id, RowBody const& body);
void write_client(std::string& out, ClientBody const& body);
void write_client_owner(std::string& out, std::string_view name, std::string_view origin);

// Bytes of a whole row's record, its header included.
[[nodiscard]] std::uint64_t row_record_bytes(Facts const& facts);

// False: malformed. `version` is one that is known.
[[nodiscard]] bool read_row(std::string_view bytes, std::uint8_t version, RowBody& body);
[[nodiscard]] bool read_merge(std::string_view bytes, std::uint8_t version, MergeBody& body);
[[nodiscard]] bool read_lease(std::string_view bytes, Leases::Terms& terms);
[[nodiscard]] bool read_renew(std::string_view bytes, Leases::Terms& terms);
[[nodiscard]] bool read_give_back(std::string_view bytes, std::uint8_t version, GiveBackBody& body);
[[nodiscard]] bool read_fold(std::string_view bytes, std::uint8_t version, FoldBody& body);
[[nodiscard]] bool read_park(std::string_view bytes, std::uint8_t version, ParkBody& body);
[[nodiscard]] bool read_hold(std::string_view bytes, HoldBody& body);
[[nodiscard]] bool read_move(std::string_view bytes, MoveBody& body);
[[nodiscard]] bool read_remove(std::string_view bytes, std::uint8_t version, RemoveBody& body);
[[nodiscard]] bool read_seen(std::string_view bytes, SeenBody& body);
[[nodiscard]] bool read_client(std::string_view bytes, ClientBody& body);
[[nodiscard]] bool read_client_owner(std::string_view bytes, ClientOwnerBody& body);
[[nodiscard]] bool read_clock(std::string_view bytes, ClockBody& body);

}  // namespace fastjournal::rows
