#include "server/admin/backup.h"

#include "model/parameters.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {

// All at one moment: everything decided before is in the named files, of logs below `end`.
void Backup::begin(Request& request) {
  Message const& message = request.message;
  model::Parameters parameters{message};
  bool const digest = parameters.integer("digest", 0, 0, 1) == 1;
  if (by_)
    request.status = Status{Code::in_use, "another backup is being made; one at a time"};
  else if (!parameters.ok())
    request.status = parameters.take_status();
  else
    request.status = logs_.check_serving();
  if (!request.status.ok()) return;
  by_ = request.caller.connection;
  request.may_be_silent = true;
  Answer& answer = request.answer;
  for (BackupLogs::Pinned const& one : logs_.pin_all()) {
    std::string containers;
    for (std::uint32_t const index : one.snapshot.containers)
      containers.append(containers.empty() ? "" : " ").append(std::to_string(index));
    answer.message("BACKUP").add("log", std::string_view{one.log->name()});
    answer.add("folder", std::string_view{one.folder}).add("store", one.snapshot.store_id);
    answer.add("base", one.snapshot.base.value).add("end", one.snapshot.end.value);
    answer.add("containers", std::string_view{containers});
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
}

void Backup::finish(Request& request) {
  if (by_ != request.caller.connection)
    request.status = Status{Code::wrong_state, "this connection makes no backup"};
  else if (!end(request.caller.connection))
    request.status = Status{Code::no_space,
                            "the disk was full, and the files that were held were needed: what was copied is no "
                            "backup; free disk space, then try again"};
  else
    request.answer.message("BACKED_UP");
}

bool Backup::end(ConnectionId connection) {
  if (by_ != connection) return false;
  by_.reset();
  files_.let_go_all();
  return logs_.unpin_all();
}

namespace {

class BackupBegin final : public Command {
 public:
  explicit BackupBegin(Backup& backup) : backup_(backup) {}
  void run(Request& request) override { backup_.begin(request); }

 private:
  Backup& backup_;
};

class BackupDone final : public Command {
 public:
  explicit BackupDone(Backup& backup) : backup_(backup) {}
  void run(Request& request) override { backup_.finish(request); }

 private:
  Backup& backup_;
};

}  // namespace

CommandPtr make_backup(Backup& backup) { return std::make_unique<BackupBegin>(backup); }
CommandPtr make_backup_done(Backup& backup) { return std::make_unique<BackupDone>(backup); }

}  // namespace fastjournal::admin
