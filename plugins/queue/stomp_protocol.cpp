#include "plugins/queue/stomp_protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "plugins/queue/stomp_greeting.h"
#include "wire/msgpack.h"

namespace fastjournal::queue::stomp {
namespace {

constexpr std::string_view kAllVersions = "1.0,1.1,1.2";
// Memory of one, beside its names and what it may have delivered.
constexpr std::size_t kSubscriptionBytes = 512;

std::string missing(std::string_view header, std::string_view expected) {
  return fmt::format("header {} is missing; expected {}", header, expected);
}

// Of a name that is kept. Not empty: what is wrong with it.
std::string check_name(std::string_view header, std::string_view name) {
  if (name.empty()) return missing(header, "a name");
  if (name.size() > kNameBytesMax)
    return fmt::format("header {} has {} bytes; expected at most {}", header, name.size(), kNameBytesMax);
  return {};
}

// The highest version in the list that is known here.
std::optional<Version> agreed(std::optional<std::string_view> list) {
  if (!list) return Version::v1_0;
  std::optional<Version> best;
  for (std::string_view rest = *list; !rest.empty();) {
    std::size_t const comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    for (Version const version : {Version::v1_0, Version::v1_1, Version::v1_2})
      if (word == name_of(version) && (!best || *best < version)) best = version;
  }
  return best;
}

// ActiveMQ's `>` is `#` here: any number of words.
std::string pattern_of(std::string_view key) {
  std::string out{key};
  if (out == ">" || out.ends_with(".>")) out.back() = '#';
  return out;
}

// A SUBSCRIBE or UNSUBSCRIBE with these headers is about a subscription that outlives its connection.
std::string_view durable_name_of(Frame const& frame) {
  for (std::string_view const header :
       {"activemq.subscriptionName", "durable-subscription-name", "durable-subscriber-name"})
    if (std::string_view const name = frame.text(header); !name.empty()) return name;
  bool const lasts = frame.text("durable") == "true" || frame.text("persistent") == "true";
  return lasts ? frame.text("id") : std::string_view{};
}

Value copied(std::string_view text, Message& message) { return Value::of_text(message.arena().copy(text)); }

}  // namespace

StompProtocol::~StompProtocol() {
  // Not optimised away as a dead store.
  char volatile* const bytes = token_.data();
  for (std::size_t i = 0; i < token_.size(); ++i) bytes[i] = 0;
}

// ---------------------------------------------------------------------------
// Frames

Protocol::Piece StompProtocol::read(std::string_view unread, Message& message, std::string& out) {
  if (unread.empty()) return {};
  if (ends_) return {.kind = Kind::nothing, .ends = true, .consumed = unread.size(), .bytes = unread.size()};
  if (!is_connected_) {
    std::optional<std::string> why = what_else_is_spoken(unread);
    if (!why) return {};
    if (!why->empty()) {
      doing_name_ = {};
      receipt_.reset();
      return {.kind = Kind::bad,
              .ends = true,
              .consumed = unread.size(),
              .bytes = unread.size(),
              .status = {Code::invalid, std::move(*why)}};
    }
  }
  FrameReader::Cut cut = reader_.next(unread, version_, frame_);
  Piece piece;
  switch (cut.kind) {
    case FrameReader::Kind::need_more: return {};
    case FrameReader::Kind::line_ends:
      piece = {.kind = Kind::nothing, .consumed = cut.bytes, .bytes = cut.bytes};
      break;
    case FrameReader::Kind::broken:
      doing_name_ = {};
      receipt_.reset();
      return {.kind = Kind::bad,
              .ends = true,
              .status = {cut.is_too_large ? Code::too_large : Code::invalid, std::move(cut.problem)}};
    case FrameReader::Kind::frame:
      frame_bytes_ = cut.bytes;
      piece = carry_out(message, out);
      break;
  }
  if (piece.consumed == 0) return piece;
  reader_.taken();
  is_prepared_ = false;
  return piece;
}

Protocol::Piece StompProtocol::carry_out(Message& message, std::string& out) {
  message.clear();
  auto const known = std::ranges::find(kCommands, frame_.command);
  doing_name_ = known == kCommands.end() ? std::string_view{} : *known;
  receipt_.reset();
  if (std::optional<std::string_view> const receipt = frame_.find("receipt")) receipt_ = *receipt;
  if (doing_name_.empty())
    return refused(Code::unknown_command,
                   "the frame's command is none that is known here; expected CONNECT, STOMP, SEND, "
                   "SUBSCRIBE, UNSUBSCRIBE, ACK, NACK, BEGIN, COMMIT, ABORT or DISCONNECT");
  if (doing_name_ != "SEND" && !frame_.body.empty())
    return refused(Code::invalid,
                   fmt::format("there is a body of {} bytes; expected none: only SEND has one", frame_.body.size()));
  bool const connects = doing_name_ == "CONNECT" || doing_name_ == "STOMP";
  if (connects && is_connected_) return refused(Code::wrong_state, "this connection is connected already");
  if (connects) return connect(message);
  if (!is_connected_) return refused(Code::wrong_state, "the first frame must be CONNECT or STOMP");
  if (doing_name_ == "SEND") return send(message, out);
  if (doing_name_ == "SUBSCRIBE") return subscribe(message);
  if (doing_name_ == "UNSUBSCRIBE") return unsubscribe(message);
  if (doing_name_ == "BEGIN") return begin(out);
  if (doing_name_ == "COMMIT") return commit(message, out);
  if (doing_name_ == "ABORT") return abort(out);
  if (doing_name_ == "DISCONNECT") return disconnect(out);
  if (doing_name_ == "NACK" && version_ == Version::v1_0)
    return refused(Code::unknown_command, "this is STOMP 1.0, which has no NACK; expected accept-version in CONNECT");
  return acknowledge(message, out);
}

Protocol::Piece StompProtocol::command(Doing as) {
  doing_ = as;
  is_prepared_ = is_prepared_ || as == Doing::prepare;
  bool const is_last = as != Doing::prepare && as != Doing::declare;
  return {.kind = Kind::message, .consumed = is_last ? frame_bytes_ : 0, .bytes = frame_bytes_, .token = token_};
}

Protocol::Piece StompProtocol::done(std::string& out) {
  write_receipt(out);
  return {.kind = Kind::nothing, .consumed = frame_bytes_, .bytes = frame_bytes_};
}

Protocol::Piece StompProtocol::refused(Status why) {
  return {.kind = Kind::bad, .ends = true, .consumed = frame_bytes_, .bytes = frame_bytes_, .status = std::move(why)};
}

// ---------------------------------------------------------------------------
// Connections

Protocol::Piece StompProtocol::connect(Message& message) {
  std::optional<Version> const version = agreed(frame_.find("accept-version"));
  if (!version) {
    names_versions_ = true;
    return refused(Code::not_supported,
                   "accept-version names no version that is known here; expected " + std::string{kAllVersions});
  }
  for (std::string_view const name : {"login", "passcode", "client-id"})
    if (frame_.text(name).size() > kLineBytesMax / 8)
      return refused(Code::too_large, fmt::format("header {} has more than {} bytes", name, kLineBytesMax / 8));
  version_ = *version;
  is_connected_ = true;
  token_ = frame_.text("passcode");
  login_ = frame_.text("login");
  client_ = frame_.text("client-id");
  kept_bytes_ += token_.capacity() + login_.capacity() + client_.capacity();
  // Who it is, and by which connection. Also without a passcode: a client that asks something is no stranger.
  message.command = "RIGHTS";
  return command(Doing::connect);
}

void StompProtocol::write_connected(Outgoing const& message, std::string& out) {
  std::string_view user;
  for (Param const& param : message.params) {
    if (param.name == "user") user = param.value.bytes;
    // A client that may not declare uses the existing one.
    if (param.name == "rights") has_topic_exchange_ = param.value.bytes.find("manage") == std::string_view::npos;
    if (param.name == "connection") session_ = std::to_string(param.value.as_unsigned().value_or(0));
  }
  if (!token_.empty() && !login_.empty() && user != login_)
    return write_error("not_allowed", "the passcode is not that of the user in header login", out);
  headers_.clear();
  headers_.push_back({"version", name_of(version_)});
  headers_.push_back({"heart-beat", "0,0"});
  headers_.push_back({"session", session_});
  headers_.push_back({"server", "fastjournal"});
  append_frame("CONNECTED", headers_, std::nullopt, version_, out);
  write_receipt(out);
}

Protocol::Piece StompProtocol::disconnect(std::string& out) {
  Piece piece = done(out);
  piece.ends = true;
  ends_ = true;
  return piece;
}

// ---------------------------------------------------------------------------
// SEND

Protocol::Piece StompProtocol::send(Message& message, std::string& out) {
  Result<Destination> const to = read_destination(frame_.text("destination"));
  if (!to.ok()) return refused(to.status());
  using To = Destination::Kind;
  To const kind = to.value().kind;
  if (kind == To::topic && !has_topic_exchange_) return declare_topic(message);
  message.command = "SEND";
  if (kind == To::topic || kind == To::exchange) {
    message.add("exchange", Value::of_text(to.value().name));
    if (!to.value().routing_key.empty()) message.add("routing_key", Value::of_text(to.value().routing_key));
  } else {
    message.add("queue", copied(queue_of(to.value()), message));
  }
  // The answering client has another connection.
  std::optional<std::string> reply_to;
  if (Result<Destination> const reply = read_destination(frame_.text("reply-to"));
      reply.ok() && reply.value().kind == Destination::Kind::temporary)
    reply_to = "/queue/" + queue_of(reply.value());
  // A queue that a SEND makes would last.
  for (std::string const& queue :
       {kind == To::temporary ? queue_of(to.value()) : std::string{}, reply_to ? reply_to->substr(7) : std::string{}})
    if (!queue.empty() && !subscriptions_.contains(queue))
      return refused(Code::wrong_state,
                     "this connection has no such temporary queue; expected a SUBSCRIBE of it before");
  if (Status status = set_send(frame_, reply_to, message); !status.ok()) return refused(std::move(status));
  Status why;
  Transaction* const transaction = transaction_of_frame(why);
  if (!why.ok()) return refused(std::move(why));
  if (transaction == nullptr) return command(Doing::last);
  if (Status status = add_to(*transaction, message); !status.ok()) return refused(std::move(status));
  return done(out);
}

// ---------------------------------------------------------------------------
// Subscriptions

std::string StompProtocol::own_queue(std::string_view name) const { return fmt::format("stomp.{}.{}", session_, name); }

std::string StompProtocol::durable_queue(std::string_view name) const {
  return fmt::format("subscription.{}{}", client_.empty() ? std::string{} : client_ + ".", name);
}

std::string StompProtocol::queue_of(Destination const& to) const {
  switch (to.kind) {
    case Destination::Kind::queue: return std::string{to.name};
    case Destination::Kind::temporary: return own_queue("temp." + std::string{to.name});
    case Destination::Kind::topic:
    case Destination::Kind::exchange: break;
  }
  std::string_view const durable = durable_name_of(frame_);
  return durable.empty() ? own_queue(std::to_string(last_subscription_ + 1)) : durable_queue(durable);
}

std::size_t StompProtocol::cost_of(std::string const& queue, Subscription const& of) {
  return kSubscriptionBytes + of.id.size() + queue.size() +
         (of.mode == AckMode::client ? of.credit * sizeof(Delivery) : 0);
}

std::string StompProtocol::id_of_subscription() const {
  std::optional<std::string_view> const id = frame_.find("id");
  return std::string{id || version_ != Version::v1_0 ? id.value_or(std::string_view{}) : frame_.text("destination")};
}

StompProtocol::Subscriptions::iterator StompProtocol::find_subscription(std::string_view id) {
  return std::ranges::find_if(subscriptions_, [id](auto const& one) { return one.second.id == id; });
}

Protocol::Piece StompProtocol::declare_topic(Message& message) {
  has_topic_exchange_ = true;
  message.command = "DECLARE";
  message.add("exchange", Value::of_text(kTopicExchange));
  message.add("kind", Value::of_text("topic"));
  return command(Doing::declare);
}

Protocol::Piece StompProtocol::subscribe(Message& message) {
  Result<Destination> const read = read_destination(frame_.text("destination"));
  if (!read.ok()) return refused(read.status());
  if (Status status = check_subscribe(frame_); !status.ok()) return refused(std::move(status));
  using To = Destination::Kind;
  Destination const& to = read.value();
  std::string const queue = queue_of(to);
  Subscription wanted;
  if (Status status = read_subscription(to, queue, wanted); !status.ok()) return refused(std::move(status));
  if (to.kind == To::topic && !has_topic_exchange_) return declare_topic(message);
  if (is_prepared_ || to.kind == To::queue) return listen(queue, std::move(wanted), message);
  message.add("queue", copied(queue, message));
  if (to.kind == To::temporary) {
    message.command = "DECLARE";
    message.add("temporary", Value::of_integer(1));
    return command(Doing::prepare);
  }
  message.command = "BIND";
  message.add("exchange", Value::of_text(to.name));
  if (!to.routing_key.empty()) {
    std::string const key = to.kind == To::topic ? pattern_of(to.routing_key) : std::string{to.routing_key};
    message.add("routing_key", copied(key, message));
  }
  message.add(wanted.is_durable ? "declare" : "temporary", Value::of_integer(1));
  return command(Doing::prepare);
}

Status StompProtocol::read_subscription(Destination const& to, std::string const& queue, Subscription& into) const {
  into.id = id_of_subscription();
  if (std::string why = check_name("id", into.id); !why.empty()) return {Code::bad_parameter, std::move(why)};
  if (to.kind == Destination::Kind::topic || to.kind == Destination::Kind::exchange)
    into.is_durable = !durable_name_of(frame_).empty();
  into.is_own = to.kind != Destination::Kind::queue && !into.is_durable;
  std::string_view const ack = frame_.find("ack").value_or("auto");
  if (ack == "client")
    into.mode = AckMode::client;
  else if (ack == "client-individual")
    into.mode = AckMode::individual;
  else if (ack != "auto")
    return {Code::bad_parameter, "header ack is none of STOMP; expected auto, client or client-individual"};
  std::string_view const credit = frame_.find("prefetch-count") ? "prefetch-count" : "activemq.prefetchSize";
  Result<std::int64_t> const read = read_number(frame_, credit, kCreditDefault, 0, INT32_MAX);
  if (!read.ok()) return read.status();
  // 0 is: as many as you like.
  into.credit = static_cast<std::size_t>(read.value() == 0 ? kCreditMax : std::min(read.value(), kCreditMax));
  for (auto const& [of, one] : subscriptions_) {
    if (one.id == into.id) return {Code::wrong_state, "this connection has a subscription with this id already"};
    if (of == queue)
      return {Code::wrong_state, "this connection has a subscription of this queue already, with id " + one.id +
                                     "; expected one of each queue a connection"};
  }
  if (subscriptions_.size() == kSubscriptionsMax)
    return {Code::over_limit, fmt::format("this connection has {} subscriptions already", kSubscriptionsMax)};
  return {};
}

Protocol::Piece StompProtocol::listen(std::string const& queue, Subscription wanted, Message& message) {
  message.command = "LISTEN";
  message.add("queue", copied(queue, message));
  message.add("mode", Value::of_text("deliver"));
  message.add("credit", Value::of_unsigned(wanted.credit));
  if (wanted.mode == AckMode::automatic) message.add("accept", Value::of_integer(1));
  if (std::optional<std::string_view> const lease = frame_.find("fj-lease"))
    message.add("lease", Value::of_text(*lease));
  wanted.number = ++last_subscription_;
  kept_bytes_ += cost_of(queue, wanted);
  subscriptions_.emplace(queue, std::move(wanted));
  return command(Doing::last);
}

Protocol::Piece StompProtocol::unsubscribe(Message& message) {
  std::string const id = id_of_subscription();
  if (std::string why = check_name("id", id); !why.empty()) return refused(Code::bad_parameter, std::move(why));
  std::string_view const durable = durable_name_of(frame_);
  auto const found = find_subscription(id);
  if (found == subscriptions_.end() && durable.empty())
    return refused(Code::not_found, "this connection has no subscription with this id");
  std::string const queue = found == subscriptions_.end() ? durable_queue(durable) : found->first;
  message.add("queue", copied(queue, message));
  bool const removes =
      found == subscriptions_.end() || found->second.is_own || (found->second.is_durable && !durable.empty());
  if (found != subscriptions_.end() && !is_prepared_) {
    message.command = "UNLISTEN";
    if (removes) return command(Doing::prepare);
  } else {
    message.command = "REMOVE";
  }
  if (found != subscriptions_.end()) {
    kept_bytes_ -= cost_of(queue, found->second);
    subscriptions_.erase(found);
  }
  return command(Doing::last);
}

// ---------------------------------------------------------------------------
// Acknowledgements

std::optional<StompProtocol::AckId> StompProtocol::read_ack_id(std::string_view text) {
  std::array<std::uint64_t, 3> parts{};
  std::size_t count = 0;
  for (;; ++count) {
    if (count == parts.size()) return std::nullopt;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts.at(count));
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != '-') return std::nullopt;
    text.remove_prefix(1);
  }
  if (count == 0 || parts[2] > UINT32_MAX) return std::nullopt;
  return AckId{parts[0], parts[1], static_cast<std::uint32_t>(parts[2])};
}

