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
#include "clients/cpp/date.h"
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
  out.waits_for = number(message, "waits_for");
  out.date_by = message.text("date_by");
  out.ended_date = date(message, "ended_date");
  out.unique_until = date(message, "unique_until");
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

Result<Figure> figure_of(Message const& message) {
  if (message.command != "FIGURE") return unexpected(message, "FIGURE");
  Figure out;
  out.date = date(message, "date");
  out.inserted = number(message, "inserted");
  out.leased = number(message, "leased");
  out.done = number(message, "done");
  out.failed = number(message, "failed");
  out.timed_out = number(message, "timed_out");
  out.waiting = number(message, "waiting");
  out.processing = number(message, "processing");
  out.lateness_ms_p50 = number(message, "lateness_ms_p50");
  out.lateness_ms_p99 = number(message, "lateness_ms_p99");
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
  out.waits_for = number(message, "waits_for");
  out.blocked_by = message.text("blocked_by");
  out.after_group = message.text("after_group");
  out.when_failed = message.text("when_failed");
  out.group = message.text("group");
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
  out.error_class = message.text("error_class");
  out.error_trace = message.text("error_trace");
  out.merges = number(message, "merges");
  out.accepted_date = date_if_any(message, "accepted_date");
  out.schedule = message.text("schedule");
  out.schedule_date = date(message, "schedule_date");
  out.progress = number(message, "progress");
  out.progress_note = message.text("progress_note");
  out.progress_date = date(message, "progress_date");
  return out;
}

Result<JobGroup> job_group_of(Message const& message) {
  if (message.command != "GROUP") return unexpected(message, "GROUP");
  JobGroup out;
  out.group = message.text("group");
  out.number = number(message, "number");
  out.state = message.text("state");
  out.result = message.text("result");
  out.rows = number(message, "rows");
  out.done = number(message, "done");
  out.failed = number(message, "failed");
  out.parked = number(message, "parked");
  out.since = date(message, "since");
  out.ended_date = date(message, "ended_date");
  out.until = date(message, "until");
  out.waiting = message.text("waiting");
  return out;
}

Result<Node> node_of(Message const& message) {
  if (message.command != "NODE") return unexpected(message, "NODE");
  Node out;
  out.row = number(message, "row");
  out.state = message.text("state");
  out.level = number(message, "level");
  out.text = message.text("text");
  out.waits_for = message.text("waits_for");
  out.broken = message.text("broken");
  out.after_group = message.text("after_group");
  out.group = message.text("group");
  return out;
}

Result<Scheduled> scheduled_of(Message const& message) {
  if (message.command != "SCHEDULED") return unexpected(message, "SCHEDULED");
  Scheduled out;
  out.schedule = message.text("schedule");
  out.number = number(message, "number");
  out.result = message.text("result");
  out.next_date = date(message, "next_date");
  return out;
}

Result<Schedule> schedule_of(Message const& message) {
  if (message.command != "SCHEDULE") return unexpected(message, "SCHEDULE");
  Schedule out;
  out.schedule = message.text("schedule");
  out.number = number(message, "number");
  out.state = message.text("state");
  out.cron = message.text("cron");
  out.every = span_if_any(message, "every").value_or(DurationMs{});
  out.time_zone = message.text("time_zone");
  out.jitter = span_if_any(message, "jitter").value_or(DurationMs{});
  out.begins = date(message, "begins");
  out.ends = date(message, "ends");
  out.overlap = message.text("overlap");
  out.catch_up = message.text("catch_up");
  out.catch_up_window = span_if_any(message, "catch_up_window").value_or(DurationMs{});
  out.catch_up_max = number(message, "catch_up_max");
  out.pause_after = number(message, "pause_after");
  out.alert_after = span_if_any(message, "alert_after").value_or(DurationMs{});
  out.priority = number(message, "priority");
  out.expires_in = span_if_any(message, "expires_in").value_or(DurationMs{});
  out.columns = message.text("columns");
  out.declared = number(message, "declared") != 0;
  out.next_date = date(message, "next_date");
  out.dates = words_in(message, "dates");
  out.waiting_date = date(message, "waiting_date");
  out.last_date = date(message, "last_date");
  out.last_row = number(message, "last_row");
  out.last_result = message.text("last_result");
  out.last_success = date(message, "last_success");
  out.failures_in_row = number(message, "failures_in_row");
  out.running = number(message, "running");
  out.made = number(message, "made");
  out.done = number(message, "done");
  out.failed = number(message, "failed");
  out.skipped = number(message, "skipped");
  out.missed = number(message, "missed");
  out.late = number(message, "late") != 0;
  out.since = date(message, "since");
  out.by = message.text("by");
  out.reason = message.text("reason");
  out.problem = message.text("problem");
  return out;
}

