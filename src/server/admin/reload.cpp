// RELOAD: the tables folder is read again, or would be.
#include "model/parameters.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

class Reload final : public Command {
 public:
  explicit Reload(Reloading& reloading) : reloading_(reloading) {}

  void run(Request& request) override {
    request.basis.all = true;
    Message const& message = request.message;
    model::Parameters parameters{message};
    bool const dry_run = parameters.integer("dry_run", 0, 0, 1) == 1;
    request.status = parameters.take_status();
    if (!request.status.ok()) return;
    Result<std::vector<std::string>> const changes = reloading_.reload(message.text("table"), dry_run);
    if (!changes.ok()) {
      request.status = changes.status();
      return;
    }
    std::string text;
    for (std::string const& change : changes.value()) text.append(text.empty() ? "" : "\n").append(change);
    request.answer.message("RELOADED")
        .add("changes", std::string_view{text})
        .add("count", std::uint64_t{changes->size()});
    if (dry_run) request.answer.add("dry_run", std::uint64_t{1});
  }

 private:
  Reloading& reloading_;
};

}  // namespace

CommandPtr make_reload(Reloading& reloading) { return std::make_unique<Reload>(reloading); }

}  // namespace fastjournal::admin
