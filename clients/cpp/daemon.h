// The daemon's own commands, typed: what it is and how it does, branches in doubt, backups, the cluster, its life.
//
//   Daemon daemon(connection);
//   Result<std::vector<ShownTable>> tables = daemon.tables();
//   Result<std::vector<Alert>> alerts = daemon.alerts("jobs");
//
// Every call returns what Connection::call does when it fails; some need the right `admin`.
#pragma once

#include "clients/cpp/made_daemon.h"
