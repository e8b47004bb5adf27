#include "clients/lib/client.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <random>
#include <utility>

#include "base/check.h"
#include "clients/lib/in_flight.h"
#include "clients/lib/socket.h"
#include "fastjournal/protocol.h"
#include "protocol/framer.h"
#include "protocol/msgpack.h"
#include "protocol/text.h"

namespace fastjournal::client {

namespace {

constexpr std::string_view kFjReply{"JR\0\1", 4};
constexpr std::size_t kFlushBytes = 64U * 1024;
constexpr std::size_t kReadBytes = 64U * 1024;
// Beyond this, sending waits for the daemon to read.
constexpr std::size_t kUnsentBytesMax = 1024U * 1024;
// Of each kind, kept for the next commands.
constexpr std::size_t kSpareMax = 1024;
constexpr std::size_t kSpareBytesMax = 16U * 1024;
// By these a subscription is known.
constexpr std::array<std::string_view, 6> kOfSubscriptions{"table", "domain", "queue", "key", "key_binary", "prefix"};
constexpr std::array<std::string_view, 3> kOfKeys{"key", "key_binary", "prefix"};

Moment now() { return std::chrono::steady_clock::now(); }

Milliseconds added(Milliseconds limit, Milliseconds wait) { return limit > kForever - wait ? kForever : limit + wait; }

bool is_woken(int wake_fd) { return wake_fd >= 0 && wait_for(-1, false, wake_fd, Moment{}).woken; }

bool same_subscription(Message const& a, Message const& b) {
  // One WATCH a connection, whatever it is about; LISTEN and UNLISTEN are of a table, and a domain, a queue, a key or a prefix.
  bool const is_watch = a.command == "WATCH";
  if (is_watch != (b.command == "WATCH")) return false;
  return is_watch ||
         std::ranges::all_of(kOfSubscriptions, [&](std::string_view name) { return a.text(name) == b.text(name); });
}

// A watch of keys that a reconnect has put in force again, from its answer: what changed in between was told to nobody.
std::optional<Message> missed_of(Message const& answer) {
  if (answer.command != "LISTENING") return std::nullopt;
  Message out("CHANGED");
  for (std::string_view const name : kOfKeys)
    if (Value const* const value = answer.find(name)) out.set(name, *value);
  if (out.params().empty()) return std::nullopt;
  out.set("table", answer.text("table"));
  out.set_integer("missed", 1);
  out.own();
  return out;
}

Message copy_of(Message const& message) {
  Message out(message.command);
  for (Param const& param : message.params()) out.set(param.name, param.value);
  out.own();
  return out;
}

// Names and values are borrowed.
Message message_of(std::string_view command, Params const& params) {
  Message out(command);
  for (Param const& param : params) out.set(param.name, param.value);
  return out;
}

bool begins_transaction(Message const& command) { return command.command == "BEGIN" || command.command == "XA_START"; }

Status transaction_lost() {
  return {Code::rolled_back, "the connection on which it began was lost: nothing of the transaction was done"};
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    std::size_t const end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// What names a lease: `epoch`, or the token of a document.
bool is_leased(Message const& message) { return message.has("epoch") || message.has("token"); }

}  // namespace

// The implementation. All waiting is in step().
class Connection::Body {
 public:
  explicit Body(Options given)
      : options(std::move(given)),
        framer_(protocol::FrameLimits{options.message_bytes_max, options.message_bytes_max}),
        chance_(std::random_device{}()) {}

  Status connect_once(int wake_fd, Moment until);
  Result<std::uint64_t> send(Message const& command, int wake_fd = -1);
  Result<Reply> call(Message const& command);
  Result<Reply> receive(std::uint64_t nr);
  void recycle(Reply reply);
  bool wait_answer(std::uint64_t nr, Milliseconds limit, int wake_fd);
  Status flush(Moment until);
  Result<Message> wait_push(Milliseconds limit, int wake_fd);
  void remember(Message const& subscription);
  void forget(Message const& subscription);
  [[nodiscard]] bool is_connected() const { return socket_.is_open(); }

  Options options;
  std::uint64_t connects{0};
  std::uint64_t pushes_dropped{0};

