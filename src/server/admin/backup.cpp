#include "server/admin/backup.h"

#include "model/parameters.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {

// All at one moment: everything decided before is in the named files, of logs below `end`.
Outcome Backup::begin(Request const& request) {
  Message const& message = request.message;
  model::Parameters parameters{message};
  bool const digest = parameters.integer("digest", 0, 0, 1) == 1;
  if (by_) return Status{Code::in_use, "another backup is being made; one at a time"};
  if (!parameters.ok()) return parameters.take_status();
  if (Status status = logs_.check_serving(); !status.ok()) return status;
  by_ = request.caller.connection;
  Answer& answer = request.answer;
  for (BackupLogs::Pinned const& one : logs_.pin_all()) {
    std::string segments;
    for (std::uint32_t const index : one.snapshot.segments)
      segments.append(segments.empty() ? "" : " ").append(std::to_string(index));
    answer.message("BACKUP").add("log", std::string_view{one.log->name()});
    answer.add("folder", std::string_view{one.folder}).add("store", one.snapshot.store_id);
    answer.add("base", one.snapshot.base.value).add("end", one.snapshot.end.value);
    answer.add("containers", std::string_view{segments});
    if (!digest) continue;
    for (auto const& hosted : engine_.logs())
      if (hosted->log == one.log)
        answer.add("digest", std::string_view{engine::digest_text(engine::digest_of(*hosted))});
  }
  for (std::string const& name : logs_.elsewhere()) answer.message("BACKUP_ELSEWHERE").add("log", std::string{name});
  for (BackupFiles::Held const& one : files_.hold_all()) {
    std::string names;
    for (std::string const& name : one.names) names.append(names.empty() ? "" : " ").append(name);
    answer.message("BACKUP_BYTES").add("table", std::string_view{one.table});
    answer.add("folder", std::string_view{one.folder}).add("files", std::string_view{names});
  }
  return {};
}

Outcome Backup::finish(Request const& request) {
  if (by_ != request.caller.connection) return Status{Code::wrong_state, "this connection makes no backup"};
  if (!end(request.caller.connection))
    return Status{
        Code::no_space,
        "the disk was full, and the files that were held were needed: what was copied is no backup; free disk "
        "space, then try again"};
  request.answer.message("BACKED_UP");
  return {};
}

bool Backup::end(ConnectionId connection) {
  if (by_ != connection) return false;
  by_.reset();
  files_.let_go_all();
  return logs_.unpin_all();
}

Command make_backup(Backup& backup) {
  return {[&backup](Request const& request) { return backup.begin(request); }};
}
Command make_backup_done(Backup& backup) {
  return {[&backup](Request const& request) { return backup.finish(request); }};
}

}  // namespace fastjournal::admin
