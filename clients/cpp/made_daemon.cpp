// Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.
// clang-format off
// The calls of made_daemon.h.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/answers.h"
#include "clients/cpp/daemon.h"
#include "clients/cpp/made_daemon_messages.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

Result<OwnRights> own_rights_of(Message const& message) {
  if (message.command != "RIGHTS") return unexpected(message, "RIGHTS");
  OwnRights out;
  out.user = message.text("user");
  out.rights = message.text("rights");
  out.grants = message.text("grants");
  out.table = message.text("table");
  out.connection = number(message, "connection");
  return out;
}

Result<ShownTable> shown_table_of(Message const& message) {
  if (message.command != "TABLE") return unexpected(message, "TABLE");
  ShownTable out;
  out.name = message.text("name");
  out.type = message.text("type");
  out.persistent = message.text("persistent") != "0";
  out.log = message.text("log");
  out.rows = number(message, "rows");
  out.key = message.text("key");
  out.columns = message.text("columns");
  out.types = message.text("types");
  out.description = message.text("description");
  return out;
}

Result<Alert> alert_of(Message const& message) {
  if (message.command != "ALERT") return unexpected(message, "ALERT");
  Alert out;
  out.table = message.text("table");
  out.name = message.text("name");
  out.priority = number(message, "priority");
  out.message = message.text("message");
  out.tags = message.text("tags");
  out.count = number(message, "count");
  out.first = date(message, "first");
  out.last = date(message, "last");
  out.manual_down = number(message, "manual_down") != 0;
  return out;
}

Result<Waiter> waiter_of(Message const& message) {
  if (message.command != "WAITER") return unexpected(message, "WAITER");
  Waiter out;
  out.table = message.text("table");
  out.connection = number(message, "connection");
  out.mode = message.text("mode");
  out.topic = message.text("topic");
  out.worker = message.text("worker");
  out.peer = message.text("peer");
  out.user = message.text("user");
  out.since = date(message, "since");
  out.stalled = number(message, "stalled") != 0;
  out.until = date(message, "until");
  out.waiting = number(message, "waiting");
  out.state = message.text("state");
  out.missed = number(message, "missed");
  out.credit = number(message, "credit");
  out.leases = number(message, "leases");
  return out;
}

Result<Branch> branch_of(Message const& message) {
  if (message.command != "BRANCH") return unexpected(message, "BRANCH");
  Branch out;
  out.xid = message.text("xid");
  out.state = message.text("state");
  out.origin = message.text("origin");
  out.transaction = number(message, "transaction");
  out.ops = number(message, "ops");
  out.tables = message.text("tables");
  out.ends_date = date(message, "ends_date");
  out.log = message.text("log");
  out.home = message.text("home");
  out.prepared_date = date(message, "prepared_date");
  out.in_doubt_for = span_if_any(message, "in_doubt_for").value_or(DurationMs{});
  out.decided_date = date(message, "decided_date");
  return out;
}

Result<Digest> digest_of(Message const& message) {
  if (message.command != "DIGEST") return unexpected(message, "DIGEST");
  Digest out;
  out.table = message.text("table");
  out.log = message.text("log");
  out.lsn = number(message, "lsn");
  out.digest = message.text("digest");
  return out;
}

Result<Reloaded> reloaded_of(Message const& message) {
  if (message.command != "RELOADED") return unexpected(message, "RELOADED");
  Reloaded out;
  out.changes = message.text("changes");
  out.count = number(message, "count");
  out.dry_run = number(message, "dry_run") != 0;
  return out;
}

Result<CommandHelp> command_help_of(Message const& message) {
  if (message.command != "HELP") return unexpected(message, "HELP");
  CommandHelp out;
  out.name = message.text("command");
  out.type = message.text("type");
  out.kind = message.text("kind");
  out.right = message.text("right");
  out.parameters = message.text("parameters");
  out.answers = message.text("answers");
  out.description = message.text("description");
  return out;
}

Result<std::string> Daemon::commands() {
  Message command = Message("HELP");
  return then(connection_.call(command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("list")};
  });
}

Result<std::vector<CommandHelp>> Daemon::help(std::string_view name) {
  Message command = Message("HELP");
  command.set("command", name);
  return all_pages(connection_, command, command_help_of);
}

Result<OwnRights> Daemon::rights(std::string_view table) {
  Message command = Message("RIGHTS");
  set_if_any(command, "table", table);
  return then(connection_.call(command), own_rights_of);
}

Result<std::vector<ShownTable>> Daemon::tables() {
  Message command = Message("TABLES");
  return all_pages(connection_, command, shown_table_of);
}

