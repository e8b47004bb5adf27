// The C++ library as a driver (README.md).
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/journal.h"
#include "clients/cpp/queues.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::client;

// A value of a command, with the bytes that it refers to.
struct Word {
  char kind{'t'};
  std::string bytes;

  [[nodiscard]] Value value() const {
    switch (kind) {
      case 'b': return Value::of_binary(bytes);
      case 'i': return Value::of_integer(std::strtoll(bytes.c_str(), nullptr, 10));
      case 'u': return Value::of_unsigned(std::strtoull(bytes.c_str(), nullptr, 10));
      case 'r': return Value::of_real(std::strtod(bytes.c_str(), nullptr));
      case 'f': return Value::of_boolean(bytes == "1");
      default: return Value::of_text(bytes);
    }
  }
};
using Words = std::map<std::string, Word>;

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::string escaped(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (char const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    bool const plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                       std::string_view{"_.:/+-"}.find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      (out += '%').append({kHex[byte >> 4U], kHex[byte & 15U]});
  }
  return out;
}

Words words_of(std::string_view line) {
  Words out;
  for (std::size_t at = line.find('\t'); at != std::string_view::npos;) {
    std::size_t const end = line.find('\t', at + 1);
    std::string_view const word = line.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
    std::size_t const equals = word.find('=');
    out[unescaped(word.substr(0, equals))] = {word[equals + 1], unescaped(word.substr(equals + 3))};
    at = end;
  }
  return out;
}

// One line of output.
class Line {
 public:
  explicit Line(std::string_view verb) { std::cout << verb; }
  ~Line() { std::cout << '\n'; }
  Line(Line const&) = delete;
  Line& operator=(Line const&) = delete;
  Line& text(std::string_view name, std::string_view value) { return add(name, "t:", escaped(value)); }
  Line& integer(std::string_view name, std::int64_t value) { return add(name, "i:", std::to_string(value)); }
  Line& number(std::string_view name, std::uint64_t value) {
    return add(name, value > INT64_MAX ? "u:" : "i:", std::to_string(value));
  }
  Line& value(std::string_view name, Value const& value) {
    switch (value.kind) {
      case Value::Kind::text: return text(name, value.bytes);
      case Value::Kind::binary: return add(name, "b:", escaped(value.bytes));
      case Value::Kind::real: {
        std::array<char, 32> digits{};
        auto const [end, _] = std::to_chars(digits.data(), digits.data() + digits.size(), value.real);
        return add(name, "r:", {digits.data(), end});
      }
      case Value::Kind::unsigned_integer: return number(name, value.unsigned_integer);
      case Value::Kind::boolean: return add(name, "f:", value.boolean ? "1" : "0");
      case Value::Kind::integer: break;
    }
    return integer(name, value.integer);
  }

 private:
  Line& add(std::string_view name, std::string_view kind, std::string_view value) {
    std::cout << '\t' << escaped(name) << '=' << kind << value;
    return *this;
  }
};

void say_row(Line& line, Row const& row) {
  for (auto const& [name, value] : row.columns) line.text(name, value);
  line.text("table", row.table).number("row", row.row).number("epoch", row.epoch).integer("priority", row.priority);
  line.number("timeouts", row.timeouts).number("attempts", row.attempts);
  line.integer("process_date", row.process_date.value).integer("insertion_date", row.insertion_date.value);
  line.integer("lease_end", row.lease_end.value);
}

void say_message(Line& line, QueueMessage const& message) {
  line.text("table", message.table).number("message", message.message).number("epoch", message.epoch);
  line.text("queue", message.queue).integer("priority", message.priority).number("deliveries", message.deliveries);
  line.value("body", message.is_text ? Value::of_text(message.body) : Value::of_binary(message.body));
  line.integer("redelivered", message.redelivered ? 1 : 0).text("routing_key", message.routing_key);
  line.text("dead_of", message.dead_of).text("properties", message.properties);
  line.integer("lease_end", message.lease_end.value);
}

