// A copy of the logs, and of the bytes outside of them, while the daemon serves: BACKUP pins all of it at one moment and
// tells which files to copy, BACKUP_DONE, or the end of the connection, gives them free. One connection at a time; files
// are pinned exactly while there is one. Owned by the server, which reports connections that end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "fastjournal/types.h"
#include "log/log_store.h"
#include "server/admin/command.h"

namespace fastjournal::admin {

// The logs of the daemon, as far as a backup uses them.
class BackupLogs {
 public:
  struct Pinned {
    log::LogStore const* log{nullptr};
    std::string folder;  // absolute
    log::LogSnapshot snapshot;
  };
  // Not ok: a log does not serve.
  [[nodiscard]] virtual Status check_serving() const = 0;
  // The names of those that are shared with other nodes: they are no part of it.
  [[nodiscard]] virtual std::vector<std::string> elsewhere() const { return {}; }
  // Nothing: a log failed, and the daemon ends.
  [[nodiscard]] virtual std::vector<Pinned> pin_all() = 0;
  // False: files of one were given up meanwhile.
  virtual bool unpin_all() = 0;

 protected:
  ~BackupLogs() = default;
};

// The files of bytes outside the logs, as far as a backup uses them.
class BackupFiles {
 public:
  struct Held {
    std::string table;
    std::string folder;  // absolute
    std::vector<std::string> names;
  };
  // Until let_go_all: nothing that a record names now is changed or removed.
  [[nodiscard]] virtual std::vector<Held> hold_all() = 0;
  virtual void let_go_all() = 0;

 protected:
  ~BackupFiles() = default;
};

class Backup {
 public:
  Backup(BackupLogs& logs, BackupFiles& files, engine::Engine const& engine)
      : logs_(logs), files_(files), engine_(engine) {}

  [[nodiscard]] Outcome begin(Request const& request);
  [[nodiscard]] Outcome finish(Request const& request);
  // The connection is gone.
  void ended(ConnectionId connection) { static_cast<void>(end(connection)); }

 private:
  // False: it makes none, or what it copied is none.
  bool end(ConnectionId connection);

  BackupLogs& logs_;
  BackupFiles& files_;
  engine::Engine const& engine_;
  std::optional<ConnectionId> by_;
};

}  // namespace fastjournal::admin
