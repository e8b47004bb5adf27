// The callers' side of Connection::Body.
#include "clients/cpp/connection_body.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "fastjournal/protocol.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::client {

namespace {

constexpr std::size_t kFlushBytes = 64U * 1024;
// Beyond this, sending waits for the daemon to read.
constexpr std::size_t kUnsentBytesMax = 1024U * 1024;
// Of each kind, kept for the next commands.
constexpr std::size_t kSpareMax = 1024;
constexpr std::size_t kSpareBytesMax = 16U * 1024;

Milliseconds added(Milliseconds limit, Milliseconds wait) { return limit > kForever - wait ? kForever : limit + wait; }

bool begins_transaction(Message const& command) { return command.command == "BEGIN" || command.command == "XA_START"; }

bool ends_transaction(Message const& command) {
  return command.command == "COMMIT" || command.command == "ROLLBACK" || command.command == "XA_END";
}

Status transaction_lost() {
  return {Code::rolled_back, "the connection on which it began was lost: nothing of the transaction was done"};
}

}  // namespace

Connection::Body::Body(Options given)
    : options(std::move(given)),
      numbers(options.client),
      process_(::getpid()),
      chance_(std::random_device{}()),
      servers_(addresses_of(options.server)),
      home_(options),
      routes_(home_) {}

Status Connection::Body::check_process() const {
  pid_t const here = ::getpid();
  if (process_ == here) return {};
  return {Code::not_supported, "process " + std::to_string(process_) + " made this connection to " + options.server +
                                   ", and this is process " + std::to_string(here) +
                                   ": connect in each child after fork()"};
}

Status Connection::Body::encode(Message const& command, std::uint64_t nr, std::string& into) {
  params_.clear();
  for (Param const& param : command.params())
    if (param.name != "request") params_.push_back(param);
  params_.push_back({"request", Value::of_unsigned(nr)});
  if (params_.size() > Message::kParamsMax) {
    return {Code::too_large,
            "a message has at most " + std::to_string(Message::kParamsMax) + " parameters, `request` included"};
  }
  Outgoing const outgoing{command.from_server, command.from_service, command.server,
                          command.service,     command.command,      params_};
  if (options.framing == Framing::text) return protocol::append_line(outgoing, into);
  protocol::append_frame(outgoing, into);
  return {};
}

// Null: it must wait behind others, or for a connection to another node than home.
Link* Connection::Body::link_for(Message const& command, std::string_view table) {
  if (!routes_.any() || in_transaction()) return &home_;
  if (command.command == "UNWATCH") {
    Link* const link = subscriptions_.link_of_watch();
    return link == nullptr ? &home_ : link;
  }
  Route const* const route = table.empty() ? nullptr : routes_.find(table);
  if (route == nullptr) return &home_;
  // Another node can tell where a table is that home shares with it.
  bool const wants_another = route->is_shared && route->link == &home_ && !home_.is_open() && !nodes_.empty();
  return route->unsettled || wants_another ? nullptr : route->link;
}

