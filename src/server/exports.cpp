#include "server/exports.h"

#include <algorithm>
#include <utility>

namespace fastjournal::server {

// Who is mirrored elsewhere from now on begins anew: what is on its way to the former place is not looked at any more.
void Exports::look() {
  std::vector<One> next;
  for (auto const& table : engine_.tables()) {
    if (table->is_dropped() || table->can.exported == nullptr) continue;
    std::string const& connect = table->declaration->option(kConnectOption).text;
    std::string const& catalog = table->declaration->option(kCatalogOption).text;
    auto const known = std::ranges::find_if(all_, [&](One const& one) {
      return one.table == table.get() && one.connect == connect && one.catalog == catalog;
    });
    table->exported.is_on = !connect.empty();
    if (connect.empty()) {
      engine_.alerting().lower(table.get(), kExportFailed);
    } else if (known != all_.end()) {
      next.push_back(std::move(*known));
      next.back().is_wanted = true;
    } else {
      next.push_back({.number = ++numbers_, .table = table.get(), .connect = connect, .catalog = catalog});
    }
  }
  all_ = std::move(next);
}

bool Exports::wants_sync() {
  bool wants = false;
  for (One& one : all_) {
    if (one.waiting == nullptr || one.asked_to_sync || is_durable(one)) continue;
    one.asked_to_sync = true;
    wants = wants || one.table->log->log->needed_lsn() < one.needed;
  }
  return wants;
}

void Exports::end_turn() {
  if (all_.empty()) return;
  std::int64_t const now_us = clock_.monotonic_us();
  for (One& one : all_) {
    if (!one.table->serves()) continue;
    if (one.table->can.exported->export_version() != one.version) one.is_wanted = true;
    if (one.is_wanted && one.waiting == nullptr && !one.is_out && now_us >= one.not_before_us) take(one, now_us);
    if (one.waiting != nullptr && is_durable(one)) {
      one.is_out = true;
      host_.run_export(std::move(one.waiting));
    }
  }
}

// All of the table at one moment. It rests on every record up to here.
void Exports::take(One& one, std::int64_t now_us) {
  Exported const& exported = *one.table->can.exported;
  one.is_wanted = false;
  one.version = exported.export_version();
  one.not_before_us = now_us + kPauseUs;
  one.needed = one.table->log->log->end_lsn();
  one.asked_to_sync = false;
  one.waiting = std::make_unique<ExportJob>(ExportJob{.number = one.number,
                                                      .connect = one.connect,
                                                      .catalog = one.catalog,
                                                      .table = one.table->name,
                                                      .type = one.table->type->name(),
                                                      .date = clock_.now(),
                                                      .content = exported.export_all(),
                                                      .status = {}});
  if (!is_durable(one)) network_.turn_again();
}

bool Exports::is_durable(One const& one) { return one.table->log->log->durable_lsn() >= one.needed; }

void Exports::done(std::unique_ptr<ExportJob> job) {
  auto const found = std::ranges::find(all_, job->number, &One::number);
  if (found == all_.end()) return;
  One& one = *found;
  engine::ExportFigures& figures = one.table->exported;
  one.is_out = false;
  network_.turn_again();
  if (job->status.ok()) {
    one.pause_us = 0;
    figures.date = job->date;
    ++figures.exports;
    engine_.alerting().lower(one.table, kExportFailed);
    return;
  }
  ++figures.failures;
  one.is_wanted = true;
  one.pause_us = std::clamp(2 * one.pause_us, kPauseUs, kPauseMaxUs);
  one.not_before_us = clock_.monotonic_us() + one.pause_us;
  engine_.alerting().raise(one.table, kExportFailed, 50,
                           "the export fails, and is tried again: " + job->status.message(), "export");
}

std::int64_t Exports::next_us() const {
  std::int64_t next = INT64_MAX;
  for (One const& one : all_)
    if (one.is_wanted && one.waiting == nullptr && !one.is_out) next = std::min(next, one.not_before_us);
  return next;
}

}  // namespace fastjournal::server
