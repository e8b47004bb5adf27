// RELOAD: the tables folder is read again, or would be.
#include "server/admin/commands.h"

namespace fastjournal::admin {
Command make_reload(Reloading& reloading) {
  return {[&reloading](Request const& request) -> Outcome {
    constexpr Basis kAllLogs{.all = true};
    Message const& message = request.message;
    bool const dry_run = request.number("dry_run") == 1;
    Result<std::vector<std::string>> const changes = reloading.reload(message.text("table"), dry_run);
    if (!changes.ok()) return {changes.status(), kAllLogs};
    std::string text;
    for (std::string const& change : changes.value()) text.append(text.empty() ? "" : "\n").append(change);
    request.answer.message("RELOADED")
        .add("changes", std::string_view{text})
        .add("count", std::uint64_t{changes->size()});
    if (dry_run) request.answer.add("dry_run", std::uint64_t{1});
    return {{}, kAllLogs};
  }};
}

}  // namespace fastjournal::admin
