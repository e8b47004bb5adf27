// Alerts in the server: those that it raises itself, the commands that list and lower them, and sending those that are
// durable.
#include "server/server.h"

namespace fastjournal::server {
namespace {

void add_facts(core::Alert const& alert, Answer& answer) {
  if (!alert.table.empty()) answer.add("table", std::string_view{alert.table});
  answer.add("name", std::string_view{alert.name}).add("priority", std::uint64_t{alert.priority});
  answer.add("message", std::string_view{alert.message}).add("tags", std::string_view{alert.tags});
  answer.add("count", alert.count).add("first", alert.first.value).add("last", alert.last.value);
  answer.add("manual_down", std::uint64_t{alert.manual});
}

}  // namespace

void Server::add_log(core::LogStore& log) {
  logs_.push_back({.log = &log});
  tell_news(log);
}

void Server::raise_alert(std::string_view name, std::uint8_t priority, std::string_view message,
                         std::string_view tags) {
  engine_.raise_alert(name, priority, message, tags);
  network_.turn_again();
}

void Server::lower_alert(std::string_view name) {
  if (!engine_.alert_is_up(name)) return;
  engine_.lower_alert(name);
  network_.turn_again();
}

void Server::check_health() {
  std::int64_t const off_us = time_.slew();
  // A clock that is ahead is followed in the next turn.
  if (off_us > TimeKeeper::kStepUs) network_.turn_again();
  bool const clock_off = off_us < -TimeKeeper::kStepUs;
  bool const was_off = engine_.alert_is_up(kClockJump);
  if (clock_off && !was_off) {
    std::string const text = "the wall clock is " + std::to_string(-off_us / 1000) +
                             " ms behind the journal's time, which never goes back and waits for it by going slower: "
                             "it was set back, or was ahead before";
    raise_alert(kClockJump, 40, text, "clock");
  } else if (was_off && !clock_off) {
    lower_alert(kClockJump);
  }
  if (unwell_) network_.turn_again();  // alerts that are over are lowered in a turn of their own
  bool const crowded = check_client_memory();
  unwell_ = engine_.check_shortages(now_) || clock_off || was_off || crowded;
}

void Server::tell_alert(core::AlertNotice const& notice) {
  // Alerts of the daemon are checked until they are over, also without clients.
  unwell_ = unwell_ || (notice.up && notice.alert.table.empty());
  host_.tell(notice);
  tell_flag(notice);
}

void Server::on_alerts(Session&, Message const& message, Answer& answer, Status& status) {
  bool absent = false;
  core::HostedTable* const one = table_of(message, status, &absent);
  if (one == nullptr && !absent) return;
  for (core::Alert const& alert : engine_.alerts()) {
    if (one != nullptr && alert.table != one->name) continue;
    answer.message("ALERT");
    add_facts(alert, answer);
  }
  if (answer.empty()) answer.message("ALERTS").add("count", std::uint64_t{0});
}

void Server::on_lower(Session&, Message const& message, Answer& answer, Status& status) {
  bool absent = false;
  core::HostedTable* const table = table_of(message, status, &absent);
  if (table == nullptr && !absent) return;
  std::string_view const name = message.text("name");
  if (name.empty()) {
    status =
        Status{Code::missing_parameter, "LOWER needs the parameter name; ALERTS tells it"}.with("parameter", "name");
    return;
  }
  status = engine_.lower_by_hand(table, name, turn_now());
  if (!status.ok()) return;
  answer.message("LOWERED").add("name", name);
  if (table != nullptr) answer.add("table", std::string_view{table->name});
}

}  // namespace fastjournal::server