class Driver {
 public:
  void act(std::string const& line) {
    std::string const verb = line.substr(0, line.find('\t'));
    words_ = words_of(line);
    Status const status = run(verb);
    if (status.ok()) return;
    Line error{"error"};
    error.text("code", row_of(status.code()).wire_name).text("text", status.message());
    for (auto const& [name, value] : status.facts()) error.text("fact." + name, value);
  }

 private:
  Status run(std::string const& verb) {
    if (verb == "open") return open();
    if (verb == "put") return put();
    if (verb == "many") return many();
    if (verb == "next") return next();
    if (verb == "touch") return touch();
    if (verb == "done") return ended(journal().done(row()));
    if (verb == "done_next") return say_work(journal().done_and_next(row()));
    if (verb == "release") return release();
    if (verb == "fail") return say_fate(journal().fail(row(), text("error")));
    if (verb == "why") return call("WHY");
    if (verb == "listen") return listen();
    if (verb == "unlisten") return ended(journal().unlisten(text("domain")));
    if (verb == "wait") return wait();
    if (verb == "send") return send();
    if (verb == "acquire") return acquire();
    if (verb == "accept") return ended(queues().accept(message()));
    if (verb == "renew") return say_end(queues().touch(message(), span("lease")));
    if (verb == "give_back") return say_fate_of(queues().release(message(), {.error = text("error")}));
    if (verb == "reject") return say_fate_of(queues().reject(message(), text("error")));
    if (verb == "follow")
      return ended(queues().listen(
          {.queue = text("queue"), .credit = static_cast<std::uint32_t>(integer("credit").value_or(1))}));
    if (verb == "wait_message") return wait_message();
    if (verb == "call") return call(text("command"));
    std::cerr << "unknown verb " << verb << '\n';
    std::exit(1);
  }

  [[nodiscard]] std::string text(std::string const& name) const {
    auto const found = words_.find(name);
    return found == words_.end() ? std::string{} : found->second.bytes;
  }
  [[nodiscard]] std::optional<std::int64_t> integer(std::string const& name) const {
    auto const found = words_.find(name);
    return found == words_.end() ? std::nullopt : found->second.value().as_integer();
  }
  [[nodiscard]] std::optional<DurationMs> span(std::string const& name) const {
    auto const ms = integer(name);
    return ms ? std::optional{DurationMs{*ms}} : std::nullopt;
  }
  [[nodiscard]] Row row() const {
    Row out;
    out.row = static_cast<std::uint64_t>(integer("row").value_or(0));
    out.epoch = static_cast<std::uint64_t>(integer("epoch").value_or(0));
    return out;
  }

  Journal& journal() {
    auto& found = journals_[text("table")];
    if (found == nullptr) found = std::make_unique<Journal>(*connection_, text("table"));
    return *found;
  }

  Queues& queues() {
    auto& found = queues_[text("table")];
    if (found == nullptr) found = std::make_unique<Queues>(*connection_, text("table"));
    return *found;
  }
  [[nodiscard]] QueueMessage message() const {
    QueueMessage out;
    out.message = static_cast<std::uint64_t>(integer("message").value_or(0));
    out.epoch = static_cast<std::uint64_t>(integer("epoch").value_or(0));
    return out;
  }

  static Status ended(Status status) {
    if (status.ok()) Line{"ok"};
    return status;
  }

  Status open() {
    journals_.clear();
    queues_.clear();
    Result<std::unique_ptr<Connection>> opened = Connection::open({.server = text("server"), .token = text("token")});
    if (!opened.ok()) return opened.status();
    connection_ = std::move(opened).value();
    return ended({});
  }

