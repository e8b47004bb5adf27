#include "server/logs/exports.h"

#include <algorithm>
#include <utility>

namespace fastjournal::server {

// A table with a new destination begins anew: an export under way to the former one no longer counts.
void Exports::look() {
  std::vector<One> next;
  std::unordered_map<engine::HostedTable const*, std::size_t> by_table;
  for (auto const& table : engine_.tables()) {
    table->exported.changed = nullptr;
    if (table->is_dropped() || table->can.exported == nullptr) continue;
    std::string const& connect = table->declaration->option(kConnectOption).text;
    std::string const& catalog = table->declaration->option(kCatalogOption).text;
    table->exported.is_on = !connect.empty();
    if (connect.empty()) {
      engine_.alerting().lower(table.get(), kExportFailed);
      continue;
    }
    table->exported.changed = &changed_;
    by_table[table.get()] = next.size();
    auto const known = by_table_.find(table.get());
    One* const before = known == by_table_.end() ? nullptr : &all_[known->second];
    if (before != nullptr && before->connect == connect && before->catalog == catalog)
      next.push_back(std::move(*before));
    else
      next.push_back({.number = ++numbers_, .table = table.get(), .connect = connect, .catalog = catalog});
  }
  all_ = std::move(next);
  by_table_ = std::move(by_table);
  changed_.clear();
  due_.clear();
  waiting_.clear();
  for (std::size_t index = 0; index < all_.size(); ++index) {
    if (all_[index].waiting != nullptr) waiting_.push_back(index);
    want(index);
  }
}

void Exports::want(std::size_t index) {
  One& one = all_[index];
  one.is_wanted = true;
  if (one.waiting == nullptr && !one.is_out) due_.emplace(one.not_before_us, index);
}

bool Exports::wants_sync() {
  bool wants = false;
  for (std::size_t const index : waiting_) {
    One& one = all_[index];
    if (one.asked_to_sync || is_durable(one)) continue;
    one.asked_to_sync = true;
    wants = wants || one.table->log->log->needed_lsn() < one.needed;
  }
  return wants;
}

void Exports::end_turn() {
  if (!changed_.empty()) look_at_changed();
  if (!due_.empty()) take_due(clock_.monotonic_us());
  if (!waiting_.empty()) send_durable();
}

void Exports::look_at_changed() {
  for (engine::HostedTable* const table : changed_) {
    ++looks_;
    // The next record is told here again, whether or not the log's needs were looked at meanwhile.
    table->is_noted = false;
    auto const found = by_table_.find(table);
    if (found == by_table_.end() || table->is_dropped()) continue;
    if (table->can.exported->export_version() != all_[found->second].version) want(found->second);
  }
  changed_.clear();
}

void Exports::take_due(std::int64_t now_us) {
  while (!due_.empty() && due_.begin()->first <= now_us) {
    std::size_t const index = due_.begin()->second;
    One& one = all_[index];
    due_.erase(due_.begin());
    ++looks_;
    if (one.table->serves()) {
      take(one, now_us);
      waiting_.push_back(index);
    } else {
      one.not_before_us = now_us + kPauseUs;
      want(index);
    }
  }
}

void Exports::send_durable() {
  std::erase_if(waiting_, [this](std::size_t index) {
    One& one = all_[index];
    ++looks_;
    if (!one.table->serves() || !is_durable(one)) return false;
    one.is_out = true;
    host_.run_export(std::move(one.waiting));
    return true;
  });
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
  auto const index = static_cast<std::size_t>(found - all_.begin());
  if (job->status.ok()) {
    one.pause_us = 0;
    figures.date = job->date;
    ++figures.exports;
    engine_.alerting().lower(one.table, kExportFailed);
    if (one.is_wanted) want(index);
    return;
  }
  ++figures.failures;
  one.pause_us = std::clamp(2 * one.pause_us, kPauseUs, kPauseMaxUs);
  one.not_before_us = clock_.monotonic_us() + one.pause_us;
  want(index);
  engine_.alerting().raise(one.table, kExportFailed, 50,
                           "the export fails, and is tried again: " + job->status.message(), "export");
}

}  // namespace fastjournal::server
