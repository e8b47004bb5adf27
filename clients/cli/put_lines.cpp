#include "clients/cli/put_lines.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "clients/cli/buffers.h"
#include "clients/cli/put.h"
#include "clients/cli/run_state.h"
#include "clients/cli/values.h"
#include "os/random.h"

namespace fastjournal::cli {

namespace {

using client::Connection;
using client::Reply;
using Clock = std::chrono::steady_clock;

// Commands in flight: a single sync covers them all.
constexpr std::size_t kDepth = 256;
// Confirmed lines between two writes of the state. The lines sent by a killed run after its last state must fit into
// the daemon's window (65,536 numbers per client), or their duplicates would not be recognised.
constexpr std::uint64_t kStateLines = 8192;
constexpr std::chrono::seconds kStateInterval{1};
constexpr std::chrono::milliseconds kProgressInterval{500};
// Limit of reasons on standard error; the file has all refused lines.
constexpr std::uint64_t kReasonsMax = 100;

// A refusal due to this row only: the line is set aside. All other refusals stop the run.
bool is_about_the_row(Code code) {
  switch (code) {
    case Code::invalid:
    case Code::missing_parameter:
    case Code::unknown_parameter:
    case Code::bad_parameter:
    case Code::too_large:
    case Code::expired:
    case Code::not_supported: return true;
    default: return false;
  }
}

std::string drawn_client() { return fmt::format("put-{:016x}{:016x}", os::random_bits(), os::random_bits()); }

class Run {
 public:
  Run(Invocation const& invocation, Console& console) : one_(invocation), console_(console) {}

  ExitCode run();

 private:
  // A line that was read but is not confirmed yet.
  struct Open {
    std::string text;
    std::uint64_t hash{0};  // of all lines up to and including this one
    bool sent{false};
    Status bad;  // of a line that was not sent; ok for a blank line
  };

  Status begin();
  Status check_earlier_lines();
  ExitCode mistake(Status const& status);
  void note(std::string const& sentence);
  void read_lines(client::Pipeline& pipeline);
  Status insert_of(std::string const& line, std::uint64_t line_nr, Message& insert);
  void on_reply(Result<Reply> reply);
  void settle_unsent();
  void settle(Status refusal, Message const* answer);
  void set_aside(std::string const& line, Status const& why);
  void stop(Status const& why);
  void save();
  void save_if_due();
  void show_progress();
  std::ostream& err();
  ExitCode finish();
  [[nodiscard]] std::string summary() const;

