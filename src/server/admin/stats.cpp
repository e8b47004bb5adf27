// STATS: the figures of the daemon and of each table.
#include <utility>

#include "server/admin/commands.h"
#include "server/admin/figures.h"

namespace fastjournal::admin {
namespace {

class LongStats final : public engine::LongAnswer {
 public:
  // `own` null: without the daemon's.
  LongStats(engine::Engine& engine, OwnFigures* own, std::vector<std::string> tables)
      : engine_(engine), own_(own), tables_(std::move(tables)) {}

  std::uint64_t tell(TimeMs now, Answer& answer) override {
    if (OwnFigures* const own = std::exchange(own_, nullptr)) tell_daemon(*own, now, answer);
    for (std::size_t told = 0; told < kTables && at_ < tables_.size(); ++told) {
      std::string const& name = tables_[at_++];
      engine::HostedTable* const table = engine_.find_table(name);
      // One that went away meanwhile was announced by `left`: it is told without figures.
      if (table != nullptr && table->serves())
        tell_table(*table, now, answer);
      else
        answer.message("STATS").add("table", std::string_view{name});
    }
    return tables_.size() - at_;
  }
  std::uint64_t bytes() const override { return bytes_of(tables_); }

 private:
  engine::Engine& engine_;
  OwnFigures* own_;
  std::vector<std::string> tables_;
  std::size_t at_{0};
};

}  // namespace

Command make_stats(engine::Engine& engine, OwnFigures& own) {
  return {on_tables(engine, [&](engine::HostedTable const* table, Request const& request) -> Outcome {
    access::Permit const& permit = request.caller.permit;
    bool const of_daemon = table == nullptr && permit.has(Right::read);
    std::vector<std::string> tables = names_of(engine, table, permit);
    if (!of_daemon && tables.empty())
      return Status{Code::not_found, "there is no table on which you have the right read"};
    Outcome outcome;
    outcome.long_answer = std::make_unique<LongStats>(engine, of_daemon ? &own : nullptr, std::move(tables));
    return outcome;
  })};
}

}  // namespace fastjournal::admin
