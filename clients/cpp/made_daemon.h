// Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.
// clang-format off
// Its figures, who listens, backups, the cluster, and its life. Options, records, calls: for daemon.h, which has what
// is special.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/client.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// Who the sender is, and what it may do.
struct OwnRights {
  std::string user{};           // the user; absent without a login
  std::string rights{};         // what it may do on all tables, or on the one that was named
  std::string grants{};         // in words, what it may do on some tables
  std::string table{};          // the table that the listener is bound to
  std::uint64_t connection{0};  // the number of the connection
};
// From a RIGHTS; invalid for any other message.
[[nodiscard]] Result<OwnRights> own_rights_of(Message const& message);

// A table.
struct ShownTable {
  std::string name{};         // its name
  std::string type{};         // its type
  bool persistent{true};      // false: it is not kept on disk
  std::string log{};          // the log of its records
  std::uint64_t rows{0};      // how many objects it has
  std::string key{};          // the columns of its key
  std::string columns{};      // its columns
  std::string types{};        // their types
  std::string description{};  // what its file says of it
};
// From a TABLE; invalid for any other message.
[[nodiscard]] Result<ShownTable> shown_table_of(Message const& message);

// An alert that is up.
struct Alert {
  std::string table{};        // its table; absent: the daemon itself
  std::string name{};         // its name
  std::uint64_t priority{0};  // 0 to 100; 50 and above should reach an operator
  std::string message{};      // for people, from the last time
  std::string tags{};         // what it is about
  std::uint64_t count{0};     // how often its cause occurred
  TimeMs first{};             // the first time
  TimeMs last{};              // the last time
  bool manual_down{false};    // it must be ended by LOWER
};
// From an ALERT; invalid for any other message.
[[nodiscard]] Result<Alert> alert_of(Message const& message);

// A LISTEN of a connection, or its commands that wait.
struct Waiter {
  std::string table{};          // the table
  std::uint64_t connection{0};  // the number of the connection
  std::string mode{};           // wake, row or deliver of LISTEN; next: commands wait
  std::string topic{};          // what it waits for; absent: all of the table
  std::string worker{};         // the name of the worker
  std::string peer{};           // the address of the connection
  std::string user{};           // who is logged in there
  TimeMs since{};               // of the LISTEN, or of the oldest command
  bool stalled{false};          // the connection takes no bytes, and is told nothing
  TimeMs until{};               // next: when the oldest wait ends
  std::uint64_t waiting{0};     // next: how many commands wait
  std::string state{};          // wake: idle, woken or busy
  std::uint64_t missed{0};      // row: announcements that were left out
  std::uint64_t credit{0};      // deliver: rows at once
  std::uint64_t leases{0};      // deliver: rows that are leased to it
};
// From a WAITER; invalid for any other message.
[[nodiscard]] Result<Waiter> waiter_of(Message const& message);

// A branch of a distributed transaction.
struct Branch {
  std::string xid{};  // its name
  // prepared, active, idle, suspended, rollback_only; committed or rolled_back by an administrator
  std::string state{};
  std::string origin{};          // whose it is: a user, or an address
  std::uint64_t transaction{0};  // its number
  std::uint64_t ops{0};          // how many commands it has
  std::string tables{};          // their tables, separated by commas
  TimeMs ends_date{};            // when its time ends it
  std::string log{};             // where it is prepared: logs separated by commas, home first
  std::string home{};            // lost: the log that has the outcome is not there
  TimeMs prepared_date{};        // when it was prepared
  DurationMs in_doubt_for{};     // how long it has been in doubt
  TimeMs decided_date{};         // when it was decided
};
// From a BRANCH; invalid for any other message.
[[nodiscard]] Result<Branch> branch_of(Message const& message);

// The digest of a table or of a log.
struct Digest {
  std::string table{};   // the table
  std::string log{};     // the log
  std::uint64_t lsn{0};  // of everything below this LSN
  std::string digest{};  // in hexadecimal digits
};
// From a DIGEST; invalid for any other message.
[[nodiscard]] Result<Digest> digest_of(Message const& message);

// The folder was read.
struct Reloaded {
  std::string changes{};   // a line for each change
  std::uint64_t count{0};  // how many
  bool dry_run{false};     // none was made
};
// From a RELOADED; invalid for any other message.
[[nodiscard]] Result<Reloaded> reloaded_of(Message const& message);

// What a command takes and answers.
struct CommandHelp {
  std::string name{};         // the command
  std::string type{};         // the table type that has it; daemon: it is the daemon's own
  std::string kind{};         // read, add, change, remove or touch
  std::string right{};        // what its sender needs
  std::string parameters{};   // each with its type; ! marks required ones
  std::string answers{};      // their names
  std::string description{};  // what it does
};
// From a HELP; invalid for any other message.
[[nodiscard]] Result<CommandHelp> command_help_of(Message const& message);