  Invocation const& one_;
  Console& console_;
  std::unique_ptr<Connection> connection_;
  std::optional<Buffers> buffers_;
  RunState state_;
  std::uint64_t first_{1};    // the sequence of line 1
  std::uint64_t earlier_{0};  // lines of earlier runs
  std::uint64_t earlier_in_{0};
  std::deque<Open> open_;  // in the order of the lines; the first one is line state_.lines + 1
  std::uint64_t hash_{0};  // of all lines read
  std::map<std::string, std::uint64_t> results_;
  std::ofstream refused_;
  std::uint64_t reasons_{0};
  std::optional<Status> stopped_;  // at line state_.lines + 1
  std::uint64_t saved_lines_{0};
  Clock::time_point saved_at_{Clock::now()};
  Clock::time_point shown_at_{};
};

ExitCode Run::run() {
  if (Status const begun = begin(); !begun.ok()) return mistake(begun);
  client::Options options = connection_options(one_);
  // Without a given time limit, a producer outlives any restart of its daemon.
  if (!one_.timeout_given) options.time_limit = client::kForever;
  bool lost = false;
  options.on_connection = [&](Status const& how) {
    if (std::exchange(lost, !how.ok()) == !how.ok()) return;
    note(how.ok() ? "connected again" : how.message() + "; trying again");
  };
  Result<std::unique_ptr<Connection>> opened = Connection::open(std::move(options));
  if (!opened.ok()) {
    ExitCode const code = complain(one_, console_, opened.status());
    return opened.status().code() == Code::bad_parameter ? ExitCode::usage : code;
  }
  connection_ = std::move(opened).value();
  buffers_.emplace(*connection_);
  client::Pipeline pipeline(*connection_, kDepth,
                            [this](std::uint64_t, Result<Reply> reply) { on_reply(std::move(reply)); });
  read_lines(pipeline);
  pipeline.finish();
  settle_unsent();
  return finish();
}

// Begins a new run, or continues one.
Status Run::begin() {
  first_ = one_.sequence.value_or(1);
  state_.table = one_.table;
  state_.client = one_.client.empty() ? drawn_client() : one_.client;
  state_.refused_file = one_.refused;
  if (!one_.resume.empty()) {
    Result<std::optional<RunState>> const earlier = read_state(one_.resume);
    if (!earlier.ok()) return earlier.status();
    if (earlier.value()) {
      state_ = *earlier.value();
      if (Status const same = check_earlier_lines(); !same.ok()) return same;
    }
  }
  return {};
}

Status Run::check_earlier_lines() {
  if (state_.table != one_.table)
    return {Code::bad_parameter, one_.resume + " is of table " + state_.table + ", not " + one_.table};
  if (!one_.refused.empty() && one_.refused != state_.refused_file)
    return {Code::bad_parameter, one_.resume + " has its refused lines in " +
                                     (state_.refused_file.empty() ? "a file of its own" : state_.refused_file) +
                                     ": leave --refused out"};
  std::string line;
  for (std::uint64_t i = 0; i < state_.lines && std::getline(console_.in, line); ++i) hash_ = hash_line(line, hash_);
  if (!console_.in || hash_ != state_.hash)
    return {Code::bad_parameter,
            fmt::format("the first {} lines are not those that {} says were put: give the same input "
                        "again, from its beginning",
                        state_.lines, one_.resume)};
  // Lines set aside after the last state will be set aside again.
  std::error_code ignored;
  if (!state_.refused_file.empty() && std::filesystem::file_size(state_.refused_file, ignored) > state_.refused_bytes)
    std::filesystem::resize_file(state_.refused_file, state_.refused_bytes, ignored);
  earlier_ = saved_lines_ = state_.lines;
  earlier_in_ = state_.in;
  if (earlier_ > 0) note(fmt::format("goes on behind line {}", earlier_));
  return {};
}

ExitCode Run::mistake(Status const& status) {
  return status.code() == Code::bad_parameter ? misuse(one_, console_, status.message())
                                              : complain(one_, console_, status);
}

void Run::note(std::string const& sentence) {
  err() << std::flush;
  cli::note(one_, console_, sentence);
}

void Run::read_lines(client::Pipeline& pipeline) {
  std::string line;
  for (std::uint64_t line_nr = state_.lines + 1; !stopped_; ++line_nr) {
    // A slow writer sees each row put at once.
    if (console_.in.rdbuf()->in_avail() <= 0) {
      pipeline.finish();
      settle_unsent();
      save_if_due();
    }
    if (stopped_ || !std::getline(console_.in, line)) break;
    hash_ = hash_line(line, hash_);
    open_.push_back({line, hash_, false, {}});
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      settle_unsent();
      continue;
    }
    Message insert = insert_of_options(one_);
    Status sent = insert_of(line, line_nr, insert);
    // Sending may receive answers of earlier lines: this one counts as under way already.
    open_.back().sent = sent.ok();
    if (sent.ok()) sent = pipeline.send(insert);
    if (!sent.ok()) {
      // No later line was sent, so it is still the last one.
      open_.back().sent = false;
      open_.back().bad = sent;
      settle_unsent();
    }
  }
}

Status Run::insert_of(std::string const& line, std::uint64_t line_nr, Message& insert) {
  insert.erase("client");
  insert.erase("sequence");
  if (Status parsed = parse_json_row(line, insert); !parsed.ok()) return parsed;
  // A row may have its own producer's numbers.
  if (!insert.has("client") && !insert.has("sequence")) {
    insert.set("client", state_.client);
    insert.set("sequence", Value::of_unsigned(first_ + line_nr - 1));
  }
  return buffers_->encode(insert);
}

void Run::on_reply(Result<Reply> reply) {
  settle_unsent();
  if (reply.ok())
    settle({}, &reply->first());
  else
    settle(reply.status(), nullptr);
  settle_unsent();
}

// Settles blank lines and unsent lines as soon as all lines before them are confirmed.
void Run::settle_unsent() {
  while (!open_.empty() && !open_.front().sent) settle(std::move(open_.front().bad), nullptr);
}

// Settles the oldest open line. Lines after one that stopped the run are ignored: a later run repeats them.
void Run::settle(Status refusal, Message const* answer) {
  Open const line = std::move(open_.front());
  open_.pop_front();
  if (!stopped_ && !refusal.ok() && !is_about_the_row(refusal.code())) stop(refusal);
  if (!stopped_ && !refusal.ok()) set_aside(line.text, refusal);
  if (stopped_) return;
  ++state_.lines;
  state_.hash = line.hash;
  if (answer != nullptr) {
    ++state_.in;
    ++results_[std::string(answer->text("result"))];
    if (one_.json) console_.out << render_json(*answer);
  }
  save_if_due();
  show_progress();
}

void Run::set_aside(std::string const& line, Status const& why) {
  if (!refused_.is_open()) {
    if (state_.refused_file.empty()) state_.refused_file = one_.table + "-" + state_.client + "-refused.jsonl";
    refused_.open(state_.refused_file, std::ios::binary | std::ios::app);
  }
  refused_ << line << '\n' << std::flush;
  if (!refused_) return stop({Code::io_error, "cannot write the refused line to " + state_.refused_file});
  ++state_.refused;
  state_.refused_bytes = static_cast<std::uint64_t>(refused_.tellp());
  ++reasons_;
  if (reasons_ > kReasonsMax) return;
  err() << std::flush;
  tell(one_, console_, why, fmt::format("line {}", state_.lines + 1), {});
  if (reasons_ == kReasonsMax) note("no more reasons are shown");
}

void Run::stop(Status const& why) {
  stopped_ = why;
  err() << std::flush;
  static_cast<void>(complain(one_, console_, why, fmt::format("line {}", state_.lines + 1)));
}

void Run::save() {
  if (one_.resume.empty()) return;
  saved_lines_ = state_.lines;
  saved_at_ = Clock::now();
  if (Status const written = write_state(one_.resume, state_); !written.ok() && !stopped_) stop(written);
}

void Run::save_if_due() {
  if (state_.lines == saved_lines_ || stopped_) return;
  if (state_.lines - saved_lines_ >= kStateLines || Clock::now() - saved_at_ >= kStateInterval) save();
}

// A line that the next output overwrites.
void Run::show_progress() {
  if (!console_.progress) return;
  Clock::time_point const now = Clock::now();
  if (now - shown_at_ < kProgressInterval) return;
  shown_at_ = now;
  console_.err << fmt::format("\r{} in, {} refused\x1b[K", state_.in, state_.refused) << std::flush;
}

std::ostream& Run::err() { return console_.progress ? console_.err << "\r\x1b[K" : console_.err; }

ExitCode Run::finish() {
  save();
  err() << std::flush;
  if (one_.json)
    cli::note(one_, console_, summary());
  else
    console_.out << summary() << '\n';
  if (!stopped_) return state_.refused > 0 ? ExitCode::refused : ExitCode::ok;
  if (one_.resume.empty())
    note(fmt::format(
        "to go on without doubles: tail -n +{} INPUT | fastjournal put {} --lines --client {} --sequence {}",
        state_.lines + 1, one_.table, state_.client, first_ + state_.lines));
  else
    note("the same command goes on from there");
  return exit_code_of(stopped_->code());
}

std::string Run::summary() const {
  std::string how;
  if (earlier_ > 0) how = fmt::format("{} before", earlier_in_);
  for (auto const& [result, count] : results_) how += fmt::format("{}{} {}", how.empty() ? "" : ", ", count, result);
  std::string out = fmt::format("{} in{}", state_.in, how.empty() ? "" : " (" + how + ")");
  out += fmt::format(", {} refused", state_.refused);
  if (state_.refused > 0) out += " (" + state_.refused_file + ")";
  if (stopped_) out += fmt::format(", stopped at line {}", state_.lines + 1);
  return out;
}

}  // namespace

ExitCode put_lines(Invocation const& invocation, Console& console) { return Run(invocation, console).run(); }

}  // namespace fastjournal::cli
