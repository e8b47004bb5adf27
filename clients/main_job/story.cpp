#include "clients/main_job/story.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "clients/lib/journal.h"
#include "clients/main_job/child_process.h"
#include "clients/main_job/daemon_process.h"
#include "clients/main_job/documents.h"
#include "clients/main_job/event.h"

namespace fastjournal::main_job {
namespace {

using namespace std::chrono_literals;

// Interval of reading the processes' events.
constexpr auto kLook = 20ms;
// The same while looking for a backend with leased rows.
constexpr auto kLookHunting = 2ms;
constexpr std::uint64_t kKillAtPercent = 40;
// Time without any event after which nothing more is expected: the longest regular wait is a lease of 10 s.
constexpr auto kStall = 60s;
constexpr std::size_t kHitsMax = 5;
constexpr char const* kVictim = "backend-2";
constexpr char const* kReplacement = "backend-3";

std::string joined(std::vector<std::string> const& words) {
  std::string text;
  for (std::string const& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

class Story {
 public:
  explicit Story(Settings const& settings)
      : settings_(settings), folder_{settings.run_folder}, progress_(settings.style, 0) {}

  Result<Outcome> play() {
    for (auto const part : {&Story::choose_documents, &Story::try_query, &Story::start_daemon, &Story::start_workers,
                            &Story::follow, &Story::finish})
      if (Status done = (this->*part)(); !done.ok()) return done;
    return std::move(outcome_);
  }

 private:
  // One of our processes and its events.
  struct Worker {
    ChildProcess process;
    LineReader events;
  };

  [[nodiscard]] bool interrupted() const { return *settings_.interrupted != 0; }

  Status choose_documents() {
    auto found = find_documents(settings_.folders, settings_.pages_max);
    if (!found.ok()) return found.status();
    std::ofstream file(folder_.pages());
    for (auto const& path : found.value()) file << uri_of(path) << '\n';
    file.close();
    if (!file) return {Code::io_error, fmt::format("cannot write {}", folder_.pages().string())};
    outcome_.pages_wanted = found.value().size();
    progress_ = Progress{settings_.style, outcome_.pages_wanted};
    std::vector<std::string> names;
    for (auto const& folder : settings_.folders) names.push_back(folder.string());
    progress_.say(fmt::format("documents  {} texts from {}", outcome_.pages_wanted, joined(names)));
    return {};
  }

  // Makes the index, and rejects a query that FTS5 cannot parse now rather than at the end.
  Status try_query() {
    auto index = Index::open(folder_.index());
    if (!index.ok()) return index.status();
    return index.value().query(settings_.query, 1).status();
  }

  Status start_daemon() {
    auto started = DaemonProcess::start(settings_.program.parent_path(), folder_);
    if (!started.ok()) return started.status();
    daemon_.emplace(std::move(started).value());
    progress_.say(
        fmt::format("daemon     pid {}, {} and {}", daemon_->process().pid(), daemon_->tcp(), daemon_->local()));
    progress_.say(daemon_->banner());
    progress_.say(
        fmt::format("the table of this run, {}:\n{}", (folder_.tables() / "pages.xml").string(), table_xml()));
    return {};
  }

  Status start_worker(std::string const& name, std::string const& role, std::string const& server) {
    auto process = ChildProcess::start(name,
                                       {settings_.program, "--as", role, "--name", name, "--server", server,
                                        "--run-folder", folder_.root, "--seed", std::to_string(settings_.seed)},
                                       folder_.output(name));
    if (!process.ok()) return process.status();
    workers_.push_back({std::move(process).value(), LineReader{folder_.events(name)}});
    progress_.say(fmt::format("{:<10} pid {}, through {}", name, workers_.back().process.pid(), server));
    return {};
  }

  Status start_workers() {
    for (std::string const name : {"backend-1", kVictim})
      if (Status started = start_worker(name, "backend", daemon_->local()); !started.ok()) return started;
    return start_worker("producer", "producer", daemon_->tcp());
  }

  // Until every page is finished.
  Status follow() {
    last_event_ = std::chrono::steady_clock::now();
    while (!interrupted()) {
      bool const hunting = victim_is_due();
      if (Status read = read_events(); !read.ok()) return read;
      if (Status alive = check_processes(); !alive.ok()) return alive;
      if (hunting)
        if (Status hunted = hunt(); !hunted.ok()) return hunted;
      progress_.show(ledger_.counts());
      if (producer_ended_ && ledger_.counts().finished == ledger_.counts().pages) return {};
      if (std::chrono::steady_clock::now() - last_event_ > kStall) {
        outcome_.problems.push_back(
            fmt::format("nothing happened for {} s, although pages were not finished: given up", kStall.count()));
        return {};
      }
      std::this_thread::sleep_for(hunting ? kLookHunting : kLook);
    }
    progress_.say("");
    return {Code::closed, "interrupted"};
  }

  Status read_events() {
    for (Worker& worker : workers_) {
      Status bad;
      Status const read = worker.events.read([&](std::string_view line) {
        auto const event = event_of(line);
        if (!event.ok()) {
          bad = event.status();
          return;
        }
        ledger_.add(worker.process.name(), event.value());
        last_event_ = std::chrono::steady_clock::now();
      });
      if (!read.ok()) return read;
      if (!bad.ok())
        return {Code::invalid, fmt::format("{}: {}", folder_.events(worker.process.name()).string(), bad.message())};
    }
    return {};
  }

  static Status died(ChildProcess const& process, std::string const& how) {
    return {Code::unavailable,
            fmt::format("{} ended ({}):\n{}", process.name(), how.empty() ? "exit status 0, too early" : how,
                        last_lines(process.output()))};
  }

  // An unexpected end of a process ends the run; only the producer may end by itself, when it has finished.
  Status check_processes() {
    if (auto const how = daemon_->process().ended()) return died(daemon_->process(), *how);
    for (Worker& worker : workers_) {
      if (worker.process.name() == outcome_.killed) continue;
      auto const how = worker.process.ended();
      if (!how) continue;
      if (worker.process.name() != "producer" || !how->empty()) return died(worker.process, *how);
      if (producer_ended_) continue;
      producer_ended_ = true;
      // The events between the last look and its end.
      if (Status read = read_events(); !read.ok()) return read;
    }
    return {};
  }

  [[nodiscard]] bool victim_is_due() const {
    return outcome_.killed.empty() && ledger_.counts().finished * 100 >= outcome_.pages_wanted * kKillAtPercent;
  }

  // Stops the victim, and kills it if it is in the middle of its work: with leased rows, and without a DONE on its way,
  // whose arrival would be unknown. Otherwise lets it continue until the next look.
  Status hunt() {
    auto const victim =
        std::find_if(workers_.begin(), workers_.end(), [](Worker const& one) { return one.process.name() == kVictim; });
    if (victim == workers_.end() || !victim->process.pause()) return {};
    if (Status read = read_events(); !read.ok()) return read;
    auto const held = ledger_.in_hand(kVictim);
    if (held.rows.empty() || held.between) {
      victim->process.resume();
      return {};
    }
    pid_t const pid = victim->process.pid();
    victim->process.kill();
    ledger_.ended(kVictim, monotonic_us());
    outcome_.killed = kVictim;
    outcome_.killed_rows = held.rows.size();
    progress_.say(fmt::format("{:<10} pid {}: kill -9, with rows {} in hand; they come back after grace and back-off",
                              kVictim, pid, fmt::join(held.rows, ", ")));
    return start_worker(kReplacement, "backend", daemon_->local());
  }

  Status finish() {
    progress_.finish(ledger_.counts());
    for (Worker& worker : workers_)
      if (worker.process.name() != outcome_.killed)
        if (std::string const how = worker.process.stop(); !how.empty())
          outcome_.problems.push_back(
              fmt::format("{}: {}: {}", worker.process.name(), how, last_lines(worker.process.output())));
    if (Status read = read_events(); !read.ok()) return read;
    if (Status asked = ask_daemon(); !asked.ok()) return asked;
    if (std::string const how = daemon_->process().stop(); !how.empty())
      outcome_.problems.push_back(fmt::format("daemon: {}: {}", how, last_lines(daemon_->process().output())));
    outcome_.counts = ledger_.counts();
    outcome_.verdict = ledger_.check();
    outcome_.lateness = ledger_.lateness();
    outcome_.best_second = ledger_.best_second();
    outcome_.seconds = static_cast<double>(std::max<std::int64_t>(0, ledger_.last_us() - ledger_.first_us())) / 1e6;
    return ask_index();
  }

  Status ask_daemon() {
    auto connection = client::Connection::open({.server = daemon_->local()});
    if (!connection.ok()) return connection.status();
    auto const reply = connection.value()->call("STATS");
    if (!reply.ok()) return reply.status();
    DaemonFigures& figures = outcome_.daemon;
    for (Message const& message : reply.value().messages) {
      auto const number = [&](std::string_view name) {
        return static_cast<std::uint64_t>(message.integer(name).value_or(0));
      };
      if (message.text("table") == "pages") {
        figures.rows_left = number("rows");
        figures.rows_parked = number("rows_parked");
        figures.done = number("done");
      } else if (!message.has("table")) {
        figures.wakes = number("wakes");
        figures.lateness_us_p50 = number("lateness_us_p50");
        figures.lateness_us_p99 = number("lateness_us_p99");
        figures.durability = message.text("durability");
      }
    }
    return {};
  }

  Status ask_index() {
    auto opened = Index::open(folder_.index());
    if (!opened.ok()) return opened.status();
    Index& index = opened.value();
    auto const uris = index.uris();
    if (!uris.ok()) return uris.status();
    std::vector<std::string> const wanted = ledger_.keys_done();
    std::set_difference(wanted.begin(), wanted.end(), uris.value().begin(), uris.value().end(),
                        std::back_inserter(outcome_.index_missing));
    outcome_.index_pages = uris.value().size();
    outcome_.index_bytes = index.bytes();
    if (Status asked = query(index, settings_.query); !asked.ok()) return asked;
    if (!outcome_.hits.empty() || settings_.query_given) return {};
    // Documents about other subjects than licences have other words.
    auto const word = index.common_word();
    if (!word.ok()) return word.status();
    return word.value().empty() ? Status{} : query(index, word.value());
  }

  Status query(Index& index, std::string const& words) {
    auto hits = index.query(words, kHitsMax);
    if (!hits.ok()) return hits.status();
    outcome_.query = words;
    outcome_.hits = std::move(hits).value();
    return {};
  }

  Settings const& settings_;
  RunFolder folder_;
  Progress progress_;
  Ledger ledger_;
  Outcome outcome_;
  std::optional<DaemonProcess> daemon_;
  // After the daemon, so that they end first. A deque: adding a worker does not move the others.
  std::deque<Worker> workers_;
  bool producer_ended_{false};
  std::chrono::steady_clock::time_point last_event_{};
};

}  // namespace

Result<Outcome> play(Settings const& settings) { return Story(settings).play(); }

}  // namespace fastjournal::main_job
