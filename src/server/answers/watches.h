// The connections that watch the figures (WATCH), and their rounds: at intervals each is sent the messages of STATS, and
// FIGURES behind them. Tables whose figures are as in the round before are left out, but not in each round.
//
// At the end of a turn a part of one round is sent at most, and of all rounds together so many tables a second: whatever
// is watched, by however many, the loop spends a bounded part of its time on it, and never much at once. Rounds that this
// delays, or that find the one before not taken, are left out, not made up for: what is unsent of a connection is one
// round.
//
// Owned by the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/access/permit.h"
#include "config/access/user.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "server/admin/commands.h"
#include "server/connections.h"
#include "server/core.h"

namespace fastjournal::server {

class Watches final : public admin::Watching {
 public:
  static constexpr std::size_t kWatchersMax = 64;
  // Of these: for senders with the right `admin` alone, and the most of one origin or user without it.
  static constexpr std::size_t kKeptForAdministrators = 8;
  static constexpr std::size_t kOfOriginMax = 48;
  // Of a round in one turn. One that is not told, as it may not be read, costs a hint of that.
  static constexpr std::size_t kTablesPerTurn = engine::LongAnswer::kTables;
  static constexpr std::size_t kPassedOverPerTable = 16;
  // Of a watcher's rounds; the others leave tables out.
  static constexpr std::uint64_t kWholeEvery = 10;
  // The share of time of a table in a round. Its figures take some 10 us to be made and written: so rounds take a tenth
  // of the loop's time at most,
  static constexpr std::int64_t kUsPerTable = 100;
  // and begin before the share of those before them has passed by so much: a few tables are never waited for.
  static constexpr std::int64_t kAheadUs = 20'000;

  Watches(Core& core, Connections& connections, admin::OwnFigures& own)
      : engine_(core.engine), time_(core.clock.time()), connections_(connections), own_(own) {}

  [[nodiscard]] Status watch(ConnectionId connection, engine::HostedTable const* table, DurationMs every) override;
  [[nodiscard]] Status unwatch(ConnectionId connection) override;
  // The connection is gone.
  void ended(ConnectionId connection);

  // At the end of a turn, before its logs are committed. True: something of a round was sent.
  [[nodiscard]] bool send_due(TimeMs now);
  // The next date at which send_due has work; INT64_MAX: never.
  [[nodiscard]] std::int64_t next_us() const { return next_us_; }
  [[nodiscard]] std::size_t size() const { return watchers_.size(); }

 private:
  struct Watcher {
    ConnectionId connection{};
    std::string origin{};  // or the user's; empty: an administrator's
    std::string table{};   // empty: the daemon and all tables
    std::int64_t every_us{0};
    std::int64_t due_us{0};
    std::uint64_t rounds{0};
    std::uint64_t end{0};  // of the last round in the session's stream
    // The round that is under way: what of it was sent, and when it goes on.
    bool is_under_way{false};
    bool is_whole{false};
    std::size_t at{0};  // the next table, by number
    std::uint64_t tables{0};
    std::uint64_t unchanged{0};
    std::int64_t go_on_us{0};
    [[nodiscard]] std::int64_t next_us() const { return is_under_way ? go_on_us : due_us; }
    // Of WATCH with a token of its own: whose it was, and his rights. The session has them for that message only.
    access::UserPtr user{};
    Rights rights{};
    std::vector<std::uint64_t> told{};  // the figures of the last round, as hashes, by the table's number; 0: none
  };

  // Not ok: there is no place for one more of this origin. Empty: an administrator's.
  [[nodiscard]] Status check_place(std::string const& origin) const;
  [[nodiscard]] static access::Permit permit_of(Watcher const& watcher, Session const& session);
  [[nodiscard]] bool may_send(Watcher const& watcher, Session const& session) const;
  static void begin_round(Watcher& watcher, engine::HostedTable const* table, std::int64_t now_us);
  void send_part(Watcher& watcher, Session& session, engine::HostedTable const* table, TimeMs now);
  // Of tables, as many as a turn may. True: that was the last.
  [[nodiscard]] bool send_tables(Watcher& watcher, Session& session, engine::HostedTable const* table, TimeMs now);
  // The watched table is gone, or may not be read any more.
  void end(std::size_t index, Session& session);
  void forget(std::size_t index);
  void keep(Session* session, std::int64_t bytes);
  void plan();

  engine::Engine& engine_;
  TimeKeeper& time_;
  Connections& connections_;
  admin::OwnFigures& own_;
  std::vector<Watcher> watchers_;
  std::int64_t spent_us_{0};  // until then the shares of the rounds that were sent last
  std::int64_t next_us_{INT64_MAX};
  Answer round_;  // memory that is reused
};

}  // namespace fastjournal::server
