// LOWER: a person ends an alert.
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

class Lower final : public Command {
 public:
  explicit Lower(engine::Engine& engine) : engine_(engine) {}

  void run(Request& request) override {
    TableChoice const choice = choose_table(engine_, request);
    if (!choice.is_valid) return;
    std::string_view const name = request.message.text("name");
    if (name.empty()) {
      request.status =
          Status{Code::missing_parameter, "LOWER needs the parameter name; ALERTS tells it"}.with("parameter", "name");
      return;
    }
    request.status = engine_.alerting().lower_by_hand(choice.table, name, request.now);
    if (!request.status.ok()) return;
    request.answer.message("LOWERED").add("name", name);
    if (choice.table != nullptr) request.answer.add("table", std::string_view{choice.table->name});
  }

 private:
  engine::Engine& engine_;
};

}  // namespace

CommandPtr make_lower(engine::Engine& engine) { return std::make_unique<Lower>(engine); }

}  // namespace fastjournal::admin
