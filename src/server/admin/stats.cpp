// STATS: the figures of the daemon and of each table.
#include <utility>

#include "server/admin/commands.h"
#include "server/admin/figures.h"

namespace fastjournal::admin {
namespace {

class StatsParts final : public Parts {
 public:
  // `own` null: without the daemon's.
  StatsParts(engine::Engine& engine, OwnFigures* own, std::vector<std::string> tables)
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

class Stats final : public Command {
 public:
  Stats(engine::Engine& engine, OwnFigures& own) : engine_(engine), own_(own) {}

  void run(Request& request) override {
    TableChoice const choice = choose_table(engine_, request);
    if (!choice.is_valid) return;
    access::Permit const& permit = request.caller.permit;
    bool const of_daemon = choice.table == nullptr && permit.has(Right::read);
    std::vector<std::string> tables = names_of(engine_, choice.table, permit);
    if (of_daemon || !tables.empty())
      request.parts = std::make_unique<StatsParts>(engine_, of_daemon ? &own_ : nullptr, std::move(tables));
    else
      request.status = Status{Code::not_found, "there is no table on which you have the right read"};
  }

 private:
  engine::Engine& engine_;
  OwnFigures& own_;
};

}  // namespace

CommandPtr make_stats(engine::Engine& engine, OwnFigures& own) { return std::make_unique<Stats>(engine, own); }

}  // namespace fastjournal::admin
