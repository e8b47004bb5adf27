#include "clients/demo/main_job/story.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <thread>

#include "clients/cpp/journal.h"
#include "clients/demo/main_job/daemon_process.h"
#include "clients/demo/main_job/documents.h"
#include "clients/demo/main_job/event.h"
#include "clients/demo/main_job/forwarder_process.h"
#include "clients/demo/process/line_reader.h"

namespace fastjournal::main_job {
namespace {

using namespace std::chrono_literals;

// Interval of reading the processes' events.
constexpr auto kLook = 20ms;
// The same while looking for a backend with leased rows.
constexpr auto kLookHunting = 2ms;
// Of the pages that are finished: then the daemon is killed, and then a backend.
constexpr std::uint64_t kStopAtPercent = 20;
// If no backend was seen with rows in hand so far.
constexpr std::uint64_t kStopAtPercentAnyway = 30;
constexpr std::uint64_t kKillAtPercent = 40;
constexpr auto kOutage = 3s;
// For the forwarder to say, once a second, that everything was confirmed.
constexpr auto kDrainLimit = 10s;
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
    process::ChildProcess process;
    process::LineReader events;
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

  Status start_worker(std::string const& name, std::vector<std::string> const& words, std::string const& through) {
    auto process = process::ChildProcess::start(name, words, folder_.output(name));
    if (!process.ok()) return process.status();
    workers_.push_back({std::move(process).value(), process::LineReader{folder_.events(name)}});
    progress_.say(fmt::format("{:<10} pid {}, through {}", name, workers_.back().process.pid(), through));
    return {};
  }

  Status start_backend(std::string const& name) {
    return start_worker(name,
                        {settings_.program, "--as", "backend", "--name", name, "--server", daemon_->local(),
                         "--run-folder", folder_.root},
                        daemon_->local());
  }

  // It knows the spool only, and no daemon.
  Status start_producer() {
    return start_worker("producer",
                        {settings_.program, "--as", "producer", "--name", "producer", "--run-folder", folder_.root,
                         "--seed", std::to_string(settings_.seed)},
                        folder_.spool());
  }

  Status start_forwarder() {
    auto const words = forwarder_words(settings_.program.parent_path(), folder_, daemon_->local());
    if (!words.ok()) return words.status();
    return start_worker("forwarder", words.value(),
                        fmt::format("{} to {}", folder_.spool().string(), daemon_->local()));
  }

  Status start_workers() {
    for (std::string const name : {"backend-1", kVictim})
      if (Status started = start_backend(name); !started.ok()) return started;
    if (Status started = start_forwarder(); !started.ok()) return started;
    return start_producer();
  }

