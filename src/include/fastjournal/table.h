// The plugin contract: the interface of a table type to the engine, and of the engine to a table type. Header-only: a
// plugin needs no symbol of the daemon, and may be linked in (tests, simulator) or loaded with dlopen (daemon).
//
// A table is a deterministic state machine fed by a log (src/README.md):
//
//   decide(command)  reads state, answers, and appends records that state effects
//   apply(record)    the only writer of recorded state
//   advance(now)     the only writer of state that follows from time alone (derived state; Timed)
//
// This header has the part of every type; record.h has its records, capabilities.h what is optional (time, leases,
// listeners, work, columns, followers).
//
// None of these functions may look at a clock, do I/O, draw chance or depend on the locale; none may throw. `now` never
// goes back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/extent.h"
#include "fastjournal/histogram.h"
#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/record.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "fastjournal/zones.h"

namespace fastjournal {

// The precision of Table::oldest_lsn.
inline constexpr std::uint64_t kOldestLsnGrain = 256U << 10U;

// ---------------------------------------------------------------------------
// Commands

// One command for one table. The names in the message are checked against the declaration before decide: unknown
// parameters and missing required ones never get here.
struct Command {
  std::uint16_t index{0};  // into TypeDeclaration::commands
  Message const* message{nullptr};
  ConnectionId connection{};
  std::string_view worker{};  // the sender: the parameter `worker`, or the connection's peer address and number
  // Owner of the names that the message invents; the same for all connections of one origin, never empty for a peer:
  // "ip:192.0.2.7", "uid:1000", "service:server:name", "udp". At most kOriginBytesMax bytes.
  std::string_view origin{};
  // Its leases belong to the connection, and end with it after the grace; false: it lasts until its date (HTTP).
  bool holds{true};
  bool may_manage{false};  // the sender has the right `manage` on this table
};
inline constexpr std::size_t kOriginBytesMax = 256;

enum class Verdict : std::uint8_t {
  done,   // the answer (or status) is complete
  again,  // apply the records of this step, then call decide with step + 1
  wait,   // nothing now: keep the command, and decide it again (from step 0, with waited = true)
          // when work becomes available on wait_topic, or at wait_until
  fetch,  // apply the records of this step, have what it `wanted` read (Offloads::fetched), then call decide with step + 1.
          // Other commands are decided meanwhile, so it looks at everything again. Of types with Offloads
};

// A value, or all values whose keys begin alike, that a connection wants to be told of when they change (Watched).
struct WatchRequest {
  std::string key{};
  bool is_prefix{false};
};

// The result of a command that hands out work; the engine wakes and arms listeners by it.
enum class Take : std::uint8_t { no, found, nothing };

// A command of a transaction is decided twice (Promises).
enum class Phase : std::uint8_t {
  now,      // of no transaction
  promise,  // checks all that could refuse it, says in Decision::hold what must stay so, and appends nothing
  keep,  // the effects, with exactly one message as answer. It may not be refused, and looks neither at limits nor at
         // what was expected: that was done when it was promised. All steps together stay within Hold::record_bytes.
};

// The state that a promised command must find unchanged when it is kept: until then no other command changes it.
struct Hold {
  std::vector<ObjectId> objects;
  std::vector<std::string> keys;
  // Room in the limits of the table that it will take.
  std::uint64_t rows{0};
  std::uint64_t bytes{0};
  // The most bytes of its records, with 32 for each header; 0: as those of any step.
  std::size_t record_bytes{0};

  // Ready for the next one; keeps its memory.
  void clear() {
    objects.clear();
    keys.clear();
    rows = bytes = 0;
    record_bytes = 0;
  }
};

// Input and output of one decide.
struct Decision {
  // in
  TimeMs now{};
  Phase phase{Phase::now};
  TransactionId transaction{};  // of a phase that is not `now`
  DurationMs promised_for{};    // how long ago it was promised
  std::uint32_t start{0};       // number of the daemon's start
  std::uint32_t step{0};        // 0, 1, ... while the verdict is `again` or `fetch`
  bool waited{false};           // the wait is over: answer now, do not wait again
  bool short_of_space{false};   // of a command that touches: nothing may be appended
  bool short_of_memory{false};  // what a command may leave out is not kept
  // out
  Records& records;
  Answer& answer;
  Status status{};  // not ok: this step appended nothing; sent as ERROR
  Durability durability{Durability::synced};
  Take take{Take::no};
  TimeMs wait_until{};
  std::string_view wait_topic{};  // borrowed from the message
  bool waits_for_several{false};  // wait_topic names topics, between blanks
  Extent wanted{};                // of a verdict `fetch`
  // From this command on its connection watches that. Of types that are Watched.
  std::unique_ptr<WatchRequest> watch{};
  // Objects looked at by this step, beyond the first few. All steps of a turn are added up: they bound the turn.
  std::uint32_t work_units{0};
  Hold* hold{nullptr};  // of a promise; empty before
  // For the command's own use between its steps (a count, a cursor), also those behind a fetch or a wait; zero when it comes.
  std::array<std::uint64_t, 4> carry{};