  // Takes options out of the words; the rest are columns.
  [[nodiscard]] static PutOptions options_of(Words& words) {
    PutOptions out;
    auto const taken = [&](char const* name) {
      auto node = words.extract(name);
      return node.empty() ? std::optional<Word>{} : std::optional{std::move(node.mapped())};
    };
    auto const date = [&](char const* name) -> std::optional<Date> {
      auto const word = taken(name);
      if (!word) return std::nullopt;
      std::int64_t const ms = word->value().as_integer().value_or(std::strtoll(word->bytes.c_str(), nullptr, 10));
      return word->bytes.starts_with('+') ? Date::in(DurationMs{ms}) : Date::at(TimeMs{ms});
    };
    out.process_date = date("process_date");
    out.expiration_date = date("expiration_date");
    out.insertion_date = date("insertion_date");
    if (auto const word = taken("client")) out.client = word->bytes;
    if (auto const word = taken("sequence")) out.sequence = word->value().as_unsigned();
    // What is no priority is sent as it is, for the daemon to refuse.
    if (auto const at = words.find("priority"); at != words.end()) {
      auto const priority = at->second.value().as_integer();
      if (priority && *priority >= 0 && *priority <= 255) {
        out.priority = static_cast<std::uint8_t>(*priority);
        words.erase(at);
      }
    }
    return out;
  }
  [[nodiscard]] static Params columns_of(Words const& words) {
    Params out;
    for (auto const& [name, word] : words)
      if (name != "table") out.push_back({name, word.value()});
    return out;
  }

  static constexpr std::array kResults{"inserted", "merged", "behind", "duplicate", "stale"};

  Status put() {
    Journal& table = journal();
    PutOptions const options = options_of(words_);
    Result<Put> const put = table.put(columns_of(words_), options);
    if (!put.ok()) return put.status();
    Line{"ok"}.text("result", kResults.at(static_cast<std::size_t>(put.value().result))).number("row", put.value().row);
    return {};
  }

  Status many() {
    Journal& table = journal();
    std::array<int, kResults.size()> counts{};
    int refused = 0;
    Status failed;
    Pipeline pipeline(*connection_, 1024, [&](std::uint64_t nr, Result<Reply> reply) {
      Result<Put> const put = reply.ok() ? Journal::put_of(reply.value()) : Result<Put>{reply.status()};
      if (put.ok()) {
        ++counts.at(static_cast<std::size_t>(put.value().result));
        return;
      }
      ++refused;
      Line{"refused"}.number("index", nr).text("code", row_of(put.status().code()).wire_name);
    });
    std::string line;
    for (std::int64_t left = integer("rows").value_or(0); left > 0 && std::getline(std::cin, line); --left) {
      Words words = words_of(line);
      PutOptions const options = options_of(words);
      Message insert = table.insert_of(columns_of(words), options);
      connection_->number(insert);
      if (Status sent = pipeline.send(insert); !sent.ok()) return sent;
    }
    pipeline.finish();
    Line ok{"ok"};
    for (std::size_t i = 0; i < counts.size(); ++i) ok.integer(kResults.at(i), counts.at(i));
    ok.integer("refused", refused);
    return {};
  }

  static Status say_work(Result<Work> const& work) {
    if (!work.ok()) return work.status();
    for (Row const& row : work.value().rows) {
      Line line{"row"};
      say_row(line, row);
    }
    return ended({});
  }

  Status next() {
    return say_work(journal().next({.count = static_cast<std::uint32_t>(integer("count").value_or(1)),
                                    .lease = span("lease"),
                                    .wait = span("wait"),
                                    .domain = text("domain"),
                                    .worker = text("worker")}));
  }

  Status touch() { return say_end(journal().touch(row(), span("lease"))); }

  static Status say_end(Result<TimeMs> const& end) {
    if (!end.ok()) return end.status();
    Line{"ok"}.integer("lease_end", end.value().value);
    return {};
  }

  static Status say_fate(Result<Returned> const& returned) {
    static constexpr std::array kFates{"released", "parked", "deleted"};
    if (!returned.ok()) return returned.status();
    Line{"ok"}.text("fate", kFates.at(static_cast<std::size_t>(returned.value().fate)));
    return {};
  }

  Status release() {
    ReleaseOptions options{.error = text("error")};
    if (auto const delay = span("delay")) options.process_date = Date::in(*delay);
    return say_fate(journal().release(row(), options));
  }

