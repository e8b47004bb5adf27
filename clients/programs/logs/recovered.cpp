#include "clients/programs/logs/recovered.h"

#include <memory>
#include <utility>

#include "config/table_reader.h"

namespace fastjournal::tools {
namespace {

constexpr char kLogName[] = "log";

std::int64_t number_of(engine::HostedTable const& table, std::string_view metric) {
  return engine::metric_of(table, TimeMs{}, metric);
}

}  // namespace

Recovered::Recovered(engine::TableTypes const& types, Progress progress)
    : types_(types), progress_(std::move(progress)), engine_(types, nobody_), log_(engine_.add_log(kLogName)) {}

// Every table with the defaults of its type; the engine reports unknown types in its own words.
void Recovered::declare_tables() {
  engine::Declarations out;
  for (auto const& [id, entry] : log_.catalogue.tables()) {
    auto const type = types_.find(entry.type);
    auto declaration = std::make_shared<TableDeclaration>(
        type == types_.end() ? TableDeclaration{} : config::default_table(*type->second->declaration(), entry.name));
    declaration->name = entry.name;
    declaration->type = entry.type;
    declaration->log = kLogName;
    declaration->file = "the catalogue of the log";
    out.push_back(std::move(declaration));
  }
  engine_.declare(std::move(out));
}

Status Recovered::on_catalogue(RecordView const& record) { return engine_.recovery().replay_catalogue(log_, record); }

Status Recovered::on_record(RecordView const& record, Lsn base) {
  if (!std::exchange(declared_, true)) declare_tables();
  if (record.table != TableId::catalogue && log_.catalogue.find(record.table) == nullptr) ++of_no_table_;
  return engine_.recovery().replay(log_, record, base);
}

void Recovered::on_batch(log::file::BatchView const& batch) {
  done_ += batch.header.length;
  if (progress_) progress_(step_, done_, total_);
}

std::vector<Recovered::TableFacts> Recovered::tables() const {
  std::vector<TableFacts> out;
  for (auto const& [id, table] : log_.tables)
    if (table != nullptr)
      out.push_back(
          {id, table->name, table->type->name(), number_of(*table, "rows"), number_of(*table, "records_ignored")});
  return out;
}

}  // namespace fastjournal::tools
