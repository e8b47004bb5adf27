#include "clients/cpp/journal.h"

#include <algorithm>
#include <array>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/value_text.h"

namespace fastjournal::client {

namespace {

constexpr std::array<std::string_view, 3> kListenModes{"wake", "row", "deliver"};  // indexed by ListenMode
constexpr std::array<std::string_view, 5> kPutResults{"inserted", "merged", "behind", "duplicate", "stale"};

Message about_row(std::string_view command, std::string_view table, Row const& row) {
  return command_about(row, "row", row.row, table, command);
}

// From the parameters of a ROW, or of a LISTEN about a row.
Row row_from(Message const& message) {
  Row out;
  out.table = message.text("table");
  out.row = number(message, "row");
  out.epoch = number(message, "epoch");
  out.priority = static_cast<std::uint8_t>(number(message, "priority"));
  out.timeouts = number(message, "timeouts");
  out.attempts = number(message, "attempts");
  out.omitted = message.text("omitted");
  out.process_date = date(message, "process_date");
  out.insertion_date = date(message, "insertion_date");
  out.lease_end = date(message, "lease_end");
  for (Param const& param : message.params())
    if (!is_row_parameter(param.name)) out.columns.emplace(param.name, text_of(param.value));
  return out;
}

// ROWs or NOTHING, possibly after a COMPLETED.
Result<Work> work_of(Reply const& reply) {
  Work out;
  for (Message const& message : reply.messages) {
    if (message.command == "COMPLETED") continue;
    if (message.command == "NOTHING") {
      if (auto const next = message.integer("next_date"); next && *next > 0) out.next_date = TimeMs{*next};
      continue;
    }
    Result<Row> row = row_of(message);
    if (!row.ok()) return row.status();
    out.rows.push_back(std::move(row).value());
  }
  return out;
}

}  // namespace

bool is_row_parameter(std::string_view name) {
  static constexpr std::array<std::string_view, 21> kNames{
      "accepted_date",   "after",          "attempts",  "domain", "epoch",  "error",    "error_trace",
      "expiration_date", "insertion_date", "lease_end", "left",   "merges", "omitted",  "priority",
      "process_date",    "request",        "row",       "status", "table",  "timeouts", "worker"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<Row> row_of(Message const& message) {
  if (message.command != "ROW") return unexpected(message, "ROW");
  return row_from(message);
}

Result<Notice> notice_of(Message const& push) {
  Result<Notice> out = notice_from(push, "ROW", "row", &Notice::row, row_from);
  if (out.ok()) out->domain = push.text("domain");
  return out;
}

Result<Notice> wait_notice(Connection& connection, Milliseconds limit, int wake_fd) {
  return then(connection.wait_push(limit, wake_fd), notice_of);
}

Message Journal::insert_of(Params const& columns, PutOptions const& options) const {
  Message out = command_on(table_, "INSERT");
  for (Param const& column : columns) out.set(column.name, column.value);
  if (options.priority) out.set_integer("priority", *options.priority);
  set_date(out, "process_date", options.process_date);
  set_date(out, "expiration_date", options.expiration_date);
  set_date(out, "insertion_date", options.insertion_date);
  set_identity(out, options);
  return out;
}

Result<Put> Journal::put_of(Reply const& reply) {
  Message const& answer = reply.first();
  std::optional<PutResult> const result = word_in<PutResult>(kPutResults, answer.text("result"));
  if (answer.command != "INSERTED" || !result) return unexpected(answer, "INSERTED with a known result");
  return Put{.row = number(answer, "row"),
             .result = *result,
             .merges = number(answer, "merges"),
             .process_date = date(answer, "process_date")};
}

Result<Put> Journal::put(Params const& columns, PutOptions const& options) {
  Message insert = insert_of(columns, options);
  return then(connection_.call_numbered(insert), put_of);
}

Result<Work> Journal::next(NextOptions const& options) {
  Message command = command_on(table_, "NEXT");
  command.set_integer("count", options.count);
  set_span(command, "lease", options.lease);
  set_span(command, "wait", options.wait);
  set_if_any(command, "domain", options.domain);
  set_if_any(command, "worker", options.worker);
  return then(connection_.call(command), work_of);
}

Result<TimeMs> Journal::touch(Row const& row, std::optional<DurationMs> lease) {
  Message command = about_row("TOUCH", table_, row);
  set_span(command, "lease", lease);
  return end_of(connection_.call(command), "lease_end");
}

Message Journal::done_of(Row const& row) const { return about_row("DONE", table_, row); }

Status Journal::done(Row const& row) { return connection_.call(done_of(row)).status(); }

Result<Work> Journal::done_and_next(Row const& row) {
  Message command = about_row("DONE", table_, row);
  command.set_integer("next", 1);
  return then(connection_.call(command), work_of);
}

Result<Returned> Journal::returned_of(Reply const& reply) {
  Message const& answer = reply.first();
  if (answer.command == "PARKED") return Returned{.fate = Returned::Fate::parked};
  if (answer.command == "DELETED") return Returned{.fate = Returned::Fate::deleted};
  if (answer.command != "RELEASED") return unexpected(answer, "RELEASED, PARKED or DELETED");
  return Returned{.process_date = date_if_any(answer, "process_date")};
}

Message Journal::release_of(Row const& row, ReleaseOptions const& options) const {
  Message command = about_row("RELEASE", table_, row);
  set_date(command, "process_date", options.process_date);
  set_failure(command, options.error, options.error_trace);
  return command;
}

Result<Returned> Journal::release(Row const& row, ReleaseOptions const& options) {
  Message command = release_of(row, options);
  return then(report(connection_, command), returned_of);
}

Status Journal::listen(ListenOptions const& options) {
  Params params{{"mode", Value::of_text(kListenModes[static_cast<std::size_t>(options.mode)])}};
  if (!options.domain.empty()) params.push_back({"domain", Value::of_text(options.domain)});
  if (options.mode == ListenMode::deliver) params.push_back({"credit", Value::of_integer(options.credit)});
  if (!options.worker.empty()) params.push_back({"worker", Value::of_text(options.worker)});
  return connection_.listen(table_, params);
}

Status Journal::unlisten(std::string_view domain) {
  Params params;
  if (!domain.empty()) params.push_back({"domain", Value::of_text(domain)});
  return connection_.unlisten(table_, params);
}

Message Journal::fail_of(Row const& row, std::string_view error, std::string_view error_trace) const {
  Message command = about_row("FAIL", table_, row);
  set_failure(command, error, error_trace);
  return command;
}

Result<Returned> Journal::fail(Row const& row, std::string_view error, std::string_view error_trace) {
  Message command = fail_of(row, error, error_trace);
  return then(report(connection_, command), returned_of);
}

}  // namespace fastjournal::client