Result<Backfilled> backfilled_of(Message const& message) {
  if (message.command != "BACKFILLED") return unexpected(message, "BACKFILLED");
  Backfilled out;
  out.schedule = message.text("schedule");
  out.count = number(message, "count");
  out.until = date(message, "until");
  out.complete = number(message, "complete") != 0;
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

Result<Work> JournalCalls::take(std::string_view domain, std::optional<DurationMs> wait, std::string_view worker) {
  Message command = command_on(table_, "NEXT");
  command.set_integer("done", 1);
  set_if_any(command, "domain", domain);
  set_span(command, "wait", wait);
  set_if_any(command, "worker", worker);
  return leased_by(connection_.call(command), &Work::rows, row_of);
}

Result<TimeMs> JournalCalls::touch(Row const& row, std::optional<DurationMs> lease) {
  Message command = command_about(row, "row", row.row, table_, "TOUCH");
  set_span(command, "lease", lease);
  return then(connection_.call(command), [](Message const& answer) -> Result<TimeMs> {
    return TimeMs{date(answer, "lease_end")};
  });
}

Result<TimeMs> JournalCalls::progress(Row const& row, std::uint64_t percent, std::string_view note,
                                      std::optional<DurationMs> lease) {
  Message command = command_about(row, "row", row.row, table_, "PROGRESS");
  command.set("percent", Value::of_unsigned(percent));
  set_error(command, "note", note, 1024);
  set_span(command, "lease", lease);
  return then(connection_.call(command), [](Message const& answer) -> Result<TimeMs> {
    return TimeMs{date(answer, "lease_end")};
  });
}

Message JournalCalls::done_of(Row const& row, std::string_view result) const {
  Message command = command_about(row, "row", row.row, table_, "DONE");
  set_error(command, "result", result, 65536);
  return command;
}

Status JournalCalls::done(Row const& row, std::string_view result) {
  Message command = done_of(row, result);
  return connection_.call(command).status();
}

Result<Work> JournalCalls::done_and_next(Row const& row, std::string_view result) {
  Message command = command_about(row, "row", row.row, table_, "DONE");
  command.set_integer("next", 1);
  set_error(command, "result", result, 65536);
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

Message JournalCalls::fail_of(Row const& row, std::string_view error, std::string_view error_trace,
                              std::string_view error_class) const {
  Message command = command_about(row, "row", row.row, table_, "FAIL");
  set_error(command, "error", error, 1024);
  set_error(command, "error_trace", error_trace, 65536);
  set_error(command, "error_class", error_class, 128);
  return command;
}

Result<Returned> JournalCalls::fail(Row const& row, std::string_view error, std::string_view error_trace,
                                    std::string_view error_class) {
  Message command = fail_of(row, error, error_trace, error_class);
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

Result<std::vector<Figure>> JournalCalls::figures(std::string_view per, std::optional<Date> since,
                                                  std::optional<Date> until) {
  Message command = command_on(table_, "FIGURES");
  set_if_any(command, "per", per);
  set_date(command, "since", since);
  set_date(command, "until", until);
  return all_pages(connection_, command, figure_of, UINT64_MAX);
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

Status JournalCalls::pause(std::string_view reason, std::string_view worker, std::string_view schedule) {
  Message command = command_on(table_, "PAUSE");
  set_error(command, "reason", reason, 1024);
  set_if_any(command, "worker", worker);
  set_if_any(command, "schedule", schedule);
  return connection_.call(command).status();
}

Result<std::string> JournalCalls::resume(std::string_view reason, std::string_view worker,
                                         std::string_view schedule) {
  Message command = command_on(table_, "RESUME");
  set_error(command, "reason", reason, 1024);
  set_if_any(command, "worker", worker);
  set_if_any(command, "schedule", schedule);
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

Result<JobGroup> JournalCalls::group(std::string_view group, std::string_view state) {
  Message command = command_on(table_, "GROUP");
  command.set("group", group);
  set_if_any(command, "state", state);
  return then(connection_.call(command), job_group_of);
}

Result<std::vector<JobGroup>> JournalCalls::groups(std::string_view group) {
  Message command = command_on(table_, "GROUPS");
  set_if_any(command, "group", group);
  return all_pages(connection_, command, job_group_of, UINT64_MAX);
}

Result<std::uint64_t> JournalCalls::cancel(std::string_view group, std::string_view how) {
  Message command = command_on(table_, "CANCEL");
  command.set("group", group);
  set_if_any(command, "how", how);
  return sum_of_pages(connection_, command, "count", UINT64_MAX);
}

Result<std::vector<Node>> JournalCalls::graph(std::string_view group, std::optional<std::uint64_t> row) {
  Message command = command_on(table_, "GRAPH");
  set_if_any(command, "group", group);
  set_number(command, "row", row);
  return all_pages(connection_, command, node_of);
}

Result<Scheduled> JournalCalls::schedule(Params const& columns, std::string_view schedule, std::string_view cron,
                                         std::optional<DurationMs> every, std::string_view time_zone,
                                         std::optional<DurationMs> jitter, std::optional<Date> begins,
                                         std::optional<Date> ends, std::string_view overlap,
                                         std::string_view catch_up, std::optional<DurationMs> catch_up_window,
                                         std::uint32_t catch_up_max, std::optional<std::uint64_t> pause_after,
                                         std::optional<DurationMs> alert_after, std::optional<std::uint8_t> priority,
                                         std::optional<DurationMs> expires_in, std::string_view worker) {
  Message command = command_on(table_, "SCHEDULE");
  set_columns(command, columns);
  command.set("schedule", schedule);
  set_if_any(command, "cron", cron);
  set_span(command, "every", every);
  set_if_any(command, "time_zone", time_zone);
  set_span(command, "jitter", jitter);
  set_date(command, "begins", begins);
  set_date(command, "ends", ends);
  set_if_any(command, "overlap", overlap);
  set_if_any(command, "catch_up", catch_up);
  set_span(command, "catch_up_window", catch_up_window);
  command.set_integer("catch_up_max", catch_up_max);
  set_number(command, "pause_after", pause_after);
  set_span(command, "alert_after", alert_after);
  set_number(command, "priority", priority);
  set_span(command, "expires_in", expires_in);
  set_if_any(command, "worker", worker);
  return then(connection_.call(command), scheduled_of);
}

Status JournalCalls::unschedule(std::string_view schedule) {
  Message command = command_on(table_, "UNSCHEDULE");
  command.set("schedule", schedule);
  return connection_.call(command).status();
}

Result<std::vector<Schedule>> JournalCalls::schedules(std::string_view schedule, std::optional<std::uint8_t> dates) {
  Message command = command_on(table_, "SCHEDULES");
  set_if_any(command, "schedule", schedule);
  set_number(command, "dates", dates);
  return all_pages(connection_, command, schedule_of, UINT64_MAX);
}

Result<std::uint64_t> JournalCalls::trigger(std::string_view schedule) {
  Message command = command_on(table_, "TRIGGER");
  command.set("schedule", schedule);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::uint64_t> {
    return std::uint64_t{number(answer, "row")};
  });
}

Result<Backfilled> JournalCalls::backfill(std::string_view schedule, std::optional<Date> from_date,
                                          std::optional<Date> to_date) {
  Message command = command_on(table_, "BACKFILL");
  command.set("schedule", schedule);
  set_date(command, "from_date", from_date);
  set_date(command, "to_date", to_date);
  return then(connection_.call(command), backfilled_of);
}

}  // namespace fastjournal::client