  // The command ends with this reason.
  Verdict refuse(Status why) {
    status = std::move(why);
    return Verdict::done;
  }
  // Whether there is one.
  [[nodiscard]] bool refuses(Status why) {
    status = std::move(why);
    return !status.ok();
  }
  // When the command came: to this its dates are relative.
  [[nodiscard]] TimeMs asked() const { return {now.value - promised_for.value}; }
};

// The tag of an alert that stays until an operator lowers it.
inline constexpr std::string_view kManualTag = "manual";

// Receives the effects of a change that concern others. The engine collects the calls; views are copied. The effects of
// a recovery are ignored.
class TableObserver {
 public:
  // Work became available (entered the order of NEXT). `topic` is the row's domain, or empty; `due` is its date.
  virtual void available(ObjectId object, std::string_view topic, TimeMs due) = 0;
  // The connection got a lease on the object; the lease ended, for whatever reason (done, given back, timed out,
  // deleted, adopted by another connection).
  virtual void lease_began(ObjectId object, ConnectionId connection) = 0;
  virtual void lease_ended(ObjectId object, ConnectionId connection) = 0;
  // `count` objects that were held back (by a pause, by a limit) may be taken now: those who wait for the topic are
  // told as if the objects were new. An empty topic means all topics. Also called when the table's total has not grown:
  // a client that waits for one topic cannot take the objects of another.
  virtual void available_again(std::string_view topic, std::uint64_t count) = 0;
  // The value under this key is another one, or is gone (Watched).
  virtual void changed(std::string_view key) = 0;
  // A record names these bytes outside the log from now on, or names them no longer (Stores). Each is called once for
  // an extent, in a replay too: freed bytes are given back as soon as the record is durable. `carried`: the bytes, if
  // the record has them as well; they are written to their place at once.
  virtual void stored(Extent const& extent, std::string_view carried) = 0;
  virtual void freed(Extent const& extent) = 0;
  // A fact for the administrator, once per cause: row-failed, paused, ... (`name`: [a-z][a-z0-9-]*, at most 32 bytes;
  // `tags`: separated by commas). Repeats are counted. At most 8 alerts per table.
  virtual void alert(std::string_view name, std::uint8_t priority, std::string_view message, std::string_view tags) = 0;
  virtual void lower_alert(std::string_view name) = 0;

 protected:
  ~TableObserver() = default;
};

// Ignores everything.
class NoObserver : public TableObserver {
 public:
  virtual ~NoObserver() = default;
  void available(ObjectId, std::string_view, TimeMs) override {}
  void lease_began(ObjectId, ConnectionId) override {}
  void lease_ended(ObjectId, ConnectionId) override {}
  void available_again(std::string_view, std::uint64_t) override {}
  void changed(std::string_view) override {}
  void stored(Extent const&, std::string_view) override {}
  void freed(Extent const&) override {}
  void alert(std::string_view, std::uint8_t, std::string_view, std::string_view) override {}
  void lower_alert(std::string_view) override {}
};

// ---------------------------------------------------------------------------
// Digests and figures

// A figure's name, and its description for monitoring systems.
struct Metric {
  enum class Kind : std::uint8_t {
    gauge,    // rises and falls
    counter,  // only rises, from 0 at each start
  };

  std::string_view name;  // [a-z_]+ with the unit last: rows_waiting, lateness_ms
  std::string_view help;  // a sentence without its full stop
  Kind kind{Kind::gauge};
};

// The integer `rows` is the number of objects, for types that count any; shown by TABLES.
class MetricSink {
 public:
  virtual void integer(Metric const& metric, std::int64_t value) = 0;
  virtual void real(Metric const& metric, double value) = 0;
  // Shown by STATS as NAME_p50, NAME_p99 and NAME_max.
  virtual void histogram(Metric const& metric, Histogram const& values) = 0;

  void gauge(std::string_view name, std::string_view help, std::uint64_t value) {
    integer({name, help, Metric::Kind::gauge}, static_cast<std::int64_t>(value));
  }
  void counter(std::string_view name, std::string_view help, std::uint64_t value) {
    integer({name, help, Metric::Kind::counter}, static_cast<std::int64_t>(value));
  }

 protected:
  ~MetricSink() = default;
};

// The result of one step of compaction.
struct Compacted {
  bool more{false};             // more remain once the appended records are applied
  std::size_t object_bytes{0};  // not 0: the room that the next object needs
};

// Information for apply besides the record.
struct ApplyContext {
  bool live{false};  // decided just now; false: replayed, at a start or by a follower
  TimeMs now{};      // of the decision; in a replay the last date that the log had before, if it had one
  Lsn base{};        // of the log: nothing below it is needed
};

class Timed;
class Holder;
class Topics;
class Work;
class Columns;
class Followed;
class Watched;
class Stores;
class Offloads;
class ManagesFiles;
class Promises;
class Exported;

// The optional abilities of a type (capabilities.h). The engine never calls a missing one, and refuses what requires it
// (LISTEN, <feed>, <wake-message>) with that reason.
struct Capabilities {
  Timed* timed{nullptr};
  Holder* holder{nullptr};
  Topics* topics{nullptr};
  Work* work{nullptr};  // if set, `topics` is the same object
  Columns* columns{nullptr};
  Followed* followed{nullptr};
  Watched* watched{nullptr};
  Stores* stores{nullptr};
  Offloads* offloads{nullptr};
  ManagesFiles* manages_files{nullptr};
  Promises* promises{nullptr};
  Exported* exported{nullptr};
};

// Every table type. A type has no more than it needs: tests/unit/engine/tally.h has all, toy.h next to nothing.
class Table {
 public:
  Table() = default;
  Table(Table const&) = delete;
  Table& operator=(Table const&) = delete;
  virtual ~Table() = default;

