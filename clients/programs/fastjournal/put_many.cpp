// `fastjournal put --from`: rows of a file or of standard input. Each is inserted once, even if the connection, the
// daemon, or (with --resume) this process fails.
#include "clients/programs/fastjournal/put.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/refused_rows.h"
#include "clients/programs/fastjournal/row_input.h"
#include "clients/programs/fastjournal/run_state.h"
#include "platform/os/random.h"

namespace fastjournal::cli {

namespace {

using client::Connection;
using client::Reply;
using Clock = std::chrono::steady_clock;

// Rows in flight: a single sync covers all that the daemon has read by then.
constexpr std::size_t kDepth = 4096;
constexpr std::size_t kBytesInFlightMax = std::size_t{32} << 20U;
// Confirmed rows between two writes of the state. The rows sent by a killed run after its last state must fit into the
// daemon's window (65,536 numbers per client), or their duplicates would not be recognised.
constexpr std::uint64_t kStateRows = 8192;
constexpr std::chrono::seconds kStateInterval{1};
constexpr std::chrono::milliseconds kProgressInterval{500};

std::string drawn_client() { return fmt::format("put-{:016x}{:016x}", os::random_bits(), os::random_bits()); }

class PutRun {
 public:
  PutRun(PutOptions const& given, Call& call) : one_(given), call_(call), refused_(call) {}

  ExitCode run();

 private:
  // A row that was read but is not confirmed yet.
  struct Open {
    std::string text;
    std::uint64_t line{0};
    std::uint64_t lines_end{0};            // of the input, with this row
    std::uint64_t hash{0};                 // of all rows up to and including this one
    std::optional<client::Ticket> ticket;  // empty: it was not sent
    Status bad;                            // of a row that was not sent; ok for a blank line
  };

  Status begin();
  Status check_earlier_rows();
  ExitCode mistake(Status const& status);
  Status connect();
  void note(std::string const& sentence);
  void read_rows();
  void wait_for_input();
  void make_room();
  void take_row(Record const& record);
  Status insert_of(std::string_view text, std::uint64_t number);
  void receive_oldest();
  void settle_unsent();
  void settle(Status const& refusal, Message const* answer);
  void set_aside(Open const& row, Status const& why);
  void stop(Status const& why);
  void save();
  void save_if_due();
  void show_progress();
  std::ostream& err();
  ExitCode finish();
  [[nodiscard]] std::string summary() const;