void StompProtocol::set_acknowledgement(std::uint64_t number, std::uint64_t epoch, Message& message) const {
  bool const is_ack = doing_name_ == "ACK";
  bool const is_final = !is_ack && frame_.text("requeue") == "false";
  message.command = is_ack ? "ACCEPT" : is_final ? "REJECT" : "RELEASE";
  message.add("message", Value::of_unsigned(number));
  message.add("epoch", Value::of_unsigned(epoch));
  if (is_ack) return;
  if (!is_final) message.add("failed", Value::of_integer(1));
  if (std::optional<std::string_view> const why = frame_.find("fj-error")) message.add("error", Value::of_text(*why));
  if (std::optional<std::string_view> const where = frame_.find("fj-error-trace"))
    message.add("error_trace", Value::of_text(*where));
}

Protocol::Piece StompProtocol::acknowledge(Message& message, std::string& out) {
  std::string_view const header = version_ == Version::v1_2 ? "id" : "message-id";
  std::optional<std::string_view> const text = frame_.find(header);
  if (!text)
    return refused(
        Code::missing_parameter,
        missing(header, version_ == Version::v1_2 ? "the value of header ack of the MESSAGE" : "that of the MESSAGE"));
  std::optional<AckId> const id = read_ack_id(*text);
  if (!id)
    return refused(Code::bad_parameter,
                   fmt::format("header {} is not that of a MESSAGE that is to be acknowledged", header));
  Status why;
  Transaction* const transaction = transaction_of_frame(why);
  if (!why.ok()) return refused(std::move(why));
  if (transaction != nullptr) return acknowledge_in(*transaction, *id, message, out);
  auto const of =
      std::ranges::find_if(subscriptions_, [&](auto const& one) { return one.second.number == id->subscription; });
  if (of != subscriptions_.end()) return acknowledge_all(of->second, *id, message);
  set_acknowledgement(id->message, id->epoch, message);
  return command(Doing::last);
}