Result<std::uint64_t> Connection::Body::send(Message const& command, int wake_fd) {
  if (Status status = check_process(); !status.ok()) return status;
  if (tickets_ >= options.in_flight_max)
    return Status{Code::over_limit, std::to_string(tickets_) + " commands are in flight: receive() some first"};
  Moment const until = moment_after(options.time_limit);
  std::string_view const table = command.text("table");
  Link* link = link_for(command, table);
  // With nothing in flight, the end of the connection is not noticed yet.
  if (tickets_ == 0 && link != nullptr && link->is_open()) {
    read_some(*link);
    link = link_for(command, table);
  }
  if (link == &home_ && !home_.is_open() && last_error_.code() == Code::not_allowed)
    return std::exchange(last_error_, Status{Code::unavailable, "there is no connection to " + options.server});
  while (link != nullptr && !link->is_open()) {
    if (Status const stepped = step(until, wake_fd); !stepped.ok()) return stepped;
    link = link_for(command, table);
    if (link == nullptr || link->is_open()) break;
    if (is_woken(wake_fd)) return Status{Code::timed_out, "woken before there was a connection"};
    if (moment_now() >= until) return last_error_;
  }
  if (begins_transaction(command)) begun_on_ = home_connects_;
  bool const is_of_transaction = in_transaction();
  if (ends_transaction(command)) {
    if (std::exchange(begun_on_, 0) != home_connects_ && is_of_transaction) return transaction_lost();
  } else if (is_of_transaction && begun_on_ != home_connects_) {
    return transaction_lost();
  }
  InFlightTable::node_type spare;
  if (!spare_entries_.empty()) {
    spare = std::move(spare_entries_.back());
    spare_entries_.pop_back();
  }
  InFlight fresh;
  InFlight& one = spare.empty() ? fresh : spare.mapped();
  one.command = command.command;
  one.table = table;
  one.rule = rule_of(one.command, options.commands);
  one.in_transaction = is_of_transaction;
  // On another connection it would be carried out alone.
  one.may_resend = !is_of_transaction && may_resend(command, one.rule);
  std::string& out = link == nullptr ? one.bytes : link->out();
  std::size_t const begin = out.size();
  if (Status encoded = encode(command, last_nr_ + 1, out); !encoded.ok()) return encoded;
  ++last_nr_;
  if (link != nullptr) one.bytes.assign(out, begin);
  one.link = link;
  one.sent_at = moment_now();
  one.wait = wait_of(command, one.rule);
  one.until = moment_after(added(options.time_limit, one.wait));
  if (one.reply.messages.capacity() == 0 && !spare_replies_.empty()) {
    one.reply.messages = std::move(spare_replies_.back());
    spare_replies_.pop_back();
  }
  if (spare.empty()) {
    in_flight_.emplace_hint(in_flight_.end(), last_nr_, std::move(fresh));
  } else {
    spare.key() = last_nr_;
    in_flight_.insert(in_flight_.end(), std::move(spare));
  }
  ++tickets_;
  if (link == nullptr) {
    look_again();
    return last_nr_;
  }
  if (link->unsent() >= kFlushBytes) write_some(*link);
  while (link->is_open() && link->unsent() > kUnsentBytesMax && moment_now() < until)
    if (Status const stepped = step(until, -1); !stepped.ok()) break;
  return last_nr_;
}

Result<Reply> Connection::Body::call(Message const& command) {
  std::uint64_t const open = begun_on_;
  Result<std::uint64_t> const nr = send(command);
  Result<Reply> reply = nr.ok() ? receive(nr.value()) : Result<Reply>{nr.status()};
  // What did not begin needs no end. Without an answer it may have begun.
  if (!reply.ok() && reply.status().code() != Code::timed_out && begins_transaction(command)) begun_on_ = open;
  return reply;
}

Result<Reply> Connection::Body::receive(std::uint64_t nr) {
  if (Status status = check_process(); !status.ok()) return status;
  auto const at = in_flight_.find(nr);
  FJ_CHECK(at != in_flight_.end() && at->second.role == InFlight::Role::caller, "a ticket is received once");
  InFlight& one = at->second;
  Moment const until = one.until;
  while (!one.finished) {
    std::uint64_t const heard = bytes_read_;
    Status const stepped = step(until, -1);
    if (one.finished) break;
    // What is in flight on another node can still be answered.
    if (!stepped.ok() && one.link == nullptr) one.finish(stepped);
    // Data received in time, but not read yet, still counts.
    else if (moment_now() >= until && heard == bytes_read_)
      return give_up(nr);
  }
  InFlightTable::node_type entry = in_flight_.extract(at);
  --tickets_;
  if (!entry.mapped().status.ok()) give_back_all(entry.mapped());
  Status status = std::move(entry.mapped().status);
  Reply reply = std::move(entry.mapped().reply);
  if (spare_entries_.size() < kSpareMax && entry.mapped().bytes.capacity() <= kSpareBytesMax) {
    entry.mapped().reset();
    spare_entries_.push_back(std::move(entry));
  }
  if (!status.ok()) return status;
  return reply;
}

void Connection::Body::recycle(Reply reply) {
  for (Message& message : reply.messages) {
    if (spare_messages_.size() == kSpareMax) break;
    message.clear();  // keeps its first block only
    spare_messages_.push_back(std::move(message));
  }
  reply.messages.clear();
  if (spare_replies_.size() < kSpareMax) spare_replies_.push_back(std::move(reply.messages));
}