Result<Reply> Daemon::stats(std::string_view table) {
  Message command = Message("STATS");
  set_if_any(command, "table", table);
  return connection_.call(command);
}

Result<std::string> Daemon::metrics(std::string_view format, std::string_view table) {
  Message command = Message("METRICS");
  set_if_any(command, "format", format);
  set_if_any(command, "table", table);
  return text_of_all(connection_.call(command), "text");
}

Status Daemon::health(std::string_view what) {
  Message command = Message("HEALTH");
  set_if_any(command, "what", what);
  return connection_.call(command).status();
}

Result<std::string> Daemon::openapi() {
  Message command = Message("OPENAPI");
  return then(connection_.call(command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("text")};
  });
}

Result<std::vector<Alert>> Daemon::alerts(std::string_view table) {
  Message command = Message("ALERTS");
  set_if_any(command, "table", table);
  return all_pages(connection_, command, alert_of);
}

Status Daemon::lower(std::string_view name, std::string_view table) {
  Message command = Message("LOWER");
  command.set("name", name);
  set_if_any(command, "table", table);
  return connection_.call(command).status();
}

Result<std::vector<Waiter>> Daemon::waiters(std::string_view table) {
  Message command = Message("WAITERS");
  command.set("table", table);
  return all_pages(connection_, command, waiter_of, UINT64_MAX);
}

Result<Reply> Daemon::fetch(std::string_view table, FetchOptions const& options) {
  Message command = Message("FETCH");
  command.set("table", table);
  set_options(command, options);
  return connection_.call(command);
}

Result<std::uint64_t> Daemon::xa_prepare(std::string_view xid) {
  Message command = Message("XA_PREPARE");
  command.set("xid", xid);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::uint64_t> {
    return std::uint64_t{number(answer, "ops")};
  });
}

Result<Reply> Daemon::xa_commit(std::string_view xid, bool one_phase) {
  Message command = Message("XA_COMMIT");
  command.set("xid", xid);
  set_flag(command, "one_phase", one_phase);
  return connection_.call(command);
}

Status Daemon::xa_rollback(std::string_view xid) {
  Message command = Message("XA_ROLLBACK");
  command.set("xid", xid);
  return connection_.call(command).status();
}

Status Daemon::xa_forget(std::string_view xid) {
  Message command = Message("XA_FORGET");
  command.set("xid", xid);
  return connection_.call(command).status();
}

Result<std::vector<Branch>> Daemon::xa_recover(bool all) {
  Message command = Message("XA_RECOVER");
  set_flag(command, "all", all);
  return all_pages(connection_, command, branch_of, UINT64_MAX);
}

Result<std::uint64_t> Daemon::xa_decide(std::string_view xid, std::string_view outcome) {
  Message command = Message("XA_DECIDE");
  command.set("xid", xid);
  command.set("outcome", outcome);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::uint64_t> {
    return std::uint64_t{number(answer, "ops")};
  });
}

Result<std::vector<Digest>> Daemon::digest(std::string_view table, bool stale) {
  Message command = Message("DIGEST");
  set_if_any(command, "table", table);
  set_flag(command, "stale", stale);
  return all_pages(connection_, command, digest_of);
}

Result<Reply> Daemon::backup(bool digest) {
  Message command = Message("BACKUP");
  set_flag(command, "digest", digest);
  return connection_.call(command);
}

Status Daemon::backup_done() {
  Message command = Message("BACKUP_DONE");
  return connection_.call(command).status();
}

Result<Reply> Daemon::cluster() {
  Message command = Message("CLUSTER");
  return connection_.call(command);
}

Status Daemon::step_down(std::string_view log, std::optional<DurationMs> pause) {
  Message command = Message("STEP_DOWN");
  command.set("log", log);
  set_span(command, "for", pause);
  return connection_.call(command).status();
}

Result<Reply> Daemon::move_table(std::string_view table) {
  Message command = Message("MOVE_TABLE");
  command.set("table", table);
  return connection_.call(command);
}

Result<Reloaded> Daemon::reload(std::string_view table, bool dry_run) {
  Message command = Message("RELOAD");
  set_if_any(command, "table", table);
  set_flag(command, "dry_run", dry_run);
  return then(connection_.call(command), reloaded_of);
}

Status Daemon::stop() {
  Message command = Message("STOP");
  return connection_.call(command).status();
}

Status Daemon::restart() {
  Message command = Message("RESTART");
  return connection_.call(command).status();
}

Status Daemon::log_rotate() {
  Message command = Message("LOG_ROTATE");
  return connection_.call(command).status();
}

}  // namespace fastjournal::client