  PutOptions const& one_;
  Call& call_;
  std::unique_ptr<RowInput> input_;
  std::unique_ptr<Connection> connection_;
  std::optional<Buffers> buffers_;
  RefusedRows refused_;
  RunState state_;
  Message insert_;          // of one row; kept for its memory
  std::uint64_t first_{1};  // the sequence of the first row
  std::uint64_t rows_{0};   // read
  bool is_continued_{false};
  std::uint64_t earlier_{0};  // rows of earlier runs
  std::uint64_t earlier_in_{0};
  std::deque<Open> open_;  // in the order of the input; the first one is the
                           // next to be confirmed
  std::size_t open_bytes_{0};
  std::uint64_t hash_{0};  // of all rows read, and the header of CSV
  std::map<std::string, std::uint64_t, std::less<>> results_;
  std::optional<Status> stopped_;  // behind line state_.lines
  std::uint64_t saved_rows_{0};
  Clock::time_point saved_at_{Clock::now()};
  Clock::time_point shown_at_{};
};

ExitCode PutRun::run() {
  if (Status const begun = begin(); !begun.ok()) return mistake(begun);
  if (Status const connected = connect(); !connected.ok()) return call_.unconnected(connected);
  // Before the first row leaves: a run that is killed at once must be continued by the same client.
  if (!is_continued_) save();
  read_rows();
  while (!open_.empty()) receive_oldest();
  return finish();
}

Status PutRun::connect() {
  client::Options options = connection_options(call_);
  // Without a given time limit, a producer outlives any restart of its daemon.
  if (!call_.timeout) options.time_limit = client::kForever;
  bool lost = false;
  options.on_connection = [this, lost](Status const& how) mutable {
    if (std::exchange(lost, !how.ok()) == !how.ok()) return;
    note(how.ok() ? "connected again" : how.message() + "; trying again");
  };
  options.in_flight_max = kDepth + 1;  // and a question about columns
  Result<std::unique_ptr<Connection>> opened = Connection::open(std::move(options));
  if (!opened.ok()) return opened.status();
  connection_ = std::move(opened).value();
  buffers_.emplace(*connection_);
  return {};
}

// Begins a new run, or continues one.
Status PutRun::begin() {
  Result<std::unique_ptr<RowInput>> input = RowInput::open(one_, call_.console.in);
  if (!input.ok()) return input.status();
  input_ = std::move(input).value();
  std::string const& header = input_->reader.header();
  if (!header.empty()) hash_ = hash_row(header, hash_);
  first_ = one_.sequence.value_or(1);
  state_.table = call_.table;
  state_.client = one_.client.empty() ? drawn_client() : one_.client.str();
  state_.lines = input_->reader.lines();
  state_.hash = hash_;
  if (!one_.resume.empty()) {
    Result<std::optional<RunState>> const earlier = read_state(one_.resume);
    if (!earlier.ok()) return earlier.status();
    if (earlier.value()) {
      state_ = *earlier.value();
      is_continued_ = true;
      if (Status const same = check_earlier_rows(); !same.ok()) return same;
    }
  }
  if (state_.refused_file.empty()) {
    Result<std::string> file = refused_file_of(one_, call_.table, state_.client, input_->reader.format());
    if (!file.ok()) return file.status();
    state_.refused_file = std::move(file).value();
  }
  if (Status status = refused_.begin(state_.refused_file, header); !status.ok()) return status;
  if (is_continued_) {
    // Rows set aside after the last state will be set aside again.
    return refused_.cut({state_.refused_bytes, state_.reasons_bytes});
  }
  state_.refused_bytes = refused_.sizes().rows;
  state_.reasons_bytes = refused_.sizes().reasons;
  return {};
}

Status PutRun::check_earlier_rows() {
  if (state_.table != call_.table)
    return {Code::bad_parameter, one_.resume + " is of table " + state_.table + ", not " + call_.table};
  if (!one_.refused.empty() && one_.refused != state_.refused_file)
    return {Code::bad_parameter,
            one_.resume + " has its refused rows in " + state_.refused_file + ": leave --refused out"};
  for (; rows_ < state_.rows; ++rows_) {
    Result<std::optional<Record>> const row = input_->reader.next();
    if (!row.ok()) return row.status();
    if (!row.value()) break;
    hash_ = hash_row(row.value()->text, hash_);
  }
  if (rows_ != state_.rows || hash_ != state_.hash)
    return {Code::bad_parameter,
            fmt::format(
                "the first {} lines are not those that {} says were put: give the same input again, from its beginning",
                state_.lines, one_.resume)};
  earlier_ = saved_rows_ = state_.rows;
  earlier_in_ = state_.in;
  if (earlier_ > 0) note(fmt::format("goes on behind line {}", state_.lines));
  return {};
}

ExitCode PutRun::mistake(Status const& status) {
  bool const is_usage = status.code() == Code::bad_parameter || status.code() == Code::not_found;
  return is_usage ? call_.misuse(status.message()) : call_.complain(status);
}

void PutRun::note(std::string const& sentence) {
  err() << std::flush;
  call_.note(sentence);
}

void PutRun::read_rows() {
  while (!stopped_) {
    wait_for_input();
    make_room();
    if (stopped_) return;
    Result<std::optional<Record>> const record = input_->reader.next();
    if (!record.ok()) {
      // All rows before it are put.
      while (!open_.empty()) receive_oldest();
      if (!stopped_) stop(record.status());
      return;
    }
    if (!record.value()) return;
    take_row(*record.value());
  }
}

// Answers are taken meanwhile, so that each row of a slow writer is put at once, and told.
void PutRun::wait_for_input() {
  int const fd = input_->reader.fd();
  while (!stopped_ && !input_->reader.is_ready()) {
    if (open_.empty()) {
      save_if_due();
      call_.console.out << std::flush;
      return;
    }
    if (fd < 0 || connection_->wait_answer(*open_.front().ticket, client::kForever, fd)) receive_oldest();
  }
}

void PutRun::make_room() {
  while (!stopped_ && (open_.size() >= kDepth || open_bytes_ > kBytesInFlightMax)) receive_oldest();
}

void PutRun::take_row(Record const& record) {
  ++rows_;
  hash_ = hash_row(record.text, hash_);
  bool const blank = is_blank(record.text);
  Status status = blank ? Status{} : insert_of(record.text, rows_);
  std::optional<client::Ticket> ticket;
  if (!blank && status.ok()) {
    Result<client::Ticket> const sent = connection_->send(insert_);
    status = sent.status();
    if (sent.ok()) ticket = sent.value();
  }
  open_bytes_ += record.text.size();
  open_.push_back({std::string{record.text}, record.line, input_->reader.lines(), hash_, ticket, std::move(status)});
  settle_unsent();
}

Status PutRun::insert_of(std::string_view text, std::uint64_t number) {
  insert_.clear();
  one_.set_in(insert_, call_.table);
  insert_.erase("client");
  insert_.erase("sequence");
  if (Status parsed = input_->parser.parse(text, insert_); !parsed.ok()) return parsed;
  // A row may have its own producer's numbers.
  if (!insert_.has("client") && !insert_.has("sequence")) {
    insert_.set("client", state_.client);
    insert_.set("sequence", Value::of_unsigned(first_ + number - 1));
  }
  return buffers_->encode(insert_);
}

void PutRun::receive_oldest() {
  settle_unsent();
  if (open_.empty()) return;
  Result<Reply> reply = connection_->receive(*open_.front().ticket);
  settle(reply.status(), reply.ok() ? &reply->first() : nullptr);
  if (reply.ok()) connection_->recycle(std::move(reply).value());
  settle_unsent();
}

// Settles blank lines and unsent rows as soon as all rows before them are confirmed.
void PutRun::settle_unsent() {
  while (!open_.empty() && !open_.front().ticket) {
    // It outlives its row.
    Status const bad = open_.front().bad;
    settle(bad, nullptr);
  }
}

// Settles the oldest open row. Rows after one that stopped the run are ignored: a later run repeats them.
void PutRun::settle(Status const& refusal, Message const* answer) {
  Open const row = std::move(open_.front());
  open_.pop_front();
  open_bytes_ -= row.text.size();
  if (!stopped_ && !refusal.ok() && !is_about_the_row(refusal.code())) stop(refusal);
  if (!stopped_ && !refusal.ok()) set_aside(row, refusal);
  if (stopped_) return;
  ++state_.rows;
  state_.lines = row.lines_end;
  state_.hash = row.hash;
  if (answer != nullptr) {
    ++state_.in;
    std::string_view const result = answer->text("result");
    auto at = results_.find(result);
    if (at == results_.end()) at = results_.emplace(result, 0).first;
    ++at->second;
    if (call_.json) call_.console.out << render_json(*answer);
  }
  save_if_due();
  show_progress();
}

void PutRun::set_aside(Open const& row, Status const& why) {
  err() << std::flush;
  if (Status const written = refused_.add({row.text, row.line}, why); !written.ok()) return stop(written);
  ++state_.refused;
  state_.refused_bytes = refused_.sizes().rows;
  state_.reasons_bytes = refused_.sizes().reasons;
}

void PutRun::stop(Status const& why) {
  stopped_ = why;
  err() << std::flush;
  static_cast<void>(call_.complain(why, fmt::format("line {}", state_.lines + 1)));
}

void PutRun::save() {
  if (one_.resume.empty()) return;
  saved_rows_ = state_.rows;
  saved_at_ = Clock::now();
  Status written = refused_.sync();
  if (written.ok()) written = write_state(one_.resume, state_);
  if (!written.ok() && !stopped_) stop(written);
}

void PutRun::save_if_due() {
  if (one_.resume.empty() || state_.rows == saved_rows_ || stopped_) return;
  if (state_.rows - saved_rows_ >= kStateRows || Clock::now() - saved_at_ >= kStateInterval) save();
}

// A line that the next output overwrites.
void PutRun::show_progress() {
  if (!call_.console.progress) return;
  Clock::time_point const now = Clock::now();
  if (now - shown_at_ < kProgressInterval) return;
  shown_at_ = now;
  call_.console.err << fmt::format("\r{} in, {} refused\x1b[K", state_.in, state_.refused) << std::flush;
}

std::ostream& PutRun::err() { return call_.console.progress ? call_.console.err << "\r\x1b[K" : call_.console.err; }

ExitCode PutRun::finish() {
  save();
  err() << std::flush;
  if (call_.json)
    call_.note(summary());
  else
    call_.console.out << summary() << '\n';
  if (!stopped_) return state_.refused > 0 ? ExitCode::refused : ExitCode::ok;
  if (stopped_->code() == Code::stale_sequence)
    note(
        "these numbers were used too long ago to be told apart: put what is not there yet with another --client, or "
        "with another file of --resume");
  else if (one_.resume.empty())
    note(fmt::format("to go on without doubles: {} --client {} --sequence {}",
                     input_->command_behind(one_, call_.table, state_.lines), state_.client, first_ + state_.rows));
  else
    note("the same command goes on from there");
  return exit_code_of(stopped_->code());
}

std::string PutRun::summary() const {
  std::string how;
  if (earlier_ > 0) how = fmt::format("{} before", earlier_in_);
  for (auto const& [result, count] : results_) how += fmt::format("{}{} {}", how.empty() ? "" : ", ", count, result);
  std::string out = fmt::format("{} in{}", state_.in, how.empty() ? "" : " (" + how + ")");
  out += fmt::format(", {} refused", state_.refused);
  if (state_.refused > 0) out += fmt::format(" ({0}, why: {0}{1})", state_.refused_file, kReasonsSuffix);
  if (stopped_) out += fmt::format(", stopped at line {}", state_.lines + 1);
  return out;
}

}  // namespace

ExitCode put_many(PutOptions const& given, Call& call) { return PutRun(given, call).run(); }

}  // namespace fastjournal::cli
