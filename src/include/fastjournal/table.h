// The plugin contract: what a table type offers the engine, and what the
// engine offers it. Header-only: a plugin needs no symbol of the daemon, may be
// linked in (tests, simulator) or loaded with dlopen (daemon).
//
// A table is a deterministic state machine fed by a log (src/README.md):
//
//   decide(command)  reads state, answers, and appends records that state effects
//   apply(record)    the only writer of what the records say
//   advance(now)     the only writer of what follows from time alone (derived state; Timed)
//
// What every type has stands here; what only some have (time, leases, listeners, work,
// columns, followers) in capabilities.h.
//
// None of them may look at a clock, do I/O, draw chance or depend on the
// locale; none may throw. `now` never goes back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/histogram.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal {

// ---------------------------------------------------------------------------
// Records

// A record as it comes back from the log. Views are valid during the call.
struct RecordView {
  TableId table{};
  std::uint8_t type{0};     // the table type's own numbering, 1 to 255
  std::uint8_t version{0};  // of that record type's body
  Lsn lsn{};                // where it stands
  ObjectId object{};        // whose record it is: object_of(lsn) if it begins the object
  std::span<std::byte const> body{};
};

// The largest body of one record.
inline constexpr std::size_t kRecordBodyBytesMax = 64U << 20U;

// Where decide puts records. The space was reserved before decide was called:
// append cannot fail as long as a step stays within kStepBytesMax beyond
// twice the size of its message.
class Records {
 public:
  struct Place {
    Lsn lsn;                    // where this record stands
    std::span<std::byte> body;  // to be filled before the next append
  };

  // `object` none: the record begins an object, whose id is the returned LSN.
  virtual Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) = 0;

 protected:
  ~Records() = default;
};
inline constexpr std::size_t kStepBytesMax = 16U << 10U;

// How coarsely a table may know what it needs of the log (Table::oldest_lsn).
inline constexpr std::uint64_t kOldestLsnGrain = 256U << 10U;

// ---------------------------------------------------------------------------
// Commands

// One command on its way through a table. Names in the message are checked
// against the declaration before decide: unknown parameters and missing
// required ones never arrive.
struct Command {
  std::uint16_t index{0};  // into TypeDeclaration::commands
  Message const* message{nullptr};
  ConnectionId connection{};
  std::string_view worker{};  // who asks: the parameter `worker`, or the connection's peer address and number
  // Whose the names are that its message invents, stable over connections and never empty from a peer: "ip:192.0.2.7",
  // "uid:1000", "service:server:name", "udp". Bounded: kOriginBytesMax.
  std::string_view origin{};
};
inline constexpr std::size_t kOriginBytesMax = 256;

// How durable the step's records must be before its answer leaves.
enum class Durability : std::uint8_t {
  synced,   // the default
  written,  // given to the kernel: survives kill -9, not a power cut. Leases only.
};

enum class Verdict : std::uint8_t {
  done,   // the answer (or status) is complete
  again,  // apply what this step appended, then call decide with step + 1
  wait,   // nothing now: keep the command and decide it again (from step 0) when
          // work becomes available on wait_topic, or at wait_until, with waited = true
};

// What a command that hands out work found; listeners are woken and armed by it.
enum class Take : std::uint8_t { no, found, nothing };

// What a decision is made from and what it leaves behind.
struct Decision {
  // in
  TimeMs now{};
  std::uint32_t start{0};  // number of the daemon's start
  std::uint32_t step{0};   // 0, 1, ... while the verdict is `again`
  bool waited{false};      // its wait is over: answer, do not wait again
  bool short_of_space{false};
  // out
  Records& records;
  Answer& answer;
  Status status{};  // not ok: this step appended nothing; becomes ERROR
  Durability durability{Durability::synced};
  Take take{Take::no};
  TimeMs wait_until{};
  std::string_view wait_topic{};  // borrowed from the message
  // Objects looked at by this step beyond the first few: what bounds a turn (all steps of a turn are added up).
  std::uint32_t looks{0};
  // The command's own between its steps (a count, a cursor); zero at step 0.
  std::array<std::uint64_t, 4> carry{};
};

