#include "engine/tables.h"

#include <utility>

#include "base/check.h"

namespace fastjournal::engine {

HostedLog& Tables::add_log(std::string name) {
  logs_.push_back(std::make_unique<HostedLog>());
  logs_.back()->name = std::move(name);
  return *logs_.back();
}

HostedLog* Tables::find_log(std::string_view name) const {
  for (auto const& log : logs_)
    if (log->name == name) return log.get();
  return nullptr;
}

HostedLog& Tables::own_log() const {
  for (auto const& log : logs_)
    if (log->log != nullptr && log->log->is_local()) return *log;
  return *logs_.front();
}

Status Tables::make(HostedLog& log, TableId id, TableType const& type, Declaration declaration) {
  Result<std::unique_ptr<Table>> table = type.make({.id = id, .hash_seed = hash_seed_}, declaration);
  if (!table.ok()) return table.status();
  auto hosted = std::make_unique<HostedTable>();
  hosted->id = id;
  hosted->name = declaration->name;
  hosted->type = &type;
  hosted->name_columns(declaration->schema);
  if (declaration->feed) hosted->feed = std::make_unique<feed::Feed>(declaration->feed->keep_bytes);
  if (declaration->wake_message) hosted->wakes = std::make_unique<work::WakeMessages>();
  hosted->declaration = std::move(declaration);
  hosted->take(std::move(table).value());
  hosted->log = &log;
  bool const has_files = !log.is_shared;
  if (!has_files && hosted->can.stores != nullptr)
    if (Status status = hosted->can.stores->can_do_without(); !status.ok())
      return {Code::bad_configuration, hosted->declaration->at("table") + ": table \"" + hosted->name + "\" in log " +
                                           log.name + ": " + status.message()};
  if (has_files && hosted->can.stores != nullptr && outside_maker_ != nullptr) {
    Result<Outside*> outside = outside_maker_->outside_of(*hosted);
    if (!outside.ok()) return outside.status();
    hosted->outside = outside.value();
  }
  hosted->subscriptions.tell(keeper_);
  hosted->watchers.tell(keeper_);
  if (free_.empty()) {
    hosted->number = agenda_.add();
    FJ_CHECK(hosted->number == tables_.size(), "tables and dates are numbered alike");
    tables_.emplace_back();
  } else {
    hosted->number = free_.back();
    free_.pop_back();
  }
  by_name_.add(hosted->name, hosted->number);
  log.tables[id] = hosted.get();
  tables_[hosted->number] = std::move(hosted);
  return {};
}

void Tables::drop(HostedTable& table) {
  std::erase(table.log->unsent_feeds, &table);
  table.feed.reset();
  table.log->tables.erase(table.id);
  if (table.outside != nullptr) std::exchange(table.outside, nullptr)->dropped(table.log->log->end_lsn());
  table.table.reset();
  dropped_.push_back(table.number);
}

void Tables::forget_names() {
  if (dropped_.empty()) return;
  by_name_ = {};
  for (auto const& table : tables_)
    if (!table->is_dropped()) by_name_.add(table->name, table->number);
}

// The leases and waits that connections have under the number do not concern the table that gets it next.
void Tables::free_dropped() {
  std::erase_if(dropped_, [this](std::uint32_t number) {
    if (tables_[number]->marked) return false;
    free_.push_back(number);
    return true;
  });
}

}  // namespace fastjournal::engine
