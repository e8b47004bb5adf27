// What comes from outside: connections and who they are, their bytes, datagrams, and what is heard on connections of
// others. The fourth of the assemblies of the server.
#pragma once

#include "base/env/network.h"
#include "server/commands.h"
#include "server/communicator/datagram_messages.h"
#include "server/connections.h"
#include "server/core.h"
#include "server/dialers.h"
#include "server/dispatch/datagram_queries.h"
#include "server/server_host.h"
#include "server/session/acceptor.h"
#include "server/session/authentication.h"
#include "server/session/reader.h"
#include "server/turn.h"

namespace fastjournal::server {

class Intake {
 public:
  Intake(Core& core, Connections& connections, Commands& commands, env::Network& network, ConnectionLimits limits,
         ServerHost& host, Turn& turn)
      : authentication(core, connections, commands, network, host),
        acceptor(core, connections, authentication, network, host, limits),
        reader(core, connections, commands, authentication, turn),
        datagram_queries(network, connections.listeners, commands.table_commands) {}

  Authentication authentication;
  Acceptor acceptor;
  Reader reader;
  Dialers dialers;
  communicator::DatagramMessages datagrams;
  DatagramQueries datagram_queries;
};

}  // namespace fastjournal::server