  // Called once, when the table is hosted; the objects live as long as the table.
  [[nodiscard]] virtual Capabilities capabilities() { return {}; }

  virtual Verdict decide(Command const& command, Decision& decision) const = 0;

  // -- state --------------------------------------------------------------
  // Live and at recovery alike. A record about an unknown object whose id is below the base is counted and ignored: the
  // object has ended, and its earlier records were dropped. Any other unknown object is damage: return false, which
  // stops the daemon.
  [[nodiscard]] virtual bool apply(RecordView const& record, ApplyContext const& context,
                                   TableObserver& observer) noexcept = 0;
  // The newest version of this record type that apply can read; it reads all older ones too. 0: no such record type. A
  // version that ever landed stays readable for good, so every program reads the logs of its predecessors.
  [[nodiscard]] virtual std::uint8_t newest_version(std::uint8_t record_type) const = 0;
  // A hint of a recovery: apply gets this record soon. Changes nothing. May prefetch the memory that apply will look
  // at.
  virtual void prefetch(RecordView const& record) const noexcept { static_cast<void>(record); }

  // -- space --------------------------------------------------------------
  // An upper limit for the base: the smallest LSN that this table still needs, or up to kOldestLsnGrain below it;
  // kNoLsn if it needs none.
  [[nodiscard]] virtual Lsn oldest_lsn() const = 0;
  // Compaction: states objects whose records are below `below` again, in records of at most `budget_bytes` in total, with
  // 32 bytes per header. A larger object is not begun: its size is returned in object_bytes, and the engine calls again
  // with room for it.
  virtual Compacted compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const = 0;
  // Size of the records that would state all live objects, in bytes.
  [[nodiscard]] virtual std::uint64_t live_bytes() const = 0;
  // Memory of its objects, indexes included. Called after every command: O(1).
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;

  // -- people -------------------------------------------------------------
  virtual void digest(DigestSink& sink) const = 0;
  virtual void metrics(TimeMs now, MetricSink& sink) const = 0;

  // -- reload -------------------------------------------------------------
  // Ok, or the reason why the new declaration cannot be taken while running.
  [[nodiscard]] virtual Status check_change(TableDeclaration const& next) const = 0;
  // Takes it. Columns::add_schema was called first if the schema changed.
  virtual void change(std::shared_ptr<TableDeclaration const> next) = 0;
};

// ---------------------------------------------------------------------------
// The one exported symbol

// Inputs of create besides the declarations.
struct TableContext {
  TableId id{};  // never changes
  // Drawn for each process, and used by every index of names chosen by clients, so that no client can choose names that
  // collide. Nothing visible or stored depends on it: order, pages, records and digests are the same.
  std::uint64_t hash_seed{0};
  Zones const* zones{nullptr};  // outlive the table; null: only UTC is known
};

// Raised with every change that breaks plugins built before it.
inline constexpr std::uint32_t kPluginAbi = 28;
inline constexpr char kPluginSymbol[] = "fastjournal_table_type";

// A protocol that a type brings, for listeners that are bound to a table of it (<listen protocol table>). TYPE.xml names
// it too. The messages that it reads are the type's commands; the table is added to them.
struct PluginProtocol {
  std::string_view name;
  // For one connection. `shared`: of `share`.
  std::unique_ptr<Protocol> (*make)(ProtocolPlace place, std::shared_ptr<void> const& shared){nullptr};
  // For one datagram, which is a query, and what is written for it another one; null: it does not come in datagrams.
  std::unique_ptr<Protocol> (*make_for_datagram)(){nullptr};
  // What all connections to one table share, by whatever listener; null: nothing. Used on the loop's thread alone.
  std::shared_ptr<void> (*share)(){nullptr};
};

// The first four fields never move.
struct PluginDescriptor {
  std::uint32_t size{sizeof(PluginDescriptor)};
  std::uint32_t abi{kPluginAbi};
  char const* build{nullptr};  // compiler and version of the headers, for messages
  char const* name{nullptr};   // the table type; NAME.so, NAME.xml
  // Fails with the differences between TYPE.xml and the code.
  Status (*check_type)(TypeDeclaration const&){nullptr};
  // The declarations outlive the table.
  Result<std::unique_ptr<Table>> (*create)(TableContext const&, std::shared_ptr<TypeDeclaration const>,
                                           std::shared_ptr<TableDeclaration const>){nullptr};
  std::span<PluginProtocol const> protocols{};
};

using PluginEntry = PluginDescriptor const* (*)();

}  // namespace fastjournal
