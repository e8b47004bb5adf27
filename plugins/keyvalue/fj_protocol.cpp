#include "plugins/keyvalue/fj_protocol.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/greeting.h"
#include "model/parameters.h"
#include "plugins/keyvalue/parameters.h"

namespace fastjournal::keyvalue {
namespace {

using fj::Function;
namespace flag = fj::flag;

constexpr std::uint16_t kAnySize = flag::kWideKey | flag::kValueMask | flag::kTimeout;
// Of one GET of the table.
constexpr std::size_t kStepPairsMax = 1'000;
// The largest page, which has steps: a frame that asks for more gets a cursor.
constexpr std::size_t kFramePageMax = 65'535;
constexpr std::size_t kFramePageBytes = 8U << 20U;
constexpr std::size_t kFrameStepsMax = 128;
// Of GET: a pair that was found by another key is shown by its main one, by which it is sorted.
constexpr std::uint16_t kMainKey = flag::kOverwrite;
// More seconds are a date.
constexpr std::uint64_t kDurationSecondsMax = static_cast<std::uint64_t>(kDurationMax) / 1000;
constexpr std::uint64_t kSecondsMax = static_cast<std::uint64_t>(model::kDateMax) / 1000;
constexpr char kCursorVersion = 1;
constexpr std::size_t kPairsKeptBytes = 64U << 10U;

// What a function makes use of; anything else is a mistake of the sender, and is told.
struct Uses {
  std::uint16_t flags{0};
  bool timeout{false};
  bool value{false};
};
constexpr std::array<Uses, fj::kFunctions> kUses{{
    {0xFFFF, true, true},
    {0xFFFF, true, true},
    {flag::kOverwrite | flag::kPersist | flag::kPersistToo | flag::kListen | flag::kTtl, true, true},
    {flag::kUpdateTimeout | flag::kWorkedOn | flag::kQueryMask | flag::kData | flag::kListen | flag::kTtl | kMainKey,
     true, false},
    {flag::kOverwrite, false, false},
    {flag::kPersist | flag::kPersistToo, false, true},
    {0, false, false},
    {0, false, true},
    {0, true, false},
    {0, false, false},
    {flag::kOverwrite, false, false},
    {0, false, false},
}};
// The commands of this type, by function.
constexpr std::array<std::string_view, fj::kFunctions> kCommands{
    "", "", "SET", "GET", "DELETE", "ADD", "NOT", "TRUNCATE", "LOCK", "UNLOCK", "RENAME", "ALIAS"};

std::string wrong_size(fj::TypedValue const& value, std::string_view expected) {
  return fmt::format("value is {} of {} bytes; expected {}", fj::name_of(static_cast<fj::Type>(value.type)),
                     value.bytes.size(), expected);
}

// The value in the parameter `name`; not empty: why there is none.
std::string set_value(Message& message, std::string_view name, fj::TypedValue const& value, bool with_type) {
  if (value.type >= fj::kTypes) return fmt::format("value type is {}; expected 0 to {}", value.type, fj::kTypes - 1);
  auto const type = static_cast<fj::Type>(value.type);
  if (with_type) message.add("type", Value::of_text(fj::name_of(type)));
  switch (type) {
    case fj::Type::nothing: return value.bytes.empty() ? std::string{} : wrong_size(value, "0");
    case fj::Type::buffer: message.add(name, Value::of_binary(value.bytes)); return {};
    case fj::Type::string: message.add(name, Value::of_verbatim(value.bytes)); return {};
    case fj::Type::integer:
      if (value.bytes.size() != 8) return wrong_size(value, "8");
      message.add(name, Value::of_integer(integer_of(value.bytes)));
      return {};
    case fj::Type::real:
      if (value.bytes.size() != 8) return wrong_size(value, "8");
      message.add(name, Value::of_real(real_of(value.bytes)));
      return {};
    case fj::Type::boolean:
      if (value.bytes.size() != 1 || static_cast<unsigned char>(value.bytes[0]) > 1)
        return wrong_size(value, "1, which is 0 or 1");
      message.add(name, Value::of_boolean(value.bytes[0] != 0));
      return {};
  }
  return {};
}

// The first key behind all that begin with it; empty: there is none.
std::string behind_prefix(std::string_view prefix) {
  std::string out{prefix};
  while (!out.empty() && static_cast<unsigned char>(out.back()) == 0xFF) out.pop_back();
  if (!out.empty()) out.back() = static_cast<char>(static_cast<unsigned char>(out.back()) + 1);
  return out;
}

std::uint64_t seconds_of(std::int64_t ms) {
  return static_cast<std::uint64_t>((std::max<std::int64_t>(ms, 0) + 999) / 1000);
}

}  // namespace

struct FjProtocol::Found {
  std::string_view command;
  std::span<Param const> params;

