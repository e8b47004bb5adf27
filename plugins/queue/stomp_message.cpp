#include "plugins/queue/stomp_message.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "model/parameters.h"

namespace fastjournal::queue::stomp {
namespace {

// Headers of SEND that are parameters, or are of the frame.
constexpr std::array<std::string_view, 16> kOfSend{"destination",         "content-length",     "receipt",
                                                   "transaction",         "priority",           "expires",
                                                   "expiration",          "persistent",         "mandatory",
                                                   "AMQ_SCHEDULED_DELAY", "AMQ_SCHEDULED_TIME", "x-delay",
                                                   "fj-client",           "fj-sequence",        "_AMQ_SCHED_DELIVERY",
                                                   "_HQ_SCHED_DELIVERY"};
// Of a message that is to be handed out later: how long after now, or when.
constexpr std::array<std::string_view, 2> kDelays{"AMQ_SCHEDULED_DELAY", "x-delay"};
constexpr std::array<std::string_view, 3> kDates{"AMQ_SCHEDULED_TIME", "_AMQ_SCHED_DELIVERY", "_HQ_SCHED_DELIVERY"};
// What brokers do for a message and this one does not; 0 asks for nothing.
struct Undone {
  std::string_view header;
  std::string_view instead;
};
constexpr Undone kUndoneOfSend[] = {
    {"AMQ_SCHEDULED_PERIOD", "a message is handed out once; send it again"},
    {"AMQ_SCHEDULED_REPEAT", "a message is handed out once; send it again"},
    {"AMQ_SCHEDULED_CRON", "a message has one date; AMQ_SCHEDULED_TIME gives it"},
    {"AMQ_SCHEDULER_ACTION", "DELETE of the table removes a message that waits for its date"},
    {"_AMQ_DUPL_ID", "fj-client and fj-sequence tell that a message was sent before"},
    {"_HQ_DUPL_ID", "fj-client and fj-sequence tell that a message was sent before"},
    {"x-deduplication-header", "fj-client and fj-sequence tell that a message was sent before"},
    {"_AMQ_GROUP_ID", "consumers of a queue share it, whatever a message belongs to"},
    {"JMSXGroupID", "consumers of a queue share it, whatever a message belongs to"},
};
// The same for a subscription; false, or nothing, asks for nothing.
constexpr Undone kUndoneOfSubscribe[] = {
    {"selector", "bind a queue to an exchange with a key or a pattern, and subscribe to that"},
    {"browser", "LIST of the table shows messages without taking them, by messages or HTTP"},
    {"no-local", "a connection gets what it sends itself"},
    {"exclusive", "consumers of a queue share it"},
};
constexpr std::array<std::string_view, 3> kKnownOfActiveMq{"activemq.prefetchSize", "activemq.subscriptionName",
                                                           "activemq.dispatchAsync"};
// Headers of MESSAGE that no property may stand for, whether they are there or not.
constexpr std::array<std::string_view, 8> kOfMessage{"ack",     "content-length", "delivery-count", "dead-of",
                                                     "expires", "fj-error",       "receipt-id",     "transaction"};

Status bad_header(std::string_view name, std::string why) {
  return {Code::bad_parameter, "header " + std::string{name} + " " + std::move(why)};
}

// The members of an object that are neither objects nor arrays nor null, as headers: the first of them, as clients have
// limits as well. Of what is no such object nothing.
struct Members {
  Arena& texts;
  std::vector<Header>& headers;
  std::string_view name{};
  std::size_t depth{0};
  std::size_t left{kHeadersMax};

