#include "clients/demo/main_job/backend.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <vector>

#include "clients/cpp/journal.h"
#include "clients/demo/main_job/documents.h"
#include "clients/demo/main_job/event.h"
#include "clients/demo/main_job/index.h"

namespace fastjournal::main_job {
namespace {

using client::Connection;
using client::Journal;
using client::Row;
using client::Work;

// An idle listener asks after this time, in case it was passed over.
constexpr client::Milliseconds kIdle{1000};
// Pauses while the daemon is away: short beside the table's grace, so that leases survive its restart.
constexpr client::Milliseconds kReconnect{200};

int stop_pipe[2]{-1, -1};

extern "C" void on_terminate(int) {
  // The pipe never fills: it gets only a few bytes. errno must be preserved for the interrupted code.
  int const before = errno;
  [[maybe_unused]] ssize_t const wrote = ::write(stop_pipe[1], "x", 1);
  errno = before;
}

// Makes SIGTERM write to the pipe, so that stop_pipe[0] becomes readable.
Status take_terminate() {
  if (::pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return {Code::io_error, fmt::format("pipe2: {}", std::strerror(errno))};
  struct sigaction action {};
  action.sa_handler = on_terminate;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
  return {};
}

// Another backend has or had the row.
bool lease_was_lost(Status const& status) {
  return status.code() == Code::stale_epoch || status.code() == Code::not_leased || status.code() == Code::unknown_row;
}

class Backend {
 public:
  Backend(BackendJob const& job, Connection& connection, Index& index, EventWriter& events)
      : job_(job), connection_(connection), journal_(connection, "pages"), index_(index), events_(events) {}

  Status run() {
    if (Status listening = connection_.listen("pages", {{"worker", Value::of_text(job_.name)}}); !listening.ok())
      return listening;
    while (!stopped()) {
      Status const went = held_.empty() ? take_or_wait() : work_on(held_.front());
      if (!went.ok()) return went;
    }
    for (Row const& row : held_)
      if (Status given_back = journal_.release(row).status(); !given_back.ok()) return given_back;
    return {};
  }

 private:
  Status take_or_wait() {
    auto work = journal_.next({.count = job_.rows_held, .worker = job_.name});
    if (!work.ok()) return work.status();
    if (work.value().rows.empty()) return wait();
    return take(std::move(work).value());
  }

  bool stopped() {
    char byte = 0;
    return ::read(stop_pipe[0], &byte, 1) == 1;
  }

  Status wait() {
    // A message received during this backend's work does not show the delay of messages.
    if (connection_.wait_push(client::Milliseconds{0}).ok()) return {};
    auto const pushed = connection_.wait_push(kIdle, stop_pipe[0]);
    if (!pushed.ok()) return pushed.status().code() == Code::timed_out ? Status{} : pushed.status();
    auto const date = pushed.value().integer("date");
    if (pushed.value().command != "LISTEN" || !date)
      return {Code::invalid,
              fmt::format("{} was pushed where LISTEN with a date was expected", pushed.value().command)};
    events_.add({.kind = EventKind::woken, .us = monotonic_us(), .number = wall_us() - *date * 1000});
    return events_.write();
  }

  // The number of changes that each row has. It stays so while the row is leased: later ones make a row behind it.
  Result<std::vector<std::uint64_t>> changes_of(std::vector<Row> const& rows) {
    std::vector<client::Ticket> asked;
    for (Row const& row : rows) {
      auto const ticket = connection_.send(peek_of(row));
      if (!ticket.ok()) return ticket.status();
      asked.push_back(ticket.value());
    }
    std::vector<std::uint64_t> changes;
    Status failed;
    for (client::Ticket const ticket : asked) {
      auto const reply = connection_.receive(ticket);
      // Not there: the daemon was killed meanwhile, and DONE will be refused.
      if (!reply.ok() && reply.status().code() != Code::unknown_row) failed = reply.status();
      changes.push_back(reply.ok() ? static_cast<std::uint64_t>(reply.value().first().integer("merges").value_or(0)) + 1
                                   : 0);
    }
    if (!failed.ok()) return failed;
    return changes;
  }

  static Message peek_of(Row const& row) {
    Message peek{"PEEK"};
    peek.set("table", std::string_view{"pages"});
    peek.set("row", Value::of_unsigned(row.row));
    return peek;
  }

  Status take(Work work) {
    // The answer about the changes may be late: the daemon may be killed meanwhile.
    std::int64_t const received_us = monotonic_us();
    std::int64_t const received_wall_us = wall_us();
    auto const changes = changes_of(work.rows);
    if (!changes.ok()) return changes.status();
    for (std::size_t i = 0; i < work.rows.size(); ++i) {
      Row& row = work.rows[i];
      auto const uri = row.columns.find("uri");
      if (uri == row.columns.end()) return {Code::invalid, fmt::format("row {} has no uri", row.row)};
      events_.add({.kind = EventKind::leased,
                   .us = received_us,
                   .row = row.row,
                   .epoch = row.epoch,
                   .number = row.lease_end.value * 1000 - received_wall_us,
                   .count = changes.value()[i],
                   .text = uri->second});
      held_.push_back(std::move(row));
    }
    return events_.write();
  }

  void note(EventKind kind, Row const& row, std::uint64_t bytes = 0, bool is_unsure = false) {
    events_.add({.kind = kind,
                 .us = monotonic_us(),
                 .row = row.row,
                 .epoch = row.epoch,
                 .number = static_cast<std::int64_t>(bytes),
                 .count = is_unsure ? 1U : 0U,
                 .text = row.columns.at("uri")});
  }

  // Before sending DONE or FAIL: from here on the row may end even if this process is killed.
  Status announce_end(Row const& row, std::uint64_t bytes) {
    note(EventKind::worked, row, bytes);
    return events_.write();
  }

  Status work_on(Row const& front) {
    Row const row = front;
    std::string const& uri = row.columns.at("uri");
    auto const path = path_of(uri);
    auto const document = path.ok() ? read_document(path.value()) : Result<Document>{path.status()};
    if (!document.ok()) return give_up(row, document.status());
    if (Status put = index_.put({uri, document.value().title, document.value().text}); !put.ok()) return put;
    if (Status noted = announce_end(row, document.value().bytes_read); !noted.ok()) return noted;
    return finish(row);
  }

  Status finish(Row const& row) {
    held_.pop_front();
    std::uint64_t const connects = connection_.connects();
    auto work = journal_.done_and_next(row);
    bool const refused = lease_was_lost(work.status());
    if (!work.ok() && !refused) return work.status();
    // To a DONE that was sent again, an unknown row counts as done. It may have folded into a newer row as well.
    note(refused ? EventKind::refused : EventKind::done, row, 0, !refused && connection_.connects() != connects);
    // One write for the end of this row and the rows received with it: both are recorded, or neither.
    return refused ? events_.write() : take(std::move(work).value());
  }

  // An unreadable document will stay unreadable: FAIL parks the row for an operator.
  Status give_up(Row const& row, Status const& why) {
    fmt::print(stderr, "{}: {}\n", job_.name, why.message());
    if (Status noted = announce_end(row, 0); !noted.ok()) return noted;
    held_.pop_front();
    auto const parked = park(row, why.message());
    if (!parked.ok()) return parked.status();
    note(parked.value() ? EventKind::parked : EventKind::refused, row);
    return events_.write();
  }

  // False: the lease was lost. FAIL is not sent again by the library: if its answer was lost, the row tells.
  Result<bool> park(Row const& row, std::string const& why) {
    Status failed = journal_.fail(row, why).status();
    if (failed.code() == Code::closed) {
      failed = journal_.fail(row, why).status();
      if (lease_was_lost(failed)) {
        auto const reply = connection_.call(peek_of(row));
        return reply.ok() && reply.value().first().text("status") == "parked";
      }
    }
    if (!failed.ok() && !lease_was_lost(failed)) return failed;
    return failed.ok();
  }

  BackendJob const& job_;
  Connection& connection_;
  Journal journal_;
  Index& index_;
  EventWriter& events_;
  std::deque<Row> held_;
};

}  // namespace

Status work(BackendJob const& job) {
  if (Status ready = take_terminate(); !ready.ok()) return ready;
  auto events = EventWriter::open(job.events);
  if (!events.ok()) return events.status();
  auto index = Index::open(job.index);
  if (!index.ok()) return index.status();
  auto connection = Connection::open({.server = job.server, .back_off = {kReconnect}});
  if (!connection.ok()) return connection.status();
  return Backend(job, *connection.value(), index.value(), events.value()).run();
}

}  // namespace fastjournal::main_job
