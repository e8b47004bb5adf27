// Alerts from their causes to the log and to their receivers. An alert that a table raises while a record is applied is
// logged in the group of that record; it is sent out once the logs are committed.
#include <algorithm>

#include "core/engine.h"
#include "core/engine_group.h"

namespace fastjournal::core {
namespace {

constexpr std::string_view kDiskShort = "disk-short";
constexpr std::string_view kMemoryShort = "memory-short";
// Without a refusal for this long, a shortage is over.
constexpr DurationMs kShortageEnds{10'000};
// Room for an ordinary row and its other records.
constexpr std::size_t kProbeBytes = 64U << 10U;

TableId id_of(HostedTable const* table) { return table == nullptr ? TableId::catalogue : table->id; }

}  // namespace

void Engine::raise(HostedTable const& table, std::string_view name, std::uint8_t priority, std::string_view message,
                   std::string_view tags) {
  pending_alerts_.raise(&table, name, priority, message, tags);
}

void Engine::lower(HostedTable const& table, std::string_view name) {
  // Usually it is not up: tables lower an alert whenever its cause is absent.
  if (table.log->catalogue.alerts().find(table.id, name) != nullptr || pending_alerts_.has(&table, name))
    pending_alerts_.lower(&table, name);
}

void Engine::raise_alert(std::string_view name, std::uint8_t priority, std::string_view message,
                         std::string_view tags) {
  pending_alerts_.raise(nullptr, name, priority, message, tags);
}

void Engine::lower_alert(std::string_view name) {
  if (alert_is_up(name)) pending_alerts_.lower(nullptr, name);
}

Status Engine::lower_by_hand(HostedTable const* table, std::string_view name, TimeMs now) {
  HostedLog& log = log_of_alert(table, name);
  AlertBook::Entry const* const found = log.catalogue.alerts().find(id_of(table), name);
  if (found == nullptr)
    return {Code::not_found, "no alert \"" + std::string{name.substr(0, 64)} + "\"; ALERTS lists them"};
  Alert const gone = found->alert;
  Status status = log_in_catalogue(log, now, AlertBook::kRecordBytesMax,
                                   [&](Records& records) { AlertBook::append_lowered(records, id_of(table), name); });
  if (status.ok()) notify(log, false, table, gone);
  return status;
}

std::vector<Alert> Engine::alerts() const {
  std::vector<Alert> out;
  for (auto const& log : logs_) {
    if (!log->serves) continue;
    for (auto const& [key, entry] : log->catalogue.alerts().all()) {
      out.push_back(entry.alert);
      if (Catalogue::TableEntry const* const table = log->catalogue.find(key.first)) out.back().table = table->name;
    }
  }
  return out;
}

// The daemon's own are in the first local log; if conf/ changes the order of the logs, they stay in theirs.
HostedLog& Engine::log_of_alert(HostedTable const* table, std::string_view name) const {
  if (table != nullptr) return *table->log;
  for (auto const& log : logs_)
    if (log->catalogue.alerts().find(TableId::catalogue, name) != nullptr) return *log;
  return own_log();
}

void Engine::notify(HostedLog const& log, bool up, HostedTable const* table, Alert alert) {
  if (table != nullptr) alert.table = table->name;
  notices_.push_back({up, std::move(alert), log.log});
}

std::vector<Alert> Engine::alerts_of(HostedTable const& table) const {
  std::vector<Alert> out;
  for (auto const& [key, entry] : table.log->catalogue.alerts().all())
    if (key.first == table.id) out.push_back(entry.alert);
  return out;
}

bool Engine::log_alerts(HostedLog& log, TimeMs now) {
  std::vector<PendingAlerts::Change>& changes = pending_alerts_.changes();
  Lsn const before = log.log->end_lsn();
  std::size_t looked = 0;
  for (auto at = changes.begin(); at != changes.end() && looked < kAlertsPerGroup;) {
    bool const dropped = at->table != nullptr && at->table->table == nullptr;
    if (!dropped && &log_of_alert(at->table, at->alert.name) != &log) {
      ++at;
      continue;
    }
    if (!dropped) log_alert(log, *at, now);
    at = changes.erase(at);
    ++looked;
  }
  return log.log->end_lsn() != before;
}

void Engine::log_alert(HostedLog& log, PendingAlerts::Change const& change, TimeMs now) {
  TableId const table = id_of(change.table);
  AlertBook const& book = log.catalogue.alerts();
  AlertBook::Entry const* known = book.find(table, change.alert.name);
  Group group;
  group.begin(log);
  if (change.lowered && known != nullptr) {
    if (change.raised == 0) notify(log, false, change.table, known->alert);
    AlertBook::append_lowered(group.catalogue(), table, change.alert.name);
    group.apply_step(now);
    known = nullptr;
  }
  if (change.raised == 0) return;
  if (known == nullptr && !book.has_room(table)) {
    ++alerts_dropped_;
    return;
  }
  Alert alert = change.alert;
  alert.count = change.raised + (known == nullptr ? 0 : known->alert.count);
  alert.first = known == nullptr ? now : known->alert.first;
  alert.last = now;
  if (known != nullptr && now - known->told < alert_interval_) {
    AlertBook::append_again(group.catalogue(), table, alert.name, alert.count, now);
  } else {
    AlertBook::append_raised(group.catalogue(), known == nullptr ? ObjectId{} : known->object, table, alert, now);
    notify(log, true, change.table, alert);
  }
  group.apply_step(now);
}

// Alerts without a logged cause: the daemon's own, and those caused by time alone.
void Engine::log_alerts_alone(TimeMs now) {
  for (auto const& log : logs_) {
    while (log->serves && std::any_of(pending_alerts_.changes().begin(), pending_alerts_.changes().end(),
                                      [&](PendingAlerts::Change const& change) {
                                        return &log_of_alert(change.table, change.alert.name) == log.get();
                                      })) {
      // Kept for a later turn, when there may be room.
      if (!log->log->reserve(kGroupBytes, true)) break;
      if (log_alerts(*log, now)) end_group(*log, now, Durability::synced);
    }
  }
}

// ---------------------------------------------------------------------------
// Shortages

bool Engine::alert_is_up(std::string_view name) const {
  return log_of_alert(nullptr, name).catalogue.alerts().find(TableId::catalogue, name) != nullptr ||
         pending_alerts_.has(nullptr, name);
}

// Raised once for a shortage, not for each refusal: a record for each would use up what is short.
void Engine::note_short_disk(HostedLog& log, TimeMs now) {
  log.refused_at = now;
  if (alert_is_up(kDiskShort)) return;
  std::string const why = log.log->shortage();
  raise_alert(kDiskShort, 80,
              why.empty() ? "log " + log.name + " has no room: what adds is refused. Free disk space"
                          : "what adds is refused: " + why,
              "disk");
}

void Engine::note_short_memory(TimeMs now) {
  memory_refused_at_ = now;
  if (alert_is_up(kMemoryShort)) return;
  raise_alert(kMemoryShort, 70,
              "rows take " + std::to_string(memory_bytes_) + " bytes of memory, the limit is " +
                  std::to_string(memory_bytes_max_) +
                  ": what adds is refused. Finish and delete rows, or raise <limits memory-bytes>",
              "memory");
}

bool Engine::check_shortages(TimeMs now) {
  if (alert_is_up(kMemoryShort) && memory_bytes_ <= memory_bytes_max_ && now - memory_refused_at_ >= kShortageEnds)
    lower_alert(kMemoryShort);
  if (alert_is_up(kDiskShort)) {
    bool const over = std::all_of(logs_.begin(), logs_.end(), [&](auto const& log) {
      return !log->serves || (now - log->refused_at >= kShortageEnds && log->log->reserve(kProbeBytes, false));
    });
    if (over) lower_alert(kDiskShort);
  }
  return alert_is_up(kMemoryShort) || alert_is_up(kDiskShort);
}

}  // namespace fastjournal::core