struct FetchOptions {
  std::optional<std::uint64_t> from{};  // the LSN of the first record; or else snapshot
  std::optional<std::uint64_t> to{};    // only records below this LSN; up to the end if absent
  std::uint32_t count{256};             // how many records at most (1 to 4096; 256 if absent)
  std::uint32_t bytes{1048576};         // about how many bytes of bodies at most (1 to 1048576; 1048576 if absent)
  bool snapshot{false};                 // the objects of the table
  std::string cursor{};                 // of a snapshot: go on behind the page before, as it said
};

// The calls of daemon.h that are one command each.
class Daemon {
 public:
  // `connection` must outlive it.
  explicit Daemon(Connection& connection) : connection_(connection) {}

  // Lists all commands. Returns their names, separated by commas.
  [[nodiscard]] Result<std::string> commands();
  // Tells what a command takes and answers, of each type of tables that has it.
  [[nodiscard]] Result<std::vector<CommandHelp>> help(std::string_view name);
  // Tells who the sender is, and what it may do.
  [[nodiscard]] Result<OwnRights> rights(std::string_view table = {});
  // Lists the tables with their columns.
  [[nodiscard]] Result<std::vector<ShownTable>> tables();
  // Tells the figures of the daemon and of each table.
  [[nodiscard]] Result<Reply> stats(std::string_view table = {});
  // Tells the figures of STATS with their meanings, as text for a monitoring system. Returns whole lines.
  [[nodiscard]] Result<std::string> metrics(std::string_view format = {}, std::string_view table = {});
  // Tells whether the daemon is of use: refused if a log does not serve.
  [[nodiscard]] Status health(std::string_view what = {});
  // Describes the HTTP door as an OpenAPI document. Returns in JSON.
  [[nodiscard]] Result<std::string> openapi();
  // Lists the alerts that are up.
  [[nodiscard]] Result<std::vector<Alert>> alerts(std::string_view table = {});
  // Ends an alert by hand.
  [[nodiscard]] Status lower(std::string_view name, std::string_view table = {});
  // Shows who listens and waits at a table, by connection.
  [[nodiscard]] Result<std::vector<Waiter>> waiters(std::string_view table);
  // Gets records of a table, or all of its objects, for a follower.
  [[nodiscard]] Result<Reply> fetch(std::string_view table, FetchOptions const& options = {});
  // Prepares a branch: from then on it stays, with all that it holds, until it is committed or rolled back. Returns how
  // many commands it has.
  [[nodiscard]] Result<std::uint64_t> xa_prepare(std::string_view xid);
  // Carries out a prepared branch. The answers of its commands follow the first message.
  [[nodiscard]] Result<Reply> xa_commit(std::string_view xid, bool one_phase = false);
  // Gives up a branch.
  [[nodiscard]] Status xa_rollback(std::string_view xid);
  // Forgets a branch that an administrator has decided.
  [[nodiscard]] Status xa_forget(std::string_view xid);
  // Lists the branches that are in doubt.
  [[nodiscard]] Result<std::vector<Branch>> xa_recover(bool all = false);
  // Decides a branch in doubt in place of its manager. Returns how many commands it had.
  [[nodiscard]] Result<std::uint64_t> xa_decide(std::string_view xid, std::string_view outcome);
  // Computes a digest of a table, or of each log, for comparisons.
  [[nodiscard]] Result<std::vector<Digest>> digest(std::string_view table = {}, bool stale = false);
  // Keeps the files of all logs unchanged until BACKUP_DONE or the end of the connection, and tells which ones to copy.
  [[nodiscard]] Result<Reply> backup(bool digest = false);
  // The files of the backup are copied: they may change again.
  [[nodiscard]] Status backup_done();
  // Shows the logs that are shared with other nodes, who owns each, and which nodes there are.
  [[nodiscard]] Result<Reply> cluster();
  // This node gives a log to another one.
  [[nodiscard]] Status step_down(std::string_view log, std::optional<DurationMs> pause = {});
  // Brings a table to the log that its file names, while it serves.
  [[nodiscard]] Result<Reply> move_table(std::string_view table);
  // Reads the tables folder again, and without a table also users and certificates; a bad file changes nothing.
  [[nodiscard]] Result<Reloaded> reload(std::string_view table = {}, bool dry_run = false);
  // Ends the daemon.
  [[nodiscard]] Status stop();
  // Ends the daemon so that its supervisor starts it again.
  [[nodiscard]] Status restart();
  // Opens the log file for people again.
  [[nodiscard]] Status log_rotate();

 protected:
  Connection& connection_;
};

}  // namespace fastjournal::client