// One after the other, the oldest first: one that is refused leaves those before it done.
Protocol::Piece StompProtocol::acknowledge_all(Subscription& of, AckId const& id, Message& message) {
  auto const is_meant = [&](Delivery const& one) { return one.message == id.message && one.epoch == id.epoch; };
  auto const up_to = std::ranges::find_if(of.delivered, is_meant);
  if (up_to != of.delivered.end() && up_to->transaction != 0)
    return refused(Code::wrong_state, "the message is acknowledged in a transaction that is open");
  if (up_to == of.delivered.end()) {
    // Its lease is over, or it was acknowledged: the table says which.
    set_acknowledgement(id.message, id.epoch, message);
    return command(Doing::last);
  }
  auto const first =
      std::find_if(of.delivered.begin(), up_to, [](Delivery const& one) { return one.transaction == 0; });
  bool const is_last = first == up_to;
  set_acknowledgement(first->message, first->epoch, message);
  of.delivered.erase(first);
  return command(is_last ? Doing::last : Doing::prepare);
}

Protocol::Piece StompProtocol::acknowledge_in(Transaction& in, AckId const& id, Message& message, std::string& out) {
  auto const add = [&](std::uint64_t number, std::uint64_t epoch) {
    message.clear();
    set_acknowledgement(number, epoch, message);
    return add_to(in, message);
  };
  auto const of =
      std::ranges::find_if(subscriptions_, [&](auto const& one) { return one.second.number == id.subscription; });
  if (of == subscriptions_.end()) {
    if (Status status = add(id.message, id.epoch); !status.ok()) return refused(std::move(status));
    return done(out);
  }
  std::deque<Delivery>& delivered = of->second.delivered;
  auto const up_to = std::ranges::find_if(
      delivered, [&](Delivery const& one) { return one.message == id.message && one.epoch == id.epoch; });
  if (up_to == delivered.end() || up_to->transaction != 0)
    return refused(Code::wrong_state, "the message is acknowledged already, or its lease is over");
  for (auto one = delivered.begin(); one != up_to + 1; ++one) {
    if (one->transaction != 0) continue;
    if (Status status = add(one->message, one->epoch); !status.ok()) return refused(std::move(status));
    one->transaction = in.number;
  }
  return done(out);
}