// The tag of an alert whose cause does not end by itself: a person lowers it.
inline constexpr std::string_view kManualTag = "manual";

// What follows from a change and concerns others. Calls are collected by the
// engine; views are copied. During recovery nobody listens.
class TableObserver {
 public:
  // Work that anybody may take became available (entered the order of NEXT).
  // `topic` is the row's domain, or empty; `due` the date it was due.
  virtual void available(ObjectId object, std::string_view topic, TimeMs due) = 0;
  // The object is leased to the connection; it is not any more, for whatever
  // reason (done, given back, timed out, deleted, adopted by another connection).
  virtual void lease_began(ObjectId object, ConnectionId connection) = 0;
  virtual void lease_ended(ObjectId object, ConnectionId connection) = 0;
  // So many objects more than before may be taken that were held back (by a pause, by a limit): those who wait for the
  // topic are told as if they were new; if it is empty, those of any topic. Also where the table as a whole has no more
  // than before: whoever waits for one topic cannot take what others have.
  virtual void available_again(std::string_view topic, std::uint64_t count) = 0;
  // A fact an administrator must know, once per cause: row-failed, paused, ... (name: [a-z][a-z0-9-]*, at most 32
  // bytes; tags: separated by commas). Raised again it is counted. A table has 8 of them at most.
  virtual void alert(std::string_view name, std::uint8_t priority, std::string_view message, std::string_view tags) = 0;
  virtual void lower_alert(std::string_view name) = 0;

 protected:
  ~TableObserver() = default;
};

// Nobody listens.
class NoObserver final : public TableObserver {
 public:
  void available(ObjectId, std::string_view, TimeMs) override {}
  void lease_began(ObjectId, ConnectionId) override {}
  void lease_ended(ObjectId, ConnectionId) override {}
  void available_again(std::string_view, std::uint64_t) override {}
  void alert(std::string_view, std::uint8_t, std::string_view, std::string_view) override {}
  void lower_alert(std::string_view) override {}
};

// ---------------------------------------------------------------------------
// What tables tell about themselves

// Order-independent: a table gives the canonical bytes of each of its objects
// in any order, exactly what restate reproduces: derived state is no part of it.
class DigestSink {
 public:
  virtual void object(std::span<std::byte const> canonical) = 0;

 protected:
  ~DigestSink() = default;
};

// A number's name, and what a monitoring system says of it.
struct Metric {
  enum class Kind : std::uint8_t {
    gauge,    // rises and falls
    counter,  // only rises, from 0 at each start
  };

  std::string_view name;  // [a-z_]+ with the unit last: rows_waiting, lateness_ms
  std::string_view help;  // a sentence without its full stop
  Kind kind{Kind::gauge};
};

// `rows` is how many objects there are, for those types that count any; TABLES tells it.
class MetricSink {
 public:
  virtual void integer(Metric const& metric, std::int64_t value) = 0;
  virtual void real(Metric const& metric, double value) = 0;
  // STATS tells NAME_p50, NAME_p99 and NAME_max of it.
  virtual void histogram(Metric const& metric, Histogram const& values) = 0;

 protected:
  ~MetricSink() = default;
};

// How far copying forward came.
struct Restated {
  bool more{false};             // more remain once what was appended is applied
  std::size_t object_bytes{0};  // not 0: the next object needs this much room
};

// What apply knows beside the record.
struct ApplyContext {
  bool live{false};  // decided just now; false: replayed, by a start or a follower
  TimeMs now{};      // of the decision; none in a replay
  Lsn base{};        // of the log: nothing below it is needed
};

class Timed;
class Holder;
class Topics;
class Work;
class Columns;
class Followed;

// What a type can do beyond what every table does (capabilities.h). What it lacks, the engine does not ask of it, and
// whoever wants it (LISTEN, <feed>, <wake-message>) is refused with that reason.
struct Capabilities {
  Timed* timed{nullptr};
  Holder* holder{nullptr};
  Topics* topics{nullptr};
  Work* work{nullptr};  // where it is set, `topics` is the same object
  Columns* columns{nullptr};
  Followed* followed{nullptr};
};