  [[nodiscard]] Value const* find(std::string_view name) const {
    for (Param const& param : params)
      if (param.name == name) return &param.value;
    return nullptr;
  }
  [[nodiscard]] std::string_view text(std::string_view name) const {
    Value const* const value = find(name);
    return value == nullptr ? std::string_view{} : value->bytes;
  }
  [[nodiscard]] std::uint64_t number(std::string_view name) const {
    Value const* const value = find(name);
    return value == nullptr ? 0 : value->as_unsigned().value_or(0);
  }
  [[nodiscard]] std::string_view key(std::string_view plain, std::string_view binary) const {
    Value const* const value = find(plain);
    return value == nullptr ? text(binary) : value->bytes;
  }
};

// A pair in a message, read in one pass.
struct FjProtocol::Shown {
  explicit Shown(Found const& from) {
    for (Param const& param : from.params) {
      std::string_view const name = param.name;
      Value const& is = param.value;
      // By the length first, as there are thousands in a page. The main key comes behind the one that was asked for.
      switch (name.size()) {
        case 3:
        case 8:
        case 10:
          if (name == "key" || name == "main_key" || name == "key_binary") key = is.bytes;
          break;
        case 4:
          if (name == "type") type = is.bytes;
          break;
        case 5:
        case 12:
          if (name == "value" || name == "value_binary") value = &is;
          break;
        case 6:
          if (name == "locked") is_locked = true;
          break;
        case 7:
          if (name == "request") request = static_cast<std::uint16_t>(is.as_unsigned().value_or(0));
          break;
        case 9:
          if (name == "timestamp") timestamp = is.as_unsigned().value_or(0);
          if (name == "worked_on") is_worked_on = true;
          break;
        case 15:
          if (name == "expiration_date") expires = is.as_integer();
          if (name == "main_key_binary") key = is.bytes;
          break;
        default: break;
      }
    }
  }

  // Numbers are written into `kept`.
  [[nodiscard]] std::optional<fj::TypedValue> typed(std::array<char, 8>& kept) const;

