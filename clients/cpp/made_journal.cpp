// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
// clang-format off
// The calls of made_journal.h.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/answers.h"
#include "clients/cpp/client.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/journal.h"
#include "clients/cpp/made_journal_messages.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

Result<Put> put_of(Message const& message) {
  std::optional<PutResult> const result = word_in<PutResult>(kPutResultWords, message.text("result"));
  if (message.command != "INSERTED" || !result) return unexpected(message, "INSERTED with a known result");
  Put out;
  out.row = number(message, "row");
  out.result = *result;
  out.merges = number(message, "merges");
  out.process_date = date(message, "process_date");
  out.date_by = message.text("date_by");
  return out;
}

Result<Row> row_of(Message const& message) {
  if (message.command != "ROW") return unexpected(message, "ROW");
  return row_from(message);
}

Result<DueRows> due_rows_of(Message const& message) {
  if (message.command != "DUE") return unexpected(message, "DUE");
  DueRows out;
  out.from = date(message, "from");
  out.to = date(message, "to");
  out.rows = number(message, "rows");
  out.now = date(message, "now");
  return out;
}

Result<Domain> domain_of(Message const& message) {
  if (message.command != "DOMAIN") return unexpected(message, "DOMAIN");
  Domain out;
  out.domain = message.text("domain");
  out.rows = number(message, "rows");
  out.waiting = number(message, "waiting");
  out.due = number(message, "due");
  out.ready = number(message, "ready");
  out.processing = number(message, "processing");
  out.weight = number(message, "weight");
  out.turn = message.text("turn");
  out.limit = message.text("limit");
  out.first_date = date(message, "first_date");
  out.next_date = date(message, "next_date");
  return out;
}

Result<KickedRow> kicked_row_of(Message const& message) {
  if (message.command != "KICKED") return unexpected(message, "KICKED");
  KickedRow out;
  out.row = number(message, "row");
  out.process_date = date(message, "process_date");
  return out;
}

Result<RowReason> row_reason_of(Message const& message) {
  if (message.command != "REASON") return unexpected(message, "REASON");
  RowReason out;
  out.row = number(message, "row");
  out.state = message.text("state");
  out.text = message.text("text");
  out.in = span_if_any(message, "in").value_or(DurationMs{});
  out.due_for = span_if_any(message, "due_for").value_or(DurationMs{});
  out.process_date = date(message, "process_date");
  out.expiration_date = date_if_any(message, "expiration_date");
  out.domain = message.text("domain");
  out.ahead = number(message, "ahead");
  out.limit = message.text("limit");
  out.held_by = number(message, "held_by");
  out.epoch = number(message, "epoch");
  out.worker = message.text("worker");
  out.lease_end = date(message, "lease_end");
  out.since = date(message, "since");
  out.in_transaction = number(message, "in_transaction") != 0;
  out.until = date(message, "until");
  out.by = message.text("by");
  out.reason = message.text("reason");
  out.timeouts = number(message, "timeouts");
  out.attempts = number(message, "attempts");
  out.failures = number(message, "failures");
  out.lifetime_timeouts = number(message, "lifetime_timeouts");
  out.error = message.text("error");
  out.error_trace = message.text("error_trace");
  out.merges = number(message, "merges");
  out.accepted_date = date_if_any(message, "accepted_date");
  return out;
}

Message JournalCalls::insert_of(Params const& columns, PutOptions const& options) const {
  Message command = command_on(table_, "INSERT");
  set_columns(command, columns);
  set_options(command, options);
  return command;
}

Result<Put> JournalCalls::put(Params const& columns, PutOptions const& options) {
  Message command = insert_of(columns, options);
  return then(connection_.call_numbered(command), put_of);
}

Result<Work> JournalCalls::next(NextOptions const& options) {
  Message command = command_on(table_, "NEXT");
  set_options(command, options);
  return leased_by(connection_.call(command), &Work::rows, row_of);
}

Result<TimeMs> JournalCalls::touch(Row const& row, std::optional<DurationMs> lease) {
  Message command = command_about(row, "row", row.row, table_, "TOUCH");
  set_span(command, "lease", lease);
  return then(connection_.call(command), [](Message const& answer) -> Result<TimeMs> {
    return TimeMs{date(answer, "lease_end")};
  });
}