 private:
  [[nodiscard]] std::size_t unsent() const { return out_.size() - out_sent_; }
  Status log_in(int wake_fd, Moment until);
  Status step(Moment until, int wake_fd);
  Status reconnect(Moment until, int wake_fd);
  void drop_connection();
  void plan_retry();
  void send_again();
  void lose(Status const& why);
  void write_some();
  bool read_some();
  void take_pieces();
  void take_message(Message message);
  void push(Message message);
  void give_back_late(std::string_view command, Message const& row);
  void settle_oldest(Status const& how);
  Status encode(Message const& command, std::uint64_t nr, std::string& into);
  Status give_up(std::uint64_t nr);

  protocol::Framer framer_;
  std::minstd_rand chance_;
  std::shared_ptr<tls::ClientContext> tls_;  // null: none, or to be made
  Socket socket_;
  std::string out_;
  std::size_t out_sent_{0};
  std::unique_ptr<char[]> read_buffer_{std::make_unique_for_overwrite<char[]>(kReadBytes)};
  std::string in_;
  std::size_t in_taken_{0};
  std::uint64_t bytes_read_{0};
  InFlightTable in_flight_;
  std::size_t tickets_{0};  // entries of in_flight_ with a ticket
  std::uint64_t last_nr_{0};
  std::uint64_t begun_on_{
      0};  // the connection, by its number, on which BEGIN or XA_START was sent; 0: none, or it is over
  std::deque<Message> pushes_;
  std::vector<Message> subscriptions_;
  std::optional<Status> login_;  // the answer to AUTH
  Params params_;                // of encode; kept for their memory
  // What was answered and received: a producer of many rows allocates nothing for each.
  std::vector<InFlightTable::node_type> spare_entries_;
  std::vector<std::vector<Message>> spare_replies_;
  std::vector<Message> spare_messages_;
  Status last_error_;
  std::size_t attempts_{0};  // since the last bytes from the daemon
  Moment retry_at_{};
};

Status Connection::Body::connect_once(int wake_fd, Moment until) {
  if (tls_ == nullptr) {
    Result<std::shared_ptr<tls::ClientContext>> tls =
        Socket::tls_for(options.server, {.ca = {options.ca_file, "--ca"},
                                         .certificate = {options.certificate_file, "--certificate"},
                                         .key = {options.key_file, "--key"}});
    if (!tls.ok()) return tls.status();
    tls_ = std::move(tls).value();
  }
  Result<Socket> made =
      Socket::connect(options.server, wake_fd, std::min(until, moment_after(options.connect_limit)), tls_);
  if (!made.ok()) {
    tls_.reset();
    return made.status();
  }
  socket_ = std::move(made).value();
  framer_ = protocol::Framer({options.message_bytes_max, options.message_bytes_max});
  if (!options.token.empty())
    if (Status status = log_in(wake_fd, std::min(until, moment_after(options.connect_limit))); !status.ok()) {
      if (socket_.is_open()) drop_connection();
      return status;
    }
  ++connects;
  return {};
}

// Alone: what follows must have the rights of the user.
Status Connection::Body::log_in(int wake_fd, Moment until) {
  Message auth{"AUTH"};
  auth.set("token", options.token);
  login_.reset();
  if (Status status = encode(auth, ++last_nr_, out_); !status.ok()) return status;
  InFlight one;
  one.command = "AUTH";
  one.role = InFlight::Role::login;
  in_flight_.emplace_hint(in_flight_.end(), last_nr_, std::move(one));
  while (!login_ && socket_.is_open() && now() < until && !is_woken(wake_fd))
    if (Status stepped = step(until, wake_fd); !stepped.ok()) return stepped;
  if (login_ && login_->ok()) return {};
  if (login_) return {login_->code(), options.server + " refuses the token: " + login_->message()};
  if (!socket_.is_open()) return {Code::unavailable, last_error_.message()};
  return {Code::unavailable, "no answer to the token from " + options.server};
}

// One wait and its consequences. Not ok: there is no connection, and there will be none.
Status Connection::Body::step(Moment until, int wake_fd) {
  if (!socket_.is_open()) return reconnect(until, wake_fd);
  if (unsent() > 0) write_some();
  if (!socket_.is_open()) return {};
  bool const wants_write = socket_.wants_write();
  Ready const ready = socket_.has_unread() ? Ready{.readable = true}
                                           : wait_for(socket_.fd(), unsent() > 0 || wants_write, wake_fd, until);
  if (ready.writable && unsent() > 0) write_some();
  if ((ready.readable || (ready.writable && wants_write)) && socket_.is_open()) read_some();
  return {};
}

Status Connection::Body::reconnect(Moment until, int wake_fd) {
  if (options.back_off.empty()) return last_error_;
  Moment const target = std::min(retry_at_, until);
  while (now() < target)
    if (wait_for(-1, false, wake_fd, target).woken) return {};
  if (now() < retry_at_) return {};
  Status const made = connect_once(wake_fd, until);
  if (made.ok()) {
    if (options.on_connection) options.on_connection({});
    send_again();
    return {};
  }
  last_error_ = made;
  plan_retry();
  // The next attempt would end in the same way.
  if (made.code() == Code::not_allowed) return made;
  return {};
}

void Connection::Body::plan_retry() {
  if (options.back_off.empty()) return;
  Milliseconds const pause = options.back_off[std::min(attempts_, options.back_off.size() - 1)];
  ++attempts_;
  std::uniform_real_distribution<double> spread(0.75, 1.25);
  retry_at_ = moment_after(std::chrono::duration_cast<Milliseconds>(pause * spread(chance_)));
}

// On a new connection: subscriptions first, so that no wake-up is missed.
void Connection::Body::send_again() {
  for (Message const& subscription : subscriptions_) {
    InFlight again;
    again.command = std::string{subscription.command};
    again.role = InFlight::Role::subscription;
    std::uint64_t const nr = ++last_nr_;
    // It was encoded before without an error.
    FJ_CHECK(encode(subscription, nr, out_).ok(), "a subscription can be sent twice");
    in_flight_.emplace(nr, std::move(again));
  }
  for (auto& [nr, one] : in_flight_) {
    if (one.finished || one.role != InFlight::Role::caller) continue;
    one.resent = true;
    one.reply.resent = true;
    one.reply.messages.clear();
    out_.append(one.bytes);
  }
}

// Before anything was sent for a caller.
void Connection::Body::drop_connection() {
  socket_.close();
  out_.clear();
  out_sent_ = 0;
  in_.clear();
  in_taken_ = 0;
  std::erase_if(in_flight_, [](auto const& entry) { return entry.second.role != InFlight::Role::caller; });
}

void Connection::Body::lose(Status const& why) {
  socket_.close();
  out_.clear();
  out_sent_ = 0;
  in_.clear();
  in_taken_ = 0;
  // The daemon has refused our certificate: the next attempt would end in the same way.
  bool const for_good = options.back_off.empty() || why.code() == Code::not_allowed;
  last_error_ = Status(for_good && why.code() == Code::not_allowed ? Code::not_allowed : Code::closed,
                       "the connection to " + options.server + " was lost: " + why.message());
  if (options.on_connection) options.on_connection(last_error_);
  plan_retry();
  for (auto at = in_flight_.begin(); at != in_flight_.end();) {
    InFlight& one = at->second;
    if (one.role != InFlight::Role::caller) {
      at = in_flight_.erase(at);
      continue;
    }
    if (!one.finished && for_good) one.finish(last_error_);
    if (!one.finished && !one.may_resend)
      one.finish({Code::closed, last_error_.message() + "; whether " + one.command + " was carried out is not known"});
    ++at;
  }
}

void Connection::Body::write_some() {
  Result<std::size_t> const took = socket_.send(std::string_view(out_).substr(out_sent_));
  if (!took.ok()) {
    // Read the answers that arrived before the end.
    while (socket_.is_open() && read_some()) continue;
    if (socket_.is_open()) lose(took.status());
    return;
  }
  out_sent_ += took.value();
  if (out_sent_ == out_.size()) {
    out_.clear();
    out_sent_ = 0;
  } else if (out_sent_ > kUnsentBytesMax) {
    out_.erase(0, out_sent_);
    out_sent_ = 0;
  }
}

// False: nothing was received.
bool Connection::Body::read_some() {
  Result<std::size_t> const got = socket_.receive({read_buffer_.get(), kReadBytes});
  if (!got.ok()) {
    lose(got.status());
    return false;
  }
  bytes_read_ += got.value();
  in_.append(read_buffer_.get(), got.value());
  // The beginning of a refusal there. No message begins so, as none has such a byte in its command.
  if (in_taken_ == 0 && in_.starts_with(kFjReply)) {
    lose({Code::not_allowed,
          "it speaks the FJ protocol, and messages have another listener (`fastjournal kv frame` sends frames)"});
    return false;
  }
  if (got.value() > 0) take_pieces();
  return got.value() > 0;
}

void Connection::Body::take_pieces() {
  while (true) {
    protocol::Framer::Piece const piece = framer_.next(std::string_view(in_).substr(in_taken_));
    in_taken_ += piece.consumed;
    if (piece.kind == protocol::Framer::Kind::need_more) break;
    if (piece.kind == protocol::Framer::Kind::bad) {
      settle_oldest(piece.status);
      continue;
    }
    Message message;
    if (!spare_messages_.empty()) {
      message = std::move(spare_messages_.back());
      spare_messages_.pop_back();
    }
    Status const parsed = piece.kind == protocol::Framer::Kind::line ? protocol::parse_line(piece.bytes, message)
                                                                     : protocol::parse_frame(piece.bytes, message);
    if (!parsed.ok()) {
      settle_oldest(parsed);
      continue;
    }
    if (message.command.empty()) continue;
    message.own();
    take_message(std::move(message));
  }
  // Only at half or more, so that moving the rest costs no more than reading it.
  if (in_taken_ * 2 >= in_.size()) {
    in_.erase(0, in_taken_);
    in_taken_ = 0;
  }
}

void Connection::Body::take_message(Message message) {
  attempts_ = 0;
  Value const* const request = message.find("request");
  if (request == nullptr) {
    Status const refusal = refusal_of(message);
    // The daemon cannot echo the request of an unreadable line.
    return refusal.ok() ? push(std::move(message)) : settle_oldest(refusal);
  }
  auto const at = in_flight_.find(request->as_unsigned().value_or(0));
  if (at == in_flight_.end() || at->second.finished) return;
  InFlight& one = at->second;
  if (one.role == InFlight::Role::caller) return one.add(std::move(message));
  bool const last = message.integer("left").value_or(0) <= 0;
  bool const refused = !refusal_of(message).ok();
  if (one.role == InFlight::Role::login) {
    login_ = refusal_of(message);
  } else if (one.role == InFlight::Role::subscription) {
    if (refused)
      push(std::move(message));
    else if (std::optional<Message> missed = missed_of(message))
      push(*std::move(missed));
  } else if (has_word(one.rule.leases, message.command) && is_leased(message)) {
    give_back_late(one.rule.give_back, message);
  }
  if (last || refused) in_flight_.erase(at);
}

void Connection::Body::push(Message message) {
  bool const leased = is_leased(message);
  if (pushes_.size() >= options.pushes_max && !leased) {
    ++pushes_dropped;
    return;
  }
  pushes_.push_back(std::move(message));
}

// The command has timed out: nobody would work on it until its lease ends. Without an error, as nothing failed.
void Connection::Body::give_back_late(std::string_view command, Message const& row) {
  Message release{command};
  for (std::string_view const name : {"table", "row", "message", "epoch", "document", "token"})
    if (Value const* const value = row.find(name); value != nullptr) release.set(name, *value);
  // The answer is dropped. If the daemon's own message cannot be repeated, there is nothing to release.
  static_cast<void>(encode(release, ++last_nr_, out_));
}

// For a refusal without a request: answers come in order, so it belongs to the oldest command that cannot be overtaken.
void Connection::Body::settle_oldest(Status const& how) {
  auto const oldest = std::find_if(in_flight_.begin(), in_flight_.end(), [](auto const& entry) {
    return !entry.second.finished && entry.second.wait == Milliseconds{0};
  });
  if (oldest == in_flight_.end()) return;
  if (oldest->second.role == InFlight::Role::caller) return oldest->second.finish(how);
  if (oldest->second.role == InFlight::Role::login) login_ = how;
  in_flight_.erase(oldest);
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

Result<std::uint64_t> Connection::Body::send(Message const& command, int wake_fd) {
  if (tickets_ >= options.in_flight_max)
    return Status{Code::over_limit, std::to_string(tickets_) + " commands are in flight: receive() some first"};
  Moment const until = moment_after(options.time_limit);
  // With nothing in flight, nobody has noticed yet that the connection ended.
  if (tickets_ == 0 && socket_.is_open()) read_some();
  if (!socket_.is_open() && last_error_.code() == Code::not_allowed)
    return std::exchange(last_error_, Status{Code::unavailable, "there is no connection to " + options.server});
  while (!socket_.is_open()) {
    if (Status const stepped = step(until, wake_fd); !stepped.ok()) return stepped;
    if (socket_.is_open()) break;
    if (is_woken(wake_fd)) return Status{Code::timed_out, "woken before there was a connection"};
    if (now() >= until) return last_error_;
  }
  if (begins_transaction(command)) begun_on_ = connects;
  bool const in_transaction = begun_on_ != 0;
  if (command.command == "COMMIT" || command.command == "ROLLBACK" || command.command == "XA_END") {
    if (std::exchange(begun_on_, 0) != connects && in_transaction) return transaction_lost();
  } else if (in_transaction && begun_on_ != connects) {
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
  one.rule = rule_of(one.command, options.commands);
  // On another connection it would be carried out alone.
  one.may_resend = !in_transaction && may_resend(command, one.rule);
  std::size_t const begin = out_.size();
  if (Status encoded = encode(command, last_nr_ + 1, out_); !encoded.ok()) return encoded;
  ++last_nr_;
  if (one.may_resend) one.bytes.assign(out_, begin);
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
  if (unsent() >= kFlushBytes) write_some();
  while (socket_.is_open() && unsent() > kUnsentBytesMax && now() < until)
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
  auto const at = in_flight_.find(nr);
  FJ_CHECK(at != in_flight_.end() && at->second.role == InFlight::Role::caller, "a ticket is received once");
  Moment const until = at->second.until;
  while (!at->second.finished) {
    std::uint64_t const heard = bytes_read_;
    Status const stepped = step(until, -1);
    if (!stepped.ok()) at->second.finish(stepped);
    // Data received in time, but not read yet, still counts.
    else if (!at->second.finished && now() >= until && heard == bytes_read_)
      return give_up(nr);
  }
  InFlightTable::node_type entry = in_flight_.extract(at);
  --tickets_;
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
  auto const at = in_flight_.find(nr);
  FJ_CHECK(at != in_flight_.end() && at->second.role == InFlight::Role::caller,
           "a ticket is waited for, then received");
  Moment const until = std::min(moment_after(limit), at->second.until);
  while (!at->second.finished) {
    // receive() then returns timed_out.
    if (now() >= at->second.until) return true;
    if (Status const stepped = step(until, wake_fd); !stepped.ok()) at->second.finish(stepped);
    if (!at->second.finished && (is_woken(wake_fd) || now() >= until)) return now() >= at->second.until;
  }
  return true;
}

Status Connection::Body::give_up(std::uint64_t nr) {
  auto const at = in_flight_.find(nr);
  --tickets_;
  if (!socket_.is_open()) {
    in_flight_.erase(at);
    return {Code::unavailable, last_error_.message() + " (tried again until the time limit)"};
  }
  at->second.role = InFlight::Role::nobody;
  return {Code::timed_out, "no answer to " + at->second.command + " from " + options.server + " within " +
                               std::to_string(added(options.time_limit, at->second.wait).count()) + " ms"};
}

Status Connection::Body::flush(Moment until) {
  while (unsent() > 0) {
    // A step would go on to wait for an answer, which may take as long as the daemon likes.
    if (socket_.is_open()) write_some();
    if (unsent() == 0) break;
    if (Status stepped = step(until, -1); !stepped.ok()) return stepped;
    if (unsent() > 0 && now() >= until) return {Code::timed_out, options.server + " takes no more bytes"};
  }
  return {};
}

Result<Message> Connection::Body::wait_push(Milliseconds limit, int wake_fd) {
  Moment const until = moment_after(limit);
  while (pushes_.empty()) {
    if (Status stepped = step(until, wake_fd); !stepped.ok()) return stepped;
    if (!pushes_.empty()) break;
    if (is_woken(wake_fd) || now() >= until) return Status{Code::timed_out, "nothing was pushed within the time limit"};
  }
  Message first = std::move(pushes_.front());
  pushes_.pop_front();
  return first;
}

void Connection::Body::remember(Message const& subscription) {
  forget(subscription);
  subscriptions_.push_back(copy_of(subscription));
}

void Connection::Body::forget(Message const& subscription) {
  std::erase_if(subscriptions_, [&](Message const& one) { return same_subscription(one, subscription); });
}

Connection::Connection(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::open(Options options) {
  auto body = std::make_unique<Body>(std::move(options));
  if (Status connected = body->connect_once(-1, Moment::max()); !connected.ok()) return connected;
  return std::unique_ptr<Connection>(new Connection(std::move(body)));
}

Result<Reply> Connection::call(Message const& command) { return body_->call(command); }

Result<Reply> Connection::call(std::string_view command, Params const& params) {
  return call(message_of(command, params));
}

Result<Ticket> Connection::send(Message const& command, int wake_fd) {
  Result<std::uint64_t> const nr = body_->send(command, wake_fd);
  if (!nr.ok()) return nr.status();
  return Ticket{nr.value()};
}

Result<Reply> Connection::receive(Ticket ticket) { return body_->receive(static_cast<std::uint64_t>(ticket)); }
void Connection::recycle(Reply reply) { body_->recycle(std::move(reply)); }

bool Connection::wait_answer(Ticket ticket, Milliseconds limit, int wake_fd) {
  return body_->wait_answer(static_cast<std::uint64_t>(ticket), limit, wake_fd);
}

Status Connection::flush() { return body_->flush(moment_after(body_->options.time_limit)); }

Status Connection::listen(std::string_view table, Params const& params) {
  Message command = message_of("LISTEN", params);
  command.set("table", table);
  Result<Reply> const reply = call(command);
  if (reply.ok()) body_->remember(command);
  return reply.status();
}

Status Connection::watch(Params const& params) {
  Message const command = message_of("WATCH", params);
  Result<Reply> const reply = call(command);
  if (reply.ok()) body_->remember(command);
  return reply.status();
}

void Connection::keep(Message const& subscription) { body_->remember(subscription); }

Status Connection::unlisten(std::string_view table, Params const& params) {
  Message command = message_of("UNLISTEN", params);
  command.set("table", table);
  body_->forget(command);
  return call(command).status();
}

Result<Message> Connection::wait_push(Milliseconds limit, int wake_fd) { return body_->wait_push(limit, wake_fd); }
std::uint64_t Connection::pushes_dropped() const { return body_->pushes_dropped; }
Options const& Connection::options() const { return body_->options; }
std::uint64_t Connection::connects() const { return body_->connects; }
bool Connection::is_connected() const { return body_->is_connected(); }

Pipeline::Pipeline(Connection& connection, std::size_t depth, OnReply on_reply)
    : connection_(connection), depth_(depth), on_reply_(std::move(on_reply)), ring_(depth) {
  FJ_CHECK(depth > 0 && depth <= connection.options().in_flight_max, "a pipeline's depth is 1 to in_flight_max");
}

Status Pipeline::send(Message const& command) {
  if (sent_ - received_ == depth_) receive_oldest();
  Result<Ticket> const ticket = connection_.send(command);
  if (!ticket.ok()) return ticket.status();
  ring_[sent_ % depth_] = ticket.value();
  ++sent_;
  return {};
}

void Pipeline::finish() {
  while (received_ < sent_) receive_oldest();
}

void Pipeline::receive_oldest() {
  Result<Reply> reply = connection_.receive(ring_[received_ % depth_]);
  on_reply_(received_++, std::move(reply));
}

}  // namespace fastjournal::client
