// Services that the server needs from the program around it: the daemon implements them with files and signals, the
// simulator with values. Each part of the server sees the interface that it uses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/env/notes.h"
#include "config/access/listen_declaration.h"
#include "config/access/logins.h"
#include "config/access/user.h"
#include "engine/engine.h"
#include "engine/files/byte_files.h"
#include "fastjournal/status.h"
#include "log/log_store.h"
#include "server/admin/commands.h"
#include "server/communicator/refused_aliases.h"
#include "server/listeners.h"
#include "server/logs/export_job.h"

namespace fastjournal::server {

// Services for logs beside the loop.
class LogHost {
 public:
  virtual ~LogHost() = default;
  // Runs it, on another thread if there is one, then gives it back to log.finish_job on the
  // thread of the loop: at once, or in a later collect_work. Either way another turn follows. A job of Lane::sync waits
  // for no other job, and for none of another log.
  virtual void run_job(log::LogStore& log, log::Lane lane, std::unique_ptr<log::LogJob> job) = 0;
  // Returns when the log's job of Lane::sync has been given back; at once if none is out.
  virtual void wait_for_sync(log::LogStore& log) = 0;
  // Called once a turn: gives back finished work.
  virtual void collect_work() = 0;
  // A write or sync failed: nothing more is acknowledged; end at once.
  virtual void fatal(Status const& status) = 0;
  // The absolute path of the folder of a log.
  [[nodiscard]] virtual std::string folder_of(log::LogStore const& log) const = 0;
};

// The files of bytes outside the logs, and what they need beside the loop.
class ByteHost {
 public:
  virtual ~ByteHost() = default;
  // Its root has the folders of the tables' files.
  [[nodiscard]] virtual env::Disk& disk() = 0;
  // Its absolute path, for readers on this computer.
  [[nodiscard]] virtual std::string bytes_root() const = 0;
  // Who may open the files of this table, as its file says; nothing: it does not say. Not ok: there is no such group.
  [[nodiscard]] virtual Result<std::optional<env::Access>> access_of(TableDeclaration const& table) {
    static_cast<void>(table);
    return std::optional<env::Access>{};
  }
  // Of a table whose file says it no more.
  [[nodiscard]] virtual env::Access usual_access() { return {}; }
  // As LogHost::run_job: the job is given back to files.finish_job, and a turn follows. A job of one lane waits for none
  // of another.
  virtual void run_byte_job(storage::ByteFiles& files, storage::Lane lane, std::unique_ptr<storage::Job> job) = 0;
  // Gives back finished work.
  virtual void collect_byte_work() = 0;
};

// The SQL databases in which tables are mirrored.
class ExportHost {
 public:
  virtual ~ExportHost() = default;
  // Runs it on another thread, then gives it back to Server::export_done on the thread of the loop, and a turn follows.
  // It ends in bounded time, whatever the database does. Not given back if the daemon ends before.
  virtual void run_export(std::unique_ptr<ExportJob> job) = 0;
};

// The memory that is kept for the moment in which the process gets no more.
class MemoryReserve {
 public:
  virtual ~MemoryReserve() = default;
  // Memory has run out, and the reserve for it is in use: nothing that needs more may be begun.
  [[nodiscard]] virtual bool has_memory_ended() { return false; }
  // Tries to refill the reserve; true if it is full.
  [[nodiscard]] virtual bool restore_memory() { return true; }
};

class TablesFolder {
 public:
  struct Contents {
    engine::Declarations tables;
    std::vector<access::ListenDeclaration> listeners;  // of tables' files
    std::vector<access::ListenDeclaration> own;        // of the daemon's file, which is not read again
  };

  virtual ~TablesFolder() = default;
  // The tables folder as it is now; not ok: every mistake in it.
  [[nodiscard]] virtual Result<Contents> read_declarations() = 0;
};

class ListenerHost {
 public:
  virtual ~ListenerHost() = default;
  // Opens it under this number of env::ListenOptions; nothing comes by it before this turn ends.
  [[nodiscard]] virtual Result<Listener> open_listener(std::uint32_t number,
                                                       access::ListenDeclaration const& declared) = 0;
  // Whether that would succeed at an address where this daemon does not listen.
  [[nodiscard]] virtual Status can_listen(access::ListenDeclaration const& declared) = 0;
};

// Services for logins: a job of HashRunner is given back to Server::hash_done.
class AccessHost : public access::HashRunner {
 public:
  // The users of the file as it is now; none if no file is declared; not ok: every mistake in it.
  [[nodiscard]] virtual Result<access::Users> read_users() = 0;
  // Random, and known to this process only. Called once.
  [[nodiscard]] virtual access::DigestKey login_key() = 0;
};

class CertificateFiles {
 public:
  virtual ~CertificateFiles() = default;
  // Reads the certificates of TLS again. Returns one sentence for each change that use_certificates would make; not ok:
  // what is wrong with them, and those in use stay.
  [[nodiscard]] virtual Result<std::vector<std::string>> read_certificates() { return std::vector<std::string>{}; }
  // The certificates that were read last are for all connections from now on.
  virtual void use_certificates() {}
  // Handshakes of TLS, since the start.
  struct Handshakes {
    std::uint64_t done{0};
    std::uint64_t resumed{0};  // of these
    std::uint64_t failed{0};
    std::uint64_t under_way{0};  // now
  };
  [[nodiscard]] virtual Handshakes handshakes() const { return {}; }
  // When the first certificate in use ends, in ms since 1970; 0: no TLS.
  [[nodiscard]] virtual std::int64_t certificate_end() const { return 0; }
};

class ServerHost : public env::Notes,
                   public admin::LifeCycle,
                   public communicator::RefusalFiles,
                   public LogHost,
                   public ByteHost,
                   public ExportHost,
                   public MemoryReserve,
                   public AccessHost,
                   public TablesFolder,
                   public ListenerHost,
                   public CertificateFiles {
 public:
  // The answer to Server::leave().
  virtual void left() {}
  // An alert was raised, repeated or lowered, durably: for flag files, a command, and the log.
  virtual void tell(log::AlertNotice const& notice) = 0;
  // A reload, by whomever, had mistakes, one a line of the message: for the log.
  virtual void reload_refused(Status const& why) = 0;
};

}  // namespace fastjournal::server