  std::string_view key{};
  std::string_view type{};
  Value const* value{nullptr};
  std::uint64_t timestamp{0};
  std::uint16_t request{0};
  std::optional<std::int64_t> expires{};
  bool is_locked{false};
  bool is_worked_on{false};
};

std::optional<fj::TypedValue> FjProtocol::Shown::typed(std::array<char, 8>& kept) const {
  if (type.empty()) return std::nullopt;
  std::uint8_t number = 0;
  while (number + 1 < fj::kTypes && fj::name_of(static_cast<fj::Type>(number)) != type) ++number;
  fj::TypedValue out{number, {}};
  if (value == nullptr) return out;
  switch (value->kind) {
    case Value::Kind::text:
    case Value::Kind::binary: out.bytes = value->bytes; break;
    case Value::Kind::integer:
    case Value::Kind::unsigned_integer:
      store_little(kept.data(), value->integer);
      out.bytes = {kept.data(), 8};
      break;
    case Value::Kind::real:
      store_little(kept.data(), std::bit_cast<std::uint64_t>(value->real));
      out.bytes = {kept.data(), 8};
      break;
    case Value::Kind::boolean:
      kept[0] = value->boolean ? 1 : 0;
      out.bytes = {kept.data(), 1};
      break;
  }
  return out;
}

// ---------------------------------------------------------------------------
// Requests

std::size_t FjProtocol::whole_bytes(std::string_view) const { return frame_bytes_max_; }

Protocol::Piece FjProtocol::read(std::string_view unread, Message& message, std::string& out) {
  if (unread.empty() || is_asked_) return {};
  if (scan_bytes_ > 0 && !is_scan_) {
    std::size_t const consumed = std::exchange(scan_bytes_, 0U);
    return {.kind = Kind::nothing, .consumed = consumed, .bytes = consumed};
  }
  if (skip_ > 0) {
    auto const consumed = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, unread.size()));
    skip_ -= consumed;
    return {.kind = Kind::nothing, .consumed = consumed, .bytes = consumed};
  }
  if (!is_known_)
    if (Greeting const came = greeting_of(unread); came != Greeting::unknown && came != Greeting::fj)
      return bad(0, unread.size(), true, Code::invalid, wrong_port("the FJ protocol", came) + ": closed");
  fj::Request request;
  fj::Cut cut = fj::read(unread, frame_bytes_max_, request);
  switch (cut.kind) {
    case fj::Cut::Kind::need_more: return {};
    case fj::Cut::Kind::broken: {
      auto const consumed = static_cast<std::size_t>(std::min<std::uint64_t>(cut.bytes, unread.size()));
      skip_ = cut.bytes - consumed;
      bool const is_end_known = cut.bytes != 0;
      return bad(cut.identifier, consumed, !is_end_known,
                 cut.bytes > frame_bytes_max_ ? Code::too_large : Code::bad_parameter,
                 (is_known_ ? "" : "this port speaks the FJ protocol: ") + cut.problem +
                     (is_end_known ? "" : ". Where this frame ends is not known: closed"));
    }
    case fj::Cut::Kind::whole: is_known_ = true; break;
  }
  return command(request, static_cast<std::size_t>(cut.bytes), message, out);
}

Protocol::Piece FjProtocol::bad(std::uint16_t identifier, std::size_t consumed, bool ends, Code code, std::string why) {
  refused_ = identifier;
  return {.kind = Kind::bad, .ends = ends, .consumed = consumed, .bytes = consumed, .status = {code, std::move(why)}};
}

Protocol::Piece FjProtocol::command(fj::Request const& request, std::size_t bytes, Message& message, std::string& out) {
  Piece piece{.kind = Kind::nothing, .consumed = bytes, .bytes = bytes};
  if (request.function == static_cast<std::uint16_t>(Function::nop)) {
    fj::write(fj::Reply{.identifier = request.identifier}, out);
    return piece;
  }
  piece.ends = request.function == static_cast<std::uint16_t>(Function::quit);
  if (piece.ends) return piece;
  message.clear();
  if (std::string why = translate(request, message); !why.empty())
    return bad(request.identifier, bytes, false, Code::bad_parameter,
               fmt::format("{}: {}", kCommands[request.function], why));
  message.add("request", Value::of_unsigned(request.identifier));
  piece.kind = Kind::message;
  if (is_scan_) {
    is_asked_ = true;
    ++scan_steps_;
    scan_bytes_ = bytes;
    piece.consumed = 0;
  }
  return piece;
}

