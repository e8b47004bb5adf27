#include "server/core.h"

namespace fastjournal::server {
namespace {

// The most segments of live objects that are compacted before serving.
constexpr std::uint64_t kCopiedAtStart = 2;

}  // namespace

Core::Core(env::Clock& system_clock, env::Network& network, engine::TableTypes const& types, ServerHost& host,
           work::ReplySink& replies)
    : engine(types, replies),
      alerts(engine, network),
      clock(system_clock, engine, alerts, host),
      audit(host, clock.time()),
      logs(engine, host, host, alerts, network, clock),
      table_files(engine, host, logs, alerts, network, clock),
      exports(engine, host, network, clock),
      feeds(network, engine),
      health(clock, engine, alerts, network),
      backup(logs, table_files, engine) {}

// That is little work; the rest of a long log is copied while serving.
Status Core::merge_half_empty_segments() {
  std::uint64_t most = 0;
  for (ServedLog const& served : logs.all()) {
    log::LogUsage const usage = served.log->usage();
    if (usage.segments != 0) most += kCopiedAtStart * (usage.disk_bytes / usage.segments);
  }
  while (compacted_bytes() < most && engine.committed(clock.time().now()))
    if (Status status = logs.commit(); !status.ok()) return status;
  return {};
}

// Each step rests on what the one before it wrote. What cannot go on is resolved at the next start.
Status Core::end_commits() {
  constexpr int kSteps = 4;
  for (int step = 0; step < kSteps && engine.two_phase().is_under_way(); ++step) {
    engine.two_phase().advance(clock.time().now());
    if (Status status = logs.settle(); !status.ok()) return status;
  }
  return {};
}

std::uint64_t Core::compacted_bytes() const {
  std::uint64_t sum = 0;
  for (auto const& log : engine.logs()) sum += log->bytes_compacted;
  return sum;
}

}  // namespace fastjournal::server
