#include "clients/cpp/in_flight.h"

#include <algorithm>
#include <array>
#include <vector>

#include "clients/cpp/value_text.h"

namespace fastjournal::client {

std::span<CommandRule const> known_commands() {
  static std::vector<CommandRule> const kAll = [] {
    std::vector<CommandRule> out;
    for (std::span<CommandRule const> const some :
         {journal_commands(), key_value_commands(), queue_commands(), pipeline_commands(), blob_commands()})
      for (CommandRule const& one : some)
        if (std::ranges::find(out, one.name, &CommandRule::name) == out.end()) out.push_back(one);
    return out;
  }();
  return kAll;
}

CommandRule rule_of(std::string_view command, std::span<CommandRule const> known) {
  if (auto const found = std::ranges::find(known, command, &CommandRule::name); found != known.end()) return *found;
  std::span<std::string_view const> const of_daemon = resent_daemon_commands();
  bool const is_resent = std::ranges::find(of_daemon, command) != of_daemon.end();
  return {.name = {}, .resend = is_resent ? Resend::always : Resend::never};
}

bool may_resend(Message const& command, CommandRule const& rule) {
  if (rule.resend == Resend::numbered) return command.has("client") && command.has("sequence");
  return rule.resend == Resend::always;
}

Milliseconds wait_of(Message const& command, CommandRule const& rule) {
  if (rule.wait.empty()) return Milliseconds{0};
  // A day is above any table's limit for waiting, and keeps sums of durations small.
  constexpr std::int64_t kWaitMsMax = 86'400'000;
  return Milliseconds{std::clamp<std::int64_t>(command.integer(rule.wait).value_or(0), 0, kWaitMsMax)};
}

bool is_moved(Message const& message) { return message.text("code") == row_of(Code::moved).wire_name; }

std::optional<Milliseconds> retry_of(Message const& message) {
  // Never at once, whatever it says: it may say 0.
  constexpr std::int64_t kRetryMsMin = 20;
  constexpr std::int64_t kRetryMsMax = 86'400'000;
  if (message.text("code") != row_of(Code::unavailable).wire_name) return std::nullopt;
  std::optional<std::int64_t> const retry = message.integer("retry");
  if (!retry) return std::nullopt;
  return Milliseconds{std::clamp(*retry, kRetryMsMin, kRetryMsMax)};
}

Status refusal_of(Message const& answer) {
  if (answer.command == "UNKNOWN")
    return {Code::unknown_command, "the daemon knows no command " + std::string(answer.text("command"))};
  if (answer.command == "INVALID") {
    return {code_of_wire_name(answer.text("code")).value_or(Code::invalid),
            "the daemon could not read the message: " + std::string(answer.text("message"))};
  }
  if (answer.command != "ERROR") return {};
  std::string_view const name = answer.text("code");
  Code const code = code_of_wire_name(name).value_or(Code::not_supported);
  std::string message(answer.text("message"));
  // An unknown code of a newer daemon is kept in the message.
  if (row_of(code).wire_name != name) message.append(" (code ").append(name).append(")");
  Status out(code == Code::ok ? Code::not_supported : code, std::move(message));
  for (Param const& param : answer.params()) {
    if (param.name == "code" || param.name == "message" || param.name == "request" || param.name == "left") continue;
    out = std::move(out).with(std::string(param.name), text_of(param.value));
  }
  return out;
}

void InFlight::reset() {
  std::string kept_command = std::move(command);
  std::string kept_table = std::move(table);
  std::string kept_bytes = std::move(bytes);
  std::vector<Message> kept_messages = std::move(reply.messages);
  *this = {};
  kept_command.clear();
  kept_table.clear();
  kept_bytes.clear();
  kept_messages.clear();
  command = std::move(kept_command);
  table = std::move(kept_table);
  bytes = std::move(kept_bytes);
  reply.messages = std::move(kept_messages);
}

void InFlight::add(Message message) {
  bool const last = message.integer("left").value_or(0) <= 0;
  if (Status refusal = refusal_of(message); refusal.ok()) {
    reply.messages.push_back(std::move(message));
  } else if (!rule.done_before.empty() && resent && refusal.code() == Code::unknown_row) {
    reply.messages.emplace_back(rule.done_before);
  } else if (status.ok()) {
    status = std::move(refusal);
  }
  // A refusal may be followed by more messages, for example for a row that text cannot carry.
  finished = last;
}

}  // namespace fastjournal::client
