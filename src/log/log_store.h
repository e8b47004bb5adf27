// A log as its owner drives it, whatever engine is behind it: the files of storage/, a simulated one, one day an engine
// on other computers. The engine needs no more than log::Log; the server drives the rest and names no engine.
//
// At the end of each turn of the loop the owner calls end_turn(), then take_job() for each lane, runs what it was given
// on any thread, and gives it back by finish_job() on the thread of the loop. What was decided may leave once
// durable_lsn() has come to the needed_lsn() of its turn. Everything but LogJob::run() is called on that one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/histogram.h"
#include "log/log.h"

namespace fastjournal::log {

enum class State : std::uint8_t {
  serving,      // takes records, and makes them durable
  following,    // another computer decides; this one only reads along
  unavailable,  // away, and expected back: what waits for it goes on waiting
  fenced,       // another took over: whether what was not durable came through is not known
  failed,       // a write or sync failed, or another folder stands in place of this one; for good
};
[[nodiscard]] constexpr std::string_view name_of(State state) {
  constexpr std::array<std::string_view, 5> kNames = {"serving", "following", "unavailable", "fenced", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

// Work beside the loop. Of each lane at most one job is out: lanes do not wait for one another.
enum class Lane : std::uint8_t {
  sync,     // answers wait for it
  prepare,  // what will be needed soon: a segment is made, wiped or removed
  scrub,    // what is durable is read again
};
inline constexpr std::array<Lane, 3> kLanes = {Lane::sync, Lane::prepare, Lane::scrub};

class LogJob {
 public:
  virtual ~LogJob() = default;
  // On any thread, once. Its outcome is the log's, in finish_job().
  virtual void run() = 0;
};

// The findings of scrubbing, for statistics and alerts.
struct ScrubReport {
  std::uint64_t rounds{0};   // that came to their end
  std::uint64_t bytes{0};    // read and checked
  std::uint64_t damaged{0};  // places; one that stays is counted once a round
  std::string last_damage;   // for people; names file and offset
  // Of this round; 0 of 0: none is under way.
  std::uint64_t round_done{0};
  std::uint64_t round_total{0};
};

// The parts of a copy of the log while it goes on (LogStore::pin).
struct LogSnapshot {
  std::uint64_t store_id{0};
  Lsn base{};                           // nothing below is needed
  Lsn end{};                            // begin of the next batch
  std::vector<std::uint32_t> segments;  // in the order of the stream
};

// For an operator: an alert, or a line for the daemon's log.
struct LogNews {
  std::string_view alert;  // its name; empty: a line for the daemon's log
  std::uint8_t priority{0};
  std::string text;
};

struct LogDescription {
  std::string folder;                    // within the data folder; empty: none
  std::string durability;                // what an acknowledgement means, for banner and STATS
  Histogram const* sync_us{nullptr};     // valid until the next call of the log; null: it does not sync
  bool syncs_elsewhere{false};           // by jobs, not in end_turn()
  ScrubReport const* scrubbed{nullptr};  // as sync_us; null: it is not scrubbed
  // Since when the oldest record waits that was written and is not synced; INT64_MAX: none does.
  std::int64_t unsynced_since_us{INT64_MAX};
  bool is_mending{false};  // something that is needed cannot be read back: a start would be refused
};

// The duties of a log in files alone (jobs, scrubbing, a backup) are empty by default.
class LogStore : public Log {
 public:
  [[nodiscard]] virtual std::string const& name() const = 0;

  [[nodiscard]] virtual State state() const = 0;
  // Durable state in memory may be told at this moment. Looked at before each send: a log on other computers
  // may have another owner by now.
  [[nodiscard]] virtual bool may_answer(std::int64_t /*now_us*/) const { return true; }
  // Not ok where it does not serve.
  [[nodiscard]] virtual Status const& why() const = 0;

  // The groups since the last call are a turn: needed_lsn() counts it in, and it is written, and synced if that is not
  // a job. What is also due by now (a durable marker, a sync by interval) is begun. True: a batch was written. An
  // error is told by state().
  [[nodiscard]] virtual bool end_turn(std::int64_t now_us) = 0;
  // When end_turn() is wanted without a cause; INT64_MAX: not before there is one.
  [[nodiscard]] virtual std::int64_t next_us() const = 0;
  // More waits to become durable than may: before the next end_turn() the owner waits for the job of Lane::sync. Only
  // where that ends soon, whatever happens to other computers; other engines are `unavailable` meanwhile.
  [[nodiscard]] virtual bool is_full() const { return false; }

  // Null: nothing is to be done there now, or a job of the lane is out.
  [[nodiscard]] virtual std::unique_ptr<LogJob> take_job(Lane, std::int64_t /*now_us*/) { return nullptr; }
  virtual void finish_job(Lane, std::unique_ptr<LogJob>) {}

  // A follower waits for records without a promise to sync: they become durable with this turn, unless syncs come by an
  // interval.
  virtual void sync_soon() {}
  // Is what was made durable still where a start will look for it? Microseconds; end_turn() asks now and then. An error
  // is told by state() too.
  [[nodiscard]] virtual Status look() { return {}; }

  // For a copy of what is durable while the log goes on. Commits and syncs first; no group may be open, and no job of
  // Lane::sync be out. One pin at a time. The log gives it up where removals would find no room otherwise.
  [[nodiscard]] virtual Result<LogSnapshot> pin() = 0;
  // False: it was given up, and what was copied cannot be trusted.
  virtual bool unpin() { return true; }

  // Clean stop: commits, syncs and says so. Nothing may follow. No job of Lane::sync may be out.
  [[nodiscard]] virtual Status shut_down() = 0;

  // Each once, the oldest first; also of how it was opened.
  [[nodiscard]] virtual std::vector<LogNews> take_news() { return {}; }
  [[nodiscard]] virtual LogDescription describe() const = 0;
};

}  // namespace fastjournal::log
