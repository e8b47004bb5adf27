#include "engine/alerting.h"

#include <algorithm>
#include <string>

namespace fastjournal::engine {
namespace {

TableId id_of(HostedTable const* table) { return table == nullptr ? TableId::catalogue : table->id; }

}  // namespace

Status Alerting::lower_by_hand(HostedTable const* table, std::string_view name, TimeMs now) {
  HostedLog& log = log_of(table, name);
  log::AlertBook::Entry const* const found = log.catalogue.alerts().find(id_of(table), name);
  if (found == nullptr)
    return {Code::not_found, "no alert \"" + std::string{name.substr(0, 64)} + "\"; ALERTS lists them"};
  log::Alert const gone = found->alert;
  Status status = log_in_catalogue(*this, log, now, log::AlertBook::kRecordBytesMax, [&](Records& records) {
    log::AlertBook::append_lowered(records, id_of(table), name);
  });
  if (status.ok()) notify(log, false, table, gone);
  return status;
}

void Alerting::forget(HostedTable const& table, std::vector<log::Alert> const& alerts) {
  for (log::Alert const& alert : alerts) notify(*table.log, false, &table, alert);
}

std::vector<log::Alert> Alerting::all() const {
  std::vector<log::Alert> out;
  for (auto const& log : tables_.logs()) {
    if (!log->serves) continue;
    for (auto const& [key, entry] : log->catalogue.alerts().all()) {
      out.push_back(entry.alert);
      if (log::Catalogue::TableEntry const* const table = log->catalogue.find(key.first))
        out.back().table = table->name;
    }
  }
  return out;
}

std::vector<log::Alert> Alerting::all_of(HostedTable const& table) {
  std::vector<log::Alert> out;
  for (auto const& [key, entry] : table.log->catalogue.alerts().all())
    if (key.first == table.id) out.push_back(entry.alert);
  return out;
}

// The daemon's own are in the first local log; if conf/ changes the order of the logs, they stay in theirs.
HostedLog& Alerting::log_of(HostedTable const* table, std::string_view name) const {
  if (table != nullptr) return *table->log;
  for (auto const& log : tables_.logs())
    if (log->catalogue.alerts().find(TableId::catalogue, name) != nullptr) return *log;
  return tables_.own_log();
}

void Alerting::notify(HostedLog const& log, bool up, HostedTable const* table, log::Alert alert) {
  if (table != nullptr) alert.table = table->name;
  notices_.push_back({up, std::move(alert), log.log});
}

void Alerting::notify_all(HostedLog const& log, bool up) {
  for (auto const& [key, entry] : log.catalogue.alerts().all()) {
    auto const found = log.tables.find(key.first);
    notify(log, up, found == log.tables.end() ? nullptr : found->second, entry.alert);
  }
}

bool Alerting::append(HostedLog& log, TimeMs now) {
  std::vector<PendingAlerts::Change>& changes = pending_.changes();
  Lsn const before = log.log->end_lsn();
  std::size_t looked = 0;
  for (auto at = changes.begin(); at != changes.end() && looked < kAlertsPerGroup;) {
    bool const dropped = at->table != nullptr && at->table->is_dropped();
    if (!dropped && &log_of(at->table, at->alert.name) != &log) {
      ++at;
      continue;
    }
    if (!dropped) append(log, *at, now);
    at = changes.erase(at);
    ++looked;
  }
  return log.log->end_lsn() != before;
}

void Alerting::append(HostedLog& log, PendingAlerts::Change const& change, TimeMs now) {
  TableId const table = id_of(change.table);
  log::AlertBook const& book = log.catalogue.alerts();
  log::AlertBook::Entry const* known = book.find(table, change.alert.name);
  Group group;
  group.begin(log);
  if (change.lowered && known != nullptr) {
    if (change.raised == 0) notify(log, false, change.table, known->alert);
    log::AlertBook::append_lowered(group.catalogue(), table, change.alert.name);
    group.apply_step(now);
    known = nullptr;
  }
  if (change.raised == 0) return;
  if (known == nullptr && !book.has_room(table)) {
    ++dropped_;
    return;
  }
  log::Alert alert = change.alert;
  alert.count = change.raised + (known == nullptr ? 0 : known->alert.count);
  alert.first = known == nullptr ? now : known->alert.first;
  alert.last = now;
  if (known != nullptr && now - known->told < interval_) {
    log::AlertBook::append_again(group.catalogue(), table, alert.name, alert.count, now);
  } else {
    log::AlertBook::append_raised(group.catalogue(), known == nullptr ? ObjectId{} : known->object, table, alert, now);
    notify(log, true, change.table, alert);
  }
  group.apply_step(now);
}

void Alerting::log_alone(TimeMs now) {
  for (auto const& log : tables_.logs()) {
    auto const is_here = [&](PendingAlerts::Change const& change) {
      return &log_of(change.table, change.alert.name) == log.get();
    };
    while (log->serves && std::ranges::any_of(pending_.changes(), is_here)) {
      // Kept for a later turn, when there may be room.
      if (!log->log->reserve(kGroupBytes, true)) break;
      if (append(*log, now)) end_group(*log, now, Durability::synced);
    }
  }
}

}  // namespace fastjournal::engine
