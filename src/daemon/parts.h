// Parts of the daemon in files of their own: logs on etcd, and mirrors in SQL databases. They are loaded when a log or a
// table names them, so a daemon without them maps none of the libraries that they need; and they may be left out of a
// build (FJ_ETCD, FJ_SQL). They stand in the folder of plugins, and are of exactly the daemon's build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/env/dialer.h"
#include "base/env/network.h"
#include "base/stop.h"
#include "config/daemon_declaration.h"
#include "fastjournal/status.h"
#include "log/shared_log.h"
#include "server/logs/export_job.h"

namespace fastjournal::daemon {

inline constexpr char kEtcdPart[] = "fastjournal-etcd";
inline constexpr char kSqlPart[] = "fastjournal-sql";

// A log on etcd, and the client by which this daemon reaches it.
class SharedLog {
 public:
  virtual ~SharedLog() = default;

  [[nodiscard]] virtual env::Dialer& client() = 0;
  [[nodiscard]] virtual log::SharedLog& log() = 0;
};

// Inputs beside the declarations.
struct EtcdSecrets {
  std::string password;           // of etcd's user; empty: there is none
  std::uint32_t certificates{0};  // env::ConnectOptions::certificates
  std::uint64_t new_store_id{0};  // if the log is not there so far
};

// The contents of fastjournal-etcd.so. `network` and `following` outlive the log.
struct EtcdPart {
  std::unique_ptr<SharedLog> (*open)(env::Network& network, config::ClusterDeclaration const& cluster,
                                     config::LogDeclaration const& declared, EtcdSecrets const& secrets,
                                     log::Following& following);
};

// The contents of fastjournal-sql.so: writes the mirror, on the thread of an export. `place`: a URI, or an absolute
// path.
struct SqlPart {
  Status (*export_to)(std::string const& place, server::ExportJob const& job, Stop const& stop);
};

}  // namespace fastjournal::daemon