  bool member(std::string_view value) {
    if (depth != 1) return true;
    if (left == 0) return false;
    --left;
    bool const is_taken = std::ranges::any_of(headers, [this](Header const& one) { return one.name == name; });
    if (!is_taken && !name.empty() && std::ranges::find(kOfMessage, name) == kOfMessage.end())
      headers.push_back({name, texts.copy(value)});
    return true;
  }
  // The names are the library's.
  bool null() { return true; }
  bool boolean(bool value) { return member(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return member(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return member(std::to_string(value)); }
  bool number_float(double, std::string const& text) { return member(text); }
  bool string(std::string const& value) { return member(value); }
  static bool binary(nlohmann::json::binary_t const&) { return true; }
  bool start_object(std::size_t) {
    ++depth;
    return true;
  }
  bool end_object() {
    --depth;
    return true;
  }
  bool start_array(std::size_t) { return start_object(0) && depth != 1; }
  bool end_array() { return end_object(); }
  bool key(std::string const& text) {
    if (depth == 1) name = texts.copy(text);
    return true;
  }
  static bool parse_error(std::size_t, std::string const&, nlohmann::json::exception const&) { return false; }
};

// "+N"
Value after_ms(std::int64_t ms, Message& message) {
  return Value::of_text(message.arena().copy("+" + std::to_string(ms)));
}

// One header of them at most says when.
Status set_process_date(Frame const& frame, Message& message) {
  std::string_view by;
  auto const read = [&](std::string_view header, bool is_date) -> Status {
    Result<std::int64_t> const when = read_number(frame, header, 0, 0, model::kDateMax);
    if (!when.ok()) return when.status();
    if (when.value() == 0) return {};
    if (!by.empty()) return bad_header(header, "is given beside " + std::string{by} + "; expected one of them");
    by = header;
    message.add("process_date", is_date ? Value::of_integer(when.value()) : after_ms(when.value(), message));
    return {};
  };
  for (std::string_view const header : kDelays)
    if (Status status = read(header, false); !status.ok()) return status;
  for (std::string_view const header : kDates)
    if (Status status = read(header, true); !status.ok()) return status;
  return {};
}

// A message whose end is past is dropped, as brokers do, and its sender goes on.
Status set_dates(Frame const& frame, Message& message) {
  if (Status status = set_process_date(frame, message); !status.ok()) return status;
  Result<std::int64_t> const expires = read_number(frame, "expires", 0, 0, model::kDateMax);
  if (!expires.ok()) return expires.status();
  Result<std::int64_t> const lasts = read_number(frame, "expiration", 0, 0, model::kDateMax);
  if (!lasts.ok()) return lasts.status();
  if (expires.value() != 0) {
    message.add("expiration_date", Value::of_integer(expires.value()));
    message.add("drop_expired", Value::of_integer(1));
  } else if (lasts.value() != 0) {
    message.add("expiration_date", after_ms(lasts.value(), message));
  }
  return {};
}

Status set_options(Frame const& frame, Message& message) {
  for (Undone const& one : kUndoneOfSend)
    if (std::string_view const given = frame.text(one.header); !given.empty() && given != "0")
      return Status{Code::not_supported,
                    "header " + std::string{one.header} + " is not supported: " + std::string{one.instead}};
  if (std::string_view const persistent = frame.find("persistent").value_or("true");
      persistent != "true" && persistent != "false")
    return bad_header("persistent", "is neither true nor false");
  if (std::optional<std::string_view> const mandatory = frame.find("mandatory")) {
    if (*mandatory != "true" && *mandatory != "false") return bad_header("mandatory", "is neither true nor false");
    message.add("mandatory", Value::of_integer(*mandatory == "true" ? 1 : 0));
  }
  if (std::optional<std::string_view> const client = frame.find("fj-client"))
    message.add("client", Value::of_text(*client));
  Result<std::int64_t> const sequence = read_number(frame, "fj-sequence", -1, 0, INT64_MAX);
  if (!sequence.ok()) return sequence.status();
  if (sequence.value() >= 0) message.add("sequence", Value::of_integer(sequence.value()));
  return {};
}

void set_properties(Frame const& frame, std::optional<std::string_view> reply_to, Message& message) {
  auto properties = nlohmann::ordered_json::object();
  for (Header const& header : frame.headers) {
    if (std::ranges::find(kOfSend, header.name) != kOfSend.end()) continue;
    properties[std::string{header.name}] = header.name == "reply-to" && reply_to ? *reply_to : header.value;
  }
  if (properties.empty()) return;
  std::string const text = properties.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  message.add("properties", Value::of_text(message.arena().copy(text)));
}

bool is_text(std::string_view body) { return body.find('\0') == std::string_view::npos && is_utf8(body); }

}  // namespace

// ---------------------------------------------------------------------------
// Destinations

Result<Destination> read_destination(std::string_view text) {
  using Kind = Destination::Kind;
  struct Form {
    std::string_view begin;
    Kind kind;
  };
  static constexpr Form kForms[] = {{"/queue/", Kind::queue},
                                    {"/amq/queue/", Kind::queue},
                                    {"/temp-queue/", Kind::temporary},
                                    {"/topic/", Kind::topic},
                                    {"/exchange/", Kind::exchange}};
  for (std::string_view const begin : {",/", ",queue://", ",topic://", "?consumer.", "?producer."})
    if (text.find(begin) != std::string_view::npos)
      return Status{Code::not_supported,
                    begin.starts_with('?')
                        ? std::string{"header destination has options behind a question mark, which are not supported"}
                        : std::string{"header destination names several, which is not supported: send to each of them, "
                                      "or to an exchange that routes to them"}};
  for (Form const& form : kForms) {
    if (!text.starts_with(form.begin) || text.size() == form.begin.size()) continue;
    Destination out{.kind = form.kind, .name = text.substr(form.begin.size())};
    if (out.kind == Kind::topic) {
      out.routing_key = out.name;
      out.name = kTopicExchange;
    } else if (out.kind == Kind::exchange) {
      std::size_t const slash = out.name.find('/');
      if (slash != std::string_view::npos) out.routing_key = out.name.substr(slash + 1);
      out.name = out.name.substr(0, slash);
      if (out.name.empty()) break;
    }
    return out;
  }
  return bad_header("destination",
                    "is none that is known here; expected /queue/NAME, /topic/ROUTING.KEY, "
                    "/exchange/NAME[/ROUTING_KEY] or /temp-queue/NAME");
}

// ---------------------------------------------------------------------------
// Numbers

std::int64_t priority_of(std::int64_t stomp) { return 180 - 20 * stomp; }

std::int64_t stomp_priority_of(std::int64_t table) { return std::clamp<std::int64_t>((190 - table) / 20, 0, 9); }

Result<std::int64_t> read_number(Frame const& frame, std::string_view name, std::int64_t absent, std::int64_t min,
                                 std::int64_t max) {
  std::optional<std::string_view> const text = frame.find(name);
  if (!text) return absent;
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  bool const is_number = error == std::errc{} && end == text->data() + text->size();
  if (is_number && value >= min && value <= max) return value;
  return bad_header(name, "is no whole number from " + std::to_string(min) + " to " + std::to_string(max));
}

// ---------------------------------------------------------------------------
// SEND

Status set_send(Frame const& frame, std::optional<std::string_view> reply_to, Message& message) {
  if (is_text(frame.body))
    message.add("body", Value::of_text(frame.body));
  else
    message.add("body_binary", Value::of_binary(frame.body));
  if (frame.find("priority")) {
    Result<std::int64_t> const priority = read_number(frame, "priority", 4, 0, 9);
    if (!priority.ok()) return priority.status();
    message.add("priority", Value::of_integer(priority_of(priority.value())));
  }
  if (Status status = set_dates(frame, message); !status.ok()) return status;
  if (Status status = set_options(frame, message); !status.ok()) return status;
  set_properties(frame, reply_to, message);
  return {};
}

// ---------------------------------------------------------------------------
// SUBSCRIBE

Status check_subscribe(Frame const& frame) {
  auto const undone = [](std::string_view header, std::string_view instead) {
    return Status{Code::not_supported, "header " + std::string{header} + " is not supported: " + std::string{instead}};
  };
  for (Header const& header : frame.headers) {
    if (header.value.empty() || header.value == "false") continue;
    for (Undone const& one : kUndoneOfSubscribe)
      if (one.header == header.name) return undone(one.header, one.instead);
    if (header.name.starts_with("x-"))
      return undone(header.name, "options of a queue are in the table's file, or DECLAREd");
    if (header.name.starts_with("activemq.") &&
        std::ranges::find(kKnownOfActiveMq, header.name) == kKnownOfActiveMq.end())
      return undone(header.name, "expected none of ActiveMQ but activemq.prefetchSize and activemq.subscriptionName");
  }
  return {};
}

// ---------------------------------------------------------------------------
// MESSAGE

Shown::Shown(Outgoing const& from) {
  for (Param const& param : from.params) {
    std::string_view const name = param.name;
    Value const& is = param.value;
    if (name == "message") message = is.as_unsigned().value_or(0);
    if (name == "epoch") epoch = is.as_unsigned().value_or(0);
    if (name == "queue") queue = is.bytes;
    if (name == "exchange") exchange = is.bytes;
    if (name == "routing_key") routing_key = is.bytes;
    if (name == "properties") properties = is.bytes;
    if (name == "body" || name == "body_binary") body = is.bytes;
    if (name == "dead_of") dead_of = is.bytes;
    if (name == "error") error = is.bytes;
    if (name == "priority") priority = is.as_integer();
    if (name == "sent_date") sent_date = is.as_integer();
    if (name == "expiration_date") expiration_date = is.as_integer().value_or(0);
    if (name == "deliveries") deliveries = is.as_integer().value_or(0);
    if (name == "redelivered") is_redelivered = is.as_integer().value_or(0) != 0;
  }
}

void append_headers(Shown const& from, Arena& texts, std::vector<Header>& headers) {
  auto const add = [&](std::string_view name, std::string const& text) { headers.push_back({name, texts.copy(text)}); };
  std::string const key{from.routing_key};
  if (from.exchange == kTopicExchange)
    add("destination", "/topic/" + key);
  else if (!from.exchange.empty())
    add("destination", "/exchange/" + std::string{from.exchange} + (key.empty() ? "" : "/" + key));
  else
    add("destination", "/queue/" + std::string{from.queue});
  headers.push_back({"redelivered", from.is_redelivered ? "true" : "false"});
  headers.push_back({"persistent", "true"});
  if (from.priority) add("priority", std::to_string(stomp_priority_of(*from.priority)));
  if (from.sent_date) add("timestamp", std::to_string(*from.sent_date));
  if (from.expiration_date != 0) add("expires", std::to_string(from.expiration_date));
  if (from.deliveries != 0) add("delivery-count", std::to_string(from.deliveries));
  if (!from.dead_of.empty()) headers.push_back({"dead-of", from.dead_of});
  if (!from.error.empty()) headers.push_back({"fj-error", from.error});
  Members members{.texts = texts, .headers = headers};
  if (!from.properties.empty()) static_cast<void>(nlohmann::json::sax_parse(from.properties, &members));
}

}  // namespace fastjournal::queue::stomp
