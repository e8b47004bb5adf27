// What becomes of a message: the commands of tables, of other systems and of the daemon itself, and what the tables folder
// declares for them. The third of the four assemblies of the server.
#pragma once

#include "base/env/network.h"
#include "engine/types.h"
#include "server/admin/commands.h"
#include "server/admin/registry.h"
#include "server/answers/watches.h"
#include "server/configuration.h"
#include "server/connections.h"
#include "server/core.h"
#include "server/dispatch/alias_commands.h"
#include "server/dispatch/dispatch.h"
#include "server/dispatch/stored_commands.h"
#include "server/dispatch/table_commands.h"
#include "server/dispatch/whole_transactions.h"
#include "server/server_host.h"
#include "server/session/long_answers.h"
#include "server/table_listeners.h"
#include "server/turn.h"

namespace fastjournal::server {

class Commands {
 public:
  // `stored_commands` hands its commands to `dispatch`, which is made after it: none is there before.
  Commands(Core& core, Connections& connections, env::Network& network, engine::TableTypes const& types,
           ServerHost& host, admin::OwnFigures& figures, Turn& turn)
      : registry(types),
        table_listeners(connections, network, host),
        configuration(core.engine, host, registry, core.feeds, table_listeners, core.clock.time()),
        stored_commands(connections.sessions, core.table_files, dispatch, network, core.clock),
        table_commands(core.engine, core.clock, connections.listeners, stored_commands),
        alias_commands(configuration.aliases(), host, host, table_commands, connections.sessions, connections.replies,
                       core.clock, core.engine),
        long_answers(connections.sessions, connections.replies, turn),
        watches(core, connections, figures),
        dispatch(core.engine, core.clock, connections.listeners, registry, table_commands, alias_commands,
                 connections.service, connections.replies, long_answers, connections.guard, core.audit, turn),
        whole_transactions(core.engine, connections.sessions, dispatch, table_commands, stored_commands) {}

  admin::Registry registry;
  TableListeners table_listeners;
  Configuration configuration;
  StoredCommands stored_commands;
  TableCommands table_commands;
  AliasCommands alias_commands;
  LongAnswers long_answers;
  Watches watches;
  Dispatch dispatch;
  WholeTransactions whole_transactions;
};

}  // namespace fastjournal::server
