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

Status Tables::make(HostedLog& log, TableId id, TableType const& type, Declaration declaration,
                    log::Catalogue::Move const& move) {
  Result<std::unique_ptr<Table>> table = create(id, type, declaration);
  if (!table.ok()) return table.status();
  return host(log, id, type, std::move(declaration), std::move(table).value(), move);
}

Status Tables::host(HostedLog& log, TableId id, TableType const& type, Declaration declaration,
                    std::unique_ptr<Table> table, log::Catalogue::Move const& move) {
  auto hosted = std::make_unique<HostedTable>();
  hosted->id = id;
  hosted->name = declaration->name;
  hosted->type = &type;
  hosted->name_columns(declaration->schema);
  if (declaration->feed) hosted->feed = std::make_unique<feed::Feed>(declaration->feed->keep_bytes);
  if (declaration->wake_message) hosted->wakes = std::make_unique<work::WakeMessages>();
  hosted->declaration = std::move(declaration);
  hosted->take(std::move(table));
  hosted->log = &log;
  hosted->begins = move.begins;
  hosted->is_leaving = move.leaves();
  has_leaving_ = has_leaving_ || hosted->is_leaving;
  if (Status status = bring_outside(*hosted); !status.ok()) return status;
  hosted->subscriptions.tell(keeper_);
  hosted->watchers.tell(keeper_);
  if (free_.empty()) {
    hosted->number = due_tables_.add();
    FJ_CHECK(hosted->number == tables_.size(), "tables and dates are numbered alike");
    tables_.emplace_back();
  } else {
    hosted->number = free_.back();
    free_.pop_back();
  }
  // Of two tables of one name, the one that is not leaving has it.
  if (!hosted->is_leaving || find(hosted->name) == nullptr) by_name_.add(hosted->name, hosted->number);
  log.tables[id] = hosted.get();
  log.needs.note(*hosted);
  tables_[hosted->number] = std::move(hosted);
  return {};
}

// Tables that need files are in no log that is shared (check_tables), and do not move.
Status Tables::bring_outside(HostedTable& hosted) {
  bool const has_none = hosted.log->is_shared || hosted.is_leaving || hosted.can.stores == nullptr;
  if (has_none || outside_maker_ == nullptr || hosted.outside != nullptr) return {};
  Result<Outside*> outside = outside_maker_->outside_of(hosted);
  if (!outside.ok()) return outside.status();
  hosted.outside = outside.value();
  return {};
}

void Tables::move(HostedTable& hosted, HostedLog& to, TableId id, std::unique_ptr<Table> table) {
  HostedLog& from = *hosted.log;
  std::erase(from.unsent_feeds, &hosted);
  from.needs.forget(hosted);
  from.tables.erase(hosted.id);
  if (hosted.outside != nullptr) std::exchange(hosted.outside, nullptr)->dropped(from.log->end_lsn());
  hosted.id = id;
  hosted.log = &to;
  hosted.take(std::move(table));
  to.tables[id] = &hosted;
  to.needs.note(hosted);
  if (hosted.feed == nullptr) return;
  hosted.feed = std::make_unique<feed::Feed>(hosted.declaration->feed->keep_bytes);
  hosted.feed->begin(to.log->end_lsn());
}

void Tables::drop(HostedTable& table) {
  std::erase(table.log->unsent_feeds, &table);
  table.log->needs.forget(table);
  table.feed.reset();
  table.log->tables.erase(table.id);
  if (table.outside != nullptr) std::exchange(table.outside, nullptr)->dropped(table.log->log->end_lsn());
  table.table.reset();
  dropped_.push_back(table.number);
}

void Tables::forget_names() {
  if (!dropped_.empty()) name_all();
}

void Tables::name_all() {
  by_name_ = {};
  for (auto const& table : tables_)
    if (!table->is_dropped() && (!table->is_leaving || !by_name_.has(table->name)))
      by_name_.add(table->name, table->number);
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
