// Documents through the daemon, beside PostgreSQL, in one run on the same disk, committed and synced. A document is found,
// is about to be sent, and is sent: three status events. Each connection has one batch of documents under way and waits
// for its answers before the next three events of the batch.
//
// PostgreSQL gets its best form: the events of a batch are one prepared statement with arrays, in one round trip and one
// commit. Ours are one command for each event, as workers say them.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fastjournal/histogram.h"
#include "tests/bench/measure.h"
#include "tests/bench/peer.h"
#include "tests/bench/round_trips.h"
#include "tests/integration/daemon.h"

namespace fastjournal::bench {
namespace documents_bench {

struct Settings {
  std::size_t connections{16};
  std::size_t batch{64};
  double seconds{2.0};
  int rounds{3};
};

std::string uri_of(std::uint64_t number) { return fmt::format("/{:023}", number); }

// ---------------------------------------------------------------------------
// fastjournal

// The digits behind `name` in a line; `name` begins with the character before it.
std::string_view line_field(std::string_view line, std::string_view name) {
  std::size_t const at = line.find(name);
  if (at == std::string_view::npos) refused(line);
  std::string_view const rest = line.substr(at + name.size());
  return rest.substr(0, rest.find_first_not_of("0123456789"));
}

// `taken`: the next commands of this batch; none: it begins.
Speech our_speech(std::size_t batch) {
  Speech out;
  out.name = "fastjournal, a command for each event";
  out.request = [batch](std::uint64_t number, std::string const& taken, std::string& to) {
    if (!taken.empty()) {
      to += taken;
      return;
    }
    for (std::size_t i = 0; i < batch; ++i)
      to += fmt::format("FOUND table=docs;source=s;uri={};hash=1\n", uri_of(number * batch + i));
  };
  out.answer = [batch](std::string_view bytes, std::string& taken) -> std::size_t {
    std::size_t at = 0;
    std::string next;
    for (std::size_t i = 0; i < batch; ++i) {
      std::size_t const end = bytes.find('\n', at);
      if (end == std::string_view::npos) return 0;
      std::string_view const line = bytes.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("DOCUMENT "))
        next += fmt::format("SENDING table=docs;destination=d;document={};token={}\n", line_field(line, ";document="),
                            line_field(line, ";token="));
      else if (!line.starts_with("RUN ") && !line.starts_with("RECORDED "))
        refused(line);
    }
    // What was about to be sent is sent: the same words.
    if (taken.starts_with("SENDING "))
      for (std::size_t line = 0; line < taken.size(); line = taken.find('\n', line) + 1)
        next += "SENT" + taken.substr(line + std::strlen("SENDING"), taken.find('\n', line) + 1 - line - 7);
    taken = next;
    return at;
  };
  return out;
}

// ---------------------------------------------------------------------------
// PostgreSQL

constexpr char const* kSchema =
    "create table if not exists documents (id bigserial primary key, source int not null, uri text not null, hash text "
    "not null, unique (source, uri));"
    "create table if not exists states (document bigint, destination int, state int not null, attempts int not null, "
    "token bigint not null, primary key (document, destination));"
    "create index if not exists stranded on states (destination, document) where state < 2;";

Speech postgres_speech(std::size_t batch) {
  Speech out;
  out.name = "PostgreSQL, a statement for each batch of events";
  out.hello = [](std::string& to) {
    postgres_hello(to);
    postgres_prepare("found",
                     "with d as (insert into documents (source, uri, hash) select 1, u, '1' from unnest($1::text[]) u "
                     "on conflict (source, uri) do update set hash = excluded.hash returning id), "
                     "s as (insert into states select id, 1, 0, 0, id from d) select id from d",
                     to);
    for (auto const& [name, state] : {std::pair{"sending", "1"}, std::pair{"sent", "2"}})
      postgres_prepare(
          name,
          fmt::format("update states set state = {} where document = any($1::bigint[]) and destination = 1 "
                      "and state = {} - 1",
                      state, state),
          to);
    postgres_sync(to);
  };
  // `taken`: the next statement, and the documents of this batch.
  out.request = [batch](std::uint64_t number, std::string const& taken, std::string& to) {
    if (taken.empty()) {
      std::string uris = "{";
      for (std::size_t i = 0; i < batch; ++i) uris += (i == 0 ? "" : ",") + uri_of(number * batch + i);
      postgres_execute("found", {uris + "}"}, to);
    } else {
      std::size_t const space = taken.find(' ');
      postgres_execute(std::string_view{taken}.substr(0, space), {std::string_view{taken}.substr(space + 1)}, to);
    }
    postgres_sync(to);
  };
  out.answer = [](std::string_view bytes, std::string& taken) -> std::size_t {
    std::string ids;
    std::size_t const size =
        postgres_answer(bytes, [&](std::string_view id) { ids += (ids.empty() ? "{" : ",") + std::string{id}; });
    if (size == 0) return 0;
    if (!ids.empty())
      taken = "sending " + ids + "}";
    else if (taken.starts_with("sending "))
      taken = "sent " + taken.substr(std::strlen("sending "));
    else
      taken.clear();
    return size;
  };
  return out;
}

// ---------------------------------------------------------------------------

void compare(Settings const& settings) {
  test::RealDaemon ours{""};
  std::filesystem::create_directories(ours.folder() / "tables/plans");
  ours.write("tables/plans/docs.xml",
             "<plan name=\"docs\" version=\"1\">\n<source name=\"s\"/>\n"
             "<step name=\"d\" after=\"s\" kind=\"idempotent\" guarantee=\"at-least-once\"/>\n</plan>\n");
  ours.write("tables/docs.xml", "<table name=\"docs\" type=\"pipeline\"><plan>plans/docs.xml</plan></table>\n");
  if (!ours.start()) throw std::runtime_error("fastjournald did not start: " + ours.output());
  std::unique_ptr<Peer> const postgres = make_postgres(false);
  postgres->start();
  // The schema, by a connection of its own.
  Speech schema;
  schema.hello = [](std::string& to) {
    postgres_hello(to);
    postgres_simple(kSchema, to);
  };
  schema.answer = [](std::string_view bytes, std::string&) { return postgres_answer(bytes); };
  RoundTrips{postgres->address(), schema, 1};

  std::vector<Contender> entries;
  entries.push_back({our_speech(settings.batch), ours.tcp()});
  entries.push_back({postgres_speech(settings.batch), postgres->address()});
  std::uint64_t number = 0;
  for (int round = 0; round < settings.rounds; ++round)
    run_round(entries, settings.connections, settings.seconds, number);
  fmt::print("{} connections, each with a batch of {} documents; median of {} rounds of {} s\n", settings.connections,
             settings.batch, settings.rounds, settings.seconds);
  fmt::print("{:<52}{:>16}{:>12}{:>10}{:>8}\n", "", "status events/s", "p50 us", "p99 us", "ratio");
  for (Contender const& entry : entries)
    fmt::print("{:<52}{:>16.0f}{:>12}{:>10}{:>8.1f}\n", entry.speech.name,
               median(entry.rates) * static_cast<double>(settings.batch), entry.latency_us.percentile(50),
               entry.latency_us.percentile(99), median(entry.rates) / median(entries.back().rates));
  ours.kill(SIGTERM);
  static_cast<void>(ours.wait());
  postgres->stop();
}

}  // namespace documents_bench

int measure_documents(int count, char** words) {
  using namespace documents_bench;
  Settings settings;
  CLI::App app{"status events of documents through the daemon, beside PostgreSQL"};
  app.add_option("--connections", settings.connections, "with one batch each")->capture_default_str();
  app.add_option("--batch", settings.batch, "documents of a batch")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--seconds", settings.seconds, "of each round")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of each")->check(CLI::Range(1, 99))->capture_default_str();
  CLI11_PARSE(app, count, words);
  compare(settings);
  return 0;
}

}  // namespace fastjournal::bench
