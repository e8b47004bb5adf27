// The connections, from their bytes to the bytes that they are sent, and the memory that this takes. The second of the
// four assemblies of the server.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/env/network.h"
#include "engine/transactions/transactions.h"
#include "engine/types.h"
#include "fastjournal/types.h"
#include "server/answers/replies.h"
#include "server/answers/stored_answers.h"
#include "server/communicator/outbound_links.h"
#include "server/communicator/service.h"
#include "server/core.h"
#include "server/listeners.h"
#include "server/logs/commit_pipeline.h"
#include "server/server_host.h"
#include "server/session/admission.h"
#include "server/session/input_line.h"
#include "server/session/memory_guard.h"
#include "server/session/output.h"
#include "server/session/sessions.h"
#include "wire/framer.h"

namespace fastjournal::server {

struct ServerLimits {
  ConnectionLimits connections{};
  protocol::FrameLimits frames{};
  // Unsent answers of one connection; above it the connection is not read, and it gets no pushes.
  std::size_t output_bytes{4U << 20U};
  // For the rows of all tables; above it additions are refused.
  std::uint64_t memory_bytes{UINT64_MAX};
  DurationMs transaction_timeout{engine::Transactions::kTimeout};
  // For everything that clients cause beside rows (client_memory.h).
  std::uint64_t client_memory_bytes{UINT64_MAX};
};

class Connections {
 public:
  // `end` and `alerts` are told of what happens later. Two parts tell `replies`, which is made after them: no message
  // comes before all are there.
  Connections(Core& core, env::Network& network, engine::TableTypes const& types, ServerLimits const& limits,
              ServerHost& host, SessionEnd& end, AlertReceiver& alerts)
      : listeners(limits.frames),
        sessions(network, core.clock.time(), limits.client_memory_bytes, limits.connections, end),
        guard(sessions, core.engine, core.alerts, host, network, core.clock.time()),
        links(network, host),
        service(links, replies, core.engine, host),
        line(network, sessions),
        output(network, sessions, guard, line, core.engine, service, core.clock.time(), limits.output_bytes),
        pipeline(core.logs, sessions, output, core.engine, alerts, network),
        stored_answers(sessions, core.table_files, replies, network),
        replies(types, sessions, pipeline, guard, output, stored_answers) {}

  Listeners listeners;
  Sessions sessions;
  MemoryGuard guard;
  communicator::OutboundLinks links;
  communicator::Service service;
  InputLine line;
  Output output;
  CommitPipeline pipeline;
  StoredAnswers stored_answers;
  Replies replies;
};

}  // namespace fastjournal::server
