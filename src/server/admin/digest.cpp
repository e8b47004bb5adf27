// DIGEST: a sum of a table's contents, or of each log's, for comparisons with a follower, a copy, or `log verify`.
// Everything is synced before it is sent, leases included, as for FETCH. It reads whole tables, and so needs the right
// admin. With stale=1 a node tells what it has followed so far of the logs that others decide for.
#include "engine/digest.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

class Digest final : public Command {
 public:
  explicit Digest(engine::Engine& engine) : engine_(engine) {}

  void run(Request& request) override {
    TableChoice choice = choose_table(engine_, request);
    if (!choice.is_valid && (choice.table = find_stale(engine_, request.message)) != nullptr) request.status = {};
    if (!request.status.ok()) return;
    if (choice.table == nullptr) return tell_logs(request.answer, may_be_stale(request.message));
    engine::HostedTable const& table = *choice.table;
    table.log->log->want_sync();
    request.answer.message("DIGEST").add("table", std::string_view{table.name});
    request.answer.add("lsn", table.log->log->end_lsn().value);
    request.answer.add("digest", std::string_view{engine::digest_text(engine::digest_of(*table.table, table.name))});
  }

 private:
  // The same digest as that of `log verify`.
  void tell_logs(Answer& answer, bool stale) {
    for (auto const& log : engine_.logs()) {
      bool const is_stale = stale && !log->is_ours && log->is_caught_up;
      if (!log->keeps || (!log->serves && !is_stale)) continue;
      log->log->want_sync();
      answer.message("DIGEST").add("log", std::string_view{log->name}).add("lsn", log->log->end_lsn().value);
      answer.add("digest", std::string_view{engine::digest_text(engine::digest_of(*log))});
    }
  }

  engine::Engine& engine_;
};

}  // namespace

CommandPtr make_digest(engine::Engine& engine) { return std::make_unique<Digest>(engine); }

}  // namespace fastjournal::admin
