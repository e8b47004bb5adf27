#include "clients/programs/fastjournal/imports/target.h"

#include <utility>

#include "base/utf8.h"

namespace fastjournal::imports {
namespace {

// Nobody is handed a job that is to be parked before it is: until then it waits for this date.
constexpr DurationMs kUntilParked{std::int64_t{3650} * 24 * 3600 * 1000};
// Such a wait, seen later; no other job waits so long.
constexpr std::int64_t kFarMs = kUntilParked.value / 2;

}  // namespace

Status Target::check(std::string_view queue, std::optional<std::uint64_t> priority_max, bool parks) {
  Status status;
  if (!queue.empty()) {
    // It is dropped, as it has expired: what may be wrong with it is found before that.
    client::SendOptions const options{.priority = priority_max,
                                      .expiration_date = client::Date::at(TimeMs{1'000'000'000'000})};
    Message probe = queues_.send_of(queue, "", options);
    probe.set_integer("drop_expired", 1);
    status = connection_.call(probe).status();
  }
  if (status.ok() && parks) {
    // Nobody has message 0.
    status = queues_.acquire_message(0).status();
    if (status.code() == Code::unknown_row) status = {};
  }
  return status;
}

Result<client::Ticket> Target::begin(Job const& job) {
  client::SendOptions options{.binary = !is_utf8(job.body),
                              .properties = job.properties,
                              .priority = job.priority,
                              .process_date = job.is_parked ? client::Date::in(kUntilParked) : job.date,
                              .client = job.client,
                              .sequence = job.sequence,
                              .lease = job.lease};
  return connection_.send(queues_.send_of(job.queue, job.body, options));
}

std::vector<Outcome> Target::send(std::span<Job const> jobs) {
  std::vector<Outcome> out(jobs.size());
  std::vector<std::optional<client::Ticket>> tickets(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Result<client::Ticket> sent = begin(jobs[i]);
    if (sent.ok())
      tickets[i] = sent.value();
    else
      out[i].status = sent.status();
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!tickets[i]) continue;
    Result<client::Reply> reply = connection_.receive(*tickets[i]);
    out[i].status = reply.status();
    if (!reply.ok()) continue;
    Result<client::Sent> const sent = client::sent_of(reply->first());
    out[i].status = sent.status();
    if (!sent.ok()) continue;
    out[i].message = sent->message;
    out[i].was_there = sent->result == client::SentResult::duplicate && !reply->resent;
    connection_.recycle(std::move(reply).value());
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (jobs[i].is_parked && out[i].status.ok()) out[i].status = park(out[i]);
  return out;
}

Status Target::park(Outcome const& sent) {
  if (sent.was_there) {
    // It may be parked, or have gone on from there: only one that was left by the way is parked now. Whoever was cut off
    // behind the ACQUIRE left it with a delivery that failed without an error.
    Result<client::QueueMessage> const seen = queues_.read(sent.message);
    if (seen.status().code() == Code::unknown_row) return {};
    if (!seen.ok()) return seen.status();
    bool const waits = seen->status == "waiting" && seen->process_date.value - seen->sent_date.value >= kFarMs;
    bool const was_cut =
        seen->deliveries == 1 && seen->error.empty() && (seen->status == "waiting" || seen->status == "due");
    if (!waits && !was_cut) return {};
  }
  Result<client::Acquired> const taken = queues_.acquire_message(sent.message);
  if (!taken.ok()) return taken.status();
  if (taken->messages.empty()) return {Code::wrong_state, "the message was sent, and cannot be parked"};
  return queues_.park(taken->messages.front()).status();
}

Result<std::string> Target::body(std::uint64_t message) {
  Result<client::QueueMessage> read = queues_.read(message);
  if (!read.ok()) return read.status();
  return std::move(read.value().body);
}

}  // namespace fastjournal::imports