  Status listen() {
    std::string const mode = text("mode");
    return ended(journal().listen({.mode = mode == "row"       ? ListenMode::row
                                           : mode == "deliver" ? ListenMode::deliver
                                                               : ListenMode::wake,
                                   .domain = text("domain"),
                                   .credit = static_cast<std::uint32_t>(integer("credit").value_or(1))}));
  }

  Status wait() {
    static constexpr std::array kKinds{"work", "due", "missed", "delivered"};
    Result<Notice> const notice = wait_notice(*connection_, Milliseconds{integer("limit").value_or(0)});
    if (!notice.ok()) return notice.status();
    Notice const& what = notice.value();
    Line ok{"ok"};
    ok.text("kind", kKinds.at(static_cast<std::size_t>(what.kind)));
    if (what.kind == Notice::Kind::due || what.kind == Notice::Kind::delivered)
      say_row(ok, what.row);
    else
      ok.text("table", what.table).number("ready", what.ready).number("missed", what.missed);
    return {};
  }

  Status send() {
    static constexpr std::array kSent{"sent", "duplicate", "expired"};
    SendOptions options;
    options.properties = text("properties");
    options.client = text("client");
    if (auto const at = words_.find("body"); at != words_.end()) options.binary = at->second.kind == 'b';
    if (auto const given = integer("priority")) options.priority = static_cast<std::uint8_t>(*given);
    if (auto const given = integer("sequence")) options.sequence = static_cast<std::uint64_t>(*given);
    if (auto const given = text("process_date"); !given.empty())
      options.process_date = Date::in(DurationMs{std::strtoll(given.c_str(), nullptr, 10)});
    Result<Sent> const sent = words_.contains("exchange")
                                  ? queues().publish(text("exchange"), text("routing_key"), text("body"), options)
                                  : queues().send(text("queue"), text("body"), options);
    if (!sent.ok()) return sent.status();
    Line ok{"ok"};
    ok.text("result", kSent.at(static_cast<std::size_t>(sent.value().result)));
    ok.number("message", sent.value().message).number("queues", sent.value().queues);
    return {};
  }

  Status acquire() {
    Result<Acquired> const acquired =
        queues().acquire({.queue = text("queue"),
                          .count = static_cast<std::uint32_t>(integer("count").value_or(1)),
                          .lease = span("lease"),
                          .wait = span("wait"),
                          .accept = integer("accept").value_or(0) == 1,
                          .worker = text("worker")});
    if (!acquired.ok()) return acquired.status();
    for (QueueMessage const& one : acquired.value().messages) {
      Line line{"row"};
      say_message(line, one);
    }
    return ended({});
  }

  static Status say_fate_of(Result<ReturnedMessage> const& returned) {
    static constexpr std::array kFates{"released", "dead", "parked", "deleted"};
    if (!returned.ok()) return returned.status();
    Line{"ok"}.text("fate", kFates.at(static_cast<std::size_t>(returned.value().fate)));
    return {};
  }

  Status wait_message() {
    static constexpr std::array kKinds{"work", "due", "missed", "delivered"};
    Result<QueueNotice> const notice = wait_queue_notice(*connection_, Milliseconds{integer("limit").value_or(0)});
    if (!notice.ok()) return notice.status();
    Line ok{"ok"};
    ok.text("kind", kKinds.at(static_cast<std::size_t>(notice.value().kind)));
    say_message(ok, notice.value().message);
    return {};
  }

  Status call(std::string const& command) {
    words_.erase("command");
    Params params;
    for (auto const& [name, word] : words_) params.push_back({name, word.value()});
    Result<Reply> const reply = connection_->call(command, params);
    if (!reply.ok()) return reply.status();
    for (Message const& message : reply.value().messages) {
      Line line{"message"};
      line.text("command", message.command);
      for (Param const& param : message.params()) line.value(param.name, param.value);
    }
    return ended({});
  }

  std::unique_ptr<Connection> connection_;
  std::map<std::string, std::unique_ptr<Journal>> journals_;
  std::map<std::string, std::unique_ptr<Queues>> queues_;
  Words words_;
};

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  Driver driver;
  for (std::string line; std::getline(std::cin, line);) {
    driver.act(line);
    std::cout << std::flush;
  }
}