// ---------------------------------------------------------------------------
// Transactions

StompProtocol::Transaction* StompProtocol::transaction_of_frame(Status& why) {
  std::optional<std::string_view> const name = frame_.find("transaction");
  if (!name) return nullptr;
  auto const found = transactions_.find(*name);
  if (found != transactions_.end()) return &found->second;
  why = {Code::wrong_state, "header transaction names none that is open; expected a BEGIN of it before"};
  return nullptr;
}

Status StompProtocol::add_to(Transaction& transaction, Message const& message) {
  if (transaction.commands == kTransactionCommandsMax)
    return {Code::over_limit, "the transaction has " + std::to_string(kTransactionCommandsMax) +
                                  " commands already: a message sent or acknowledged is one"};
  std::size_t const before = transaction.frames.capacity();
  protocol::append_frame({.command = message.command, .params = message.params()}, transaction.frames);
  ++transaction.commands;
  transaction_bytes_ += transaction.frames.capacity() - before;
  if (transaction_bytes_ <= kTransactionBytesMax + 2 * frame_bytes_max_) return {};
  return {Code::over_limit, fmt::format("the open transactions of this connection have more than {} bytes",
                                        kTransactionBytesMax + 2 * frame_bytes_max_)};
}

Protocol::Piece StompProtocol::begin(std::string& out) {
  std::string_view const name = frame_.text("transaction");
  if (std::string why = check_name("transaction", name); !why.empty())
    return refused(Code::bad_parameter, std::move(why));
  if (transactions_.contains(name)) return refused(Code::wrong_state, "a transaction of this name is open already");
  if (transactions_.size() == kTransactionsMax)
    return refused(Code::over_limit, fmt::format("this connection has {} open transactions already", kTransactionsMax));
  auto const begun = transactions_.emplace(std::string{name}, Transaction{.number = ++last_transaction_, .frames = {}});
  transaction_bytes_ += begun.first->second.frames.capacity();
  return done(out);
}