std::string FjProtocol::translate(fj::Request const& request, Message& message) {
  Uses const& uses = kUses[request.function];
  if (auto const odd = static_cast<std::uint16_t>(request.flags & ~(uses.flags | kAnySize)); odd != 0)
    return fmt::format("flags have bit {}, which means nothing here; expected zero", std::countr_zero(odd));
  if (request.timeout && !uses.timeout) return "there is a timeout; expected none";
  if (request.value && !uses.value) return "there is a value; expected none";
  if (request.timeout && *request.timeout > kSecondsMax)
    return fmt::format("timeout is {}; expected seconds, at most {}", *request.timeout, kSecondsMax);
  bool const is_date = request.function == static_cast<std::uint16_t>(Function::set) && !request.has(flag::kTtl);
  if (request.timeout && !is_date && *request.timeout > kDurationSecondsMax)
    return fmt::format("timeout is {}, which looks like a date; expected seconds from now", *request.timeout);
  message.command = kCommands[request.function];
  auto const ms = static_cast<std::int64_t>(request.timeout.value_or(0)) * 1000;
  if (message.command == "GET") return translate_get(request, message);
  message.add("key", Value::of_binary(request.key));
  switch (static_cast<Function>(request.function)) {
    case Function::set:
      if (request.timestamp != 0) message.set("timestamp", Value::of_unsigned(request.timestamp));
      if (!request.has(flag::kOverwrite)) message.set_integer("overwrite", 0);
      message.add("persist", Value::of_integer(request.has(flag::kPersist | flag::kPersistToo) ? 1 : 0));
      if (request.has(flag::kListen)) message.set_integer("listen", 1);
      if (request.has(flag::kTtl) && ms == 0) return "flags have bit 13 (TTL) without a timeout; expected its seconds";
      if (ms != 0) message.set_integer(request.has(flag::kTtl) ? "ttl" : "expiration_date", ms);
      return request.value ? set_value(message, "value", *request.value, true) : std::string{};
    case Function::remove:
      if (request.timestamp != 0) message.set("timestamp", Value::of_unsigned(request.timestamp));
      if (request.has(flag::kOverwrite)) message.set_integer("complete", 1);
      return {};
    case Function::add:
      message.set_integer("persist", request.has(flag::kPersist | flag::kPersistToo) ? 1 : 0);
      if (!request.value) return {};
      if (request.value->type != static_cast<std::uint8_t>(fj::Type::integer) &&
          request.value->type != static_cast<std::uint8_t>(fj::Type::real))
        return fmt::format("value type is {}; expected 3 (integer) or 4 (float)", request.value->type);
      return set_value(message, "by", *request.value, false);
    case Function::truncate:
      if (!request.value || request.value->type != static_cast<std::uint8_t>(fj::Type::integer))
        return "expected a value of type 3 (integer), the new size";
      return set_value(message, "size", *request.value, false);
    case Function::lock:
      if (ms == 0) return "expected a timeout, the seconds for which it is locked";
      message.set_integer("lock", ms);
      return {};
    case Function::rename:
    case Function::alias:
      if (request.has(flag::kOverwrite)) message.set_integer("overwrite", 1);
      message.set("new_key", Value::of_binary(request.upper));
      return {};
    default: return {};
  }
}

std::string FjProtocol::translate_get(fj::Request const& request, Message& message) {
  auto const ms = static_cast<std::int64_t>(request.timeout.value_or(0)) * 1000;
  bool const updates = request.has(flag::kUpdateTimeout);
  if (updates && !request.timeout) return "flags have bit 4 (update timeout) without a timeout; expected one";
  if (request.has(flag::kTtl) && !updates) return "flags have bit 13 (TTL) without bit 4 (update timeout)";
  if (!request.has(flag::kData)) message.set_integer("data", 0);
  if (updates && request.has(flag::kTtl)) {
    message.set_integer("ttl", ms);
  } else if (updates) {
    dates_ = "+" + std::to_string(ms);
    message.set("expiration_date", ms == 0 ? std::string_view{"0"} : std::string_view{dates_});
  } else if (ms != 0) {
    message.set_integer("worked_on", ms);
  }
  if (request.has(flag::kWorkedOn) && !message.has("worked_on")) message.set_integer("skip_worked_on", 1);
  if (request.has(kMainKey)) message.set_integer("facts", 1);
  bool const goes_on = scan_bytes_ > 0;
  if (request.has(flag::kListen) && !goes_on) message.set_integer("listen", 1);
  if (request.query() == fj::Query::key) {
    message.set("key", Value::of_binary(request.key));
    return {};
  }
  is_scan_ = true;
  std::string_view after;
  if (goes_on) {
    set_range(message, scan_after_);
    return {};
  }
  is_scan_ = false;
  if (request.query() == fj::Query::cursor) {
    if (!read_cursor(request.key, scan_, after)) return "key is no cursor of this daemon";
  } else {
    scan_ = {request.query(), request.count, std::string{request.key}, std::string{request.upper}};
    if (scan_.query == fj::Query::regex && scan_.key.empty()) return "key is empty; expected a regular expression";
  }
  is_scan_ = true;
  scan_steps_ = 0;
  set_range(message, after);
  if (!request.has(flag::kListen)) return {};
  bool const is_prefix = scan_.query == fj::Query::range && behind_prefix(scan_.key) == scan_.upper;
  is_scan_ = is_prefix;
  if (!is_prefix)
    return "flags have bit 11 (listen) with keys that do not begin alike; expected a key, or a range whose upper end "
           "is "
           "the first key behind all that begin with its lower end";
  message.erase("from");
  message.erase("to");
  message.set("prefix", Value::of_binary(scan_.key));
  return {};
}

