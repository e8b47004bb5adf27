// The figures of the daemon itself, for STATS and METRICS: each part of the server has counted its own.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "server/server.h"

namespace fastjournal::server {
namespace {

// A table each may have some.
constexpr std::size_t kPortsBytesMax = std::size_t{16} << 10U;

// By ListenMode.
void tell_lateness(std::array<Histogram, 3> const& lateness_us, MetricSink& sink) {
  struct Names {
    Metric count;
    Metric lateness;
  };
  static constexpr std::array<Names, 3> kNames = {{
      {{"wakes", "LISTEN messages sent because work fell due", Metric::Kind::counter},
       {"lateness_us", "from a date to the LISTEN message about it"}},
      {{"announcements", "messages to row listeners", Metric::Kind::counter},
       {"row_lateness_us", "from a row's date to the message about it"}},
      {{"deliveries", "rows pushed to workers that gave credit", Metric::Kind::counter},
       {"deliver_lateness_us", "from a row's date to its delivery"}},
  }};
  for (std::size_t mode = 0; mode < kNames.size(); ++mode) {
    sink.integer(kNames[mode].count, static_cast<std::int64_t>(lateness_us[mode].count()));
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
  auto const gauge = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help}, static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)));
  };
  auto const count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::counter}, static_cast<std::int64_t>(value));
  };
  Acceptor::Counters const& door = intake_.acceptor.counters();
  gauge("connections", "connections that are open", connections_.sessions.size());
  gauge("watchers", "connections that watch the figures", commands_.watches.size());
  count("connections_ever", "connections since the start", door.connections);
  count("connections_refused", "connections refused, because a limit was reached", door.refused);
  gauge("connections_messages", "of these, those that speak messages",
        connections_.sessions.speaking(Spoken::messages));
  gauge("connections_http", "and those that speak HTTP", connections_.sessions.speaking(Spoken::http));
  gauge("connections_other", "and those that speak a protocol of a table type",
        connections_.sessions.speaking(Spoken::other));
  count("connections_silent", "connections closed because they were silent", door.silent);
  engine::Transactions::Figures const& transactions = core_.engine.transactions().figures();
  gauge("transactions", "transactions that are open", core_.engine.transactions().open());
  count("transactions_committed", "transactions committed since the start", transactions.committed);
  count("transactions_rolled_back", "transactions that ended otherwise, for whatever reason", transactions.rolled_back);
  count("transactions_timed_out", "of these, those whose COMMIT came too late", transactions.timed_out);
  gauge("transactions_in_doubt", "prepared transactions that wait for their manager",
        core_.engine.branches().in_doubt());
  access::Logins::Counters const& logins = intake_.authentication.counters();
  count("logins_accepted", "tokens and certificates that were a user's, with AUTH, a request or a connection",
        logins.accepted);
  count("logins_refused", "tokens and certificates of no known user", logins.refused);
  count("logins_delayed", "tokens that were not looked at, as too many failed or were under way", logins.delayed);
  CertificateFiles::Handshakes const handshakes = host_.handshakes();
  count("handshakes", "handshakes of TLS that were completed", handshakes.done);
  count("handshakes_resumed", "of these, those that resumed a session", handshakes.resumed);
  count("handshakes_failed", "handshakes of TLS that failed, or took too long", handshakes.failed);
  gauge("handshakes_open", "handshakes of TLS that are under way", handshakes.under_way);
  // Without TLS there is none.
  if (std::int64_t const end = host_.certificate_end(); end != 0)
    sink.integer({"certificate_end_date", "when the first certificate in use ends"}, end);
  count("messages", "messages received", commands_.dispatch.counters().messages);
  count("invalid", "input that was no message", connections_.replies.invalid_messages());
  count("unknown", "messages with an unknown command", commands_.dispatch.counters().unknown);
  count("strangers", "connections closed because their first line was no message", intake_.reader.strangers());
  count("without_sender", "commands over the communicatord without a sender to answer",
        commands_.dispatch.counters().without_sender);
  count("bytes_in", "bytes received", intake_.reader.bytes_taken());
  count("bytes_out", "bytes sent", connections_.output.bytes_sent());
  gauge("alerts", "alerts that are up", core_.engine.alerting().all().size());
  count("alerts_dropped", "alerts that there was no room for", core_.engine.alerting().dropped());
  communicator::DatagramMessages::Counters const& udp = intake_.datagrams.counters();
  DatagramQueries::Counters const& queries = intake_.datagram_queries.counters();
  count("datagram_queries", "queries received as datagrams of unix sockets", queries.queries);
  count("datagram_queries_dropped", "of these, dropped: no query, refused, or their sender took no answer",
        queries.dropped);
  count("udp_messages", "messages received as datagrams", udp.messages);
  count("udp_dropped", "datagrams dropped, because they were too many or damaged", udp.dropped);
  count("udp_wrong_secret", "datagrams without the secret", udp.wrong_secret);
  count("udp_ignored", "datagrams that would need an answer", udp.ignored);
  count("udp_refused", "datagrams whose message was refused", udp.refused);
  count("feed_datagrams", "datagrams sent to followers", core_.feeds.counters().datagrams);
  count("feed_dropped", "datagrams to followers that the kernel did not take", core_.feeds.counters().dropped);
  count("feed_records", "records sent to followers", core_.feeds.counters().records);
  count("feed_heartbeats", "datagrams that only told followers where the log ends", core_.feeds.counters().heartbeats);
  count("wake_messages", "wake messages sent to services", connections_.service.counters().wake_messages);
  count("wake_messages_dropped", "wake messages that no connection could take",
        connections_.service.counters().wake_messages_dropped);
  gauge("client_memory", "bytes of memory that clients cause beside rows", connections_.sessions.memory().total());
  gauge("client_memory_peak", "the most that was", connections_.sessions.memory().peak());
  gauge("client_memory_limit", "the most that it may be", connections_.sessions.memory().limit());
  gauge("clients_held", "connections that are not read, to save memory", connections_.guard.held());
  count("clients_refused", "connections closed, to save memory", connections_.guard.refused());
  count("turns", "turns of the loop", turns_);
  gauge("turn_us_max", "the longest turn of the loop", turn_.record().longest_us());
  count("commits", "turns that wrote something", core_.logs.commits());
  core_.logs.tell_syncs(sink);
  tell_lateness(connections_.output.lateness_us(), sink);
  Space const space = space_of(core_.engine);
  gauge("log_disk_bytes", "disk that the logs take", space.disk);
  gauge("log_bytes", "bytes between the logs' begin and end", space.logical);
  gauge("log_live_bytes", "bytes of records that are needed", space.live);
  gauge("log_disk_bound", "disk bytes that the logs stay below with these rows", space.bound);
  gauge("log_containers", "segment files of the logs", space.segments);
  count("log_bytes_restated", "bytes that were compacted", core_.compacted_bytes());
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