Protocol::Piece StompProtocol::commit(Message& message, std::string& out) {
  if (!frame_.find("transaction")) return refused(Code::missing_parameter, missing("transaction", "its name"));
  Status why;
  Transaction* const transaction = transaction_of_frame(why);
  if (transaction == nullptr) return refused(std::move(why));
  committed_ = frame_.text("transaction");
  if (transaction->commands == 0) {
    end_transaction(transactions_.find(committed_), true);
    return done(out);
  }
  message.command = "TRANSACTION";
  message.add("commands", Value::of_binary(transaction->frames));
  Piece piece = command(Doing::transaction);
  piece.bytes += transaction->frames.size();
  return piece;
}

Protocol::Piece StompProtocol::abort(std::string& out) {
  if (!frame_.find("transaction")) return refused(Code::missing_parameter, missing("transaction", "its name"));
  Status why;
  if (transaction_of_frame(why) == nullptr) return refused(std::move(why));
  end_transaction(transactions_.find(frame_.text("transaction")), false);
  return done(out);
}

// Given up, its messages may be acknowledged again.
void StompProtocol::end_transaction(Transactions::iterator transaction, bool is_done) {
  std::uint32_t const number = transaction->second.number;
  for (auto& [queue, subscription] : subscriptions_) {
    if (is_done)
      std::erase_if(subscription.delivered, [number](Delivery const& one) { return one.transaction == number; });
    for (Delivery& one : subscription.delivered)
      if (one.transaction == number) one.transaction = 0;
  }
  transaction_bytes_ -= transaction->second.frames.capacity();
  transactions_.erase(transaction);
}

