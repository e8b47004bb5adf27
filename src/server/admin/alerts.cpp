// ALERTS: the current alerts.
#include "server/admin/commands.h"
#include "server/admin/figures.h"

namespace fastjournal::admin {
namespace {

void tell(log::Alert const& alert, Answer& answer) {
  answer.message("ALERT");
  if (!alert.table.empty()) answer.add("table", std::string_view{alert.table});
  answer.add("name", std::string_view{alert.name}).add("priority", std::uint64_t{alert.priority});
  answer.add("message", std::string_view{alert.message}).add("tags", std::string_view{alert.tags});
  answer.add("count", alert.count).add("first", alert.first.value).add("last", alert.last.value);
  answer.add("manual_down", std::uint64_t{alert.manual});
}

class Alerts final : public Command {
 public:
  explicit Alerts(engine::Engine& engine) : engine_(engine) {}

  void run(Request& request) override {
    TableChoice const choice = choose_table(engine_, request);
    if (!choice.is_valid) return;
    for_alerts(engine_, request.caller.permit, choice.table,
               [&](log::Alert const& alert) { tell(alert, request.answer); });
    if (request.answer.empty()) request.answer.message("ALERTS").add("count", std::uint64_t{0});
  }

 private:
  engine::Engine& engine_;
};

}  // namespace

CommandPtr make_alerts(engine::Engine& engine) { return std::make_unique<Alerts>(engine); }

}  // namespace fastjournal::admin