void FjProtocol::set_range(Message& message, std::string_view after) {
  message.set_integer("count", static_cast<std::int64_t>(std::min(pairs_left(), kStepPairsMax)));
  if (scan_.query == fj::Query::regex) {
    message.set("regex", Value::of_binary(scan_.key));
  } else {
    if (!scan_.key.empty()) message.set("from", Value::of_binary(scan_.key));
    if (!scan_.upper.empty()) message.set("to", Value::of_binary(scan_.upper));
  }
  if (!after.empty()) message.set("after_binary", Value::of_binary(after));
}

// Of the page.
std::size_t FjProtocol::pairs_left() const {
  return (scan_.count == 0 ? kFramePageMax : std::size_t{scan_.count}) - pairs_count_;
}

void FjProtocol::end_scan() {
  is_scan_ = false;
  pairs_count_ = 0;
  pairs_.clear();
  if (pairs_.capacity() > kPairsKeptBytes) pairs_.shrink_to_fit();
}

// What it goes on with, and behind which key: the daemon keeps nothing of it.
std::string FjProtocol::write_cursor(Scan const& scan, std::string_view after) {
  std::string out{kCursorVersion, static_cast<char>(scan.query)};
  append_big(out, scan.count);
  append_big(out, static_cast<std::uint16_t>(scan.key.size()));
  out += scan.key;
  append_big(out, static_cast<std::uint16_t>(scan.upper.size()));
  out += scan.upper;
  out += after;
  return out;
}

bool FjProtocol::read_cursor(std::string_view bytes, Scan& scan, std::string_view& after) {
  auto const take = [&bytes](std::string& text) {
    if (bytes.size() < 2) return false;
    auto const size = load_big<std::uint16_t>(bytes.data());
    if (bytes.size() - 2 < size) return false;
    text = bytes.substr(2, size);
    bytes.remove_prefix(2 + size);
    return true;
  };
  if (bytes.size() < 4 || bytes[0] != kCursorVersion) return false;
  scan.query = static_cast<fj::Query>(bytes[1]);
  if (scan.query != fj::Query::range && scan.query != fj::Query::regex) return false;
  scan.count = load_big<std::uint16_t>(bytes.data() + 2);
  bytes.remove_prefix(4);
  if (!take(scan.key) || !take(scan.upper) || bytes.empty()) return false;
  after = bytes;
  return true;
}

// ---------------------------------------------------------------------------
// Replies

void FjProtocol::refuse(Status const& why, std::string& out) {
  std::string const error = fmt::format("{} {}", row_of(why.code()).wire_name, why.message());
  fj::write(fj::Reply{.identifier = std::exchange(refused_, std::uint16_t{0}), .error = error}, out);
}

