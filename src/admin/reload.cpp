// RELOAD: the tables folder is read again, or would be.
#include "admin/commands.h"

namespace fastjournal::admin {
namespace {

class Reload final : public Command {
 public:
  explicit Reload(Reloading& reloading) : reloading_(reloading) {}

  void run(Request& request) override {
    request.basis.all = true;
    Message const& message = request.message;
    std::int64_t const dry_run = message.has("dry_run") ? message.integer("dry_run").value_or(-1) : 0;
    if (dry_run != 0 && dry_run != 1) {
      request.status = bad_parameter("dry_run", "dry_run: expected 0 or 1");
      return;
    }
    Result<std::vector<std::string>> const changes = reloading_.reload(message.text("table"), dry_run == 1);
    if (!changes.ok()) {
      request.status = changes.status();
      return;
    }
    std::string text;
    for (std::string const& change : changes.value()) text.append(text.empty() ? "" : "\n").append(change);
    request.answer.message("RELOADED")
        .add("changes", std::string_view{text})
        .add("count", std::uint64_t{changes->size()});
    if (dry_run == 1) request.answer.add("dry_run", std::uint64_t{1});
  }

 private:
  Reloading& reloading_;
};

}  // namespace

CommandPtr make_reload(Reloading& reloading) { return std::make_unique<Reload>(reloading); }

}  // namespace fastjournal::admin