bool Connection::Body::wait_answer(std::uint64_t nr, Milliseconds limit, int wake_fd) {
  if (!check_process().ok()) return true;
  auto const at = in_flight_.find(nr);
  FJ_CHECK(at != in_flight_.end() && at->second.role == InFlight::Role::caller,
           "a ticket is waited for, then received");
  InFlight& one = at->second;
  Moment const until = std::min(moment_after(limit), one.until);
  while (!one.finished) {
    // receive() then returns timed_out.
    if (moment_now() >= one.until) return true;
    Status const stepped = step(until, wake_fd);
    if (one.finished) break;
    if (!stepped.ok() && one.link == nullptr) one.finish(stepped);
    if (!one.finished && (is_woken(wake_fd) || moment_now() >= until)) return moment_now() >= one.until;
  }
  return true;
}

Status Connection::Body::give_up(std::uint64_t nr) {
  auto const at = in_flight_.find(nr);
  InFlight& one = at->second;
  --tickets_;
  // Those behind it wait no more.
  look_again();
  if (one.link == nullptr) {
    Status why = std::move(one.status);
    bool const has_home = home_.is_open();
    std::string const table = std::move(one.table);
    in_flight_.erase(at);
    if (!why.ok()) return why;
    if (!has_home) return {Code::unavailable, last_error_.message() + " (tried again until the time limit)"};
    return {Code::unavailable, "it waited for earlier commands of table " + table + " until the time limit"};
  }
  routes_.doubt(one.table, *one.link);
  one.role = InFlight::Role::nobody;
  give_back_all(one);
  Link& link = *one.link;
  Status out{Code::timed_out, "no answer to " + one.command + " from " + link.address() + " within " +
                                  std::to_string(added(options.time_limit, one.wait).count()) + " ms"};
  if (link.unsent() > 0) write_some(link);
  return out;
}

Status Connection::Body::flush(Moment until) {
  if (Status status = check_process(); !status.ok()) return status;
  while (true) {
    Link* left = nullptr;
    // A step would go on to wait for an answer, which may take as long as the daemon likes.
    auto const write = [&](Link& link) {
      if (link.is_open() && link.unsent() > 0) write_some(link);
      if (link.unsent() > 0) left = &link;
    };
    write(home_);
    for (std::unique_ptr<Link> const& node : nodes_) write(*node);
    if (left == nullptr) return {};
    if (moment_now() >= until) return {Code::timed_out, left->address() + " takes no more bytes"};
    if (Status stepped = step(until, -1); !stepped.ok()) return stepped;
  }
}

Result<Message> Connection::Body::wait_push(Milliseconds limit, int wake_fd) {
  if (Status status = check_process(); !status.ok()) return status;
  Moment const until = moment_after(limit);
  while (pushes_.empty()) {
    if (Status stepped = step(until, wake_fd); !stepped.ok()) return stepped;
    if (!pushes_.empty()) break;
    if (is_woken(wake_fd) || moment_now() >= until)
      return Status{Code::timed_out, "nothing was pushed within the time limit"};
  }
  Message first = std::move(pushes_.front());
  pushes_.pop_front();
  return first;
}

void Connection::Body::remember(Message const& subscription) {
  Link* const target = routes_.target_of(subscription.text("table"));
  Link* const link = target != nullptr && target->is_open() ? target : nullptr;
  std::optional<Subscription> const before = subscriptions_.put(subscription, link);
  Subscription& kept = subscriptions_.all().back();
  // The table may have moved right behind the answer.
  if (std::erase_if(pushes_, [&](Message const& push) { return is_ended_by(kept, push) && is_followed(push); }) > 0)
    kept.wait_until({});
  if (kept.waits()) look_again();
  // A connection has one WATCH, and so have several.
  if (!before || subscription.command != "WATCH" || before->waits() || before->link == link) return;
  // The answer is dropped, as it is of no command in flight.
  static_cast<void>(encode(Message("UNWATCH"), ++last_nr_, before->link->out()));
}

std::string Connection::Body::address_of(std::string_view table) {
  Route const* const route = routes_.find(table);
  return route == nullptr || route->address.empty() ? home_.address() : route->address;
}

}  // namespace fastjournal::client
