// `kv frame`: one frame of the FJ protocol, and its reply, shown field by field.
#include <bit>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "clients/cpp/fj_connection.h"
#include "clients/programs/fastjournal/json_line.h"
#include "clients/programs/fastjournal/pair_values.h"
#include "clients/programs/fastjournal/verbs.h"
#include "wire/fj/frame.h"
#include "wire/fj/trace.h"

namespace fastjournal::cli {
namespace {

constexpr std::pair<std::string_view, std::uint16_t> kFlags[] = {
    {"overwrite", fj::flag::kOverwrite}, {"worked-on", fj::flag::kWorkedOn}, {"persist", fj::flag::kPersist},
    {"data", fj::flag::kData},           {"listen", fj::flag::kListen},      {"ttl", fj::flag::kTtl},
    {"update", fj::flag::kUpdateTimeout}};

std::string flag_names() {
  std::string out;
  for (auto const& [name, bit] : kFlags) out.append(name).append(" ");
  return out;
}

std::uint8_t type_named(std::string_view name) {
  std::uint8_t type = 0;
  while (fj::name_of(static_cast<fj::Type>(type)) != name) ++type;
  return type;
}

// The bytes of a value in a frame.
std::string bytes_of(client::TypedValue const& value) {
  std::string out;
  switch (client::type_of(value)) {
    case client::ValueType::nothing: break;
    case client::ValueType::buffer: out = std::get<client::Buffer>(value).bytes; break;
    case client::ValueType::string: out = std::get<std::string>(value); break;
    case client::ValueType::integer: append_little(out, std::get<std::int64_t>(value)); break;
    case client::ValueType::real: append_little(out, std::bit_cast<std::uint64_t>(std::get<double>(value))); break;
    case client::ValueType::boolean: out.assign(1, std::get<bool>(value) ? '\1' : '\0'); break;
  }
  return out;
}

struct FrameOptions {
  OptionSet& to;
  Text function{to, "FUNCTION", "what is asked for", required,
                one_of("NOP QUIT SET GET DELETE ADD NOT TRUNCATE LOCK UNLOCK RENAME ALIAS")};
  Text key{to, "KEY", "the key; of a range its lower end, or the expression; a cursor as a reply shows it"};
  MaybeText value{to, "VALUE", "the value"};
  Text type{to, "--type", keyvalue::set::type.as("of the value (default: string)")};
  Text upper{to, "--upper", "upper end of a range; new key of RENAME and ALIAS"};
  Text query{to, "--query", "of GET: KEY is not a single key", one_of("range regex cursor")};
  WordList flags{to, "--flag", "one of the frame's flags; may be repeated", one_of(flag_names()), one_each};
  Number<> seconds{to, "--seconds", "the frame's timeout"};
  Number<> count{to, "--count", "of a range: how many at most", WholeNumbers{0, 65'535}};
  Number<> timestamp{to, "--timestamp", "in microseconds since 1970"};
};

struct Sent {
  fj::Request frame;  // views of the options, and of these:
  std::string value;
  std::string cursor;
};

Status build(FrameOptions const& wish, Sent& sent) {
  for (std::uint16_t function = 0; function < fj::kFunctions; ++function)
    if (fj::name_of(static_cast<fj::Function>(function)) == wish.function) sent.frame.function = function;
  sent.frame.key = wish.key;
  for (std::string const& name : wish.flags)
    for (auto const& [known, bit] : kFlags)
      if (known == name) sent.frame.flags |= bit;
  if (wish.query == "range") sent.frame.set_query(fj::Query::range);
  if (wish.query == "regex") sent.frame.set_query(fj::Query::regex);
  if (wish.query == "cursor") {
    std::optional<std::string> bytes = fj::unquoted(wish.key);
    if (!bytes) return {Code::bad_parameter, "KEY is no cursor: expected it as a reply shows it, with \\xNN for bytes"};
    sent.cursor = std::move(*bytes);
    sent.frame.key = sent.cursor;
    sent.frame.set_query(fj::Query::cursor);
  }
  sent.frame.count = static_cast<std::uint16_t>(wish.count.value_or(0));
  sent.frame.timestamp = wish.timestamp.value_or(0);
  sent.frame.timeout = wish.seconds;
  if (sent.frame.has_upper()) sent.frame.upper = wish.upper;
  if (!wish.value && wish.type != "void") return {};
  std::string const type = wish.type.or_else("string");
  Result<client::TypedValue> const value =
      parse_value(static_cast<client::ValueType>(type_named(type)), wish.value.value_or(""));
  if (!value.ok()) return value.status();
  sent.value = bytes_of(value.value());
  sent.frame.value = fj::TypedValue{type_named(type), sent.value};
  return {};
}

nlohmann::ordered_json lines_of(std::string const& trace) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < trace.size();) {
    std::size_t const end = trace.find('\n', at);
    out.push_back(trace.substr(at + 2, end - at - 2));
    at = end + 1;
  }
  return out;
}

// For developers of clients.
struct KvFrame {
  OptionSet& to;
  FrameOptions given{to};

  ExitCode run(Call& call) {
    if (call.server.empty())
      return call.misuse("kv frame needs --server with the address of a listener that has protocol=\"fj\"");
    Sent sent;
    if (Status const status = build(given, sent); !status.ok()) return call.misuse(status.message());
    std::string request;
    std::string reply;
    client::FjOptions options;
    options.server = call.server;
    options.ca_file = call.ca_file;
    options.certificate_file = call.certificate_file;
    options.key_file = call.key_file;
    options.time_limit = call.time_limit();
    options.on_frame = [&](std::string_view bytes, bool is_sent) {
      (is_sent ? request : reply) += is_sent ? fj::trace_request(bytes) : fj::trace_reply(bytes);
    };
    auto const connection = client::FjConnection::open(std::move(options));
    if (!connection.ok()) return call.complain(connection.status());
    bool const quits = given.function == "QUIT";
    auto const answered = connection.value()->call(sent.frame);
    // The daemon closes the connection, and that is all it says to QUIT.
    if (!answered.ok() && !(quits && answered.status().code() == Code::closed)) return call.complain(answered.status());
    if (call.json) {
      nlohmann::ordered_json out;
      out["request"] = lines_of(request);
      out["reply"] = lines_of(reply);
      call.console.out << json_line(out);
    } else {
      call.console.out << "request\n" << request << "reply\n" << reply;
    }
    return answered.ok() && answered->frame.error ? ExitCode::refused : ExitCode::ok;
  }
};

constexpr Verb kFrame[]{
    {"kv frame", "send one frame of the FJ protocol, and show it and its reply", Needs::nothing, declare<KvFrame>,
     "fastjournal --server 127.0.0.1:4060 kv frame GET greeting --flag data",
     "--server is a listener with protocol=\"fj\". The fields are those of doc/fj-protocol.md, with their bytes.\n"
     "Exit code 1: the reply is an error."},
};

}  // namespace

Verbs frame_verbs() { return kFrame; }

}  // namespace fastjournal::cli