void FjProtocol::write(Outgoing const& message, std::string& out) {
  Found const from{message.command, message.params};
  bool const is_error = message.command == "ERROR";
  if (is_scan_ && !message.is_push && !is_error) return add_to_scan(from, message.is_last, out);
  if (message.command == "PAIR") return write_pair(from, out);
  if (message.command == "STORED" && write_stored(from, out)) return;
  if (!message.is_push && is_scan_) {
    is_asked_ = false;
    end_scan();
  }
  fj::Reply reply;
  reply.identifier = static_cast<std::uint16_t>(from.number(message.is_push ? "listener" : "request"));
  reply.timestamp = from.number("timestamp");
  std::string error;
  std::array<char, 8> kept{};
  std::string_view const result = from.text("result");
  if (is_error) {
    error = std::string{from.text("code")} + " " + std::string{from.text("message")};
    if (from.text("code") == "in_use") reply.flags |= flag::kLocked;
  } else if (message.command == "STORED" || message.command == "DELETED") {
    if (result == "stale") reply.flags |= flag::kStale;
    if (result == "absent") error = "not_found there is no such value";
    if (result == "exists") error = "exists there is a value already";
    if (result == "stale") error = "stale what is there has a later timestamp";
    Shown const shown{from};
    if (shown.value != nullptr) reply.pairs.push_back({shown.key, shown.typed(kept)});
  } else if (message.command == "NOTHING") {
    error = "not_found there is no such value";
  } else if (message.command == "LOCKED") {
    reply.flags |= flag::kLocked;
    reply.timeout = seconds_of(static_cast<std::int64_t>(from.number("lock_end")));
  } else if (message.command == "CHANGED" || message.command == "UNLISTENED") {
    bool const is_key = from.find("prefix") == nullptr;
    reply.flags |= flag::kNotice;
    reply.cursor = "";
    reply.pairs.push_back({is_key ? from.key("key", "key_binary") : from.text("prefix"), std::nullopt});
    if (result == "stored") reply.pairs.back().value = fj::TypedValue{};
    if (from.find("missed") != nullptr) reply.flags |= flag::kStale;
    if (result == "unlistened" || message.command == "UNLISTENED") error = "unlistened this is not watched any more";
  } else if (message.command != "UNLOCKED") {
    error = "not_supported " + std::string{message.command} + " has no form in this protocol";
  }
  if (!error.empty()) reply.error = error;
  fj::write(reply, out);
}

void FjProtocol::write_pair(Found const& from, std::string& out) {
  Shown const shown{from};
  std::array<char, 8> kept{};
  fj::Reply reply{.identifier = shown.request, .timestamp = shown.timestamp};
  reply.pairs.push_back({shown.key, shown.typed(kept)});
  if (shown.is_locked) reply.flags |= flag::kLocked;
  if (shown.is_worked_on) reply.flags |= flag::kMarked;
  if (shown.expires) reply.timeout = seconds_of(*shown.expires);
  fj::write(reply, out);
}

// Of what was stored, without a value: the most frequent reply.
bool FjProtocol::write_stored(Found const& from, std::string& out) {
  fj::Reply reply;
  for (Param const& param : from.params) {
    if (param.name == "request")
      reply.identifier = static_cast<std::uint16_t>(param.value.as_unsigned().value_or(0));
    else if (param.name == "timestamp")
      reply.timestamp = param.value.as_unsigned().value_or(0);
    else if (param.name == "value" || (param.name == "result" && param.value.bytes != "stored"))
      return false;
  }
  fj::write(reply, out);
  return true;
}

// A list of pairs comes message by message, and is one frame.
void FjProtocol::add_to_scan(Found const& from, bool is_last, std::string& out) {
  if (from.command == "PAIR") {
    std::array<char, 8> kept{};
    Shown const shown{from};
    fj::append_pair({shown.key, shown.typed(kept)}, pairs_);
    ++pairs_count_;
  }
  if (!is_last) return;
  is_asked_ = false;
  std::string_view const after = from.key("after", "after_binary");
  if (!after.empty() && pairs_left() > 0 && pairs_.size() < kFramePageBytes && scan_steps_ < kFrameStepsMax) {
    scan_after_ = after;
    return;
  }
  fj::List const list{.identifier = static_cast<std::uint16_t>(from.number("request")),
                      .cursor = after.empty() ? std::string{} : write_cursor(scan_, after),
                      .count = pairs_count_,
                      .pairs = pairs_};
  fj::write(list, out);
  end_scan();
}

std::unique_ptr<Protocol> make_fj_protocol(ProtocolPlace place, std::shared_ptr<void> const& /*shared*/) {
  return std::make_unique<FjProtocol>(place.piece_bytes_max);
}

}  // namespace fastjournal::keyvalue
