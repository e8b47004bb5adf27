// Made by ./mk generate from plugins/*/*.xml: do not edit.
// clang-format off
// Which commands may be sent again, wait, and lease: clients/cpp/command_rule.h.
#include <array>
#include <span>
#include <string_view>

#include "clients/cpp/command_rule.h"

namespace fastjournal::client {

std::span<CommandRule const> journal_commands() {
  static constexpr auto kCommands = std::to_array<CommandRule>({
    {.name = "INSERT", .resend = Resend::numbered},
    {.name = "NEXT", .resend = Resend::always, .wait = "wait", .leases = "ROW DOCUMENT", .give_back = "RELEASE"},
    {.name = "TOUCH", .resend = Resend::always},
    {.name = "PROGRESS", .resend = Resend::always},
    {.name = "DONE", .resend = Resend::always, .done_before = "COMPLETED", .leases = "ROW", .give_back = "RELEASE"},
    {.name = "RELEASE", .resend = Resend::always},
    {.name = "FAIL", .resend = Resend::always},
    {.name = "PEEK", .resend = Resend::always},
    {.name = "LIST", .resend = Resend::always},
    {.name = "COUNT", .resend = Resend::always},
    {.name = "WHY", .resend = Resend::always},
    {.name = "HISTORY", .resend = Resend::always},
    {.name = "WAIT", .resend = Resend::always, .wait = "wait"},
    {.name = "TIMELINE", .resend = Resend::always},
    {.name = "DOMAINS", .resend = Resend::always},
    {.name = "GROUP", .resend = Resend::always},
    {.name = "GROUPS", .resend = Resend::always},
    {.name = "CANCEL", .resend = Resend::always},
    {.name = "GRAPH", .resend = Resend::always},
    {.name = "FIGURES", .resend = Resend::always},
    {.name = "PAUSE", .resend = Resend::always},
    {.name = "RESUME", .resend = Resend::always},
    {.name = "DRAIN", .resend = Resend::always},
    {.name = "SCHEDULE", .resend = Resend::always},
    {.name = "UNSCHEDULE", .resend = Resend::always},
    {.name = "SCHEDULES", .resend = Resend::always},
    {.name = "BACKFILL", .resend = Resend::always},
  });
  return kCommands;
}

std::span<CommandRule const> key_value_commands() {
  static constexpr auto kCommands = std::to_array<CommandRule>({
    {.name = "SET", .resend = Resend::numbered},
    {.name = "GET", .resend = Resend::always},
    {.name = "DELETE", .resend = Resend::numbered},
    {.name = "ADD", .resend = Resend::numbered},
    {.name = "NOT", .resend = Resend::numbered},
    {.name = "TRUNCATE", .resend = Resend::numbered},
    {.name = "RENAME", .resend = Resend::numbered},
    {.name = "ALIAS", .resend = Resend::numbered},
  });
  return kCommands;
}

std::span<CommandRule const> queue_commands() {
  static constexpr auto kCommands = std::to_array<CommandRule>({
    {.name = "SEND", .resend = Resend::numbered},
    {.name = "ACQUIRE", .resend = Resend::always, .wait = "wait", .leases = "MESSAGE", .give_back = "RELEASE"},
    {.name = "TOUCH", .resend = Resend::always},
    {.name = "ACCEPT", .resend = Resend::always, .done_before = "ACCEPTED"},
    {.name = "RELEASE", .resend = Resend::always},
    {.name = "REJECT", .resend = Resend::always},
    {.name = "PARK", .resend = Resend::always},
    {.name = "BROWSE", .resend = Resend::always},
    {.name = "COUNT", .resend = Resend::always},
    {.name = "READ", .resend = Resend::always},
    {.name = "PEEK", .resend = Resend::always},
    {.name = "WHY", .resend = Resend::always},
    {.name = "DECLARE", .resend = Resend::always},
    {.name = "REMOVE", .resend = Resend::always},
    {.name = "BIND", .resend = Resend::always},
    {.name = "UNBIND", .resend = Resend::always},
    {.name = "PURGE", .resend = Resend::always},
    {.name = "PAUSE", .resend = Resend::always},
    {.name = "RESUME", .resend = Resend::always},
    {.name = "QUEUES", .resend = Resend::always},
    {.name = "EXCHANGES", .resend = Resend::always},
    {.name = "BINDINGS", .resend = Resend::always},
  });
  return kCommands;
}

std::span<CommandRule const> pipeline_commands() {
  static constexpr auto kCommands = std::to_array<CommandRule>({
    {.name = "FOUND", .resend = Resend::always, .leases = "DOCUMENT", .give_back = "RELEASE"},
    {.name = "NEXT", .resend = Resend::always, .wait = "wait", .leases = "ROW DOCUMENT", .give_back = "RELEASE"},
    {.name = "SENDING", .resend = Resend::always},
    {.name = "SENT", .resend = Resend::always},
    {.name = "FAILED", .resend = Resend::always},
    {.name = "DROPPED", .resend = Resend::always},
    {.name = "ROUTED", .resend = Resend::always},
    {.name = "CHILD", .resend = Resend::never, .leases = "DOCUMENT", .give_back = "RELEASE"},
    {.name = "CHILDREN_DONE", .resend = Resend::always},
    {.name = "HEARTBEAT", .resend = Resend::always},
    {.name = "RELEASE", .resend = Resend::always},
    {.name = "RETRY", .resend = Resend::always},
    {.name = "FORCE", .resend = Resend::always},
    {.name = "DROP", .resend = Resend::always},
    {.name = "RESOLVE", .resend = Resend::always},
    {.name = "PAUSE", .resend = Resend::always},
    {.name = "RESUME", .resend = Resend::always},
    {.name = "DRAIN", .resend = Resend::always},
    {.name = "FORGET", .resend = Resend::always},
    {.name = "MIGRATE", .resend = Resend::always},
    {.name = "DOCUMENTS", .resend = Resend::always},
    {.name = "DESTINATIONS", .resend = Resend::always},
    {.name = "WHY", .resend = Resend::always},
    {.name = "HISTORY", .resend = Resend::always},
    {.name = "PLANS", .resend = Resend::always},
    {.name = "STEPS", .resend = Resend::always},
  });
  return kCommands;
}

std::span<CommandRule const> blob_commands() {
  static constexpr auto kCommands = std::to_array<CommandRule>({
    {.name = "PUT", .resend = Resend::numbered},
    {.name = "GET", .resend = Resend::always},
    {.name = "LIST", .resend = Resend::always},
    {.name = "ATTACH", .resend = Resend::always},
    {.name = "OMIT", .resend = Resend::always},
  });
  return kCommands;
}

std::span<std::string_view const> resent_daemon_commands() {
  static constexpr auto kNames = std::to_array<std::string_view>({
    "ALERTS", "ALIVE", "CLUSTER", "DIGEST", "FETCH", "HEALTH", "HELP", "LISTEN", "METRICS", "OPENAPI", "RIGHTS",
    "STATS", "TABLES", "UNLISTEN", "UNWATCH", "WAITERS", "WATCH", "XA_RECOVER"
  });
  return kNames;
}

}  // namespace fastjournal::client