// ---------------------------------------------------------------------------
// Answers

void StompProtocol::refuse(Status const& why, std::string& out) {
  write_error(row_of(why.code()).wire_name, why.message(), out);
}

void StompProtocol::write(Outgoing const& message, std::string& out) {
  if (message.command == "ERROR") {
    std::string_view code;
    std::string_view text;
    std::string_view op;
    for (Param const& param : message.params) {
      if (param.name == "code") code = param.value.bytes;
      if (param.name == "message") text = param.value.bytes;
      if (param.name == "op") op = param.value.bytes;
    }
    if (doing_ == Doing::nothing) {
      // Of no frame: the daemon ends the connection.
      doing_name_ = {};
      receipt_.reset();
    }
    return write_error(
        code, (op.empty() ? "" : "command " + std::string{op} + " of the transaction: ") + std::string{text}, out);
  }
  if (message.is_push) return write_push(message, out);
  if (!message.is_last) return;
  switch (std::exchange(doing_, Doing::nothing)) {
    case Doing::nothing: return;
    case Doing::connect: return write_connected(message, out);
    case Doing::prepare:
    case Doing::declare: return;
    case Doing::transaction: end_transaction(transactions_.find(committed_), true); break;
    case Doing::last: break;
  }
  write_receipt(out);
}

