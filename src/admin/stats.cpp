// STATS: the figures of the daemon and of each table.
#include "admin/commands.h"
#include "admin/figures.h"

namespace fastjournal::admin {
namespace {

class Stats final : public Command {
 public:
  Stats(engine::Engine& engine, OwnFigures& own) : engine_(engine), own_(own) {}

  void run(Request& request) override {
    TableChoice const choice = choose_table(engine_, request);
    if (!choice.is_valid) return;
    access::Permit const& permit = request.caller.permit;
    if (choice.table == nullptr && permit.has(Right::read)) tell_daemon(own_, request.now, request.answer);
    for (auto const& table : engine_.tables()) {
      bool const is_meant = choice.table == nullptr || table.get() == choice.table;
      if (is_meant && has_figures(*table, permit)) tell_table(*table, request.now, request.answer);
    }
    if (request.answer.empty())
      request.status = Status{Code::not_found, "there is no table on which you have the right read"};
  }

 private:
  engine::Engine& engine_;
  OwnFigures& own_;
};

}  // namespace

CommandPtr make_stats(engine::Engine& engine, OwnFigures& own) { return std::make_unique<Stats>(engine, own); }

}  // namespace fastjournal::admin