  // Until every page is finished.
  Status follow() {
    last_event_ = std::chrono::steady_clock::now();
    while (!interrupted()) {
      if (Status read = read_events(); !read.ok()) return read;
      if (Status alive = check_processes(); !alive.ok()) return alive;
      if (Status played = play_outage(); !played.ok()) return played;
      bool const hunting = had_outage() && victim_is_due();
      if (hunting)
        if (Status hunted = hunt(); !hunted.ok()) return hunted;
      progress_.show(ledger_.counts());
      if (producer_ended_ && had_outage() && ledger_.counts().finished == ledger_.counts().pages) return {};
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

  static Status died(process::ChildProcess const& process, std::string const& how) {
    return {Code::unavailable,
            fmt::format("{} ended ({}):\n{}", process.name(), how.empty() ? "exit status 0, too early" : how,
                        process::last_lines(process.output()))};
  }

  // An unexpected end of a process ends the run; only the producer may end by itself, when it has finished.
  Status check_processes() {
    if (!is_down_)
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

  [[nodiscard]] bool is_reached(std::uint64_t percent) const {
    return ledger_.counts().finished * 100 >= outcome_.pages_wanted * percent;
  }

  [[nodiscard]] bool victim_is_due() const { return outcome_.killed.empty() && is_reached(kKillAtPercent); }

  // ---------------------------------------------------------------------------
  // The time without a daemon

  [[nodiscard]] bool had_outage() const { return back_us_ != 0; }

  Status play_outage() {
    if (had_outage()) {
      look_whether_caught_up();
      return {};
    }
    if (!is_down_) {
      if (!is_reached(kStopAtPercent)) return {};
      if (!knows_wakes_)
        if (Status asked = ask_about_wakes(); !asked.ok()) return asked;
      if (daemon_is_due()) kill_daemon();
      return {};
    }
    return monotonic_us() >= killed_us_ + std::chrono::microseconds{kOutage}.count() ? start_daemon_again() : Status{};
  }

  // In the middle of work, so that leases must outlive the daemon.
  [[nodiscard]] bool daemon_is_due() const {
    return is_reached(kStopAtPercentAnyway) || std::any_of(workers_.begin(), workers_.end(), [&](Worker const& one) {
             return !ledger_.in_hand(one.process.name()).rows.empty();
           });
  }

  void kill_daemon() {
    pid_t const pid = daemon_->process().pid();
    is_down_ = true;
    killed_us_ = monotonic_us();
    ledger_.daemon_killed(killed_us_);
    daemon_->kill();
    progress_.say(fmt::format("{:<10} pid {}: kill -9; the producer goes on for {} s without it", "daemon", pid,
                              kOutage.count()));
  }

  Status start_daemon_again() {
    ledger_.daemon_started(monotonic_us());
    if (Status started = daemon_->start_again(); !started.ok()) return started;
    back_us_ = monotonic_us();
    is_down_ = false;
    last_event_ = std::chrono::steady_clock::now();
    outcome_.outage.seconds = static_cast<double>(back_us_ - killed_us_) / 1e6;
    progress_.say(fmt::format("{:<10} pid {}: is back on the same data", "daemon", daemon_->process().pid()));
    return {};
  }

  // The forwarder runs all the time: what it has confirmed are different changes.
  void look_whether_caught_up() {
    if (outcome_.outage.caught_up_seconds > 0) return;
    auto const figures = read_forwarder_figures(folder_);
    if (!figures.ok() || figures.value().confirmed < ledger_.saves(0, back_us_).count) return;
    outcome_.outage.caught_up_seconds = static_cast<double>(monotonic_us() - back_us_) / 1e6;
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
    return start_backend(kReplacement);
  }

  // Rows are done before the forwarder says that they were confirmed.
  void wait_until_drained() {
    auto const until = std::chrono::steady_clock::now() + kDrainLimit;
    while (!interrupted() && std::chrono::steady_clock::now() < until) {
      look_whether_caught_up();
      auto const figures = read_forwarder_figures(folder_);
      if (figures.ok() && figures.value().confirmed >= ledger_.counts().saved) return;
      std::this_thread::sleep_for(kLook);
    }
  }

  Status finish() {
    progress_.finish(ledger_.counts());
    wait_until_drained();
    for (Worker& worker : workers_)
      if (worker.process.name() != outcome_.killed)
        if (std::string const how = worker.process.stop(); !how.empty())
          outcome_.problems.push_back(
              fmt::format("{}: {}: {}", worker.process.name(), how, process::last_lines(worker.process.output())));
    if (Status read = read_events(); !read.ok()) return read;
    auto const figures = read_forwarder_figures(folder_);
    if (!figures.ok()) return figures.status();
    outcome_.forwarder = figures.value();
    if (Status asked = ask_about_rows(); !asked.ok()) return asked;
    if (std::string const how = daemon_->process().stop(); !how.empty())
      outcome_.problems.push_back(fmt::format("daemon: {}: {}", how, process::last_lines(daemon_->process().output())));
    outcome_.counts = ledger_.counts();
    outcome_.verdict = ledger_.check();
    outcome_.lateness = ledger_.lateness();
    outcome_.saves = ledger_.saves(0, std::numeric_limits<std::int64_t>::max());
    outcome_.outage.saves = ledger_.saves(killed_us_, back_us_);
    outcome_.best_second = ledger_.best_second();
    outcome_.seconds = static_cast<double>(std::max<std::int64_t>(0, ledger_.last_us() - ledger_.first_us())) / 1e6;
    return ask_index();
  }

  Result<client::Reply> ask_daemon() {
    auto connection = client::Connection::open({.server = daemon_->local()});
    if (!connection.ok()) return connection.status();
    return connection.value()->call("STATS");
  }

  static std::uint64_t number_in(Message const& message, std::string_view name) {
    return static_cast<std::uint64_t>(message.integer(name).value_or(0));
  }

  Status ask_about_wakes() {
    auto const reply = ask_daemon();
    if (!reply.ok()) return reply.status();
    for (Message const& message : reply.value().messages) {
      if (message.has("table")) continue;
      outcome_.daemon.wakes = number_in(message, "wakes");
      outcome_.daemon.lateness_us_p50 = number_in(message, "lateness_us_p50");
      outcome_.daemon.lateness_us_p99 = number_in(message, "lateness_us_p99");
      outcome_.daemon.durability = message.text("durability");
    }
    knows_wakes_ = true;
    return {};
  }

  Status ask_about_rows() {
    auto const reply = ask_daemon();
    if (!reply.ok()) return reply.status();
    for (Message const& message : reply.value().messages) {
      if (message.text("table") != "pages") continue;
      outcome_.daemon.rows_left = number_in(message, "rows");
      outcome_.daemon.rows_parked = number_in(message, "rows_parked");
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
  // The daemon was killed, and is not back.
  bool is_down_{false};
  bool knows_wakes_{false};
  std::int64_t killed_us_{0};
  std::int64_t back_us_{0};
  std::chrono::steady_clock::time_point last_event_{};
};

}  // namespace

Result<Outcome> play(Settings const& settings) { return Story(settings).play(); }

}  // namespace fastjournal::main_job