void StompProtocol::write_push(Outgoing const& message, std::string& out) {
  if (message.command == "MESSAGE") return write_message(message, out);
  std::string_view queue;
  std::string_view why{"its table is gone"};
  for (Param const& param : message.params) {
    if (param.name == "queue") queue = param.value.bytes;
    if (param.name == "message") why = param.value.bytes;
  }
  doing_name_ = {};
  receipt_.reset();
  if (message.command == "UNLISTENED")
    return write_error(row_of(Code::closed).wire_name,
                       "the subscription of queue " + std::string{queue} + " is over: " + std::string{why}, out);
  write_error(row_of(Code::not_supported).wire_name, std::string{message.command} + " has no form in this protocol",
              out);
}

// Of a subscription that ended meanwhile nothing is written: the message stays leased, to the end of the connection.
void StompProtocol::write_message(Outgoing const& message, std::string& out) {
  Shown const shown{message};
  auto const of = subscriptions_.find(shown.queue);
  if (of == subscriptions_.end()) return;
  Subscription& subscription = of->second;
  texts_.clear();
  headers_.clear();
  std::string const number = std::to_string(shown.message);
  std::string ack = number + "-" + std::to_string(shown.epoch);
  if (subscription.mode == AckMode::client) {
    ack += "-" + std::to_string(subscription.number);
    // The lease that it had before is over.
    if (shown.is_redelivered)
      std::erase_if(subscription.delivered,
                    [&](Delivery const& one) { return one.message == shown.message && one.transaction == 0; });
    // More than its credit are not leased to it: the lease of the oldest is over.
    if (subscription.delivered.size() >= subscription.credit) {
      auto const oldest =
          std::ranges::find_if(subscription.delivered, [](Delivery const& one) { return one.transaction == 0; });
      if (oldest != subscription.delivered.end()) subscription.delivered.erase(oldest);
    }
    if (subscription.delivered.size() < subscription.credit)
      subscription.delivered.push_back({shown.message, shown.epoch, 0});
  }
  bool const is_to_acknowledge = subscription.mode != AckMode::automatic;
  headers_.push_back({"subscription", subscription.id});
  // Before 1.2 this is what an ACK names.
  headers_.push_back({"message-id", is_to_acknowledge && version_ != Version::v1_2 ? ack : number});
  if (is_to_acknowledge && version_ == Version::v1_2) headers_.push_back({"ack", ack});
  append_headers(shown, texts_, headers_);
  append_frame("MESSAGE", headers_, shown.body, version_, out);
}

void StompProtocol::write_receipt(std::string& out) {
  if (!receipt_) return;
  headers_.clear();
  headers_.push_back({"receipt-id", *receipt_});
  append_frame("RECEIPT", headers_, std::nullopt, version_, out);
  receipt_.reset();
}

void StompProtocol::write_error(std::string_view code, std::string const& text, std::string& out) {
  doing_ = Doing::nothing;
  ends_ = true;
  std::string const body =
      fmt::format("{}{}: {}\n", doing_name_.empty() ? "" : std::string{doing_name_} + ": ", code, text);
  headers_.clear();
  headers_.push_back({"message", std::string_view{body}.substr(0, body.size() - 1)});
  headers_.push_back({"code", code});
  if (names_versions_) headers_.push_back({"version", kAllVersions});
  if (receipt_) headers_.push_back({"receipt-id", *receipt_});
  headers_.push_back({"content-type", "text/plain"});
  append_frame("ERROR", headers_, body, version_, out);
}

std::unique_ptr<Protocol> make_stomp_protocol(ProtocolPlace place, std::shared_ptr<void> const& /*shared*/) {
  return std::make_unique<StompProtocol>(place.piece_bytes_max);
}

}  // namespace fastjournal::queue::stomp