// What every table does. A type has no more than it needs: tests/unit/core/tally.h has all, toy.h next to nothing.
class Table {
 public:
  Table() = default;
  Table(Table const&) = delete;
  Table& operator=(Table const&) = delete;
  virtual ~Table() = default;

  // Asked for once, when the table is hosted; they live as long as it does.
  [[nodiscard]] virtual Capabilities capabilities() { return {}; }

  virtual Verdict decide(Command const& command, Decision& decision) const = 0;

  // -- state --------------------------------------------------------------
  // Live and at recovery alike. A record about an object that is unknown and
  // whose id is below the base died and was dropped: counted and ignored; any other is damage:
  // return false, which stops the daemon.
  [[nodiscard]] virtual bool apply(RecordView const& record, ApplyContext const& context,
                                   TableObserver& observer) noexcept = 0;
  // The newest version of this record type that apply knows, and with it all before; 0: no such record. A version
  // that ever landed is read for good, so that every program reads the logs of those before it.
  [[nodiscard]] virtual std::uint8_t newest_version(std::uint8_t record_type) const = 0;
  // A hint of a recovery: apply gets this record soon. Changes nothing; what apply will look at may be fetched from
  // memory meanwhile, for which it would wait otherwise.
  virtual void prefetch(RecordView const& record) const noexcept { static_cast<void>(record); }

  // -- space --------------------------------------------------------------
  // What base must not pass: the smallest LSN this table still needs, early by kOldestLsnGrain at most;
  // kNoLsn if it needs none.
  [[nodiscard]] virtual Lsn oldest_lsn() const = 0;
  // Copy forward: restates objects whose records stand below `below`, records
  // of at most `budget_bytes`, 32 bytes counted for the header of each. An object that is larger is not begun: it is told
  // in object_bytes, and the engine comes again with room for it.
  virtual Restated restate_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const = 0;
  // Bytes that restating everything alive would take.
  [[nodiscard]] virtual std::uint64_t live_bytes() const = 0;
  // Memory that its objects take, indexes included. Asked after every command: O(1).
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;

  // -- people -------------------------------------------------------------
  virtual void digest(DigestSink& sink) const = 0;
  virtual void metrics(TimeMs now, MetricSink& sink) const = 0;

  // -- reload -------------------------------------------------------------
  // Says why the new declaration cannot be taken while running; ok if it can.
  [[nodiscard]] virtual Status check_change(TableDeclaration const& next) const = 0;
  // Takes it. Its schema, if it changed, came through Columns::add_schema first.
  virtual void change(std::shared_ptr<TableDeclaration const> next) = 0;
};

// ---------------------------------------------------------------------------
// The one exported symbol

// What a table is made with, beside its declarations.
struct TableContext {
  TableId id{};  // for life
  // Drawn for each process: every index of names that clients choose hashes with it, so that nobody can choose names
  // that collide. Nothing that can be seen or is stored depends on it: order, pages, records and digests are the same.
  std::uint64_t hash_seed{0};
};

// Raised with every change that a plugin built before cannot stand.
inline constexpr std::uint32_t kPluginAbi = 12;
inline constexpr char kPluginSymbol[] = "fastjournal_table_type";

// The first four fields never move.
struct PluginDescriptor {
  std::uint32_t size{sizeof(PluginDescriptor)};
  std::uint32_t abi{kPluginAbi};
  char const* build{nullptr};  // compiler and version of the headers, for messages
  char const* name{nullptr};   // the table type; NAME.so, NAME.xml
  // Says what TYPE.xml declares and the code does not know, or the reverse.
  Status (*check_type)(TypeDeclaration const&){nullptr};
  // The declarations outlive the table.
  Result<std::unique_ptr<Table>> (*create)(TableContext const&, std::shared_ptr<TypeDeclaration const>,
                                           std::shared_ptr<TableDeclaration const>){nullptr};
};

using PluginEntry = PluginDescriptor const* (*)();

}  // namespace fastjournal
