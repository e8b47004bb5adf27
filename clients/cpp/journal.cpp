#include "clients/cpp/journal.h"

#include <algorithm>
#include <array>

#include "clients/cpp/made_journal_messages.h"

namespace fastjournal::client {

namespace {

constexpr std::array<std::string_view, 3> kListenModes{"wake", "row", "deliver"};  // indexed by ListenMode
constexpr std::array<std::string_view, 3> kRowFates{"RELEASED", "PARKED", "DELETED"};

}  // namespace

bool is_row_parameter(std::string_view name) {
  static constexpr std::array<std::string_view, 35> kNames{
      "accepted_date", "after",        "attempts",      "back_off",        "domain",        "epoch",
      "error",         "error_class",  "error_trace",   "expiration_date", "group",         "insertion_date",
      "lease",         "lease_end",    "left",          "max_attempts",    "merges",        "omitted",
      "priority",      "process_date", "progress",      "progress_date",   "progress_note", "request",
      "row",           "schedule",     "schedule_date", "started_date",    "status",        "table",
      "tags",          "timeouts",     "unique_for",    "waits_for",       "worker"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<Notice> notice_of(Message const& push) {
  Result<Notice> out = notice_from(push, "ROW", "row", &Notice::row, row_from);
  if (out.ok()) out->domain = push.text("domain");
  return out;
}

Result<Notice> wait_notice(Connection& connection, Milliseconds limit, int wake_fd) {
  return then(connection.wait_push(limit, wake_fd), notice_of);
}

Result<Put> Journal::put_of(Reply const& reply) { return client::put_of(reply.first()); }

Result<Returned> Journal::returned_of(Reply const& reply) {
  Message const& answer = reply.first();
  std::optional<Returned::Fate> const fate = word_in<Returned::Fate>(kRowFates, answer.command);
  if (!fate) return unexpected(answer, "RELEASED, PARKED or DELETED");
  return Returned{.fate = *fate, .process_date = date_if_any(answer, "process_date")};
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

}  // namespace fastjournal::client
