// The figures of the daemon itself, for STATS and METRICS: each part of the server has counted its own.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "server/admin/declarations.h"
#include "server/server.h"

namespace fastjournal::server {
namespace {

// A table each may have some.
constexpr std::size_t kPortsBytesMax = std::size_t{16} << 10U;

// By ListenMode.
void tell_lateness(std::array<Histogram, 3> const& lateness_us, MetricSink& sink) {
  struct Names {
    std::string_view count;
    Metric lateness;
  };
  static constexpr std::array<Names, 3> kNames = {{
      {"wakes", {"lateness_us", "from a date to the LISTEN message about it"}},
      {"announcements", {"row_lateness_us", "from a row's date to the message about it"}},
      {"deliveries", {"deliver_lateness_us", "from a row's date to its delivery"}},
  }};
  for (std::size_t mode = 0; mode < kNames.size(); ++mode) {
    sink.counter(kNames[mode].count, admin::help_of_figure(kNames[mode].count), lateness_us[mode].count());
    sink.histogram(kNames[mode].lateness, lateness_us[mode]);
  }
}

struct Space {
  std::uint64_t disk{0};
  std::uint64_t logical{0};
  std::uint64_t live{0};
  std::uint64_t bound{0};  // of the disk's, as the log promises
  std::uint64_t segments{0};
  std::string starts;
};

// Of all logs that are kept and serve.
Space space_of(engine::Engine const& engine) {
  Space out;
  for (auto const& log : engine.logs()) {
    if (!log->keeps || !log->serves) continue;
    log::LogUsage const usage = log->log->usage();
    std::uint64_t const segment = usage.segments == 0 ? 0 : usage.disk_bytes / usage.segments;
    std::uint64_t const live = engine::live_bytes(*log);
    out.disk += usage.disk_bytes + usage.segments_pinned * segment;
    out.logical += usage.logical_bytes;
    out.segments += usage.segments + usage.segments_pinned;
    out.live += live;
    out.bound += 2 * live + segment * usage.segments_kept;
    if (!out.starts.empty()) out.starts += ' ';
    out.starts += log->name + ":" + std::to_string(log->log->start());
  }
  return out;
}

}  // namespace

void Server::tell(MetricSink& sink) {
  // What they are, daemon.xml says.
  auto const gauge = [&](std::string_view name, std::uint64_t value) {
    sink.integer({name, admin::help_of_figure(name)},
                 static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)));
  };
  auto const count = [&](std::string_view name, std::uint64_t value) {
    sink.counter(name, admin::help_of_figure(name), value);
  };
  Acceptor::Counters const& door = intake_.acceptor.counters();
  gauge("connections", connections_.sessions.size());
  gauge("watchers", commands_.watches.size());
  count("connections_ever", door.connections);
  count("connections_refused", door.refused);
  gauge("connections_messages", connections_.sessions.speaking(Spoken::messages));
  gauge("connections_http", connections_.sessions.speaking(Spoken::http));
  gauge("connections_other", connections_.sessions.speaking(Spoken::other));
  count("connections_silent", door.silent);
  engine::Transactions::Figures const& transactions = core_.engine.transactions().figures();
  gauge("transactions", core_.engine.transactions().open());
  count("transactions_committed", transactions.committed);
  count("transactions_rolled_back", transactions.rolled_back);
  count("transactions_timed_out", transactions.timed_out);
  gauge("transactions_in_doubt", core_.engine.branches().in_doubt());
  access::Logins::Counters const& logins = intake_.authentication.counters();
  count("logins_accepted", logins.accepted);
  count("logins_refused", logins.refused);
  count("logins_delayed", logins.delayed);
  CertificateFiles::Handshakes const handshakes = host_.handshakes();
  count("handshakes", handshakes.done);
  count("handshakes_resumed", handshakes.resumed);
  count("handshakes_failed", handshakes.failed);
  gauge("handshakes_open", handshakes.under_way);
  // Without TLS there is none.
  if (std::int64_t const end = host_.certificate_end(); end != 0)
    gauge("certificate_end_date", static_cast<std::uint64_t>(end));
  count("messages", commands_.dispatch.counters().messages);
  count("invalid", connections_.replies.invalid_messages());
  count("unknown", commands_.dispatch.counters().unknown);
  count("strangers", intake_.reader.strangers());
  count("without_sender", commands_.dispatch.counters().without_sender);
  count("bytes_in", intake_.reader.bytes_taken());
  count("bytes_out", connections_.output.bytes_sent());
  gauge("alerts", core_.engine.alerting().all().size());
  count("alerts_dropped", core_.engine.alerting().dropped());
  communicator::DatagramMessages::Counters const& udp = intake_.datagrams.counters();
  DatagramQueries::Counters const& queries = intake_.datagram_queries.counters();
  count("datagram_queries", queries.queries);
  count("datagram_queries_dropped", queries.dropped);
  count("udp_messages", udp.messages);
  count("udp_dropped", udp.dropped);
  count("udp_wrong_secret", udp.wrong_secret);
  count("udp_ignored", udp.ignored);
  count("udp_refused", udp.refused);
  count("feed_datagrams", core_.feeds.counters().datagrams);
  count("feed_dropped", core_.feeds.counters().dropped);
  count("feed_records", core_.feeds.counters().records);
  count("feed_heartbeats", core_.feeds.counters().heartbeats);
  count("wake_messages", connections_.service.counters().wake_messages);
  count("wake_messages_dropped", connections_.service.counters().wake_messages_dropped);
  gauge("client_memory", connections_.sessions.memory().total());
  gauge("client_memory_peak", connections_.sessions.memory().peak());
  gauge("client_memory_limit", connections_.sessions.memory().limit());
  gauge("clients_held", connections_.guard.held());
  count("clients_refused", connections_.guard.refused());
  count("turns", turns_);
  gauge("turn_us_max", turn_.record().longest_us());
  count("commits", core_.logs.commits());
  core_.logs.tell_syncs(sink);
  tell_lateness(connections_.output.lateness_us(), sink);
  Space const space = space_of(core_.engine);
  gauge("log_disk_bytes", space.disk);
  gauge("log_bytes", space.logical);
  gauge("log_live_bytes", space.live);
  gauge("log_disk_bound", space.bound);
  gauge("log_containers", space.segments);
  count("log_bytes_restated", core_.compacted_bytes());
  core_.logs.tell_scrubbing(sink);
}

void Server::tell_texts(Answer& answer) {
  answer.add("turn_longest_cause", std::string_view{turn_.record().cause()});
  answer.add("starts", std::string_view{space_of(core_.engine).starts});
  answer.add("durability", std::string_view{core_.logs.durability()});
  std::string ports;
  for (std::string const& one : connections_.listeners.texts()) {
    if (ports.size() + one.size() > kPortsBytesMax) {
      ports += "; and others";
      break;
    }
    ports += (ports.empty() ? "" : "; ") + one;
  }
  answer.add("ports", std::string_view{ports});
  if (std::string const nodes = core_.logs.nodes(); !nodes.empty()) answer.add("nodes", std::string_view{nodes});
}

void Server::tell_logs(std::function<MetricSink&(std::string_view log)> const& sink_of) {
  core_.logs.tell_each(sink_of);
}

Status Server::readiness() { return core_.logs.readiness(); }

}  // namespace fastjournal::server