Message JournalCalls::done_of(Row const& row) const {
  Message command = command_about(row, "row", row.row, table_, "DONE");
  return command;
}

Status JournalCalls::done(Row const& row) {
  Message command = done_of(row);
  return connection_.call(command).status();
}

Result<Work> JournalCalls::done_and_next(Row const& row) {
  Message command = command_about(row, "row", row.row, table_, "DONE");
  command.set_integer("next", 1);
  return leased_by(connection_.call(command), &Work::rows, row_of);
}

Message JournalCalls::release_of(Row const& row, ReleaseOptions const& options) const {
  Message command = command_about(row, "row", row.row, table_, "RELEASE");
  set_options(command, options);
  return command;
}

Result<Returned> JournalCalls::release(Row const& row, ReleaseOptions const& options) {
  Message command = release_of(row, options);
  return then(report(connection_, command), Journal::returned_of);
}

Message JournalCalls::fail_of(Row const& row, std::string_view error, std::string_view error_trace) const {
  Message command = command_about(row, "row", row.row, table_, "FAIL");
  set_error(command, "error", error, 1024);
  set_error(command, "error_trace", error_trace, 16384);
  return command;
}

Result<Returned> JournalCalls::fail(Row const& row, std::string_view error, std::string_view error_trace) {
  Message command = fail_of(row, error, error_trace);
  return then(report(connection_, command), Journal::returned_of);
}

Result<std::vector<Row>> JournalCalls::peek(WhichRows const& options) {
  Message command = command_on(table_, "PEEK");
  set_options(command, options);
  return all_pages(connection_, command, row_of);
}

Result<std::vector<Row>> JournalCalls::list(RowFilter const& options, bool traces) {
  Message command = command_on(table_, "LIST");
  set_options(command, options);
  set_flag(command, "traces", traces);
  return all_pages(connection_, command, row_of, options.count);
}

Result<std::uint64_t> JournalCalls::count(RowFilter const& options) {
  Message command = command_on(table_, "COUNT");
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::vector<RowReason>> JournalCalls::why(WhichRows const& options) {
  Message command = command_on(table_, "WHY");
  set_options(command, options);
  return all_pages(connection_, command, row_reason_of);
}

Result<std::vector<DueRows>> JournalCalls::timeline(std::string_view domain) {
  Message command = command_on(table_, "TIMELINE");
  set_if_any(command, "domain", domain);
  return all_pages(connection_, command, due_rows_of);
}

Result<std::vector<Domain>> JournalCalls::domains() {
  Message command = command_on(table_, "DOMAINS");
  return all_pages(connection_, command, domain_of, UINT64_MAX);
}

Status JournalCalls::erase(WhichRows const& options) {
  Message command = command_on(table_, "DELETE");
  set_options(command, options);
  return connection_.call(command).status();
}

Result<std::uint64_t> JournalCalls::erase_matching(RowFilter const& options) {
  Message command = command_on(table_, "DELETE");
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::optional<KickedRow>> JournalCalls::kick(WhichRows const& options) {
  Message command = command_on(table_, "KICK");
  set_options(command, options);
  return then(connection_.call(command), [](Message const& answer) { return if_any(answer, kicked_row_of); });
}

Result<std::uint64_t> JournalCalls::kick_matching(RowFilter const& options) {
  Message command = command_on(table_, "KICK");
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Status JournalCalls::pause(std::string_view reason, std::string_view worker) {
  Message command = command_on(table_, "PAUSE");
  set_error(command, "reason", reason, 1024);
  set_if_any(command, "worker", worker);
  return connection_.call(command).status();
}

Result<std::string> JournalCalls::resume(std::string_view reason, std::string_view worker) {
  Message command = command_on(table_, "RESUME");
  set_error(command, "reason", reason, 1024);
  set_if_any(command, "worker", worker);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("was")};
  });
}

Status JournalCalls::drain(std::string_view reason, std::string_view worker) {
  Message command = command_on(table_, "DRAIN");
  set_error(command, "reason", reason, 1024);
  set_if_any(command, "worker", worker);
  return connection_.call(command).status();
}

}  // namespace fastjournal::client
